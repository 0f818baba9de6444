// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-obey.c - does the gate do as it is told? See nst-obey.h
 */
#include "nst-obey.h"

static u16 count(u16 n)
{
	return n < 0xffff ? (u16)(n + 1) : n;
}

static enum nst_obey_news failed(struct nst_obey *obey, u8 gate)
{
	obey->gate = gate;
	if (obey->state == NST_OBEY_FAULT)
		return NST_OBEY_NOTHING;
	obey->state = NST_OBEY_TRYING;
	if (obey->refused < NST_OBEY_MAX && obey->contradicted < NST_OBEY_MAX)
		return NST_OBEY_NOTHING;
	obey->state = NST_OBEY_FAULT;
	return NST_OBEY_IS_FAULT;
}

static enum nst_obey_news agreed(struct nst_obey *obey, u8 gate)
{
	bool was_fault = obey->state == NST_OBEY_FAULT;

	if (obey->state == NST_OBEY_GOOD || gate != obey->gate ||
	    !obey->accepted)
		return NST_OBEY_NOTHING;
	*obey = (struct nst_obey){ 0 };
	return was_fault ? NST_OBEY_IS_BACK : NST_OBEY_NOTHING;
}

enum nst_obey_news nst_obey_event(struct nst_obey *obey,
				  enum nst_obey_event event, u8 gate,
				  u64 t_us)
{
	switch (event) {
	case NST_OBEY_REFUSED:
		obey->refused = count(obey->refused);
		obey->accepted = false;
		nst_obey_tried(obey, t_us);
		return failed(obey, gate);
	case NST_OBEY_CONTRADICTED:
		obey->contradicted = count(obey->contradicted);
		obey->accepted = true;
		return failed(obey, gate);
	case NST_OBEY_ACCEPTED:
		if (obey->state != NST_OBEY_GOOD && gate == obey->gate)
			obey->accepted = true;
		return NST_OBEY_NOTHING;
	case NST_OBEY_AGREED:
		return agreed(obey, gate);
	default:
		return NST_OBEY_NOTHING;
	}
}

void nst_obey_tried(struct nst_obey *obey, u64 t_us)
{
	u64 wait_us = 0;
	u32 doublings;

	obey->tries = count(obey->tries);
	if (obey->tries > NST_OBEY_AT_ONCE) {
		doublings = obey->tries - NST_OBEY_AT_ONCE - 1u;
		wait_us = NST_OBEY_LONGEST_US;
		if (doublings < 6)
			wait_us = (u64)NST_OBEY_FIRST_US << doublings;
	}
	obey->next_us = t_us + wait_us;
}

void nst_obey_asked(struct nst_obey *obey, u8 gate)
{
	if (gate == obey->gate)
		obey->next_us = 0;
}

bool nst_obey_may_try(const struct nst_obey *obey, u8 gate, u64 t_us)
{
	return obey->state == NST_OBEY_GOOD || gate != obey->gate ||
	       t_us >= obey->next_us;
}
