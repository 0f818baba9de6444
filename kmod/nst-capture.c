// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-capture.c - tickets of files, and the model that they are decided on
 *
 * nst-ticket.h has the rules. While a ticket wants a frame the gate is closed
 * from the next boundary on; when none does, the ranks give back what they
 * found. The temperature of an exposure is policies/core/exposure.h's.
 */
#include "exposure.h"
#include "nst.h"

static void tell_answer(struct nst *nst, const struct nst_ticket *ticket,
			const struct nst_ticket_answer *answer)
{
	const struct nst_uapi_event ev = {
		.type = answer->missed ? NST_EVENT_CAPTURE_MISSED :
					 NST_EVENT_CAPTURE_READY,
		.t_us = nst->settled_us,
		.seq = answer->seq,
		.temp_mc = answer->temp_mc,
		.value = answer->left,
		.id = ticket->id,
	};

	nst_event(nst, &ev);
	nst->stats.captures++;
	if (answer->missed)
		nst->stats.captures_late++;
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
		if (nst_ticket_wants(&nst->ticket[i]))
			return true;
	}
	return false;
}

/* nst_capture_confirm() - a valid sample moved the model by that much */
void nst_capture_confirm(struct nst *nst, s32 correction_mc)
{
	struct nst_ticket_answer answer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst_ticket_confirm(&nst->ticket[i], correction_mc,
				       &answer))
			tell_answer(nst, &nst->ticket[i], &answer);
	}
}

static bool any_ticket(const struct nst *nst)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst->ticket[i].owner)
			return true;
	}
	return false;
}

/* Exposure temperature of the frame that begins, with the gate in force. */
static s32 exposure_mc(const struct nst *nst)
{
	if (nst->sensor_bad || !nst->observer.primed)
		return NST_TEMP_NONE_MC;
	return nst_exposure_frame_mc(&nst->observer.plant,
				     nst_gate_power(nst, nst->gate_real),
				     nst->observer.ambient_mc,
				     max(1u, nst->timing.exposure_us),
				     nst->timing.readout_us,
				     NST_DOUBLING_DEFAULT_MC);
}

/* nst_capture_boundary() - frame @seq begins with the gate now in force */
void nst_capture_boundary(struct nst *nst, u64 seq, u64 start_us)
{
	u64 next_us = start_us + nst->timing.frame_period_us;
	struct nst_ticket_answer answer;
	unsigned int i;
	s32 temp_mc;

	/* It is a costly number, and rarely asked for. */
	if (!any_ticket(nst))
		return;
	temp_mc = exposure_mc(nst);
	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst_ticket_frame(&nst->ticket[i], seq, next_us, temp_mc,
				     &answer))
			tell_answer(nst, &nst->ticket[i], &answer);
	}
}

/* nst_capture_expire() - time passes and no frame begins */
void nst_capture_expire(struct nst *nst)
{
	struct nst_ticket_answer answer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nst->ticket); i++) {
		if (nst_ticket_expire(&nst->ticket[i], nst->frame_seq,
				      nst->settled_us, nst->sensor_bad,
				      &answer))
			tell_answer(nst, &nst->ticket[i], &answer);
	}
}
