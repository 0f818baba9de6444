/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-cci-health.h - when to talk to a sensor that does not answer
 *
 * Two reasons to leave the bus alone. A sensor that is not ready (stopped,
 * still taking its firmware, not measuring yet) is asked less and less often,
 * so that an upload over the same bus is not held up. One that fails
 * NST_CCI_FAILS times in a row is given up: that is said once, and from then
 * on it is tried slowly, for ever. The first answer ends both. Pure.
 */
#ifndef NST_CCI_HEALTH_H
#define NST_CCI_HEALTH_H

#include "units.h"

/* In a row; the guard of the core has gated after five bad samples. */
#define NST_CCI_FAILS 8

#define NST_CCI_DEAD_MS 1000
#define NST_CCI_DEAD_MAX_MS 60000
#define NST_CCI_IDLE_MS 20
#define NST_CCI_IDLE_MAX_MS 320

/**
 * struct nst_cci_health - all zero is a sensor of which nothing is known
 * @fails: failed in a row
 * @dead: given up
 * @idle_err: why it has no value, while it is not given up
 * @wait_ms: last pause
 * @retry_us: no transfer before
 */
struct nst_cci_health {
	u32 fails;
	bool dead;
	int idle_err;
	u32 wait_ms;
	u64 retry_us;
};

/** nst_cci_health_may() - 0 go on, -EIO given up, or why it has no value */
int nst_cci_health_may(const struct nst_cci_health *health, u64 now_us);

/** nst_cci_health_good() - it answered; true when it had been given up */
bool nst_cci_health_good(struct nst_cci_health *health);

/**
 * nst_cci_health_heard() - it answered something else than a value
 * Ends what failures have begun, and no pause of one that has no value.
 * Return: true when it had been given up
 */
bool nst_cci_health_heard(struct nst_cci_health *health);

/**
 * nst_cci_health_idle() - it answered and has no value
 * @err: -EAGAIN or -ENODATA
 * @until_us: when it will, 0 when nobody knows
 * Return: true when it had been given up
 */
bool nst_cci_health_idle(struct nst_cci_health *health, u64 now_us,
			 u64 until_us, int err);

/** nst_cci_health_wake() - it may be another one now: no pause is left */
void nst_cci_health_wake(struct nst_cci_health *health);

/** nst_cci_health_bad() - it failed; true when it is given up now */
bool nst_cci_health_bad(struct nst_cci_health *health, u64 now_us);

#endif /* NST_CCI_HEALTH_H */
