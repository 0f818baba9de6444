/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * shares.h - several sensors on one far device that cannot take them all
 *
 * Sensors that name the same far device in the profile share its capacity
 * (sensors.far.capacity_permyriad); the vision tasks of a sensor load it with
 * their far_load_permyriad, summed. While a sensor wants to be far it asks for
 * that much; policies/core/arbiter.h says who may. One that has to leave is
 * refused, which ends its far season as a device does that is gone, and then
 * waits; who comes next is let in when it has left. So the device is never
 * asked for more than it has, also while tasks move.
 *
 * How urgent it is: the share of frames that a stop in the place of the far
 * placement would cost at the present limits.
 */
#ifndef NST_NSTD_SHARES_H
#define NST_NSTD_SHARES_H

#include "arbiter.h"
#include "profile.h"
#include "seldom.h"

struct nst_manager;
struct nst_out;
struct nst_sensor;

/**
 * struct nst_share - of one sensor
 * @capacity: of its far device, permyriad; 0: nothing is shared
 * @wish_ms: its policy wanted far last
 * @far: its task is far, or on its way back
 */
struct nst_share {
	struct nst_arbiter_grant grant;
	u32 capacity;
	u32 load;
	u32 urgency;
	u64 wish_ms;
	bool wished;
	bool far;
	u8 said;		/* enum nst_arbiter_why, of the last line */
	struct nst_seldom changed;	/* what is said of changes */
};

struct nst_shares {
	struct nst_share of[NST_PROFILE_SENSORS_MAX];	/* by slot */
};

/** nst_shares_forget() - the sensor of a slot is another from now on */
void nst_shares_forget(struct nst_shares *h, unsigned int slot);

/**
 * nst_shares_fit() - could the tasks of a sensor be far at all?
 * Return: 0; -EDOM with the reason in @ret_what.
 */
int nst_shares_fit(const struct nst_sensor *s, char *ret_what, size_t size);

/** nst_shares_decide() - who may go far from the next decision on */
void nst_shares_decide(struct nst_manager *m, u64 now_ms);

/** nst_shares_put() - as a member of a status, where there is something */
void nst_shares_put(const struct nst_manager *m, const struct nst_sensor *s,
		    struct nst_out *o);

#endif /* NST_NSTD_SHARES_H */
