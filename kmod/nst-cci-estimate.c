// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-estimate.c - a die without a thermometer
 *
 * The board's thermometer stands for the package. The die is above it by what
 * the power of the gate makes of the resistance between the two, with the
 * die's own time constant: the plant of policies/core, moved as a whole so
 * that its package is where the board's reading is. With no reading there is
 * no estimate. A sensor whose driver has suspended it is not taken to be
 * cool: the power counted is that of the gate.
 */
#include "nst-cci.h"

/* Of the gate as it is; of run, the most, when it cannot be told. */
static u32 power_mw(struct nst_cci *cci)
{
	enum nst_gate gate = NST_GATE_RUN;

	if (nst_board_has_gate(cci->board) &&
	    nst_board_get_gate(cci->board, &gate))
		gate = NST_GATE_RUN;
	return cci->gate_power_mw[gate];
}

/* The model from its time to now. */
static void advance(struct nst_cci *cci, u64 now_us)
{
	struct nst_cci_estimate *est = &cci->estimate;

	if (!est->primed || now_us <= est->t_us)
		return;
	if (now_us - est->t_us > NST_DT_MAX_US ||
	    nst_plant_step(&est->plant, power_mw(cci), cci->ambient_mc,
			   (u32)(now_us - est->t_us)))
		est->primed = false;
	est->t_us = now_us;
}

/* The package is where the board says. */
static void take(struct nst_cci *cci, const struct nst_sample *board,
		 u64 now_us)
{
	struct nst_cci_estimate *est = &cci->estimate;
	s32 rise_mc;

	if (!est->primed) {
		/* Settled at the power that there is. */
		rise_mc = nst_plant_jump_mc(&est->plant.params, power_mw(cci),
					    NST_DT_MAX_US);
		if (nst_plant_set_state(&est->plant, board->value_mc + rise_mc,
					board->value_mc))
			return;
		est->primed = true;
		est->t_us = now_us;
	} else if (board->t_us != est->board_us) {
		nst_plant_shift(&est->plant, board->value_mc -
				nst_plant_package_mc(&est->plant));
	}
	est->board_us = board->t_us;
}

/* nst_cci_estimate_settle() - up to now at the old power; before a change */
void nst_cci_estimate_settle(struct nst_cci *cci)
{
	if (cci->board_sensor)
		advance(cci, nst_cci_now_us());
}

/*
 * nst_cci_estimate_read() - channel 0 the die, channel 1 the board
 */
int nst_cci_estimate_read(struct nst_cci *cci, unsigned int ch,
			  struct nst_sample *ret)
{
	struct nst_cci_estimate *est = &cci->estimate;
	u64 now_us = nst_cci_now_us();
	struct nst_sample board;
	s32 die_mc;
	int err;

	err = nst_cci_board_sensor_get(cci->board_sensor, &board);
	if (err) {
		est->primed = false;
		return err;
	}
	if (ch) {
		*ret = board;
		return 0;
	}
	advance(cci, now_us);
	take(cci, &board, now_us);
	if (!est->primed)
		return -EIO;
	die_mc = nst_plant_die_mc(&est->plant);
	if (!nst_temp_in_range(die_mc))
		return -EIO;
	ret->t_us = now_us;
	ret->value_mc = die_mc;
	ret->state = NST_SAMPLE_VALID;
	ret->bound = NST_BOUND_NONE;
	return 0;
}
