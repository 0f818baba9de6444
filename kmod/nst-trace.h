/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-trace.h - the terms of the guard: sample, decision, gate
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nst

#if !defined(NST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NST_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(nst_sample,
	TP_PROTO(int id, u64 t_us, s32 value_mc, u8 state, u8 verdict,
		 s32 model_mc),
	TP_ARGS(id, t_us, value_mc, state, verdict, model_mc),
	TP_STRUCT__entry(
		__field(int, id)
		__field(u64, t_us)
		__field(s32, value_mc)
		__field(s32, model_mc)
		__field(u8, state)
		__field(u8, verdict)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->t_us = t_us;
		__entry->value_mc = value_mc;
		__entry->model_mc = model_mc;
		__entry->state = state;
		__entry->verdict = verdict;
	),
	TP_printk("nst%d t_us=%llu value_mc=%d state=%u verdict=%u model_mc=%d",
		  __entry->id, __entry->t_us, __entry->value_mc,
		  __entry->state, __entry->verdict, __entry->model_mc)
);

TRACE_EVENT(nst_decision,
	TP_PROTO(int id, u64 seq, u8 base, u8 gate, u8 failsafe, bool bound,
		 s32 die_mc, s32 ahead_mc),
	TP_ARGS(id, seq, base, gate, failsafe, bound, die_mc, ahead_mc),
	TP_STRUCT__entry(
		__field(int, id)
		__field(u64, seq)
		__field(s32, die_mc)
		__field(s32, ahead_mc)
		__field(u8, base)
		__field(u8, gate)
		__field(u8, failsafe)
		__field(bool, bound)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->seq = seq;
		__entry->die_mc = die_mc;
		__entry->ahead_mc = ahead_mc;
		__entry->base = base;
		__entry->gate = gate;
		__entry->failsafe = failsafe;
		__entry->bound = bound;
	),
	TP_printk("nst%d seq=%llu base=%u gate=%u failsafe=%u bound=%u die_mc=%d ahead_mc=%d",
		  __entry->id, __entry->seq, __entry->base, __entry->gate,
		  __entry->failsafe, __entry->bound, __entry->die_mc,
		  __entry->ahead_mc)
);

TRACE_EVENT(nst_gate,
	TP_PROTO(int id, u64 seq, u64 t_us, u8 from, u8 to),
	TP_ARGS(id, seq, t_us, from, to),
	TP_STRUCT__entry(
		__field(int, id)
		__field(u64, seq)
		__field(u64, t_us)
		__field(u8, from)
		__field(u8, to)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->seq = seq;
		__entry->t_us = t_us;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("nst%d seq=%llu t_us=%llu %u->%u", __entry->id,
		  __entry->seq, __entry->t_us, __entry->from, __entry->to)
);

#endif /* NST_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nst-trace
#include <trace/define_trace.h>
