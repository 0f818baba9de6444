/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * app-internal.h - what the files of firmware/app give each other
 */
#ifndef NST_APP_INTERNAL_H
#define NST_APP_INTERNAL_H

#include "app.h"

/* A write as it came off the wire: @words registers from @first. */
struct nst_app_write {
	u8 first;
	u8 words;
	bool block;
	u16 value[NST_MCU_BLOCK_MAX / 2];
};

/* One row of the map, see NST_MCU_BLOCKS(). */
struct nst_app_block {
	u8 command;
	u8 first;
	u8 words;
	u8 words_min;
	bool writable;
};

/* app.c */
void nst_app_settle(struct nst_app *app);
void nst_app_time(struct nst_app *app, u64 now_us);

/* app-sample.c */
void nst_app_sample(struct nst_app *app);
bool nst_app_trusted(const struct nst_app *app);

/* app-gate.c */
void nst_app_gate_init(struct nst_app *app);
bool nst_app_gate_exists(const struct nst_app *app, u32 gate);
void nst_app_gate_bands(struct nst_app *app);
void nst_app_gate_watch(struct nst_app *app);
void nst_app_gate_decide(struct nst_app *app);
void nst_app_gate_request(struct nst_app *app, u8 gate);
u16 nst_app_gate_state(const struct nst_app *app);

/* app-capture.c */
bool nst_app_capture_active(const struct nst_app *app);
void nst_app_capture_request(struct nst_app *app, s32 temp_mc, u32 span_us,
			     u16 frames);
void nst_app_capture_frame(struct nst_app *app);
void nst_app_capture_watch(struct nst_app *app);

/* app-regs.c */
const struct nst_app_block *nst_app_block_find(u8 command);
bool nst_app_reg_exists(u8 addr);
bool nst_app_reg_writable(u8 addr);
u16 nst_app_reg_read(struct nst_app *app, u8 addr, bool block);
u8 nst_app_write_check(const struct nst_app *app,
		       const struct nst_app_write *write);
void nst_app_write_apply(struct nst_app *app,
			 const struct nst_app_write *write);

static inline u64 nst_app_ms_to_us(u16 ms)
{
	return (u64)ms * 1000;
}

#endif /* NST_APP_INTERNAL_H */
