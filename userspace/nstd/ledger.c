// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ledger.c - one owner per frame: see ledger.h */
#include <errno.h>
#include <string.h>

#include "ledger.h"

const char *nst_home_name(enum nst_home home)
{
	static const char *const names[] = {
		[NST_HOME_NEAR] = "near",
		[NST_HOME_FAR] = "far",
		[NST_HOME_NONE] = "none",
	};

	return (unsigned int)home <= NST_HOME_NONE ? names[home] : "invalid";
}

static struct nst_frame_record *slot_of(struct nst_ledger *l, u64 seq)
{
	return &l->record[seq % NST_LEDGER_FRAMES];
}

struct nst_frame_record *nst_ledger_find(struct nst_ledger *l, u64 seq)
{
	struct nst_frame_record *r = slot_of(l, seq);

	return seq && r->seq == seq ? r : NULL;
}

static void close_slot(struct nst_ledger *l, struct nst_frame_record *r)
{
	if (r->seq && r->fate == NST_FRAME_OPEN) {
		r->fate = NST_FRAME_LOST;
		l->lost++;
	}
}

void nst_ledger_forget(struct nst_ledger *l)
{
	memset(l->record, 0, sizeof(l->record));
	l->newest = 0;
}

void nst_ledger_open(struct nst_ledger *l, u64 seq, enum nst_home owner)
{
	u64 from = l->newest + 1;

	if (seq == l->newest || !seq)
		return;
	if (!l->newest) {
		from = seq;
	} else if (seq < l->newest || seq - l->newest > NST_LEDGER_FRAMES) {
		for (int i = 0; i < NST_LEDGER_FRAMES; i++)
			close_slot(l, &l->record[i]);
		nst_ledger_forget(l);
		from = seq;
	}
	for (u64 n = from; n <= seq; n++) {
		struct nst_frame_record *r = slot_of(l, n);

		close_slot(l, r);
		*r = (struct nst_frame_record){ .seq = n, .owner = owner };
	}
	l->newest = seq;
}

static void drop(struct nst_ledger *l, struct nst_frame_record *r)
{
	if (r->fate != NST_FRAME_OPEN || r->owner == NST_HOME_FAR ||
	    r->told & 1u << NST_HOME_NEAR)
		return;
	r->fate = NST_FRAME_DROPPED;
	l->dropped++;
}

void nst_ledger_assign(struct nst_ledger *l, u64 seq, enum nst_home owner)
{
	for (int i = 0; i < NST_LEDGER_FRAMES; i++) {
		struct nst_frame_record *r = &l->record[i];

		if (r->seq < seq || !r->seq || r->fate != NST_FRAME_OPEN)
			continue;
		r->owner = (u8)owner;
		if (r->gated)
			drop(l, r);
	}
}

static void compare(struct nst_ledger *l, const struct nst_frame_record *r)
{
	const u8 both = 1u << NST_HOME_NEAR | 1u << NST_HOME_FAR;

	if (r->told != both)
		return;
	l->overlap++;
	l->diverged += r->checksum[NST_HOME_NEAR] !=
		       r->checksum[NST_HOME_FAR];
}

int nst_ledger_hand_in(struct nst_ledger *l, enum nst_home home, u64 seq,
		       u32 checksum, bool *ret_owner)
{
	struct nst_frame_record *r = nst_ledger_find(l, seq);
	u8 bit = (u8)(1u << home);
	bool again;

	*ret_owner = false;
	if (!r)
		return -ERANGE;
	if (r->owner == home && r->fate == NST_FRAME_DONE)
		return -EALREADY;
	again = r->told & bit;
	r->told |= bit;
	r->checksum[home] = checksum;
	if (!again)
		compare(l, r);
	if (r->owner == home && r->fate == NST_FRAME_DROPPED && !again) {
		/* It made it before the gate closed. */
		l->dropped--;
		r->fate = NST_FRAME_OPEN;
	}
	if (r->owner == home && r->fate == NST_FRAME_OPEN) {
		r->fate = NST_FRAME_DONE;
		l->done[home]++;
		*ret_owner = true;
	}
	return 0;
}

void nst_ledger_drop(struct nst_ledger *l, u64 seq)
{
	struct nst_frame_record *r = nst_ledger_find(l, seq);

	if (!r)
		return;
	r->gated = true;
	drop(l, r);
}

u32 nst_ledger_lose(struct nst_ledger *l, enum nst_home owner)
{
	u32 count = 0;

	for (int i = 0; i < NST_LEDGER_FRAMES; i++) {
		struct nst_frame_record *r = &l->record[i];

		if (!r->seq || r->owner != owner || r->fate != NST_FRAME_OPEN)
			continue;
		r->fate = NST_FRAME_LOST;
		count++;
	}
	l->lost += count;
	return count;
}

static u64 lowest_of(const struct nst_ledger *l, enum nst_home owner, u64 last,
		     bool told)
{
	u64 lowest = 0;

	for (int i = 0; i < NST_LEDGER_FRAMES; i++) {
		const struct nst_frame_record *r = &l->record[i];

		if (!r->seq || r->seq <= last || r->owner != owner ||
		    r->fate != NST_FRAME_OPEN ||
		    (told && !(r->told & (1u << owner))))
			continue;
		if (!lowest || r->seq < lowest)
			lowest = r->seq;
	}
	return lowest;
}

u64 nst_ledger_lowest(const struct nst_ledger *l, enum nst_home owner,
		      bool told)
{
	return lowest_of(l, owner, 0, told);
}

u64 nst_ledger_due(const struct nst_ledger *l, enum nst_home owner, u64 last)
{
	return lowest_of(l, owner, last, false);
}

void nst_ledger_begin_at(struct nst_ledger *l, u64 seq)
{
	for (int i = 0; i < NST_LEDGER_FRAMES; i++)
		if (l->record[i].seq < seq &&
		    l->record[i].fate == NST_FRAME_OPEN)
			l->record[i].seq = 0;
}
