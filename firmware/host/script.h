/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * script.h - the language of the scripts in tests/firmware
 *
 * A line is a command; # begins a comment. Times, temperatures and names as
 * in names.h. Registers are written in capitals, truths that only the board
 * knows in small letters: die, package, peak (hottest since `mark`), gate,
 * calls (of set_gate), frames, alert, now.
 *
 *	test TEXT		a test begins; it passes when every line holds
 *	power [KEY=VALUE...]	power-on, from the defaults with these changes
 *	refuse ERRNO KEY=VALUE...	the same, and the configuration is refused
 *	restart			power-on with what is configured
 *	wait TIME		time passes
 *	loop on|off		the main loop runs, or hangs
 *	tick TIME		one tick whose time is off by this
 *	ambient TEMP		of the plant
 *	frames TIME|off		frame edges
 *	sensor CH KIND [VALUE]	ok, error ERRNO, hold, fix TEMP, once TEMP,
 *				rail-high TEMP, rail-low TEMP, random, offset TEMP
 *	gate KIND [TIME]	ok, fail, ignore, slow TIME
 *	mark			forget the peak
 *	read NAME		show a register
 *	expect NAME OP VALUE [+- VALUE]
 *				OP == != < <= > >= has (all bits) hasnt (none)
 *	until NAME OP VALUE within TIME		look every millisecond
 *	always NAME OP VALUE for TIME		the same
 *	write NAME VALUE [!REASON]	a register; refused with LAST_ERROR REASON
 *	block NAME VALUE... [!REASON]	a block, its registers in order
 *	snapshot NAME		read a block; expect BLOCK:REGISTER looks at it
 *	raw TOKEN...		a transfer by hand: S start and address to write,
 *				R to read, HEX a byte to send, =HEX a byte that
 *				must come, ?N any N bytes, PEC the right one,
 *				~PEC a wrong one, =PEC must come, A N the last
 *				was acknowledged or not, P stop
 *	bits			every temperature code through a limit and back
 *	fuzz SEED COUNT		random transfers, see fuzz.c
 */
#ifndef NST_FW_SCRIPT_H
#define NST_FW_SCRIPT_H

#include "board.h"
#include "names.h"

#define SCRIPT_WORDS 48

struct script {
	const char *path;
	unsigned int line;
	char test[128];
	bool in_test;
	bool failed;
	unsigned int tests;
	unsigned int failures;
	struct board board;
	u16 shot[256];		/* by address, of snapshots */
	bool shot_known[256];
};

/** script_run() - run a file, print KTAP. Return: tests that failed, or -1 */
int script_run(const char *path);

void script_fail(struct script *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fuzz() - @count random transfers against @s->board */
void fuzz(struct script *s, u32 seed, u32 count);

/* raw.c */
void raw(struct script *s, char **word, unsigned int words);

/* setup.c: power, refuse, sensor, gate. Return: false for a bad line. */
bool setup_power(struct script *s, char **word, unsigned int words);
bool setup_refuse(struct script *s, char **word, unsigned int words);
bool setup_sensor(struct script *s, char **word, unsigned int words);
bool setup_gate(struct script *s, char **word, unsigned int words);

#endif /* NST_FW_SCRIPT_H */
