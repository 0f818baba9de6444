/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * lookahead.h - what the next frame does to the die; for pol_*.c only
 */
#ifndef NST_LOOKAHEAD_H
#define NST_LOOKAHEAD_H

#include "policies.h"

/**
 * struct nst_lookahead - the die when a decision of now takes effect
 * @start_mc: die temperature then
 * @near_peak_mc: a bound of the die temperature in a near frame begun then,
 *	reached at its end when the stack warms
 * @near_die_mc: what die_max_mc binds of that frame: the same, unless the VPU
 *	works in bursts, which are over before a capture is exposed
 * @at, @near_end: both modes then, and at the end of the near frame
 * @near, @gated: where they tend to, without leakage
 */
struct nst_lookahead {
	s32 start_mc;
	s32 near_peak_mc;
	s32 near_die_mc;
	struct nst_modes at;
	struct nst_modes near_end;
	struct nst_modes near;
	struct nst_modes gated;
};

/**
 * nst_lookahead() - predict over the frames in flight and one near frame
 *
 * A few multiplications: the decay factors of a frame are kept in @state.
 */
void nst_lookahead(const struct nst_policy_config *config,
		   struct nst_policy_state *state,
		   const struct nst_policy_inputs *in,
		   struct nst_lookahead *ret);

/** nst_lookahead_gated_end() - both modes at the end of a gated frame */
void nst_lookahead_gated_end(const struct nst_policy_state *state,
			     const struct nst_policy_inputs *in,
			     const struct nst_lookahead *ahead,
			     struct nst_modes *ret);

/* What is taken off every limit: not below zero, which would raise them. */
static inline s32 nst_lookahead_margin_mc(const struct nst_policy_inputs *in)
{
	if (in->margin_mc < 0)
		return 0;
	return in->margin_mc > NST_TEMP_NONE_MC ? NST_TEMP_NONE_MC :
						  in->margin_mc;
}

/* The limit in force: thresholds and continuous limit, less the margin. */
static inline s32 nst_lookahead_high_mc(const struct nst_policy_config *config,
					const struct nst_policy_inputs *in)
{
	s32 high_mc = config->thr.high_mc;

	if (config->vision_max_mc < high_mc)
		high_mc = config->vision_max_mc;
	return high_mc - nst_lookahead_margin_mc(in);
}

/* What the die may reach in a burst, which is over before a capture. */
static inline s32
nst_lookahead_burst_max_mc(const struct nst_policy_config *config)
{
	return config->die_max_firm ? config->die_max_mc : config->thr.max_mc;
}

/* No sensor, or a model that nothing can be said from: gate. */
static inline bool nst_inputs_blind(const struct nst_policy_inputs *in)
{
	return !in->sensor_ok || !nst_temp_in_range(in->ambient_mc);
}

/* A decision: into the outputs, and remembered until it takes effect. */
static inline void nst_decided(struct nst_policy_state *state,
			       struct nst_policy_outputs *out,
			       enum nst_placement placement,
			       enum nst_reason reason)
{
	nst_placed(out, placement, reason);
	state->gated_bits = state->gated_bits << 1 | (placement != NST_NEAR);
}

#endif /* NST_LOOKAHEAD_H */
