// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-health.c - pauses between attempts, pure
 */
#include "nst-cci-health.h"

int nst_cci_health_may(const struct nst_cci_health *health, u64 now_us)
{
	if (now_us >= health->retry_us)
		return 0;
	return health->dead ? -EIO : health->idle_err;
}

static bool alive(struct nst_cci_health *health)
{
	bool was_dead = health->dead;

	/* A pause counts from the kind of trouble that it belongs to. */
	if (health->fails)
		health->wait_ms = 0;
	health->fails = 0;
	health->dead = false;
	return was_dead;
}

bool nst_cci_health_good(struct nst_cci_health *health)
{
	bool was_dead = alive(health);

	health->wait_ms = 0;
	health->retry_us = 0;
	return was_dead;
}

bool nst_cci_health_heard(struct nst_cci_health *health)
{
	return health->fails && nst_cci_health_good(health);
}

static void back_off(struct nst_cci_health *health, u64 now_us, u32 first_ms,
		     u32 most_ms)
{
	u32 wait_ms = health->wait_ms ? 2 * health->wait_ms : first_ms;

	health->wait_ms = wait_ms < most_ms ? wait_ms : most_ms;
	health->retry_us = now_us + (u64)health->wait_ms * 1000;
}

bool nst_cci_health_idle(struct nst_cci_health *health, u64 now_us,
			 u64 until_us, int err)
{
	bool was_dead = alive(health);

	health->idle_err = err;
	if (until_us)
		health->retry_us = until_us;
	else
		back_off(health, now_us, NST_CCI_IDLE_MS, NST_CCI_IDLE_MAX_MS);
	return was_dead;
}

void nst_cci_health_wake(struct nst_cci_health *health)
{
	health->wait_ms = 0;
	health->retry_us = 0;
}

bool nst_cci_health_bad(struct nst_cci_health *health, u64 now_us)
{
	bool now_dead = false;

	if (health->fails < NST_CCI_FAILS) {
		health->fails++;
		health->wait_ms = 0;
		health->retry_us = 0;
		if (health->fails < NST_CCI_FAILS)
			return false;
		now_dead = !health->dead;
		health->dead = true;
	}
	back_off(health, now_us, NST_CCI_DEAD_MS, NST_CCI_DEAD_MAX_MS);
	return now_dead;
}
