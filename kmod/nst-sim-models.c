// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-models.c - the image sensors there are, and what they read
 *
 * The other way round than a driver needs it: from a temperature to the code in
 * the register. Nothing is shared with the companion driver: each is a check
 * of the other. Where a datasheet gives pairs these are interpolated; what a
 * maker burns into each part (codes at two temperatures) is made up for the
 * emulated one, as for any single part.
 *
 * Sources:
 *	CCS family	drivers/media/i2c/ccs/ccs-regs.h (6.12): 8 bits, signed,
 *			whole degrees, 0x80 while there is no value, -20 to 80
 *	AR0331		datasheet, "Temperature Sensor": codes at 55 and 70 degC
 *	AR0234, AR0144	one code at 55 degC, 0.7 degC a step (camera helpers of
 *			libcamera forks)
 *	AR0231		developer guide p. 36 as openpilot has it: codes at 55
 *			and 125 degC, two sensors
 *	OV48B		MediaTek imgsensor drivers: 0xc0 and more is negative
 *	OX03C10		D-Robotics diagnostics: 256ths, 0xc000 and more negative
 *	IMX296		drivers/media/i2c/imx296.c (6.12): 246.312 - 0.304 x
 *	IMX219		IMX219PQH5-C datasheet, table 40
 *	S5KJN1		MediaTek S5K drivers: 256ths, signed
 *	VD56G3		ST's driver: low byte first; taken as whole degrees
 *
 * Identities are those that the drivers named, or mainline's, check.
 */
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define CCS(_name, _id) {						\
	.name = _name,							\
	.family = NST_SIM_FAMILY_CCS,					\
	.id_reg = 0x0016,						\
	.id_bytes = 2,							\
	.id = _id,							\
	.dies = 1,							\
	.ctrl_reg = { 0x0138 },						\
	.data_reg = { 0x013a },						\
	.low_mc = -20000,						\
	.high_mc = 80000,						\
}

#define AR(_name, _id, _mk, ...) {					\
	.name = _name,							\
	.family = NST_SIM_FAMILY_AR,					\
	.id_reg = 0x3000,						\
	.id_bytes = 2,							\
	.id = _id,							\
	.dies = 1,							\
	.ctrl_reg = { 0x30b4 },						\
	.data_reg = { 0x30b2 },						\
	.low_mc = -40000,						\
	.high_mc = 125000,						\
	.code_mk = _mk,							\
	.calib = { __VA_ARGS__ },					\
}

const struct nst_sim_model nst_sim_models[] = {
	CCS("imx477", 0x0477),
	CCS("imx708", 0x0708),
	CCS("imx500", 0x0500),
	{
		.name = "imx296",
		.family = NST_SIM_FAMILY_IMX296,
		/* Low byte first. */
		.id_reg = 0x3148,
		.id_bytes = 2,
		.id = 0x004a,
		.dies = 1,
		.ctrl_reg = { 0x301d },
		.data_reg = { 0x301e },
		.low_mc = -40000,
		.high_mc = 125000,
	}, {
		.name = "imx219",
		.family = NST_SIM_FAMILY_IMX219,
		.id_reg = 0x0000,
		.id_bytes = 2,
		.id = 0x0219,
		.dies = 1,
		.ctrl_reg = { 0x0140 },
		.data_reg = { 0x0140 },
		.low_mc = -10000,
		.high_mc = 95000,
	},
	AR("ar0144", 0x1356, 700, {
		.reg = { 0x30c6 },
		.mc = { 55000 },
		.code = { 444 },
	}),
	AR("ar0234", 0x0a56, 700, {
		.reg = { 0x30c6 },
		.mc = { 55000 },
		.code = { 455 },
	}),
	AR("ar0331", 0x2602, 0, {
		.reg = { 0x30c6, 0x30c8 },
		.mc = { 70000, 55000 },
		.code = { 464, 442 },
	}),
	{
		.name = "ar0231",
		.family = NST_SIM_FAMILY_AR,
		.id_reg = 0x3000,
		.id_bytes = 2,
		.id = 0x0354,
		.dies = 2,
		.ctrl_reg = { 0x30b4, 0x30b8 },
		.data_reg = { 0x20b0, 0x20b2 },
		.low_mc = -40000,
		.high_mc = 125000,
		.calib = { {
			.reg = { 0x30c6, 0x30c8 },
			.mc = { 125000, 55000 },
			.code = { 556, 456 },
		}, {
			.reg = { 0x30ca, 0x30cc },
			.mc = { 125000, 55000 },
			.code = { 549, 451 },
		} },
	}, {
		.name = "ov48b",
		.family = NST_SIM_FAMILY_OV_MOBILE,
		.id_reg = 0x300a,
		.id_bytes = 3,
		.id = 0x564842,
		.dies = 1,
		.ctrl_reg = { 0x4d12 },
		.data_reg = { 0x4d13 },
		.low_mc = -63000,
		.high_mc = 191000,
	}, {
		.name = "ox03c10",
		.family = NST_SIM_FAMILY_OV_AUTO,
		.id_reg = 0x300a,
		.id_bytes = 2,
		.id = 0x5803,
		.dies = 1,
		.data_reg = { 0x4d2a },
		.low_mc = -63996,
		.high_mc = 191996,
	}, {
		.name = "s5kjn1",
		.family = NST_SIM_FAMILY_S5K,
		.id_reg = 0x0000,
		.id_bytes = 2,
		.id = 0x38e1,
		.dies = 1,
		.data_reg = { 0x0020 },
		.low_mc = -40000,
		.high_mc = 125000,
	}, {
		.name = "vd56g3",
		.family = NST_SIM_FAMILY_ST,
		/* Low byte first. */
		.id_reg = 0x0000,
		.id_bytes = 2,
		.id = 0x0356,
		.dies = 1,
		.data_reg = { 0x004c },
		.low_mc = -40000,
		.high_mc = 125000,
	}, {
		.name = "ov9281",
		.family = NST_SIM_FAMILY_NONE,
		.id_reg = 0x300a,
		.id_bytes = 2,
		.id = 0x9281,
	},
};

const unsigned int nst_sim_model_count = ARRAY_SIZE(nst_sim_models);

int nst_sim_model_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nst_sim_model_count; i++)
		if (!strcmp(nst_sim_models[i].name, name))
			return (int)i;
	return -1;
}

/* ---------------------------------------------------------- conversions */

/* Nearest whole number of steps; halves away from zero. */
static s32 steps(s32 mc, s32 step_mc)
{
	s32 half = mc < 0 ? -step_mc / 2 : step_mc / 2;

	return (mc + half) / step_mc;
}

/* Table 40 of the datasheet; the ends by the slope between. */
static u16 imx219_code(s32 mc)
{
	static const struct {
		s32 mc;
		s32 code;
	} pairs[] = {
		{ -10000, 0 }, { 0, 12 }, { 20000, 36 }, { 25000, 43 },
		{ 40000, 61 }, { 95000, 127 },
	};
	unsigned int i;
	s32 span_mc, over;

	for (i = 1; i + 1 < ARRAY_SIZE(pairs) && mc > pairs[i].mc; i++)
		;
	span_mc = pairs[i].mc - pairs[i - 1].mc;
	over = (mc - pairs[i - 1].mc) * (pairs[i].code - pairs[i - 1].code);
	return (u16)(pairs[i - 1].code + steps(over, span_mc));
}

/* Through the codes of this part; rises with temperature. */
static u16 ar_code(const struct nst_sim_model *model, unsigned int die, s32 mc)
{
	const struct nst_sim_calib *c = &model->calib[die];
	s32 code;

	if (c->reg[1]) {
		s32 over = mc - c->mc[1];

		code = c->code[1] + steps(over * (c->code[0] - c->code[1]),
					  c->mc[0] - c->mc[1]);
	} else {
		code = c->code[0] + steps(mc - c->mc[0], model->code_mk);
	}
	return (u16)clamp(code, 0, 0x3ff);
}

u16 nst_sim_model_code(const struct nst_sim_model *model, unsigned int die,
		       s32 mc)
{
	mc = clamp(mc, model->low_mc, model->high_mc);
	switch (model->family) {
	case NST_SIM_FAMILY_CCS:
		return (u8)(s8)steps(mc, 1000);
	case NST_SIM_FAMILY_AR:
		return ar_code(model, die, mc);
	case NST_SIM_FAMILY_OV_MOBILE:
		mc = steps(mc, 1000);
		return (u16)(mc < 0 ? 0xc0 - mc : mc);
	case NST_SIM_FAMILY_OV_AUTO:
		mc = steps(mc * 32, 125);
		return (u16)(mc < 0 ? 0xc000 - mc : mc);
	case NST_SIM_FAMILY_IMX296:
		return (u16)clamp(steps(246312 - mc, 304), 0, 0x3ff);
	case NST_SIM_FAMILY_IMX219:
		return imx219_code(mc);
	case NST_SIM_FAMILY_S5K:
		return (u16)(s16)steps(mc * 32, 125);
	case NST_SIM_FAMILY_ST:
		return (u16)(s16)steps(mc, 1000);
	case NST_SIM_FAMILY_NONE:
		break;
	}
	return 0;
}

unsigned int nst_sim_model_code_bytes(const struct nst_sim_model *model,
				      bool *ret_le)
{
	*ret_le = model->family == NST_SIM_FAMILY_IMX296 ||
		  model->family == NST_SIM_FAMILY_ST;
	switch (model->family) {
	case NST_SIM_FAMILY_CCS:
	case NST_SIM_FAMILY_OV_MOBILE:
	case NST_SIM_FAMILY_IMX219:
		return 1;
	default:
		return 2;
	}
}

u16 nst_sim_model_idle_code(const struct nst_sim_model *model)
{
	return model->family == NST_SIM_FAMILY_CCS ? 0x80 : 0;
}

#endif /* NST_SIM_HAS_BUS */
