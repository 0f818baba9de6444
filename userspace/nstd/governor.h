/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * governor.h - one sensor: what is known of it and what follows
 *
 * No I/O, no clock, no allocation: states of the device go in, decisions and
 * verdicts come out, so a test drives it as the daemon does. Per tick, which
 * is one wake-up and as a rule one frame:
 *
 *	nst_gov_event() ...	what happened since, with its times
 *	nst_gov_observe()	model to now, sample taken, periods begun
 *	nst_gov_limits()	thresholds of the present light
 *	nst_gov_judge()		verdicts of the frames that ended
 *	nst_gov_decide()	gate and placement of the next period
 *	nst_gov_acted()		what the device made of it
 *
 * A frame is delivered when it was processed, near or far, and its exposure
 * temperature is within the task's limit. It is dropped when a stop takes
 * the place of its processing, and withheld when it is too hot or when no
 * trustworthy temperature says that it is not. Policies that do not manage
 * fidelity (NST_WHY_FIXED: the baselines) withhold nothing; what they
 * deliver too hot is counted as violations.
 */
#ifndef NST_GOVERNOR_H
#define NST_GOVERNOR_H

#include "backend.h"
#include "follow.h"
#include "history.h"
#include "observer.h"
#include "profile.h"

#define NST_GOV_PERIODS 64		/* a tick may be late by this many */
#define NST_GOV_VERDICTS 1024
#define NST_GOV_DELAY_MAX 4
#define NST_GOV_PUSHED_US 1000000

enum nst_outcome {
	NST_NO_VERDICT = 0,
	NST_DELIVERED,
	NST_DROPPED,		/* a stop took its processing's place */
	NST_WITHHELD_HOT,	/* exposure temperature above the limit */
	NST_WITHHELD_BLIND,	/* no trustworthy temperature */
};

/**
 * struct nst_verdict - a frame whose exposure has ended
 * @placement: who processes it, in the period after its exposure
 * @why: enum nst_reason of that placement
 * @gate: gate when its exposure began
 * @power_mw: of the whole system while it is processed, by the model
 */
struct nst_verdict {
	u64 seq;
	u64 t_us;
	s32 temp_mc;
	s32 exposure_temp_mc;	/* NST_TEMP_NONE_MC when not known */
	s32 limit_mc;
	s32 high_mc;
	s32 low_mc;
	s32 max_mc;
	s32 ambient_mc;
	u32 power_mw;
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	u8 temp_state;
	u8 gate;
	u8 placement;
	u8 why;
	u8 outcome;		/* enum nst_outcome */
};

/**
 * struct nst_gov_stats - sums since the start, by the model's power
 * @missed: frames that no tick was in time for at all; without a verdict
 * @late: periods that began without their decision
 */
struct nst_gov_stats {
	u64 frames;
	u64 delivered;
	u64 dropped;
	u64 withheld;
	u64 missed;
	u64 violations;
	u64 switches;
	u64 near;
	u64 late;
	u64 time_us;
	u64 energy_nj;
	u64 far_energy_nj;
	u64 sensor_faults;
};

/* A period while it can still matter. */
struct nst_gov_period {
	u64 seq;
	u64 start_us;
	struct nst_plant at_start;
	s32 vision_mc;
	struct nst_thresholds thr;
	struct nst_light light;
	u32 readout_us;
	s32 temp_mc;
	u8 temp_state;
	bool modelled;		/* a healthy sensor backs the model */
	bool no_far;		/* nobody was there to take the frame over */
	bool both;		/* near and far were on, for a hand-over */
	u32 run_from_us;	/* the part of it that the gate is run for */
	u32 run_us;
	u8 asked;		/* enum nst_placement */
	u8 why;
};

/* What a policy that wants to go far is allowed. */
enum nst_gov_far {
	NST_FAR_WELCOME = 0,
	NST_FAR_LESS,		/* a far season may end, none begins */
	NST_FAR_REFUSED,	/* at once */
};

/**
 * struct nst_gov_workers - what the workers of the task allow (moves.h)
 * @any: there are, or were, some: a placement needs its worker. Without any
 *	the placement is the policy's and who processes is not our concern.
 * @may_near, @may_far: owns the task or would take it over at once
 * @near_on: the near processor has to run although the task is far: it
 *	follows, or has not been relieved yet
 * @both: both are on
 */
struct nst_gov_workers {
	bool any;
	bool may_near;
	bool may_far;
	bool near_on;
	bool both;
};

struct nst_gov_ask {
	u64 seq;
	u32 run_from_us;
	u32 run_us;
	u8 gate;
	u8 placement;
	u8 why;
};

struct nst_governor {
	/* configuration, see nst_gov_configure() */
	const struct nst_profile *profile;
	unsigned int sensor;
	const struct nst_policy_ops *policy;
	u32 stop_frames;		/* 0: as the profile has it */
	u32 dwell_ms;			/* UINT32_MAX: as the profile has it */
	bool follow;			/* dry run: the gate is not ours */
	bool windows;			/* the device takes them */
	u8 far;				/* enum nst_gov_far, of both below */
	u8 far_device;			/* as the device is */
	u8 far_share;			/* as others leave room on it */
	s32 ambient_mc;			/* told, or NST_TEMP_NONE_MC */
	const struct nst_policy_ops *stay;	/* what never goes far */
	struct nst_gov_workers workers;
	u8 wish;			/* enum nst_placement, of the policy */

	/* a temperature that an application told, see report.h */
	struct {
		bool have;
		u64 t_us;
		s32 temp_mc;
	} pushed;

	/* situation */
	struct nst_light camera;
	struct nst_light light;
	bool automatic;
	s32 ceiling_mc;			/* what the device takes at most */
	struct nst_thresholds manual;
	struct nst_policy_config pc;
	int pc_err;			/* 0, or why there is no config */
	s32 vision_mc;
	bool stale;			/* situation has to be worked out */
	bool limits_due;		/* the device has to be told */
	u32 timing_us[3];		/* that it was worked out for */
	bool had_frames;		/* it, too */

	/* model */
	bool started;
	struct nst_observer obs;
	struct nst_follow ident;	/* identified.h */
	bool identifies;
	u64 obs_us;
	u64 sample_us;
	struct nst_history history;
	struct nst_dev_state state;

	/* periods and decisions */
	struct nst_gov_period period[NST_GOV_PERIODS];
	struct nst_gov_ask ask[NST_GOV_PERIODS];
	u64 start_us[NST_GOV_PERIODS];	/* told by events, by seq */
	u64 start_seq[NST_GOV_PERIODS];
	u64 last_seq;			/* newest period begun */
	u64 judged_seq;			/* frames before this have verdicts */
	u32 epoch;			/* counts beginnings: seq may repeat */
	u64 decided_seq;		/* newest period decided */
	struct nst_policy_state ps;
	struct nst_policy_state stay_ps;
	u8 placement;			/* asked for the newest period */
	u32 run_from_us;		/* and the window in it */
	u32 run_us;
	u8 why;
	u8 told_gate;			/* what the device was told last */
	u8 told_placement;
	u32 told_from_us;
	u32 told_run_us;
	bool told;
	bool fresh;			/* the first decision since a start */
	u64 told_seq;			/* period it takes effect in */
	s32 decided_mc;			/* die expected when decided */
	u8 decided_why;
	u64 filled_seq;			/* periods whose situation is known */

	/* lateness, fed back */
	u32 delay_frames;
	u32 window_decided;
	u32 window_late;
	u32 calm_windows;

	struct nst_gov_stats stats;
	struct nst_verdict verdict[NST_GOV_VERDICTS];
};

/**
 * nst_gov_init() - a governor that has seen nothing yet
 * Return: 0; -ENOENT when no vision task asks for the sensor; -ERANGE.
 */
int nst_gov_init(struct nst_governor *g, const struct nst_profile *profile,
		 unsigned int sensor);

/**
 * nst_gov_configure() - take a new profile, keep model and statistics
 * A stack with other constants begins with a new model.
 */
int nst_gov_configure(struct nst_governor *g,
		      const struct nst_profile *profile, unsigned int sensor);

/** nst_gov_restart() - forget the model: the device was away or asleep */
void nst_gov_restart(struct nst_governor *g);

void nst_gov_event(struct nst_governor *g, const struct nst_dev_event *event);

/** nst_gov_windows() - can the device run the gate in a part of each period? */
void nst_gov_windows(struct nst_governor *g, bool windows);

/** nst_gov_light() - the camera told its situation; 0 for what it has not */
void nst_gov_light(struct nst_governor *g, const struct nst_light *light);

/**
 * nst_gov_push_temp() - a temperature for a device that has no sensor
 * @seq: frame it belongs to, 0 when not known; it is taken to be of the
 * start of that frame, or of now.
 * Used by the next tick, and for NST_GOV_PUSHED_US from its time on.
 */
void nst_gov_push_temp(struct nst_governor *g, u64 seq, s32 temp_mc);

/** nst_gov_policy() - thresholds of the device, and whether they are ours */
void nst_gov_policy(struct nst_governor *g,
		    const struct nst_dev_policy *policy);

/**
 * nst_gov_far() - what is allowed from the next decision on
 * Where the policy wants to go far and may not, stop-capture-go decides in
 * its stead: near as far as the temperature lets it, frames dropped for the
 * rest, with NST_WHY_NO_FAR as the reason of a stop.
 */
void nst_gov_far(struct nst_governor *g, enum nst_gov_far far);

/** nst_gov_share() - the same of the room on it, see shares.h */
void nst_gov_share(struct nst_governor *g, enum nst_gov_far far);

/**
 * nst_gov_ambient() - somebody measures the air; the model goes by it
 * @ambient_mc: NST_TEMP_NONE_MC: the profile's holds again
 */
void nst_gov_ambient(struct nst_governor *g, s32 ambient_mc);

/**
 * nst_gov_gate_in() - the gate that a period began with
 * Of the newest NST_GOV_PERIODS that have begun.
 */
enum nst_gate nst_gov_gate_in(const struct nst_governor *g, u64 seq);

/**
 * nst_gov_reach_ms() - until T_high at full near power
 * Return: UINT32_MAX for never, and without a trustworthy temperature.
 */
u32 nst_gov_reach_ms(const struct nst_governor *g);

void nst_gov_observe(struct nst_governor *g,
		     const struct nst_dev_state *state);

/**
 * nst_gov_limits() - thresholds for the present light
 * Return: true while the device has not taken them yet and the governor is
 * the one who computes them; they are in @g->pc.thr.
 */
bool nst_gov_limits(struct nst_governor *g);

void nst_gov_judge(struct nst_governor *g);

/**
 * nst_gov_decide() - the next period
 * Return: true when the device has to be told: gate or placement differ
 * from what it was told last.
 */
bool nst_gov_decide(struct nst_governor *g, struct nst_dev_gate *ret);

/** nst_gov_acted() - the device took the decision */
void nst_gov_acted(struct nst_governor *g, const struct nst_dev_gate *asked,
		   const struct nst_dev_applied *applied);

/**
 * nst_gov_verdict() - of a frame
 * Return: the verdict; NULL with @ret_err -EAGAIN while it is not known
 * yet, -ENOENT when it is too old or was missed.
 */
const struct nst_verdict *nst_gov_verdict(const struct nst_governor *g,
					  u64 seq, int *ret_err);

/** nst_outcome_text() - "delivered", "dropped for a stop", ... */
const char *nst_outcome_text(enum nst_outcome outcome);

/** nst_gov_trusted() - is there a temperature to go by? */
bool nst_gov_trusted(const struct nst_governor *g);

/** nst_gov_mean_power_mw() - of the system, and of full-far */
void nst_gov_mean_power_mw(const struct nst_governor *g, u32 *ret_mw,
			   u32 *ret_far_mw);

/** nst_gov_saving_permyriad() - energy per delivered frame, to full-far */
s32 nst_gov_saving_permyriad(const struct nst_governor *g);

/**
 * nst_gov_headroom() - how far from the limit
 * @ret_permyriad: (T_high - T) / (T_high - T of a gated stack in the long
 *	run), 0 to 10000
 * @ret_ms: until T_high at full near power; UINT32_MAX for never
 * Return: 0, or -ENODATA without a trustworthy temperature.
 */
int nst_gov_headroom(const struct nst_governor *g, u32 *ret_permyriad,
		     u32 *ret_ms);

#endif /* NST_GOVERNOR_H */
