// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-rank.c - who may decide what about a gate; see nst-rank.h
 *
 * Nothing here reads a clock, takes a lock or calls a device, so the suite
 * in tests/ runs it in user space too.
 */
#include "nst-rank.h"
#include "uapi/nst.h"

static u8 deeper(u8 a, u8 b)
{
	return a > b ? a : b;
}

void nst_rank_decide(const struct nst_rank_inputs *in,
		     struct nst_rank_outputs *out)
{
	bool closes = in->capture || in->bound_closes || in->sensor_bad ||
		      in->waking || in->ceiling;
	u8 base;

	if (in->leased)
		base = in->holder_gate;
	else
		base = deeper(in->manual_gate,
			      in->engine_gates ? NST_GATE_STANDBY :
						 NST_GATE_RUN);

	out->base = base;
	out->gate = closes ? deeper(base, NST_GATE_STANDBY) : base;
	out->failsafe = 0;
	/* A ceiling that nobody wants to pass is not an intervention. */
	if (in->sensor_bad)
		out->failsafe = NST_FAILSAFE_SENSOR;
	else if (in->ceiling && base == NST_GATE_RUN)
		out->failsafe = NST_FAILSAFE_CEILING;
	else if (!in->leased && in->engine_gates)
		out->failsafe = NST_FAILSAFE_HOLD;
	out->guard = out->failsafe || (closes && base == NST_GATE_RUN);
}

u8 nst_rank_dwell(u8 from, u8 to, u64 since_us, u64 t_us, u32 dwell_us)
{
	if (to >= from)
		return to;
	if (t_us >= since_us && t_us - since_us >= dwell_us)
		return to;
	return from;
}

int nst_rank_thresholds(struct nst_thresholds *ret,
			const struct nst_plant_params *params, u32 run_mw,
			u32 gated_mw, s32 max_mc)
{
	u32 delta_mw = run_mw > gated_mw ? run_mw - gated_mw : 0;
	/* The whole jump; the die settles within a second on any stack. */
	s32 gap_mc = nst_plant_jump_mc(params, delta_mw, 1000000) +
		     NST_GAP_EXTRA_MC;
	struct nst_thresholds thr = {
		.high_mc = max_mc - NST_HIGH_BELOW_MAX_MC,
		.low_mc = max_mc - NST_HIGH_BELOW_MAX_MC - gap_mc,
		.capture_mc = NST_TEMP_NONE_MC,
		.max_mc = max_mc,
	};

	if (!nst_temp_in_range(thr.low_mc) || !nst_temp_in_range(max_mc))
		return -ERANGE;
	*ret = thr;
	return 0;
}
