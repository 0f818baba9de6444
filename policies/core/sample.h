/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sample.h - a temperature reading and what may be believed of it
 *
 * A dead sensor is never a cold one: value_mc means something only when
 * nst_sample_usable() says so. A reading at a rail is a bound, not a
 * temperature: the die is at least (high rail) or at most (low rail) that.
 */
#ifndef NST_SAMPLE_H
#define NST_SAMPLE_H

#include "units.h"

enum nst_sample_state {
	NST_SAMPLE_VALID = 0,
	NST_SAMPLE_NOT_READY,	/* -EAGAIN: no conversion yet, powering up */
	NST_SAMPLE_NO_DATA,	/* -ENODATA: there never was one */
	NST_SAMPLE_BUS_FAULT,	/* -EIO */
	NST_SAMPLE_GONE,	/* -ENODEV */
	NST_SAMPLE_IMPLAUSIBLE,	/* read, and contradicts the model */
	NST_SAMPLE_STATE_COUNT
};

enum nst_sample_bound {
	NST_BOUND_NONE = 0,
	NST_BOUND_AT_LEAST,	/* high rail */
	NST_BOUND_AT_MOST,	/* low rail */
};

/**
 * struct nst_sample - one reading of one channel
 * @t_us: when it was taken, device clock
 * @value_mc: temperature; undefined unless @state is NST_SAMPLE_VALID
 * @state: enum nst_sample_state
 * @bound: enum nst_sample_bound
 */
struct nst_sample {
	u64 t_us;
	s32 value_mc;
	u8 state;
	u8 bound;
	u16 reserved;
};

/** nst_sample_errno() - 0 for a valid sample, else what a reader gets */
int nst_sample_errno(const struct nst_sample *sample);

/** nst_sample_from_errno() - the state that stands for a read error */
enum nst_sample_state nst_sample_from_errno(int err);

/** nst_sample_usable() - valid and not a low rail */
bool nst_sample_usable(const struct nst_sample *sample);

#endif /* NST_SAMPLE_H */
