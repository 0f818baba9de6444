// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fuzz.c - random transfers, and what must hold whatever comes
 *
 * Each round is a valid write, a damaged one, or noise. With PEC, nothing
 * that the host can set may change unless a write came whole and with the
 * PEC that master_pec() gives it, and then all of it changes at once. After
 * each round the bus has to be usable, and the limits in order.
 */
#include <stdio.h>
#include <string.h>

#include "script.h"

/* What a host can set. */
struct settings {
	u8 request;
	u16 watchdog_ms;
	u16 dwell_ms;
	u16 alert_mask;
	s32 high_mc;
	s32 low_mc;
	s32 ceiling_mc;
	u32 capture_span_us;
	s32 capture_temp_mc;
	u16 capture_frames;
};

static struct settings settings_of(const struct nst_app *app)
{
	struct settings now;

	memset(&now, 0, sizeof(now));
	now.request = app->gate.request;
	now.watchdog_ms = app->watchdog_ms;
	now.dwell_ms = app->dwell_ms;
	now.alert_mask = app->alert_mask;
	now.high_mc = app->high_mc;
	now.low_mc = app->low_mc;
	now.ceiling_mc = app->ceiling_mc;
	now.capture_span_us = app->capture.deadline_span_us;
	now.capture_temp_mc = app->capture.temp_mc;
	now.capture_frames = app->capture.frames;
	return now;
}

/* A message: address byte, command, data, PEC. */
struct message {
	u8 byte[64];
	u32 len;
};

static void put(struct message *m, u32 byte)
{
	if (m->len < sizeof(m->byte))
		m->byte[m->len++] = (u8)byte;
}

static void put16(struct message *m, u32 v)
{
	put(m, v >> 8);
	put(m, v);
}

static u32 some(struct board *board, u32 limit)
{
	return board_random(board) % limit;
}

/* A write that would be taken, by itself and before it is damaged. */
static struct message good_write(struct board *board)
{
	struct message m = { .len = 0 };
	u32 low = some(board, 60);

	put(&m, board->config.address << 1);
	switch (some(board, 7)) {
	case 0:
		put(&m, NST_MCU_REG_GATE_REQUEST);
		put16(&m, some(board, 3));
		break;
	case 1:
		put(&m, NST_MCU_REG_WATCHDOG_MS);
		put16(&m, 10 + some(board, 1000));
		break;
	case 2:
		put(&m, NST_MCU_REG_DWELL_MS);
		put16(&m, some(board, 100));
		break;
	case 3:
		put(&m, NST_MCU_REG_ALERT_MASK);
		put16(&m, some(board, 0x800));
		break;
	case 4:
		put(&m, NST_MCU_REG_STATUS);
		put16(&m, some(board, 0x800));
		break;
	case 5:
		put(&m, NST_MCU_BLK_LIMITS);
		put(&m, 6);
		put16(&m, (low + 20) * 128);
		put16(&m, low * 128);
		put16(&m, (low + 25) * 128);
		break;
	default:
		put(&m, NST_MCU_BLK_CAPTURE);
		put(&m, 8);
		put16(&m, low * 128);
		put16(&m, some(board, 4));
		put16(&m, 1 + some(board, 0xffff));
		put16(&m, some(board, 5));
		break;
	}
	put(&m, master_pec(m.byte, m.len));
	return m;
}

static void damage(struct board *board, struct message *m)
{
	u32 at = 1 + some(board, m->len - 1);

	switch (some(board, 4)) {
	case 0:				/* a bit */
		m->byte[at] ^= (u8)(1u << some(board, 8));
		break;
	case 1:				/* cut off */
		m->len = at;
		break;
	case 2:				/* more of it */
		for (u32 n = 1 + some(board, 8); n; n--)
			put(m, board_random(board));
		break;
	default:			/* a byte lost */
		memmove(m->byte + at, m->byte + at + 1, m->len - at - 1);
		m->len--;
		break;
	}
}

static bool send(struct board *board, const struct message *m)
{
	bool ok;

	master_start(board, false);
	ok = master_address_acked(board);
	/* A host that does not care goes on after a refusal. */
	for (u32 i = 1; i < m->len; i++)
		ok = master_send(board, m->byte[i]) && ok;
	master_stop(board);
	return ok;
}

static void noise(struct board *board)
{
	for (u32 n = 1 + some(board, 30); n; n--) {
		switch (some(board, 6)) {
		case 0:
			master_start(board, false);
			break;
		case 1:
			master_start(board, true);
			break;
		case 2:
			master_stop(board);
			break;
		case 3:
			master_receive(board);
			break;
		default:
			master_send(board, (u8)board_random(board));
			break;
		}
	}
	master_stop(board);
}

/* A message that ends in its own PEC is a good one, however it came about. */
static bool well_formed(const struct message *m)
{
	return m->len > 2 &&
	       m->byte[m->len - 1] == master_pec(m->byte, m->len - 1);
}

static u32 get16(const struct message *m, u32 at)
{
	return (u32)m->byte[at] << 8 | m->byte[at + 1];
}

/* What was taken is there, all of it. */
static void check_taken(struct script *s, const struct message *m, u32 round)
{
	const struct settings now = settings_of(&s->board.app);
	bool same = true;

	switch (m->byte[1]) {
	case NST_MCU_REG_GATE_REQUEST:
		same = now.request == get16(m, 2);
		break;
	case NST_MCU_REG_WATCHDOG_MS:
		same = now.watchdog_ms == get16(m, 2);
		break;
	case NST_MCU_REG_DWELL_MS:
		same = now.dwell_ms == get16(m, 2);
		break;
	case NST_MCU_REG_ALERT_MASK:
		same = now.alert_mask == get16(m, 2);
		break;
	case NST_MCU_BLK_LIMITS:
		same = value_to_wire(REG_TEMP, now.high_mc) == get16(m, 3) &&
		       value_to_wire(REG_TEMP, now.low_mc) == get16(m, 5) &&
		       value_to_wire(REG_TEMP, now.ceiling_mc) == get16(m, 7);
		break;
	case NST_MCU_BLK_CAPTURE:
		if (!get16(m, 9))
			break;
		same = value_to_wire(REG_TEMP, now.capture_temp_mc) ==
			       get16(m, 3) &&
		       now.capture_span_us ==
			       (get16(m, 5) << 16 | get16(m, 7)) &&
		       now.capture_frames == get16(m, 9);
		break;
	default:
		break;
	}
	if (!same)
		script_fail(s, "round %u: command 0x%02x is not there as it"
			    " was written", round, m->byte[1]);
}

static void check_usable(struct script *s, u32 round)
{
	const struct nst_app *app = &s->board.app;
	struct transfer t;

	if (app->low_mc >= app->high_mc || app->high_mc > app->ceiling_mc ||
	    app->ceiling_mc > app->config->rated_max_mc)
		script_fail(s, "round %u: limits %d %d %d", round, app->low_mc,
			    app->high_mc, app->ceiling_mc);
	if (app->watchdog_ms < NST_APP_WATCHDOG_MIN_MS ||
	    app->watchdog_ms > NST_APP_WATCHDOG_MAX_MS ||
	    app->dwell_ms > NST_APP_DWELL_MAX_MS)
		script_fail(s, "round %u: times %u %u", round,
			    app->watchdog_ms, app->dwell_ms);
	t = master_read_word(&s->board, NST_MCU_REG_MAGIC);
	if (!t.ok || t.data[0] != NST_MCU_MAGIC_VALUE >> 8 ||
	    t.data[1] != (NST_MCU_MAGIC_VALUE & 0xff))
		script_fail(s, "round %u: the bus is dead", round);
}

void fuzz(struct script *s, u32 seed, u32 count)
{
	struct board *board = &s->board;
	u32 taken = 0, refused = 0;

	board->random = seed;
	for (u32 round = 0; round < count && !s->failed; round++) {
		struct settings before, after;
		struct message m;
		u32 what = some(board, 8);
		u32 transfers;
		bool acked;

		if (what == 0) {
			noise(board);
			check_usable(s, round);
			continue;
		}
		m = good_write(board);
		if (what > 2)
			damage(board, &m);
		before = settings_of(&board->app);
		transfers = board->app.counters.transfers;
		acked = send(board, &m);
		if (board->app.counters.transfers != transfers) {
			taken++;
			if (!acked || !well_formed(&m))
				script_fail(s, "round %u: a damaged write was"
					    " taken", round);
			check_taken(s, &m, round);
		} else {
			refused++;
			after = settings_of(&board->app);
			if (memcmp(&before, &after, sizeof(before)))
				script_fail(s, "round %u: a refused write"
					    " changed something", round);
		}
		check_usable(s, round);
	}
	printf("# %u taken, %u refused\n", taken, refused);
	if (!taken || !refused)
		script_fail(s, "nothing was tried");
}
