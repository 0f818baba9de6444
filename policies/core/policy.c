// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * policy.c - table of policies, checks, names
 */
#include "policies.h"

static const struct nst_policy_ops table_end;

const struct nst_policy_ops *const nst_policies[] = {
	&nst_pol_full_near,
	&nst_pol_full_far,
	&nst_pol_stop_capture_go,
	&nst_pol_seasonal_migration,
	&nst_pol_predictive,
	&nst_pol_predictive_stop,
	&nst_pol_phase_locked,
	&nst_pol_auto,
	&table_end,
	NULL,
};

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct nst_policy_ops *nst_policy_find(const char *name)
{
	int i;

	for (i = 0; nst_policies[i]->name; i++)
		if (same_name(nst_policies[i]->name, name))
			return nst_policies[i];
	return NULL;
}

int nst_policy_config_check(const struct nst_policy_config *config)
{
	int err;

	err = nst_thresholds_check(&config->thr);
	if (err)
		return err;
	err = nst_plant_params_check(&config->params);
	if (err)
		return err;
	if (config->near_mw > NST_POWER_MAX_MW ||
	    config->gated_mw > NST_POWER_MAX_MW ||
	    config->far_mw > NST_POWER_MAX_MW ||
	    config->switch_uj > NST_SWITCH_MAX_UJ ||
	    config->vpu_busy_us > NST_FRAME_PERIOD_MAX_US ||
	    config->gate_enter_us > NST_FRAME_PERIOD_MAX_US ||
	    config->gate_exit_us > NST_FRAME_PERIOD_MAX_US ||
	    config->frame_period_us < NST_FRAME_PERIOD_MIN_US ||
	    config->frame_period_us > NST_FRAME_PERIOD_MAX_US ||
	    config->exposure_us > NST_FRAME_PERIOD_MAX_US ||
	    config->readout_us > NST_FRAME_PERIOD_MAX_US ||
	    config->doubling_mc < NST_DOUBLING_MIN_MC ||
	    config->doubling_mc > NST_DOUBLING_MAX_MC ||
	    config->stop_frames < 1 ||
	    config->stop_frames > NST_SEASON_FRAMES_MAX ||
	    config->dwell_frames < 1 ||
	    config->dwell_frames > NST_SEASON_FRAMES_MAX ||
	    config->act_delay_frames > NST_ACT_DELAY_MAX)
		return -ERANGE;
	if (config->vision_max_mc != NST_TEMP_NONE_MC &&
	    !nst_temp_in_range(config->vision_max_mc))
		return -ERANGE;
	if (!nst_temp_in_range(config->die_max_mc))
		return -ERANGE;
	if (config->near_mw < config->gated_mw ||
	    config->die_max_mc > config->thr.max_mc ||
	    config->exposure_us + config->readout_us >
	    config->frame_period_us)
		return -EINVAL;
	return 0;
}

void nst_policy_reset(struct nst_policy_state *state)
{
	*state = (struct nst_policy_state){ 0 };
}

/* Out of range is a name too: these reach users through sysfs and JSON. */
const char *nst_gate_name(enum nst_gate gate)
{
	switch (gate) {
	case NST_GATE_RUN:
		return "run";
	case NST_GATE_STANDBY:
		return "standby";
	case NST_GATE_CLEARED:
		return "cleared";
	case NST_GATE_OFF:
		return "off";
	case NST_GATE_COUNT:
		break;
	}
	return "invalid";
}

const char *nst_placement_name(enum nst_placement placement)
{
	switch (placement) {
	case NST_NEAR:
		return "near";
	case NST_FAR:
		return "far";
	case NST_PAUSED:
		return "paused";
	case NST_PLACEMENT_COUNT:
		break;
	}
	return "invalid";
}

const char *nst_reason_text(enum nst_reason reason)
{
	switch (reason) {
	case NST_WHY_STEADY:
		return "steady";
	case NST_WHY_BELOW_LOW:
		return "below T_low";
	case NST_WHY_WOULD_CROSS:
		return "next near frame would pass T_high";
	case NST_WHY_ABOVE_HIGH:
		return "above T_high";
	case NST_WHY_CAPTURE:
		return "on-demand capture";
	case NST_WHY_DWELL:
		return "dwell not over";
	case NST_WHY_COOL_ENOUGH:
		return "near frame fits again";
	case NST_WHY_NO_SENSOR:
		return "no trustworthy temperature";
	case NST_WHY_FIXED:
		return "fixed policy";
	case NST_WHY_NO_FAR:
		return "far device is refused";
	case NST_WHY_TOO_HOT:
		return "frame too hot for the task";
	case NST_WHY_NO_GAIN:
		return "a near season would not pay yet";
	case NST_REASON_COUNT:
		break;
	}
	return "invalid";
}
