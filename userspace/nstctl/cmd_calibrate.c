// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_calibrate.c - nstctl calibrate: measure a sensor's noise or heat
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "number.h"
#include "options.h"

#define COMMAND "nstctl calibrate"
#define WORD_LEN 16

enum {
	OPT_DEVICE,
	OPT_CAMERA,
	OPT_OUTPUT,
	OPT_PLOT,
	OPT_THERMAL,
	OPT_FROM,
	OPT_COLUMN,
	OPT_RECORD,
	OPT_GAINS,
	OPT_EXPOSURES,
	OPT_VISITS,
	OPT_LEVELS,
	OPT_SETTLE,
	OPT_HOT,
	OPT_LONGEST,
	OPT_STOPS,
	OPT_ONLY,
	OPT_STATE,
	OPT_RESTART,
	OPT_JSON,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_DEVICE] = { "--device", "NAME",
		"nst device whose sensor is heated (required but with --from)" },
	[OPT_CAMERA] = { "--camera", "/dev/videoN|card:NAME",
		"its camera (required but with --thermal)" },
	[OPT_OUTPUT] = { "--output", "FILE",
		"calibration to write (required but with --thermal)" },
	[OPT_PLOT] = { "--plot", "FILE.svg|FILE.png",
		"draw the fits" },
	[OPT_THERMAL] = { "--thermal", NULL,
		"measure heat resistances and time constants instead of noise" },
	[OPT_FROM] = { "--from", "FILE.csv",
		"with --thermal: fit a recording, touch no device" },
	[OPT_COLUMN] = { "--column", "NAME",
		"with --from: column of the temperature (temp_C)" },
	[OPT_RECORD] = { "--record", "FILE.csv",
		"with --thermal: write the readings, for --from" },
	[OPT_GAINS] = { "--gains", "N,N,...",
		"gains to measure at (lowest, 4 and 8 times that)" },
	[OPT_EXPOSURES] = { "--exposures", "US,US,...",
		"exposures of dark frames, us (16000,64000)" },
	[OPT_VISITS] = { "--temperatures", "N",
		"how many temperatures (6)" },
	[OPT_LEVELS] = { "--levels", "N",
		"levels of the flat field (8)" },
	[OPT_SETTLE] = { "--settle-frames", "N",
		"frames until a new exposure or gain holds (2)" },
	[OPT_HOT] = { "--hot-mc", "N",
		"hottest temperature (10 K below the ceiling, at most 95000)" },
	[OPT_LONGEST] = { "--longest", "S",
		"with --thermal: longest step, seconds (600)" },
	[OPT_STOPS] = { "--stops", "N",
		"with --thermal: short stops while hot (12)" },
	[OPT_ONLY] = { "--only", "flat|dark",
		"this part alone; a later run goes on with the rest" },
	[OPT_STATE] = { "--state", "FILE",
		"what has been measured so far (OUTPUT.state)" },
	[OPT_RESTART] = { "--restart", NULL,
		"throw away what has been measured so far" },
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

/* "100,400,800" */
static int parse_list(int option, const char *value, u32 least, u32 most,
		      u32 *ret, u32 max, u32 *ret_count)
{
	u32 n = 0;

	for (const char *at = value;; at++) {
		size_t len = strcspn(at, ",");
		char word[WORD_LEN];
		long long v;

		if (len < WORD_LEN) {
			memcpy(word, at, len);
			word[len] = '\0';
		}
		if (n == max || len >= WORD_LEN ||
		    nst_number_int(word, least, most, &v)) {
			fprintf(stderr,
				COMMAND ": %s '%s': valid are 1 to %u numbers from %u to %u, with commas between them\n",
				options[option].name, value, max, least, most);
			return -EINVAL;
		}
		ret[n++] = (u32)v;
		at += len;
		if (!*at)
			break;
	}
	*ret_count = n;
	return 0;
}

static int parse_count(struct nst_options *opts, int i, const char *value,
		       long long least, long long most, u32 *ret)
{
	long long v;
	int r = nst_options_int(opts, i, value, least, most, &v);

	if (!r)
		*ret = (u32)v;
	return r;
}

static int parse_one(struct nst_options *opts, int i, const char *value,
		     struct nst_cal_args *a, bool *ret_help)
{
	static const char *const only[] = { "flat", "dark" };
	long long mc;
	int word, r;

	switch (i) {
	case OPT_DEVICE:
		a->device = value;
		return 0;
	case OPT_CAMERA:
		a->camera = value;
		return 0;
	case OPT_OUTPUT:
		a->output = value;
		return 0;
	case OPT_PLOT:
		a->plot = value;
		return 0;
	case OPT_THERMAL:
		a->thermal = true;
		return 0;
	case OPT_FROM:
		a->from = value;
		return 0;
	case OPT_COLUMN:
		a->column = value;
		return 0;
	case OPT_RECORD:
		a->record = value;
		return 0;
	case OPT_STATE:
		a->state = value;
		return 0;
	case OPT_RESTART:
		a->restart = true;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_HELP:
		*ret_help = true;
		return 0;
	case OPT_GAINS:
		return parse_list(i, value, 0, 1000000, a->gain,
				  NST_FIT_GAINS_MAX, &a->gains);
	case OPT_EXPOSURES:
		return parse_list(i, value, 100, 10000000, a->exposure_us,
				  NST_CAL_EXPOSURES_MAX, &a->exposures);
	case OPT_VISITS:
		return parse_count(opts, i, value, 3, NST_CAL_VISITS_MAX,
				   &a->visits);
	case OPT_LEVELS:
		return parse_count(opts, i, value, 4, NST_CAL_LEVELS_MAX,
				   &a->levels);
	case OPT_SETTLE:
		return parse_count(opts, i, value, 1, 30, &a->settle);
	case OPT_STOPS:
		return parse_count(opts, i, value, 1, 64, &a->pulses);
	case OPT_LONGEST:
		return nst_options_real(opts, i, value, 5, 7200,
					&a->longest_s);
	case OPT_HOT:
		r = nst_options_int(opts, i, value, 0, NST_TEMP_MAX_MC, &mc);
		if (!r)
			a->hot_mc = (s32)mc;
		return r;
	case OPT_ONLY:
		r = nst_options_word(opts, i, value, only,
				     NST_ARRAY_SIZE(only), &word);
		if (!r)
			a->only = word ? NST_CAL_ONLY_DARK : NST_CAL_ONLY_FLAT;
		return r;
	case NST_OPTIONS_PLAIN:
		return nst_options_none_plain(opts, value);
	default:
		return -EINVAL;
	}
}

static int missing(const char *what)
{
	fprintf(stderr, COMMAND ": %s\n", what);
	return -EINVAL;
}

static int check(const struct nst_cal_args *a)
{
	const char *dot = a->plot ? strrchr(a->plot, '.') : ".svg";

	if (!dot || (strcmp(dot, ".svg") && strcmp(dot, ".png"))) {
		fprintf(stderr,
			COMMAND ": --plot '%s': the name must end in .svg or .png\n",
			a->plot);
		return -EINVAL;
	}
	if (a->from && !a->thermal)
		return missing("--from goes with --thermal");
	if ((a->record && !a->thermal) || (a->record && a->from))
		return missing("--record goes with --thermal on a device");
	if (a->column && !a->from)
		return missing("--column goes with --from");
	if (a->thermal && (a->camera || a->gains || a->only || a->state ||
			   a->restart))
		return missing("--camera, --gains, --only, --state and --restart do not go with --thermal");
	if (!a->from && !a->device)
		return missing("--device NAME is required: the sensor that is to be heated");
	if (!a->thermal && (!a->camera || !a->output))
		return missing("--camera and --output are required");
	return 0;
}

static int parse(int argc, char **argv, struct nst_cal_args *a, bool *ret_help)
{
	struct nst_options opts;
	const char *value;
	int i;

	*a = (struct nst_cal_args){
		.exposure_us = { 16000, 64000 },
		.exposures = 2,
		.visits = 6,
		.levels = 8,
		.settle = 2,
		.hot_mc = NST_TEMP_NONE_MC,
		.longest_s = 600,
		.pulses = 12,
	};
	*ret_help = false;
	nst_options_init(&opts, COMMAND, options, NST_ARRAY_SIZE(options),
			 argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END)
		if (i == NST_OPTIONS_BAD ||
		    parse_one(&opts, i, value, a, ret_help))
			return -EINVAL;
	return *ret_help ? 0 : check(a);
}

int nst_cmd_calibrate(int argc, char **argv)
{
	struct nst_cal_args args;
	bool help;
	int r;

	if (parse(argc, argv, &args, &help))
		return NST_EXIT_USAGE;
	if (help) {
		printf("usage: " COMMAND " --device NAME --camera CAMERA --output FILE [OPTIONS]\n"
		       "       " COMMAND " --thermal --device NAME [--output FILE] [OPTIONS]\n"
		       "       " COMMAND " --thermal --from FILE.csv [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	nst_cal_catch_signals();
	r = args.thermal ? nst_cal_thermal(&args) : nst_cal_noise(&args);
	return nst_exit_from_errno(r);
}
