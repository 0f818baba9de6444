/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-guard.h - what the files of the guard have of each other
 *
 *	nst-guard.c		when it runs: boundaries, timer, alerts
 *	nst-guard-sample.c	readings into the model
 *	nst-guard-request.c	what the lease holder asked for
 *	nst-guard-band.c	ceiling, hold engine, cooling state
 *	nst-guard-plan.c	the gate now, and its edges to come
 *
 * All with the lock of the stack, nst_lock().
 */
#ifndef NST_GUARD_H
#define NST_GUARD_H

#include "nst.h"

/* nst-guard-sample.c */
void nst_guard_sample(struct nst *nst);
void nst_guard_tell_zone(struct nst *nst);
/* nst-guard-request.c */
const struct nst_request *nst_guard_request_of(const struct nst *nst, u64 seq);
const struct nst_request *nst_guard_window_of(const struct nst *nst, u64 seq);
const struct nst_request *nst_guard_window_now(const struct nst *nst);
u8 nst_guard_wanted_at(const struct nst *nst, const struct nst_request *req,
		       u64 t_us);
void nst_guard_take_over(struct nst *nst, u64 seq);
/* nst-guard-band.c */
void nst_guard_untold_run(struct nst *nst, u64 t_us);
void nst_guard_step_bands(struct nst *nst, u64 t_us, u32 span_us);
void nst_guard_step_bound(struct nst *nst);
/* nst-guard-plan.c */
void nst_guard_plan_next(struct nst *nst, u64 now_us);
bool nst_guard_window_is_late(struct nst *nst, u64 now_us);
void nst_guard_close_at_offset(struct nst *nst, u64 now_us);

#endif /* NST_GUARD_H */
