// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sample.c - states of a reading and the errno values that stand for them
 */
#include "sample.h"

int nst_sample_errno(const struct nst_sample *sample)
{
	switch (sample->state) {
	case NST_SAMPLE_VALID:
		return 0;
	case NST_SAMPLE_NOT_READY:
		return -EAGAIN;
	case NST_SAMPLE_NO_DATA:
		return -ENODATA;
	case NST_SAMPLE_GONE:
		return -ENODEV;
	case NST_SAMPLE_IMPLAUSIBLE:
	case NST_SAMPLE_BUS_FAULT:
	default:
		return -EIO;
	}
}

enum nst_sample_state nst_sample_from_errno(int err)
{
	switch (err) {
	case 0:
		return NST_SAMPLE_VALID;
	case -EAGAIN:
		return NST_SAMPLE_NOT_READY;
	case -ENODATA:
		return NST_SAMPLE_NO_DATA;
	case -ENODEV:
		return NST_SAMPLE_GONE;
	default:
		return NST_SAMPLE_BUS_FAULT;
	}
}

bool nst_sample_usable(const struct nst_sample *sample)
{
	return sample->state == NST_SAMPLE_VALID &&
	       sample->bound != NST_BOUND_AT_MOST &&
	       nst_temp_in_range(sample->value_mc);
}
