// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names.c - names and numbers
 *
 * Temperatures are converted in floating point here, apart from nst-wire.h:
 * a wrong rounding there does not hide itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define REG_OF_U16(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_S16(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_TEMP(n, a)	{ n, a, REG_TEMP },
#define REG_OF_MW(n, a)		{ n, a, REG_PLAIN },
#define REG_OF_MK(n, a)		{ n, a, REG_PLAIN },
#define REG_OF_MS(n, a)		{ n, a, REG_PLAIN },
#define REG_OF_BITS(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_ENUM(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_COUNT(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_TEXT(n, a)	{ n, a, REG_PLAIN },
#define REG_OF_HIGH(n, a)	{ n, a, REG_LONG },
#define REG_OF_LOW(n, a)	{ n, a, REG_PLAIN },

static const struct reg regs[] = {
#define ROW(name, addr, access, kind) REG_OF_##kind(#name, addr)
	NST_MCU_REGISTERS(ROW)
#undef ROW
};

static const struct block blocks[] = {
#define ROW(name, cmd, first, words, min, access) { #name, cmd, first, words },
	NST_MCU_BLOCKS(ROW)
#undef ROW
};

static const struct {
	const char *reg;
	const char *name;
	u16 value;
} values[] = {
#define ROW(reg, name, value) { #reg, #name, value },
	NST_MCU_NAMES(ROW)
#undef ROW
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct reg *reg_find(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < COUNT(regs); i++) {
		const struct reg *reg = &regs[i];

		if (reg->kind == REG_LONG) {
			if (strlen(reg->name) == len + 3 &&
			    !strncmp(reg->name, name, len))
				return reg;
		} else if (!strcmp(reg->name, name)) {
			return reg;
		}
	}
	return NULL;
}

const struct block *block_find(const char *name)
{
	for (size_t i = 0; i < COUNT(blocks); i++)
		if (!strcmp(blocks[i].name, name))
			return &blocks[i];
	return NULL;
}

static const struct {
	const char *suffix;
	double factor;
} units[] = {
	{ "", 1 },	{ "C", 1000 },	{ "mC", 1 },	{ "us", 1 },
	{ "ms", 1000 }, { "s", 1e6 },	{ "mW", 1 },	{ "mK", 1 },
};

static bool number(const char *text, s64 *ret)
{
	double v;
	char *end;

	if (!strncmp(text, "0x", 2)) {
		*ret = (s64)strtoull(text + 2, &end, 16);
		return end != text + 2 && !*end;
	}
	v = strtod(text, &end);
	if (end == text)
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (!strcmp(end, units[i].suffix)) {
			*ret = llround(v * units[i].factor);
			return true;
		}
	}
	return false;
}

static bool name_value(const char *reg, const char *name, size_t len, s64 *ret)
{
	/* Twins that share their values. */
	if (!strcmp(reg, "GATE_REQUEST"))
		reg = "GATE_ACTUAL";
	if (!strcmp(reg, "ALERT_MASK"))
		reg = "STATUS";
	for (size_t i = 0; i < COUNT(values); i++) {
		if (!strcmp(values[i].reg, reg) &&
		    strlen(values[i].name) == len &&
		    !strncmp(values[i].name, name, len)) {
			*ret = values[i].value;
			return true;
		}
	}
	return false;
}

bool value_parse(const char *reg, const char *text, s64 *ret)
{
	s64 sum = 0;

	if (number(text, ret))
		return true;
	if (!strcmp(text, "none")) {
		*ret = VALUE_NONE;
		return true;
	}
	for (;;) {
		size_t len = strcspn(text, "|");
		s64 one;

		if (!name_value(reg, text, len, &one))
			return false;
		sum |= one;
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret = sum;
	return true;
}

s64 value_from_wire(enum reg_kind kind, u32 raw)
{
	if (kind != REG_TEMP)
		return raw;
	if (raw == 0x8000)
		return VALUE_NONE;
	return llround((raw & 0x8000 ? (double)raw - 65536.0 : (double)raw) /
		       128.0 * 1000.0);
}

u32 value_to_wire(enum reg_kind kind, s64 value)
{
	double steps;

	if (kind != REG_TEMP)
		return (u32)value;
	if (value == VALUE_NONE)
		return 0x8000;
	steps = round((double)value * 128.0 / 1000.0);
	if (steps > 32767.0)
		steps = 32767.0;
	if (steps < -32767.0)
		steps = -32767.0;
	return (u32)(s32)steps & 0xffff;
}
