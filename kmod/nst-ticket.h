/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-ticket.h - one or more frames at or below a temperature, or told so
 *
 * At each boundary the exposure temperature of the frame that begins is known
 * from the model. The first frame that is cold enough becomes the candidate,
 * and so does the last one that may still start before the deadline. The next
 * valid sample confirms it: by what it corrects the model the candidate was
 * warmer or colder.
 *
 *	state		event			then
 *	waiting		cold enough		candidate
 *	waiting		last before deadline	candidate, late
 *	waiting		last, no temperature	missed, temperature unknown
 *	waiting		deadline, no frames	missed, temperature unknown
 *	candidate	sample, still cold	ready; waiting for more, or done
 *	candidate	sample, too warm	waiting
 *	candidate, late	sample			ready or missed, by temperature
 *	candidate	no temperature		waiting
 *
 * Pure: time, sequence and temperatures are arguments.
 */
#ifndef NST_TICKET_H
#define NST_TICKET_H

#include "units.h"

#define NST_TICKET_FRAMES_MAX 1000

/**
 * struct nst_ticket - a capture in progress
 * @owner: whose it is; NULL: no ticket
 * @deadline_us: latest start of the exposure, device clock
 * @candidate: a frame was chosen by the model and waits for a sample
 * @late: it was chosen because the deadline passes
 */
struct nst_ticket {
	const void *owner;
	u32 id;
	s32 temp_mc;
	u64 deadline_us;
	u32 frames_left;
	bool candidate;
	bool late;
	u64 candidate_seq;
	s32 candidate_mc;
};

/**
 * struct nst_ticket_answer - one frame for whoever asked
 * @missed: it is warmer than was asked for, or its temperature is not known
 * @temp_mc: of the exposure, NST_TEMP_NONE_MC when not known
 * @left: frames that are still to come
 */
struct nst_ticket_answer {
	bool missed;
	u64 seq;
	s32 temp_mc;
	u32 left;
};

/** nst_ticket_wants() - the coming frame has to be a cold one */
bool nst_ticket_wants(const struct nst_ticket *ticket);

/**
 * nst_ticket_frame() - frame @seq begins; the one after it at @next_us
 * @temp_mc: its exposure temperature by the model, NST_TEMP_NONE_MC when
 * there is none to be trusted. Return: there is an answer in @ret.
 */
bool nst_ticket_frame(struct nst_ticket *ticket, u64 seq, u64 next_us,
		      s32 temp_mc, struct nst_ticket_answer *ret);

/** nst_ticket_confirm() - a valid sample moved the model by that much */
bool nst_ticket_confirm(struct nst_ticket *ticket, s32 correction_mc,
			struct nst_ticket_answer *ret);

/**
 * nst_ticket_expire() - time passes and no frame begins
 * @seq: the last one that did. @hopeless: no sample will confirm anything
 */
bool nst_ticket_expire(struct nst_ticket *ticket, u64 seq, u64 now_us,
		       bool hopeless, struct nst_ticket_answer *ret);

#endif /* NST_TICKET_H */
