/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * names.h - the register map by name, and values as people write them
 *
 * A value is in the unit of what it is compared with: millidegrees for
 * temperatures, microseconds for times, plain numbers for the rest.
 */
#ifndef NST_FW_NAMES_H
#define NST_FW_NAMES_H

#include "nst-wire.h"

/* A temperature register that holds none. */
#define VALUE_NONE	((s64)1 << 40)

enum reg_kind {
	REG_PLAIN = 0,
	REG_TEMP,
	REG_LONG,		/* the high half; the low one follows */
};

struct reg {
	const char *name;	/* of a long without _HI */
	u8 addr;
	enum reg_kind kind;
};

struct block {
	const char *name;
	u8 command;
	u8 first;
	u8 words;
};

/** reg_find() - by name, NULL when there is none. _HI and _LO work too. */
const struct reg *reg_find(const char *name);
const struct block *block_find(const char *name);

/**
 * value_parse() - "45.5C", "-20C", "10mC", "3s", "20ms", "5us", "0x1f", "12",
 *	"none", or names of bits and values of @reg joined by "|"
 * Return: false when it is none of them.
 */
bool value_parse(const char *reg, const char *text, s64 *ret);

/** value_from_wire() - what a register of this kind says */
s64 value_from_wire(enum reg_kind kind, u32 raw);

/** value_to_wire() - the nearest that a register of this kind can say */
u32 value_to_wire(enum reg_kind kind, s64 value);

#endif /* NST_FW_NAMES_H */
