// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-sensor.c - the register file of an emulated image sensor
 *
 * 64 KiB of registers with 16-bit addresses that count up by themselves, as
 * the camera control interface has it. All of them can be written and keep
 * their value while there is power. Those that mean something:
 *
 *	identity	per model
 *	streaming	0x0100, 0x301a bit 2 of AR parts, 0x0028 of ST parts:
 *			shows what the owner does; a write over the wire is the
 *			owner's business and counted
 *	temperature	per family, see chip_refresh()
 *
 * Without power nobody answers. A reading is latched when the first of its
 * bytes goes out.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define REG_MODE_SELECT		0x0100
#define REG_AR_RESET		0x301a
#define AR_RESET_STREAM		0x04
/* System state of ST parts: mainline vd56g3.c. */
#define REG_ST_FSM		0x0028
#define ST_FSM_STANDBY		2
#define ST_FSM_STREAMING	3
#define REG_CCS_CAPABILITY	0x1618
/* Supported, CCS format, 0x80 after reset. */
#define CCS_CAPABILITY		0x07

#define CCS_ENABLE		0x01
#define AR_POWER		0x01
#define AR_START		0x10
#define IMX219_ENABLE		0x80
#define IMX219_CODE		0x7f
#define LATCH_NOW			0x01

/* From the enable bit to the first value; CCS parts, libcamera issue 19. */
#define CCS_SETTLE_US		21000

#define SPIKE_MC		40000
#define NEVER			U64_MAX

static struct nst_sim_chip *chip_of(struct nst_sim *sim)
{
	return &sim->bus->chip;
}

/* The second sensor of a stacked part sits below the pixels. */
static unsigned int channel_of(unsigned int die)
{
	return die ? 2 : 0;
}

/* -------------------------------------------------------------- reading */

static s32 chip_mc(struct nst_sim *sim, unsigned int die, u64 now)
{
	const struct nst_sim_model *model = sim->bus->chip.model;
	struct nst_sim_faults *f = &sim->faults;
	s32 mc;

	if (f->rail == NST_SIM_RAIL_LOW)
		return model->low_mc;
	if (f->rail == NST_SIM_RAIL_HIGH)
		return model->high_mc;
	mc = nst_sim_seen_mc(sim, channel_of(die),
			     now > f->late_us ? now - f->late_us : 0);
	/* A converter has an end of its own, on top of the model's. */
	mc = clamp(mc, sim->config.rail_low_mc, sim->config.rail_high_mc);
	if (nst_sim_fault_due(&f->spike))
		mc += SPIKE_MC;
	return mc;
}

static void put_code(struct nst_sim *sim, u16 reg, u16 code, bool torn)
{
	struct nst_sim_chip *chip = chip_of(sim);
	bool le;
	u8 high;

	if (nst_sim_model_code_bytes(chip->model, &le) == 1) {
		chip->regs[reg] = (u8)code;
		return;
	}
	high = (u8)(code >> 8);
	/* As before a carry between the bytes. */
	if (torn)
		high ^= 1;
	chip->regs[reg] = le ? (u8)code : high;
	chip->regs[reg + 1] = le ? high : (u8)code;
}

/* A conversion of @die, as it stands in the data register. */
static void convert(struct nst_sim *sim, unsigned int die, u64 now)
{
	struct nst_sim_chip *chip = chip_of(sim);
	struct nst_sim_faults *f = &sim->faults;
	bool le, torn = false;

	sim->bus->count.readings++;
	if (f->idle_code)
		return;
	if (nst_sim_model_code_bytes(chip->model, &le) > 1)
		torn = nst_sim_fault_due(&f->torn);
	put_code(sim, chip->model->data_reg[die],
		 nst_sim_model_code(chip->model, die, chip_mc(sim, die, now)),
		 torn);
}

static bool streams(const struct nst_sim_chip *chip)
{
	return chip->streaming_us != NEVER;
}

/*
 * The data register of @die is about to be read. A free-running sensor shows
 * the present temperature, one that is off or latches shows what it had.
 */
static void chip_refresh(struct nst_sim *sim, unsigned int die, u64 now)
{
	struct nst_sim_chip *chip = chip_of(sim);
	u64 on_us = chip->enabled_us[die];
	u8 *data = &chip->regs[chip->model->data_reg[die]];

	switch (chip->model->family) {
	case NST_SIM_FAMILY_CCS:
		/* A slow converter is slow from its first value on. */
		if (on_us == NEVER ||
		    now - on_us < CCS_SETTLE_US + sim->faults.late_us)
			return;
		break;
	case NST_SIM_FAMILY_AR:
		if (on_us == NEVER || now - on_us < sim->faults.late_us)
			return;
		break;
	case NST_SIM_FAMILY_IMX219:
		/* Enable bit and code share a register. */
		if (!(*data & IMX219_ENABLE) || !streams(chip))
			return;
		convert(sim, die, now);
		*data = (*data & IMX219_CODE) | IMX219_ENABLE;
		return;
	case NST_SIM_FAMILY_S5K:
	case NST_SIM_FAMILY_ST:
		if (!streams(chip))
			return;
		break;
	case NST_SIM_FAMILY_OV_AUTO:
		break;
	case NST_SIM_FAMILY_OV_MOBILE:
	case NST_SIM_FAMILY_IMX296:
	case NST_SIM_FAMILY_NONE:
		return;
	}
	convert(sim, die, now);
}

/* ------------------------------------------------------------- controls */

/* A control register of @die has been written. */
static void chip_control(struct nst_sim *sim, unsigned int die, u64 now)
{
	struct nst_sim_chip *chip = chip_of(sim);
	u16 reg = chip->model->ctrl_reg[die];
	u8 low = chip->regs[reg + 1], value = chip->regs[reg];
	bool on;

	switch (chip->model->family) {
	case NST_SIM_FAMILY_CCS:
		on = value & CCS_ENABLE;
		break;
	case NST_SIM_FAMILY_AR:
		on = (low & (AR_POWER | AR_START)) == (AR_POWER | AR_START);
		break;
	case NST_SIM_FAMILY_OV_MOBILE:
		if ((value & LATCH_NOW) && streams(chip))
			convert(sim, die, now);
		return;
	case NST_SIM_FAMILY_IMX296:
		if (value & LATCH_NOW)
			convert(sim, die, now);
		return;
	default:
		return;
	}
	if (!on)
		chip->enabled_us[die] = NEVER;
	else if (chip->enabled_us[die] == NEVER)
		chip->enabled_us[die] = now;
}

/* Width of a control register less one: where its last byte is. */
static u16 control_end(const struct nst_sim_model *model, unsigned int die)
{
	return model->ctrl_reg[die] +
	       (model->family == NST_SIM_FAMILY_AR ? 1 : 0);
}

static bool is_stream_reg(const struct nst_sim_model *model, u16 reg)
{
	return reg == REG_MODE_SELECT ||
	       (model->family == NST_SIM_FAMILY_AR &&
		reg == REG_AR_RESET + 1);
}

/* After a byte was stored at @reg. */
static void chip_written(struct nst_sim *sim, u16 reg, bool wire, u64 now)
{
	struct nst_sim_chip *chip = chip_of(sim);
	const struct nst_sim_model *model = chip->model;
	unsigned int die;

	for (die = 0; die < model->dies; die++)
		if (model->ctrl_reg[die] && reg == control_end(model, die))
			chip_control(sim, die, now);
	if (wire && is_stream_reg(model, reg))
		sim->bus->count.foreign_stream++;
	nst_sim_imx500_write(sim, reg, wire, now);
}

/* ----------------------------------------------------------- the owner's */

void nst_sim_chip_set(struct nst_sim *sim, u16 reg, u8 value, u64 now)
{
	chip_of(sim)->regs[reg] = value;
	chip_written(sim, reg, false, now);
}

static void chip_defaults(struct nst_sim_chip *chip)
{
	const struct nst_sim_model *model = chip->model;
	unsigned int i, die;
	bool le;

	memset(chip->regs, 0, NST_SIM_CCI_SIZE);
	for (i = 0; i < model->id_bytes; i++)
		chip->regs[model->id_reg + i] =
			(u8)(model->id >> 8 * (model->id_bytes - 1 - i));
	if (model->family == NST_SIM_FAMILY_CCS)
		chip->regs[REG_CCS_CAPABILITY] = CCS_CAPABILITY;
	for (die = 0; die < model->dies; die++) {
		const struct nst_sim_calib *c = &model->calib[die];

		for (i = 0; i < ARRAY_SIZE(c->reg); i++) {
			if (!c->reg[i])
				continue;
			chip->regs[c->reg[i]] = (u8)(c->code[i] >> 8);
			chip->regs[c->reg[i] + 1] = (u8)c->code[i];
		}
		if (nst_sim_model_code_bytes(model, &le) == 1)
			chip->regs[model->data_reg[die]] =
				(u8)nst_sim_model_idle_code(model);
	}
}

void nst_sim_chip_power(struct nst_sim *sim, bool on)
{
	struct nst_sim_chip *chip = chip_of(sim);
	unsigned int die;

	if (chip->powered == on)
		return;
	chip->powered = on;
	chip->streaming_us = NEVER;
	for (die = 0; die < NST_SIM_DIES_MAX; die++)
		chip->enabled_us[die] = NEVER;
	chip_defaults(chip);
	nst_sim_imx500_power(sim, on);
}

void nst_sim_chip_stream(struct nst_sim *sim, bool on)
{
	u64 now = nst_sim_now_locked(sim);

	if (!chip_of(sim)->powered)
		return;
	if (!nst_sim_imx500_stream(sim, on, now))
		nst_sim_chip_begin(sim, on, now);
}

void nst_sim_chip_begin(struct nst_sim *sim, bool on, u64 now)
{
	struct nst_sim_chip *chip = chip_of(sim);
	unsigned int die;

	if (on && sim->config.owner_enables) {
		for (die = 0; die < chip->model->dies; die++) {
			u16 reg = chip->model->ctrl_reg[die];

			if (chip->model->family == NST_SIM_FAMILY_CCS)
				nst_sim_chip_set(sim, reg, CCS_ENABLE, now);
			else if (chip->model->family == NST_SIM_FAMILY_AR)
				nst_sim_chip_set(sim, reg + 1,
						 AR_POWER | AR_START, now);
			else if (chip->model->family ==
				 NST_SIM_FAMILY_IMX219)
				nst_sim_chip_set(sim, reg, IMX219_ENABLE, now);
		}
	}
	chip->streaming_us = on ? now : NEVER;
	chip->regs[REG_MODE_SELECT] = on;
	if (chip->model->family == NST_SIM_FAMILY_AR)
		chip->regs[REG_AR_RESET + 1] = on ? AR_RESET_STREAM : 0;
	if (chip->model->family == NST_SIM_FAMILY_ST)
		chip->regs[REG_ST_FSM] = on ? ST_FSM_STREAMING :
					      ST_FSM_STANDBY;
}

/* ------------------------------------------------------------ the wire's */

static bool chip_start(struct nst_sim *sim, bool read)
{
	struct nst_sim_chip *chip = chip_of(sim);

	if (!chip->powered)
		return false;
	if (!read)
		chip->reg_bytes = 0;
	return true;
}

static bool chip_write(struct nst_sim *sim, u8 byte)
{
	struct nst_sim_chip *chip = chip_of(sim);
	u16 reg = chip->reg;

	if (chip->reg_bytes < 2) {
		chip->reg = (u16)(chip->reg << 8 | byte);
		chip->reg_bytes++;
		return true;
	}
	chip->reg++;
	chip->regs[reg] = byte;
	chip_written(sim, reg, true, nst_sim_now_locked(sim));
	return true;
}

static u8 chip_read(struct nst_sim *sim)
{
	struct nst_sim_chip *chip = chip_of(sim);
	u64 now = nst_sim_now_locked(sim);
	u16 reg = chip->reg++;
	unsigned int die;

	if (nst_sim_imx500_read(sim, reg))
		for (die = 0; die < chip->model->dies; die++)
			if (reg == chip->model->data_reg[die])
				chip_refresh(sim, die, now);
	return chip->regs[reg];
}

const struct nst_sim_target nst_sim_chip_target = {
	.start = chip_start,
	.write = chip_write,
	.read = chip_read,
};

/* ------------------------------------------------------------- lifetime */

/* One byte more than there are: a word may begin in the last one. */
int nst_sim_chip_init(struct nst_sim *sim)
{
	struct nst_sim_chip *chip = chip_of(sim);

	chip->model = &nst_sim_models[sim->config.model];
	chip->regs = kvzalloc(NST_SIM_CCI_SIZE + 1, GFP_KERNEL);
	if (!chip->regs)
		return -ENOMEM;
	chip->streaming_us = NEVER;
	return 0;
}

void nst_sim_chip_free(struct nst_sim *sim)
{
	kvfree(chip_of(sim)->regs);
}

#endif /* NST_SIM_HAS_BUS */
