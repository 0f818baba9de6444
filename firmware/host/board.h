/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * board.h - a board made of nothing: plant, sensors, gate, frames, bus
 *
 * Time is counted in microseconds and passes only in board_run(), which
 * ticks the application each millisecond as the board's main loop does, and
 * on the bus, where a byte takes nine clocks of 400 kHz: samples are taken
 * in the middle of transfers as on a real board.
 */
#ifndef NST_FW_BOARD_H
#define NST_FW_BOARD_H

#include "app.h"

#define BOARD_BYTE_US	23

enum sensor_mode {
	SENSOR_OK = 0,
	SENSOR_ERROR,		/* err */
	SENSOR_HOLD,		/* the last reading again and again */
	SENSOR_FIX,		/* value_mc, whatever the die does */
	SENSOR_ONCE,		/* value_mc once, then well again */
	SENSOR_RAIL,		/* value_mc with bound */
	SENSOR_RANDOM,		/* anything */
	SENSOR_OFFSET,		/* value_mc too much */
};

struct sensor {
	enum sensor_mode mode;
	int err;
	s32 value_mc;
	s32 last_mc;
	u8 bound;
	u32 reads;
};

enum gate_mode {
	GATE_OK = 0,
	GATE_FAIL,		/* set_gate() returns an error */
	GATE_IGNORE,		/* it is taken and nothing happens */
	GATE_SLOW,		/* it happens slow_us later */
	GATE_BLIND,		/* there is no get_gate() */
};

struct board {
	struct nst_app app;
	struct nst_app_config config;
	struct nst_app_hal hal;
	struct nst_plant_params params;	/* of the true plant */
	struct nst_plant plant;
	s32 ambient_mc;
	s32 start_mc;		/* NST_TEMP_NONE_MC: at ambient */
	u64 now_us;
	u64 plant_us;
	u64 next_tick_us;
	bool on;
	bool ticks;

	struct sensor sensor[NST_APP_CHANNELS_MAX];
	u32 random;

	enum gate_mode gate_mode;
	u32 gate;
	u32 gate_next;
	u64 gate_due_us;
	u64 slow_us;
	u32 gate_calls;

	u32 frame_period_us;
	u64 next_frame_us;
	u32 frames;

	s32 peak_mc;		/* hottest since board_power() or `mark` */
};

/** board_defaults() - the reference stack with an exact sensor */
void board_defaults(struct board *board);

/** board_power() - power-on as configured. Return: of nst_app_init() */
int board_power(struct board *board);

void board_run(struct board *board, u64 us);
s32 board_die_mc(struct board *board);
u32 board_random(struct board *board);

/*
 * The host's side of the bus. Every byte takes its time; @ok of the struct
 * is false when something was not acknowledged or a PEC was wrong.
 */
struct transfer {
	bool ok;
	bool pec_bad;
	u32 len;
	u8 data[64];
};

/** master_pec() - CRC-8 of @len bytes, by long division */
u8 master_pec(const u8 *bytes, u32 len);

void master_start(struct board *board, bool read);
bool master_send(struct board *board, u8 byte);
u8 master_receive(struct board *board);
void master_stop(struct board *board);
bool master_address_acked(const struct board *board);

struct transfer master_read_word(struct board *board, u8 command);
struct transfer master_read_block(struct board *board, u8 command);
bool master_write(struct board *board, u8 command, const u8 *data, u32 len);

#endif /* NST_FW_BOARD_H */
