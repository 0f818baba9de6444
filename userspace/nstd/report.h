/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * report.h - what a camera application tells of its frames
 *
 * An application that owns the camera knows what each frame was made with:
 * the metadata of libcamera carry exposure, gain, frame time, light and, on
 * some sensors, the temperature. It may also measure what its frames are
 * worth (userspace/measure). All of it comes here, one report a frame or
 * fewer, and every member may be missing.
 *
 * How long a report is believed, from its arrival on the daemon's clock:
 * camera situation and temperature NST_REPORT_MS, measured fidelity
 * NST_REPORT_MEASURED_MS. After that it is as if it had not come, and the
 * camera's controls and the profile stand in.
 *
 * A reported temperature serves as the sensor where the device has never
 * had one (no channel, or -ENODATA). A device whose sensor is broken or not
 * ready has one, and stays as blind as it is: a program's word does not
 * clear a fault. The observer judges a reported temperature as any other,
 * so one that contradicts the model is not taken. Missing and zero, which is
 * what metadata hold when nobody filled them in, are states, not values.
 */
#ifndef NST_REPORT_H
#define NST_REPORT_H

#include <stdbool.h>

#include "backend.h"

struct nst_manager;
struct nst_sensor;

#define NST_REPORT_MS 1000
#define NST_REPORT_MEASURED_MS 5000

/* Bounds of what is taken, for messages and checks. */
#define NST_REPORT_TIME_MAX_US 10000000u	/* exposure and frame */
#define NST_REPORT_ISO_MAX 10000000u
#define NST_REPORT_CDB_MAX 20000		/* 200 dB */

/* What a reporter found when it measured; userspace/measure has the same. */
enum nst_report_measured {
	NST_REPORT_UNMEASURED = 0,	/* says nothing of it */
	NST_REPORT_MEASURED,
	NST_REPORT_SETTLING,		/* not enough frames yet */
	NST_REPORT_NO_PATCH,		/* nothing flat to measure on */
	NST_REPORT_CLIPPED,		/* the patch is at white or at black */
	NST_REPORT_MOVING,		/* something moves in the patch */
	NST_REPORT_DAMAGED,		/* truncated or of another format */
	NST_REPORT_MEASURED_COUNT
};

/**
 * struct nst_report - one report, as it came
 * @seq: of the frame, on the device's count; 0 when not known
 * @has_temp: there was a temperature at all
 * @temp_mc: of the sensor; 0 is taken for "not filled in"
 * @exposure_us, @iso, @lux_milli, @frame_us: 0 where not told
 * @measured: enum nst_report_measured, of the flat patch
 * @snr_cdb, @snr_low_cdb: total SNR of the flat patch in hundredths of a
 *	decibel and its lower 99.9 % bound; for NST_REPORT_MEASURED
 * @dark_measured: the same for the optically dark rows
 * @dark_snr_cdb, @dark_snr_low_cdb: reference level over dark noise
 * @has_far, @imports, @copies: frames that went to the far device without
 *	and with a copy, since the application started
 */
struct nst_report {
	u64 seq;
	bool has_temp;
	s32 temp_mc;
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	u32 frame_us;
	u8 measured;
	u8 dark_measured;
	s32 snr_cdb;
	s32 snr_low_cdb;
	s32 dark_snr_cdb;
	s32 dark_snr_low_cdb;
	bool has_far;
	u64 imports;
	u64 copies;
};

enum nst_report_temp {
	NST_REPORT_TEMP_NEVER = 0,	/* no report yet */
	NST_REPORT_TEMP_MISSING,
	NST_REPORT_TEMP_ZERO,
	NST_REPORT_TEMP_VALID,
	NST_REPORT_TEMP_STALE,
};

/* What a sensor keeps of its reports: part of struct nst_sensor. */
struct nst_reported {
	u64 count;
	u64 at_ms;		/* of the newest report */
	u64 temp_at_ms;
	u64 light_at_ms;
	u64 measured_at_ms;
	u64 dark_at_ms;
	bool light_in_force;
	u8 temp_state;		/* enum nst_report_temp, without STALE */
	s32 temp_mc;
	struct nst_light light;
	struct nst_report measured;	/* its measured members */
};

/**
 * nst_report_check() - would it be taken?
 * @ret_what: what is wrong, naming what is valid; left alone without error
 * Return: 0 or -ERANGE. A missing or zero temperature is in order.
 */
int nst_report_check(const struct nst_report *report, const char **ret_what);

/**
 * nst_report_apply() - take it, whole or not at all
 * Light and frame time are in force at the next tick, which is the next
 * frame; so is the temperature.
 * Return: 0 or -ERANGE, as nst_report_check().
 */
int nst_report_apply(struct nst_manager *m, struct nst_sensor *s,
		     const struct nst_report *report);

/** nst_report_light() - @camera with what fresh reports know better */
struct nst_light nst_report_light(const struct nst_reported *reported,
				  const struct nst_light *camera, u64 now_ms);

/**
 * nst_report_expire() - to be called by the timer
 * Return: true when the light of reports is no longer in force and was.
 */
bool nst_report_expire(struct nst_reported *reported, u64 now_ms);

/** nst_report_temp() - the state at a time, stale ones included */
enum nst_report_temp nst_report_temp(const struct nst_reported *reported,
				     u64 now_ms);

/** nst_report_temp_text() - "missing", "zero", "valid", ... */
const char *nst_report_temp_text(enum nst_report_temp state);

/** nst_report_measured_text() - "measured", "settling", ...; NULL beyond */
const char *nst_report_measured_text(unsigned int measured);

/**
 * nst_report_measured_from_text() - the other way
 * Return: enum nst_report_measured, or -EINVAL.
 */
int nst_report_measured_from_text(const char *text);

/** nst_report_demand_cdb() - rounded up: never met by rounding */
s32 nst_report_demand_cdb(double demand_db);

/**
 * struct nst_report_fidelity - measured against a demand
 * @state: enum nst_report_measured; NST_REPORT_UNMEASURED when there is no
 *	measurement, or none that is fresh
 * @margin_cdb: bound less demand: not negative when the demand is met
 */
struct nst_report_fidelity {
	u8 state;
	bool dark;
	bool met;
	s32 snr_cdb;
	s32 snr_low_cdb;
	s32 margin_cdb;
	u64 age_ms;
};

/**
 * nst_report_fidelity() - is a demand met by what was measured?
 * @dark: of a `paper` task: dark noise over the reference level; else total
 *	SNR of the flat patch, what an `emva` task asks for. They are never
 *	taken for each other.
 * @demand_db: of the task
 */
struct nst_report_fidelity
nst_report_fidelity(const struct nst_reported *reported, bool dark,
		    double demand_db, u64 now_ms);

#endif /* NST_REPORT_H */
