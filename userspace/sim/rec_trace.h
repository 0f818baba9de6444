/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rec_trace.h - a recording as a trace, and what was recorded beside it
 *
 * Light, ambient temperature and powers are the recording's; so is the state
 * at the start: the die's first reading, and the package that goes with it at
 * the power of that moment. What the policy of that time did is summed up, to be
 * held against what another one would have done.
 *
 * A recording is evidence: time or frame numbers that do not rise end the
 * reading with their line. Missing frames are told with theirs; light and
 * weather hold over them for NST_LIGHT_HOLD_S, and are unknown then, which is
 * taken as dim as in a light meter's log. A frame without exposure or gain, as of
 * `nstctl record --device`, has the light of the profile, which is told, too.
 * Ambient temperature is the recorder's estimate and moves with every reading:
 * steps of less than NST_REC_TRACE_AMBIENT_MC are none.
 */
#ifndef NST_REC_TRACE_H
#define NST_REC_TRACE_H

#include <stdio.h>

#include "profile.h"
#include "rec.h"
#include "trace.h"

#define NST_REC_TRACE_AMBIENT_MC 200
#define NST_REC_TRACE_NAMES_MAX 16

/**
 * struct nst_rec_trace - what came out of a recording
 * @trace: to be freed with nst_trace_free()
 * @sensor: the one that was taken; @names: all there are
 * @near_mw, @capture_mw, @far_mw: 0 where the recording does not say
 * @policy: that of the recording, "" where it does not say
 * @gaps, @missing: times that frames are missing, and how many in all
 * @gap_us: how long in all, from frame to frame; @unknown_us: of that, with
 *	unknown light; @lost_us: of that, without a frame of its own
 * @without_light, @without_ambient: frames that the profile had to help out
 * @limit_mc: limit of its first frame, NONE where it has none
 * @frames and below: as recorded; @energy_uj without what switches take
 */
struct nst_rec_trace {
	struct nst_trace trace;
	char sensor[NST_REC_SENSOR_LEN];
	char names[NST_REC_TRACE_NAMES_MAX][NST_REC_SENSOR_LEN];
	size_t name_count;
	char policy[32];
	u32 near_mw;
	u32 capture_mw;
	u32 far_mw;
	u64 duration_us;
	u64 gaps;
	u64 missing;
	u64 gap_us;
	u64 lost_us;
	u64 unknown_us;
	u64 without_light;
	u64 without_ambient;
	bool has_start;
	s32 start_die_mc;
	s32 start_package_mc;
	s32 limit_mc;
	u64 frames;
	u64 delivered;
	u64 dropped;
	u64 withheld;
	u64 near;
	u64 switches;
	u64 violations;
	u64 energy_uj;
};

/**
 * nst_rec_trace_load() - read a recording
 * @sensor: of the recording; NULL for the first in it
 * @profile: its plant, and what the recording does not have
 * @err: "path:line: text" per error and per gap, at most a few of the latter;
 *	not NULL
 * Return: 0; errno of opening; -EBADMSG after a message; -ENOENT when there
 * is no such sensor, with @ret->names filled in; -ENOMEM.
 */
int nst_rec_trace_load(struct nst_rec_trace *ret, const char *path,
		       const char *sensor,
		       const struct nst_profile_sensor *profile, FILE *err);

#endif /* NST_REC_TRACE_H */
