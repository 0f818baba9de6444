// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-capture.c - tickets: one or more frames at or below a temperature
 *
 * While a ticket wants a frame the gate is closed from the next boundary on.
 * At each boundary the exposure temperature of the frame that begins is
 * computed from the model (policies/core/exposure.h). The first one that is
 * cold enough, or the last that may still start before the deadline, becomes
 * the candidate. The next valid sample confirms it: what that sample
 * corrects in the model is added to the candidate's temperature. A candidate
 * that turns out too warm is dropped as long as there is time.
 */
#include "exposure.h"
#include "nst.h"

static void ticket_report(struct nst *nst, struct nst_ticket *ticket,
			  s32 temp_mc)
{
	bool late = temp_mc > ticket->temp_mc;
	struct nst_uapi_event ev = {
		.type = late ? NST_EVENT_CAPTURE_MISSED :
			       NST_EVENT_CAPTURE_READY,
		.t_us = nst->settled_us,
		.seq = ticket->candidate_seq,
		.temp_mc = temp_mc,
		.id = ticket->id,
	};

	ticket->candidate = false;
	ticket->frames_left--;
	ev.value = ticket->frames_left;
	nst_event(nst, &ev);
	nst->stats.captures++;
	if (late)
		nst->stats.captures_late++;
	if (!ticket->frames_left)
		ticket->owner = NULL;
}

/* nst_capture_add() - take a ticket; @req->ret_id is filled in */
int nst_capture_add(struct nst *nst, struct nst_file *file,
		    struct nst_uapi_capture *req)
{
	struct nst_ticket *ticket = NULL;
	unsigned int i;

	if (req->flags || req->reserved || !req->frames ||
	    req->frames > NST_TICKET_FRAMES_MAX ||
	    !nst_temp_in_range(req->temp_mc))
		return -EINVAL;
	if (!nst_has_frames(nst))
		return -ENODATA;

	for (i = 0; i < ARRAY_SIZE(nst->ticket) && !ticket; i++) {
		if (!nst->ticket[i].owner)
			ticket = &nst->ticket[i];
	}
	if (!ticket)
		return -EBUSY;

	if (!++nst->ticket_id)
		nst->ticket_id = 1;
	*ticket = (struct nst_ticket){
		.owner = file,
		.id = nst->ticket_id,
		.temp_mc = req->temp_mc,
		.deadline_us = nst->settled_us + req->deadline_us,
		.frames_left = req->frames,
	};
	req->ret_id = ticket->id;
	return 0;
}

/* nst_capture_cancel() - give a ticket up; -ENOENT when it is not @file's */
int nst_capture_cancel(struct nst *nst, struct nst_file *file, u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst->ticket[i].owner == file && nst->ticket[i].id == id) {
			nst->ticket[i].owner = NULL;
			return 0;
		}
	}
	return -ENOENT;
}

/* nst_capture_drop() - @file is closed */
void nst_capture_drop(struct nst *nst, struct nst_file *file)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst->ticket[i].owner == file)
			nst->ticket[i].owner = NULL;
	}
}

/* nst_capture_wants() - the coming frame has to be a cold one */
bool nst_capture_wants(const struct nst *nst)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		const struct nst_ticket *ticket = &nst->ticket[i];

		if (ticket->owner &&
		    (!ticket->candidate || ticket->frames_left > 1))
			return true;
	}
	return false;
}

/* nst_capture_confirm() - a valid sample moved the model by that much */
void nst_capture_confirm(struct nst *nst, s32 correction_mc)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		struct nst_ticket *ticket = &nst->ticket[i];
		s32 temp_mc = ticket->candidate_mc + correction_mc;

		if (!ticket->owner || !ticket->candidate)
			continue;
		if (temp_mc <= ticket->temp_mc || ticket->late)
			ticket_report(nst, ticket, temp_mc);
		else
			ticket->candidate = false;
	}
}

/* nst_capture_boundary() - frame @seq begins with the gate now in force */
void nst_capture_boundary(struct nst *nst, u64 seq, u64 start_us)
{
	u64 next_us = start_us + nst->timing.frame_period_us;
	s32 temp_mc = NST_TEMP_NONE_MC;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		struct nst_ticket *ticket = &nst->ticket[i];

		if (!ticket->owner)
			continue;
		if (nst->sensor_bad || !nst->observer.primed) {
			/* Nothing will confirm it; the deadline still holds. */
			ticket->candidate = false;
			if (next_us > ticket->deadline_us) {
				ticket->candidate_seq = seq;
				ticket_report(nst, ticket, NST_TEMP_NONE_MC);
			}
			continue;
		}
		if (ticket->candidate)
			continue;
		if (temp_mc == NST_TEMP_NONE_MC)
			temp_mc = nst_exposure_frame_mc(&nst->observer.plant,
							nst_gate_power(nst, nst->gate_real),
							nst->observer.ambient_mc,
							max(1u, nst->timing.exposure_us),
							nst->timing.readout_us,
							NST_DOUBLING_DEFAULT_MC);
		ticket->late = next_us > ticket->deadline_us;
		if (temp_mc > ticket->temp_mc && !ticket->late)
			continue;
		ticket->candidate = true;
		ticket->candidate_seq = seq;
		ticket->candidate_mc = temp_mc;
	}
}

/*
 * nst_capture_expire() - time passes and no frame begins
 * A candidate that a sample can still confirm is not given up.
 */
void nst_capture_expire(struct nst *nst)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		struct nst_ticket *ticket = &nst->ticket[i];

		if (!ticket->owner ||
		    (ticket->candidate && !nst->sensor_bad) ||
		    nst->settled_us <= ticket->deadline_us)
			continue;
		ticket->candidate_seq = nst->frame_seq;
		ticket_report(nst, ticket, NST_TEMP_NONE_MC);
	}
}
