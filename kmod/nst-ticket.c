// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-ticket.c - one frame for who asked, or told so; see nst-ticket.h
 */
#include "nst-ticket.h"

static bool answer(struct nst_ticket *ticket, s32 temp_mc,
		   struct nst_ticket_answer *ret)
{
	ticket->candidate = false;
	ticket->frames_left--;
	*ret = (struct nst_ticket_answer){
		.missed = temp_mc > ticket->temp_mc,
		.seq = ticket->candidate_seq,
		.temp_mc = temp_mc,
		.left = ticket->frames_left,
	};
	if (!ticket->frames_left)
		ticket->owner = NULL;
	return true;
}

bool nst_ticket_wants(const struct nst_ticket *ticket)
{
	return ticket->owner &&
	       (!ticket->candidate || ticket->frames_left > 1);
}

bool nst_ticket_frame(struct nst_ticket *ticket, u64 seq, u64 next_us,
		      s32 temp_mc, struct nst_ticket_answer *ret)
{
	bool last = next_us > ticket->deadline_us;

	if (!ticket->owner)
		return false;
	if (temp_mc == NST_TEMP_NONE_MC) {
		/* Nothing will confirm it; the deadline still holds. */
		ticket->candidate = false;
		if (!last)
			return false;
		ticket->candidate_seq = seq;
		return answer(ticket, NST_TEMP_NONE_MC, ret);
	}
	if (ticket->candidate)
		return false;
	if (temp_mc > ticket->temp_mc && !last)
		return false;
	ticket->candidate = true;
	ticket->late = last;
	ticket->candidate_seq = seq;
	ticket->candidate_mc = temp_mc;
	return false;
}

bool nst_ticket_confirm(struct nst_ticket *ticket, s32 correction_mc,
			struct nst_ticket_answer *ret)
{
	s32 temp_mc = ticket->candidate_mc + correction_mc;

	if (!ticket->owner || !ticket->candidate)
		return false;
	if (temp_mc <= ticket->temp_mc || ticket->late)
		return answer(ticket, temp_mc, ret);
	ticket->candidate = false;
	return false;
}

bool nst_ticket_expire(struct nst_ticket *ticket, u64 seq, u64 now_us,
		       bool hopeless, struct nst_ticket_answer *ret)
{
	if (!ticket->owner || now_us <= ticket->deadline_us ||
	    (ticket->candidate && !hopeless))
		return false;
	ticket->candidate_seq = seq;
	return answer(ticket, NST_TEMP_NONE_MC, ret);
}
