// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * board.c - the board itself: what the application calls, and time
 */
#include <string.h>

#include "board.h"

#define TICK_US 1000

static void settle(struct board *board)
{
	u32 power_mw = board->config.gate_power_mw[board->gate];
	u64 dt_us = board->now_us - board->plant_us;
	s32 die_mc;

	/* Exact for any step: the power is constant. */
	while (dt_us) {
		u32 step_us = dt_us > NST_DT_MAX_US ? NST_DT_MAX_US :
						      (u32)dt_us;

		nst_plant_step(&board->plant, power_mw, board->ambient_mc,
			       step_us);
		dt_us -= step_us;
	}
	board->plant_us = board->now_us;
	die_mc = nst_plant_die_mc(&board->plant);
	if (die_mc > board->peak_mc)
		board->peak_mc = die_mc;
}

s32 board_die_mc(struct board *board)
{
	settle(board);
	return nst_plant_die_mc(&board->plant);
}

/* xorshift32 */
u32 board_random(struct board *board)
{
	u32 x = board->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	board->random = x;
	return x;
}

static s32 quantised(const struct board *board, s32 temp_mc)
{
	s32 lsb_mc = (s32)board->config.sensor.lsb_mc;
	s32 q;

	if (!lsb_mc)
		return temp_mc;
	if (!board->config.sensor.floor)
		temp_mc += lsb_mc / 2;
	q = temp_mc / lsb_mc;
	if (temp_mc < 0 && temp_mc % lsb_mc)
		q--;
	return q * lsb_mc;
}

static s32 truth_mc(struct board *board, u32 ch)
{
	if (ch == 0)
		return board_die_mc(board);
	if (ch == 1)
		return nst_plant_package_mc(&board->plant);
	return board->ambient_mc;
}

static int read_temp(void *ctx, u32 ch, struct nst_sample *ret)
{
	struct board *board = ctx;
	struct sensor *sensor = &board->sensor[ch];
	s32 value_mc = quantised(board, truth_mc(board, ch));

	sensor->reads++;
	switch (sensor->mode) {
	case SENSOR_ERROR:
		/* A careless driver leaves something behind. */
		ret->value_mc = -40000;
		return sensor->err;
	case SENSOR_HOLD:
		value_mc = sensor->last_mc;
		break;
	case SENSOR_FIX:
		value_mc = sensor->value_mc;
		break;
	case SENSOR_ONCE:
		value_mc = sensor->value_mc;
		sensor->mode = SENSOR_OK;
		break;
	case SENSOR_RAIL:
		value_mc = sensor->value_mc;
		ret->bound = sensor->bound;
		break;
	case SENSOR_RANDOM:
		value_mc = (s32)(board_random(board) % 400000) - 100000;
		break;
	case SENSOR_OFFSET:
		value_mc += sensor->value_mc;
		break;
	default:
		sensor->last_mc = value_mc;
		break;
	}
	ret->value_mc = value_mc;
	return 0;
}

static int read_power(void *ctx, u32 *ret_mw)
{
	const struct board *board = ctx;

	*ret_mw = board->config.gate_power_mw[board->gate];
	return 0;
}

static void gate_becomes(struct board *board, u32 gate)
{
	settle(board);
	board->gate = gate;
}

static int set_gate(void *ctx, u32 gate)
{
	struct board *board = ctx;

	board->gate_calls++;
	switch (board->gate_mode) {
	case GATE_FAIL:
		return -EIO;
	case GATE_IGNORE:
		return 0;
	case GATE_SLOW:
		board->gate_next = gate;
		board->gate_due_us = board->now_us + board->slow_us;
		return 0;
	default:
		gate_becomes(board, gate);
		return 0;
	}
}

static int get_gate(void *ctx, u32 *ret_gate)
{
	const struct board *board = ctx;

	*ret_gate = board->gate;
	return 0;
}

void board_defaults(struct board *board)
{
	memset(board, 0, sizeof(*board));
	board->config = (struct nst_app_config){
		.model = "nst reference",
		.serial = 0x0123456789abcdefull,
		.caps = NST_MCU_CAPS_PEC | NST_MCU_CAPS_STANDBY |
			NST_MCU_CAPS_CLEARED | NST_MCU_CAPS_POWER |
			NST_MCU_CAPS_FRAMES | NST_MCU_CAPS_CAPTURE |
			NST_MCU_CAPS_ALERT,
		.address = NST_MCU_ADDRESS,
		.channels = 3,
		.params = nst_plant_reference,
		.ambient_mc = 26400,
		.sensor = nst_observer_default,
		.spike_mc = 8000,
		.sample_period_us = 2000,
		.rated_max_mc = 90000,
		.high_mc = 65000,
		.low_mc = 45000,
		.ceiling_mc = 85000,
		/* near_mw and capture_mw of the profiles, by default */
		.gate_power_mw = { 2500, 100, 100, 0 },
		.boot_gate = NST_GATE_RUN,
		.watchdog_ms = 500,
		.dwell_ms = 0,
	};
	board->params = nst_plant_reference;
	board->ambient_mc = 26400;
	board->start_mc = NST_TEMP_NONE_MC;
	board->random = 1;
	board->ticks = true;
}

int board_power(struct board *board)
{
	int err;

	board->hal = (struct nst_app_hal){
		.read_temp = read_temp,
		.read_power = read_power,
		.set_gate = set_gate,
		.get_gate = board->gate_mode == GATE_BLIND ? NULL : get_gate,
	};
	err = nst_plant_init(&board->plant, &board->params, board->ambient_mc);
	if (!err && board->start_mc != NST_TEMP_NONE_MC)
		err = nst_plant_set_state(&board->plant, board->start_mc,
					  board->start_mc);
	if (err)
		return err;
	/* A VPU that was left running. */
	board->gate = NST_GATE_RUN;
	board->gate_next = NST_GATE_RUN;
	board->gate_due_us = 0;
	board->gate_calls = 0;
	board->plant_us = board->now_us;
	board->next_tick_us = board->now_us;
	board->frames = 0;
	board->peak_mc = NST_TEMP_MIN_MC;
	err = nst_app_init(&board->app, &board->config, &board->hal, board,
			   board->now_us);
	board->on = !err;
	return err;
}

static u64 earliest(u64 a_us, u64 b_us)
{
	return a_us < b_us ? a_us : b_us;
}

/* Whatever is due at now; in the order in which a board would notice. */
static void events(struct board *board)
{
	if (board->gate_mode == GATE_SLOW && board->gate_due_us &&
	    board->now_us >= board->gate_due_us) {
		board->gate_due_us = 0;
		gate_becomes(board, board->gate_next);
	}
	if (board->frame_period_us && board->now_us >= board->next_frame_us) {
		board->next_frame_us += board->frame_period_us;
		board->frames++;
		nst_app_frame(&board->app, board->now_us);
	}
	if (board->ticks && board->now_us >= board->next_tick_us) {
		board->next_tick_us = board->now_us + TICK_US;
		nst_app_tick(&board->app, board->now_us);
	}
}

void board_run(struct board *board, u64 us)
{
	u64 end_us = board->now_us + us;

	while (board->now_us < end_us) {
		u64 next_us = end_us;

		if (board->ticks)
			next_us = earliest(next_us, board->next_tick_us);
		if (board->frame_period_us)
			next_us = earliest(next_us, board->next_frame_us);
		if (board->gate_due_us)
			next_us = earliest(next_us, board->gate_due_us);
		if (next_us > board->now_us)
			board->now_us = next_us;
		settle(board);
		events(board);
	}
}
