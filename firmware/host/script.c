// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * script.c - run a script, print KTAP
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

#define LOOK_US 1000

static void test_end(struct script *s)
{
	if (!s->in_test)
		return;
	s->tests++;
	s->failures += s->failed;
	printf("%sok %u - %s\n", s->failed ? "not " : "", s->tests, s->test);
	s->in_test = false;
}

void script_fail(struct script *s, const char *format, ...)
{
	va_list ap;

	s->failed = true;
	printf("# %s:%u: ", s->path, s->line);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

/* --------------------------------------------------------------- looking */

static bool truth(struct board *board, const char *name, s64 *ret)
{
	if (!strcmp(name, "die"))
		*ret = board_die_mc(board);
	else if (!strcmp(name, "package"))
		*ret = nst_plant_package_mc(&board->plant);
	else if (!strcmp(name, "peak"))
		*ret = board->peak_mc;
	else if (!strcmp(name, "gate"))
		*ret = board->gate;
	else if (!strcmp(name, "calls"))
		*ret = board->gate_calls;
	else if (!strcmp(name, "frames"))
		*ret = board->frames;
	else if (!strcmp(name, "alert"))
		*ret = nst_app_alert(&board->app);
	else if (!strcmp(name, "now"))
		*ret = (s64)board->now_us;
	else
		return false;
	return true;
}

/* BLOCK:REGISTER of the last snapshot of BLOCK */
static bool shot_value(struct script *s, const char *text, s64 *ret)
{
	const char *colon = strchr(text, ':');
	const struct reg *reg = colon ? reg_find(colon + 1) : NULL;
	u32 value;

	if (!reg)
		return false;
	if (!s->shot_known[reg->addr]) {
		script_fail(s, "no snapshot has %s", text);
		return false;
	}
	value = s->shot[reg->addr];
	if (reg->kind == REG_LONG)
		value = value << 16 | s->shot[reg->addr + 1];
	*ret = value_from_wire(reg->kind, value);
	return true;
}

static bool word_over_bus(struct script *s, u8 addr, u16 *ret)
{
	struct transfer t = master_read_word(&s->board, addr);

	if (!t.ok) {
		script_fail(s, "reading 0x%02x: %s", addr,
			    t.pec_bad ? "wrong PEC" : "not acknowledged");
		return false;
	}
	*ret = (u16)(t.data[0] << 8 | t.data[1]);
	return true;
}

static bool reg_over_bus(struct script *s, const struct reg *reg, s64 *ret)
{
	u16 word, low;

	if (!word_over_bus(s, reg->addr, &word))
		return false;
	if (reg->kind != REG_LONG) {
		*ret = value_from_wire(reg->kind, word);
		return true;
	}
	if (!word_over_bus(s, (u8)(reg->addr + 1), &low))
		return false;
	*ret = value_from_wire(reg->kind, (u32)word << 16 | low);
	return true;
}

static bool look(struct script *s, const char *name, s64 *ret)
{
	const struct reg *reg = reg_find(name);

	if (reg)
		return reg_over_bus(s, reg, ret);
	if (truth(&s->board, name, ret) || shot_value(s, name, ret))
		return true;
	if (!s->failed)
		script_fail(s, "'%s' is neither a register nor a truth", name);
	return false;
}

struct condition {
	const char *name;
	const char *op;
	s64 value;
	s64 slack;
};

static bool holds(const struct condition *c, s64 v)
{
	s64 off = v - c->value;

	/* No temperature is neither high nor low. */
	if ((v == VALUE_NONE || c->value == VALUE_NONE) && *c->op != '=' &&
	    *c->op != '!')
		return false;
	if (!strcmp(c->op, "=="))
		return off <= c->slack && off >= -c->slack;
	if (!strcmp(c->op, "!="))
		return off != 0;
	if (!strcmp(c->op, "<"))
		return off < 0;
	if (!strcmp(c->op, "<="))
		return off <= 0;
	if (!strcmp(c->op, ">"))
		return off > 0;
	if (!strcmp(c->op, ">="))
		return off >= 0;
	if (!strcmp(c->op, "has"))
		return (v & c->value) == c->value;
	return (v & c->value) == 0;	/* hasnt */
}

static bool is_op(const char *op)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">",
					   ">=", "has", "hasnt" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(ops[i], op))
			return true;
	return false;
}

/* The value may be a truth or of a snapshot, as it is when the line begins. */
static bool condition(struct script *s, char **word, unsigned int words,
		      struct condition *ret)
{
	const char *reg;

	if (words < 3 || !is_op(word[1]))
		return false;
	*ret = (struct condition){ .name = word[0], .op = word[1] };
	reg = strchr(word[0], ':');
	if (!value_parse(reg ? reg + 1 : word[0], word[2], &ret->value) &&
	    !value_parse("GATE_ACTUAL", word[2], &ret->value) &&
	    !truth(&s->board, word[2], &ret->value) &&
	    !shot_value(s, word[2], &ret->value))
		return false;
	if (words == 3)
		return true;
	return words == 5 && !strcmp(word[3], "+-") &&
	       value_parse("", word[4], &ret->slack);
}

static void show(struct script *s, const struct condition *c, s64 v,
		 const char *why)
{
	script_fail(s, "%s is %lld (0x%llx), not %s %lld%s", c->name,
		    (long long)v, (unsigned long long)v, c->op,
		    (long long)c->value, why);
}

static bool do_expect(struct script *s, char **word, unsigned int words)
{
	struct condition c;
	s64 v;

	if (!condition(s, word, words, &c))
		return false;
	if (look(s, c.name, &v) && !holds(&c, v))
		show(s, &c, v, "");
	return true;
}

static bool do_until(struct script *s, char **word, unsigned int words)
{
	struct condition c;
	u64 end_us;
	s64 v = 0, limit;

	if (words != 5 || strcmp(word[3], "within") ||
	    !value_parse("", word[4], &limit) || !condition(s, word, 3, &c))
		return false;
	end_us = s->board.now_us + (u64)limit;
	for (;;) {
		if (!look(s, c.name, &v) || holds(&c, v))
			return true;
		if (s->board.now_us >= end_us)
			break;
		board_run(&s->board, LOOK_US);
	}
	show(s, &c, v, " in time");
	return true;
}

static bool do_always(struct script *s, char **word, unsigned int words)
{
	struct condition c;
	u64 end_us;
	s64 v, limit;

	if (words != 5 || strcmp(word[3], "for") ||
	    !value_parse("", word[4], &limit) || !condition(s, word, 3, &c))
		return false;
	end_us = s->board.now_us + (u64)limit;
	while (s->board.now_us < end_us) {
		if (!look(s, c.name, &v))
			return true;
		if (!holds(&c, v)) {
			show(s, &c, v, "");
			return true;
		}
		board_run(&s->board, LOOK_US);
	}
	return true;
}

static bool do_read(struct script *s, char **word, unsigned int words)
{
	s64 v;

	if (words != 1)
		return false;
	if (look(s, word[0], &v))
		printf("# %s is %lld (0x%llx)\n", word[0], (long long)v,
		       (unsigned long long)v);
	return true;
}

static bool do_snapshot(struct script *s, char **word, unsigned int words)
{
	const struct block *block = words == 1 ? block_find(word[0]) : NULL;
	struct transfer t;

	if (!block)
		return false;
	t = master_read_block(&s->board, block->command);
	if (!t.ok || t.len != 2u * block->words) {
		script_fail(s, "block %s: %s, %u bytes", block->name,
			    t.pec_bad ? "wrong PEC" : "no PEC error", t.len);
		return true;
	}
	for (u32 i = 0; i < block->words; i++) {
		s->shot[block->first + i] =
			(u16)(t.data[2 * i] << 8 | t.data[2 * i + 1]);
		s->shot_known[block->first + i] = true;
	}
	return true;
}

/* --------------------------------------------------------------- writing */

/* A write has to be taken, or refused for @reason and for nothing else. */
static void judge_write(struct script *s, const char *what, bool taken,
			const char *reason)
{
	s64 want;
	u16 error;

	if (!reason) {
		if (!taken)
			script_fail(s, "%s was refused", what);
		return;
	}
	if (taken) {
		script_fail(s, "%s was taken", what);
		return;
	}
	if (!value_parse("LAST_ERROR", reason + 1, &want)) {
		script_fail(s, "'%s' is no reason", reason);
		return;
	}
	if (word_over_bus(s, NST_MCU_REG_LAST_ERROR, &error) &&
	    (error & 0xff) != want)
		script_fail(s, "%s was refused for reason %u, not %s", what,
			    error & 0xff, reason + 1);
}

static bool take_reason(char **word, unsigned int *words, const char **ret)
{
	*ret = NULL;
	if (*words && *word[*words - 1] == '!') {
		*ret = word[*words - 1];
		(*words)--;
	}
	return true;
}

static bool do_write(struct script *s, char **word, unsigned int words)
{
	const struct reg *reg;
	const char *reason;
	u8 data[2];
	u32 raw;
	s64 v;

	take_reason(word, &words, &reason);
	if (words != 2)
		return false;
	reg = reg_find(word[0]);
	if (!reg || !value_parse(word[0], word[1], &v))
		return false;
	raw = value_to_wire(reg->kind, v);
	data[0] = (u8)(raw >> 8);
	data[1] = (u8)raw;
	judge_write(s, word[0], master_write(&s->board, reg->addr, data, 2),
		    reason);
	return true;
}

/* The register at an address, by its name. */
static const struct reg *reg_at(const struct block *block, u32 offset)
{
	static const char *const limits[] = { "THRESH_HIGH", "THRESH_LOW",
					      "CEILING" };
	static const char *const capture[] = { "CAPTURE_TEMP",
					       "CAPTURE_DEADLINE", NULL,
					       "CAPTURE_FRAMES" };

	if (block->command == NST_MCU_BLK_LIMITS && offset < 3)
		return reg_find(limits[offset]);
	if (block->command == NST_MCU_BLK_CAPTURE && offset < 4)
		return reg_find(capture[offset]);
	return NULL;
}

static bool do_block(struct script *s, char **word, unsigned int words)
{
	const struct block *block;
	const char *reason;
	u8 data[NST_MCU_BLOCK_MAX + 1];
	u32 offset = 0;

	take_reason(word, &words, &reason);
	block = words ? block_find(word[0]) : NULL;
	if (!block)
		return false;
	for (unsigned int i = 1; i < words; i++) {
		const struct reg *reg = reg_at(block, offset);
		enum reg_kind kind = reg ? reg->kind : REG_PLAIN;
		u32 raw;
		s64 v;

		if (!value_parse("", word[i], &v) ||
		    2 * offset + 4 > NST_MCU_BLOCK_MAX)
			return false;
		raw = value_to_wire(kind, v);
		if (kind == REG_LONG) {
			data[2 * offset + 1] = (u8)(raw >> 24);
			data[2 * offset + 2] = (u8)(raw >> 16);
			offset++;
		}
		data[2 * offset + 1] = (u8)(raw >> 8);
		data[2 * offset + 2] = (u8)raw;
		offset++;
	}
	data[0] = (u8)(2 * offset);
	judge_write(s, word[0],
		    master_write(&s->board, block->command, data,
				 2 * offset + 1),
		    reason);
	return true;
}

/* Every code a temperature can have, through a register and back. */
static bool do_bits(struct script *s, char **word, unsigned int words)
{
	(void)word;
	if (words)
		return false;
	for (s32 code = -32768; code <= 32767; code++) {
		s64 mc = value_from_wire(REG_TEMP, (u32)code & 0xffff);
		s32 ours;

		if (mc == VALUE_NONE)
			continue;
		ours = nst_mcu_temp_to_mc((s16)code);
		if (ours != mc || nst_mcu_temp_from_mc(ours) != code ||
		    (u16)nst_mcu_temp_from_mc((s32)mc) !=
			    value_to_wire(REG_TEMP, mc)) {
			script_fail(s, "code %d is %d mC, should be %lld",
				    code, ours, (long long)mc);
			return true;
		}
	}
	for (s32 mc = -300000; mc <= 300000; mc += 7) {
		if ((u16)nst_mcu_temp_from_mc(mc) !=
		    value_to_wire(REG_TEMP, mc)) {
			script_fail(s, "%d mC is %d", mc,
				    nst_mcu_temp_from_mc(mc));
			return true;
		}
	}
	return true;
}

/* -------------------------------------------------------------- the rest */

static bool do_wait(struct script *s, char **word, unsigned int words)
{
	s64 v;

	if (words != 1 || !value_parse("", word[0], &v) || v < 0)
		return false;
	board_run(&s->board, (u64)v);
	return true;
}

static bool do_loop(struct script *s, char **word, unsigned int words)
{
	if (words != 1 || (strcmp(word[0], "on") && strcmp(word[0], "off")))
		return false;
	s->board.ticks = !strcmp(word[0], "on");
	s->board.next_tick_us = s->board.now_us;
	return true;
}

/* A clock that is wrong for once. */
static bool do_tick(struct script *s, char **word, unsigned int words)
{
	s64 v;

	if (words != 1 || !value_parse("", word[0], &v))
		return false;
	nst_app_tick(&s->board.app, s->board.now_us + (u64)v);
	return true;
}

static bool do_ambient(struct script *s, char **word, unsigned int words)
{
	s64 v;

	if (words != 1 || !value_parse("", word[0], &v))
		return false;
	board_die_mc(&s->board);
	s->board.ambient_mc = (s32)v;
	return true;
}

static bool do_frames(struct script *s, char **word, unsigned int words)
{
	s64 v = 0;

	if (words != 1 ||
	    (strcmp(word[0], "off") && !value_parse("", word[0], &v)))
		return false;
	s->board.frame_period_us = (u32)v;
	s->board.next_frame_us = s->board.now_us + (u64)v;
	return true;
}

static bool do_mark(struct script *s, char **word, unsigned int words)
{
	(void)word;
	s->board.peak_mc = NST_TEMP_MIN_MC;
	return !words;
}

static bool do_restart(struct script *s, char **word, unsigned int words)
{
	int err = board_power(&s->board);

	(void)word;
	if (err)
		script_fail(s, "nst_app_init() gives %d", err);
	return !words;
}

static bool do_fuzz(struct script *s, char **word, unsigned int words)
{
	s64 seed, count;

	if (words != 2 || !value_parse("", word[0], &seed) ||
	    !value_parse("", word[1], &count) || seed <= 0)
		return false;
	fuzz(s, (u32)seed, (u32)count);
	return true;
}

static bool do_raw(struct script *s, char **word, unsigned int words)
{
	raw(s, word, words);
	return words;
}

static const struct {
	const char *name;
	bool (*run)(struct script *s, char **word, unsigned int words);
} commands[] = {
	{ "always", do_always },   { "ambient", do_ambient },
	{ "bits", do_bits },	   { "block", do_block },
	{ "expect", do_expect },   { "frames", do_frames },
	{ "fuzz", do_fuzz },	   { "gate", setup_gate },
	{ "loop", do_loop },	   { "mark", do_mark },
	{ "power", setup_power },
	{ "raw", do_raw },	   { "read", do_read },
	{ "refuse", setup_refuse }, { "restart", do_restart },
	{ "sensor", setup_sensor }, { "snapshot", do_snapshot },
	{ "tick", do_tick },	   { "until", do_until },
	{ "wait", do_wait },	   { "write", do_write },
};

static bool without_board(const char *name)
{
	return !strcmp(name, "power") || !strcmp(name, "refuse") ||
	       !strcmp(name, "bits");
}

static void run_line(struct script *s, char *line)
{
	char *word[SCRIPT_WORDS];
	unsigned int words = 0;
	char *save = NULL;

	line[strcspn(line, "#\n")] = '\0';
	for (char *w = strtok_r(line, " \t", &save); w;
	     w = strtok_r(NULL, " \t", &save)) {
		if (words == SCRIPT_WORDS) {
			script_fail(s, "too many words");
			return;
		}
		word[words++] = w;
	}
	if (!words)
		return;
	if (!s->in_test) {
		script_fail(s, "before the first test");
		return;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, word[0]))
			continue;
		if (!s->board.on && !without_board(word[0]))
			script_fail(s, "the board is off");
		else if (!commands[i].run(s, word + 1, words - 1))
			script_fail(s, "cannot read this %s", word[0]);
		return;
	}
	script_fail(s, "'%s' is no command", word[0]);
}

static void test_begin(struct script *s, const char *text)
{
	test_end(s);
	snprintf(s->test, sizeof(s->test), "%.*s", (int)strcspn(text, "\n"),
		 text);
	s->in_test = true;
	s->failed = false;
}

int script_run(const char *path)
{
	/* Too big for some stacks under ASan. */
	static struct script s;
	char line[512];
	FILE *f = fopen(path, "r");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	s = (struct script){ .path = path };
	board_defaults(&s.board);
	printf("KTAP version 1\n");
	while (fgets(line, sizeof(line), f)) {
		s.line++;
		if (!strncmp(line, "test ", 5))
			test_begin(&s, line + 5);
		else
			run_line(&s, line);
	}
	fclose(f);
	/* A line outside a test that failed is a test that failed. */
	if (!s.in_test && s.failed)
		test_begin(&s, "script");
	test_end(&s);
	printf("1..%u\n", s.tests);
	return (int)s.failures;
}
