/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * report.h - what a run gave: a table for the terminal, a page to keep
 *
 * Two sources, both in the folder of the run. vision.jsonl has what the task
 * saw and the emulator knows, of the frames that reached the camera's user;
 * demo.rec has nstd's verdict and the model's power of every frame of the
 * device. A phase is cut out of the recording by the device times that
 * vision.jsonl gives for it.
 */
#ifndef NST_REPORT_H
#define NST_REPORT_H

#include <stdio.h>

#include "policy.h"

#define NST_REPORT_SENSORS 4
#define NST_REPORT_PHASES 16
#define NST_REPORT_PICTURES 64
/* No figure; a saving may well be below zero. */
#define NST_REPORT_NONE (-1000000000)

/**
 * struct nst_report_row - one sensor in one phase, or its whole run
 * From the recording: @frames of the device with a verdict, @delivered,
 * @withheld, @dropped, @switches, @time_us, @energy_uj and @far_energy_uj
 * (the system's, by the model).
 * From vision.jsonl: @duty_permyriad, temperatures, @seen frames of the
 * camera, @checked of them against the truth, @violations, and the ratios,
 * NST_REPORT_NONE where there was nothing to divide by.
 */
struct nst_report_row {
	char phase[24];
	u64 from_us, to_us;
	u64 frames, delivered, withheld, dropped, switches;
	u64 time_us, energy_uj, far_energy_uj;
	u64 run_us;
	int duty_permyriad;
	int limit_mc, hottest_mc, ambient_mc;
	bool has_limit, has_hottest;
	u64 seen, checked, violations, blind, unjudged, slipped_us;
	u64 matches, detections, objects;
	u32 fps_milli, expected_fps_milli;
	u64 handover_us_max, handovers, handovers_failed;
	int snr_cdb, snr_low_cdb;	/* measured: mean, lowest bound */
	u64 snr_frames;			/* that had a number */
	int demand_cdb;			/* of @snr_asked of them; the highest */
	u64 snr_asked, snr_below;
};

struct nst_report_sensor {
	char name[32];
	char card[64];
	char policy[32];
	u32 near_mw, far_mw, capture_mw;
	unsigned int phases;
	unsigned int more;		/* left out */
	struct nst_report_row row[NST_REPORT_PHASES];
	struct nst_report_row all;
};

struct nst_report_picture {
	char sensor[32], phase[24], what[8];
	char file[80];		/* PNG */
	int exposure_mc;
	unsigned int found, matched, truth;
};

struct nst_report {
	const char *dir;
	unsigned int sensors;
	struct nst_report_sensor sensor[NST_REPORT_SENSORS];
	unsigned int pictures;
	struct nst_report_picture picture[NST_REPORT_PICTURES];
	bool slow;		/* the frame rate was not sustained */
	bool partial;		/* the recording is missing or broken */
};

/**
 * nst_report_load() - read vision.jsonl and demo.rec of @dir
 * Says on standard error what is missing or broken.
 * Return: 0 when there is something to report; -ENOENT, -ENODATA.
 */
int nst_report_load(struct nst_report *report, const char *dir);

/** nst_report_snr() - some words about measured SNR, "" when there was none */
void nst_report_snr(const struct nst_report_row *row, char *ret, size_t size);

/** nst_report_table() - for a terminal of 120 columns */
void nst_report_table(const struct nst_report *report, FILE *out);

/** nst_report_html() - self-contained page; Return: 0 or errno of writing */
int nst_report_html(const struct nst_report *report, const char *path);

/* Derived figures, NST_REPORT_NONE where there is nothing to divide by. */
int nst_report_power_mw(const struct nst_report_row *row);
int nst_report_far_power_mw(const struct nst_report_row *row);
/* Energy per delivered frame, microjoules, and saving against full-far. */
long nst_report_frame_uj(const struct nst_report_row *row);
int nst_report_saving_permyriad(const struct nst_report_row *row);
int nst_report_precision_permyriad(const struct nst_report_row *row);
int nst_report_recall_permyriad(const struct nst_report_row *row);

#endif /* NST_REPORT_H */
