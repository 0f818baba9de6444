// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * setup.c - what the board is, and what is wrong with it
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "script.h"

enum width { W_U8, W_U16, W_U32, W_S32, W_BOOL };

#define FIELD(name, member, width) \
	{ name, offsetof(struct board, member), width }

static const struct {
	const char *name;
	size_t offset;
	enum width width;
} fields[] = {
	FIELD("address", config.address, W_U32),
	FIELD("ambient", ambient_mc, W_S32),
	FIELD("boot", config.boot_gate, W_U8),
	FIELD("caps", config.caps, W_U32),
	FIELD("ceiling", config.ceiling_mc, W_S32),
	FIELD("channels", config.channels, W_U32),
	FIELD("conversion", config.conversion_us, W_U32),
	FIELD("dwell_ms", config.dwell_ms, W_U16),
	FIELD("enter_standby", config.gate_enter_us[1], W_U32),
	FIELD("floor", config.sensor.floor, W_BOOL),
	FIELD("high", config.high_mc, W_S32),
	FIELD("implausible", config.sensor.implausible_mc, W_U32),
	FIELD("low", config.low_mc, W_S32),
	FIELD("lsb", config.sensor.lsb_mc, W_U32),
	FIELD("noise", config.sensor.noise_mc, W_U32),
	FIELD("r_jp", config.params.r_jp_mk_per_w, W_U32),
	FIELD("rated", config.rated_max_mc, W_S32),
	FIELD("run_mw", config.gate_power_mw[0], W_U32),
	FIELD("sample", config.sample_period_us, W_U32),
	FIELD("spike", config.spike_mc, W_U32),
	FIELD("start", start_mc, W_S32),
	FIELD("watchdog_ms", config.watchdog_ms, W_U16),
};

static void store(struct board *board, size_t offset, enum width width, s64 v)
{
	void *p = (char *)board + offset;

	switch (width) {
	case W_U8:
		*(u8 *)p = (u8)v;
		break;
	case W_U16:
		*(u16 *)p = (u16)v;
		break;
	case W_U32:
		*(u32 *)p = (u32)v;
		break;
	case W_S32:
		*(s32 *)p = (s32)v;
		break;
	case W_BOOL:
		*(bool *)p = v;
		break;
	}
}

static bool assign(struct script *s, const char *text)
{
	const char *eq = strchr(text, '=');
	s64 value;

	if (!eq)
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *name = fields[i].name;
		const char *names = !strcmp(name, "boot") ? "GATE_ACTUAL" :
							    "CAPS";

		if (strlen(name) != (size_t)(eq - text) ||
		    strncmp(name, text, strlen(name)))
			continue;
		if (!value_parse(names, eq + 1, &value))
			return false;
		store(&s->board, fields[i].offset, fields[i].width, value);
		return true;
	}
	return false;
}

static bool configure(struct script *s, char **word, unsigned int words)
{
	u64 now_us = s->board.now_us;

	board_defaults(&s->board);
	s->board.now_us = now_us;
	memset(s->shot_known, 0, sizeof(s->shot_known));
	for (unsigned int i = 0; i < words; i++)
		if (!assign(s, word[i]))
			return false;
	return true;
}

bool setup_power(struct script *s, char **word, unsigned int words)
{
	int err;

	if (!configure(s, word, words))
		return false;
	err = board_power(&s->board);
	if (err)
		script_fail(s, "nst_app_init() gives %s", strerror(-err));
	return true;
}

static const struct {
	const char *name;
	int err;
} errors[] = {
	{ "EINVAL", EINVAL }, { "ERANGE", ERANGE }, { "EIO", EIO },
	{ "EAGAIN", EAGAIN }, { "ENODATA", ENODATA }, { "ENODEV", ENODEV },
};

static int error_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return -errors[i].err;
	return 0;
}

bool setup_refuse(struct script *s, char **word, unsigned int words)
{
	static const struct nst_app nothing;
	int err;

	if (words < 1 || !error_of(word[0]) ||
	    !configure(s, word + 1, words - 1))
		return false;
	s->board.app = nothing;
	err = board_power(&s->board);
	if (err != error_of(word[0]))
		script_fail(s, "nst_app_init() gives %d and not %s", err,
			    word[0]);
	if (err && memcmp(&s->board.app, &nothing, sizeof(nothing)))
		script_fail(s, "the refused application was touched");
	if (err && s->board.gate_calls)
		script_fail(s, "the refused application set the gate");
	return true;
}

static const struct {
	const char *name;
	enum sensor_mode mode;
	u8 bound;
	bool value;
} kinds[] = {
	{ "ok", SENSOR_OK, 0, false },
	{ "hold", SENSOR_HOLD, 0, false },
	{ "random", SENSOR_RANDOM, 0, false },
	{ "fix", SENSOR_FIX, 0, true },
	{ "once", SENSOR_ONCE, 0, true },
	{ "offset", SENSOR_OFFSET, 0, true },
	{ "rail-high", SENSOR_RAIL, NST_BOUND_AT_LEAST, true },
	{ "rail-low", SENSOR_RAIL, NST_BOUND_AT_MOST, true },
};

bool setup_sensor(struct script *s, char **word, unsigned int words)
{
	struct sensor *sensor;
	s64 ch, value = 0;

	if (words < 2 || !value_parse("", word[0], &ch) || ch < 0 ||
	    ch >= NST_APP_CHANNELS_MAX)
		return false;
	sensor = &s->board.sensor[ch];
	if (!strcmp(word[1], "error")) {
		if (words != 3 || !error_of(word[2]))
			return false;
		sensor->mode = SENSOR_ERROR;
		sensor->err = error_of(word[2]);
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, word[1]))
			continue;
		if (words != (kinds[i].value ? 3u : 2u) ||
		    (kinds[i].value && !value_parse("", word[2], &value)))
			return false;
		sensor->mode = kinds[i].mode;
		sensor->bound = kinds[i].bound;
		sensor->value_mc = (s32)value;
		return true;
	}
	return false;
}

bool setup_gate(struct script *s, char **word, unsigned int words)
{
	struct board *board = &s->board;
	s64 value;

	if (words == 2 && !strcmp(word[0], "slow") &&
	    value_parse("", word[1], &value)) {
		board->gate_mode = GATE_SLOW;
		board->slow_us = (u64)value;
		return true;
	}
	if (words != 1)
		return false;
	if (!strcmp(word[0], "ok"))
		board->gate_mode = GATE_OK;
	else if (!strcmp(word[0], "fail"))
		board->gate_mode = GATE_FAIL;
	else if (!strcmp(word[0], "ignore"))
		board->gate_mode = GATE_IGNORE;
	else if (!strcmp(word[0], "blind"))
		board->gate_mode = GATE_BLIND;
	else
		return false;
	return true;
}
