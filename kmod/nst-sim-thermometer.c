// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-thermometer.c - a thermometer beside an emulated stack
 *
 * What a board has where nothing inside the stack can be asked: an MLX90614
 * that looks at the package. Words are read by SMBus, low byte first; those
 * that mean something, after its datasheet:
 *
 *	0x06	own temperature, in steps of 0.02 K from 0 K
 *	0x07	what it looks at, likewise
 *	0x25	configuration: zero, one infrared sensor
 *
 * It sits on the package and takes its temperature, without a delay and
 * without noise. There is no PEC, which the master may leave out, and nothing
 * to write. A word is latched when the chip is addressed.
 */
#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define REG_OWN		0x06
#define REG_OBJECT	0x07

#define ZERO_K_MC	-273150
#define STEP_MK		20

static struct nst_sim_thermometer *chip(struct nst_sim *sim)
{
	return &sim->bus->thermometer;
}

static u16 word(struct nst_sim *sim)
{
	u8 reg = chip(sim)->reg;

	if (reg != REG_OWN && reg != REG_OBJECT)
		return 0;
	return (u16)DIV_ROUND_CLOSEST(nst_sim_package_mc(sim) - ZERO_K_MC,
				      STEP_MK);
}

static bool thermometer_start(struct nst_sim *sim, bool read)
{
	chip(sim)->at = 0;
	if (read)
		chip(sim)->word = word(sim);
	return true;
}

static bool thermometer_write(struct nst_sim *sim, u8 byte)
{
	if (chip(sim)->at++)
		return false;
	chip(sim)->reg = byte;
	return true;
}

static u8 thermometer_read(struct nst_sim *sim)
{
	switch (chip(sim)->at++) {
	case 0:
		return (u8)chip(sim)->word;
	case 1:
		return (u8)(chip(sim)->word >> 8);
	default:
		return 0xff;
	}
}

const struct nst_sim_target nst_sim_thermometer_target = {
	.start = thermometer_start,
	.write = thermometer_write,
	.read = thermometer_read,
};

#endif /* NST_SIM_HAS_BUS */
