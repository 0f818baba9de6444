// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-table.c - families and rows, and what follows from them alone
 *
 * To add a part: a row here, at least three raw-to-temperature pairs with
 * their source in tests/cci_vectors.h, and the table in doc/nst-cci.rst again
 * (tests/selftests/cci_table prints it). The KUnit suite refuses a row that is
 * on and has fewer.
 */
#include "nst-cci-table.h"

/*
 * Where no source tells how long the first conversion takes: twice the longest
 * time that one does tell. Waiting longer is never wrong.
 */
#define SETTLE_UNKNOWN_US 42000

/* Where no source tells a range: all that the driver can represent. */
#define RAILS_UNKNOWN .rail_low_mc = NST_TEMP_MIN_MC, \
		      .rail_high_mc = NST_TEMP_MAX_MC

/* -------------------------------------------------------------- families */

/* MIPI CCS and SMIA++: drivers/media/i2c/ccs/ccs-regs.h */
static const struct nst_cci_family ccs = {
	.name = "ccs",
	.data_bytes = 1,
	.data_mask = 0xff,
	.ctrl_bytes = 1,
	.enable_mask = 0x01,
	.enable_value = 0x01,
	.enable_write = 0x01,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_ccs,
};

/* onsemi: 10 bits, power and start of conversion in one register */
static const struct nst_cci_family onsemi = {
	.name = "onsemi",
	.data_bytes = 2,
	.mask_strict = true,
	.data_mask = 0x03ff,
	.ctrl_bytes = 2,
	.enable_mask = 0x0001,
	.enable_value = 0x0001,
	.enable_write = 0x0011,
	.stream_reg = 0x301a,
	.stream_bytes = 2,
	.stream_mask = 0x0004,
	.stream_value = 0x0004,
	.convert = nst_cci_convert_calibrated,
};

/* The same line with readings of more than ten bits. */
static const struct nst_cci_family onsemi_auto = {
	.name = "onsemi-auto",
	.data_bytes = 2,
	.data_mask = 0xffff,
	.ctrl_bytes = 2,
	.enable_mask = 0x0001,
	.enable_value = 0x0001,
	.enable_write = 0x0011,
	.stream_reg = 0x301a,
	.stream_bytes = 2,
	.stream_mask = 0x0004,
	.stream_value = 0x0004,
	.convert = nst_cci_convert_calibrated,
};

static const struct nst_cci_family ov_mobile = {
	.name = "omnivision",
	.data_bytes = 1,
	.data_mask = 0xff,
	.ctrl_bytes = 1,
	.trigger = true,
	.trigger_on = 0x01,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_sign_c0,
};

static const struct nst_cci_family ov_auto = {
	.name = "omnivision-auto",
	.data_bytes = 2,
	.data_mask = 0xffff,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_sign_c0,
};

/* The same register, read as two's complement: equal above zero. */
static const struct nst_cci_family ov_auto_q8 = {
	.name = "omnivision-q8",
	.data_bytes = 2,
	.data_mask = 0xffff,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_q8,
};

/* drivers/media/i2c/imx296.c: latch, read, let go */
static const struct nst_cci_family imx296 = {
	.name = "imx296",
	.data_bytes = 2,
	.little = true,
	.data_mask = 0x03ff,
	.ctrl_bytes = 1,
	.trigger = true,
	.trigger_release = true,
	.trigger_on = 0x01,
	.trigger_off = 0x00,
	.convert = nst_cci_convert_line,
};

/* Enable and reading share a register. */
static const struct nst_cci_family imx219 = {
	.name = "imx219",
	.data_bytes = 1,
	.data_mask = 0x7f,
	.ctrl_bytes = 1,
	.enable_mask = 0x80,
	.enable_value = 0x80,
	.enable_write = 0x80,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_line,
};

static const struct nst_cci_family samsung = {
	.name = "samsung",
	.data_bytes = 2,
	.data_mask = 0xffff,
	.stream_reg = 0x0100,
	.stream_bytes = 1,
	.stream_mask = 0x01,
	.stream_value = 0x01,
	.convert = nst_cci_convert_q8,
};

/*
 * The command that makes a part in standby measure shares its register with
 * the one that starts the stream: not ours to write.
 */
static const struct nst_cci_family st = {
	.name = "st",
	.data_bytes = 2,
	.little = true,
	.data_mask = 0x03ff,
	.stream_reg = 0x0028,
	.stream_bytes = 1,
	.stream_mask = 0xff,
	.stream_value = 0x03,
	.convert = nst_cci_convert_int10,
};

/* As st, with its state elsewhere. */
static const struct nst_cci_family st_vd55g1 = {
	.name = "st",
	.data_bytes = 2,
	.little = true,
	.data_mask = 0x03ff,
	.stream_reg = 0x001c,
	.stream_bytes = 1,
	.stream_mask = 0xff,
	.stream_value = 0x03,
	.convert = nst_cci_convert_int10,
};

static const struct nst_cci_family none = {
	.name = "none",
};

/* ------------------------------------------------------------------ rows */

/*
 * Identities are those that drivers check before they bind. AR0234: patches on
 * linux-media, 0x0a56 in colour, 0x1a56 without; AR0144: the same, 0x0356 or
 * 0x1356. OV13B10: drivers/media/i2c/ov13b10.c. OV48B and S5KJN1: MediaTek
 * imgsensor. VD55G1, VD56G3: ST's drivers, low byte first there.
 */

#define CCS_DIE .channels = 1, \
		.channel = { { .label = "die", .data_reg = 0x013a, \
			       .ctrl_reg = 0x0138 } }
#define CCS_RAILS .rail_low_mc = -20000, .rail_high_mc = 80000, \
		  .step_mc = 1000, .settle_us = 21000

#define ONSEMI_DIE .channels = 1, \
		   .channel = { { .label = "die", .data_reg = 0x30b2, \
				  .ctrl_reg = 0x30b4, \
				  .calib_reg = { 0x30c6, 0x30c8 } } }
#define ONSEMI_ONE .channels = 1, \
		   .channel = { { .label = "die", .data_reg = 0x30b2, \
				  .ctrl_reg = 0x30b4, \
				  .calib_reg = { 0x30c6 } } }

#define OV_DIE .channels = 1, \
	       .channel = { { .label = "die", .data_reg = 0x4d13, \
			      .ctrl_reg = 0x4d12 } }
#define OV_AUTO_DIE .channels = 1, \
		    .channel = { { .label = "die", .data_reg = 0x4d2a } }
#define OV_AUTO_RAILS .rail_low_mc = -40000, .rail_high_mc = 125000, \
		      .step_mc = 4, .settle_us = SETTLE_UNKNOWN_US

#define MTK_CCS "MediaTek imgsensor drivers (temp_en 0x0138, temp_read 0x013a)"
#define MTK_S5K "MediaTek imgsensor S5K drivers (temp_read 0x0020)"
#define MTK_OV "MediaTek imgsensor OmniVision drivers (0x4d12, 0x4d13)"
#define HORIZON "Horizon/D-Robotics ov_sen_diag (0x4d2a, sign at 0xc000)"
#define NO_DIE "no thermometer in the kernel's driver or public documents"

const struct nst_cci_model nst_cci_models[] = {
	{
		.name = "imx477", .family = &ccs, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_ENABLE_BY_US, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0x0477 },
		.source = "raspberrypi/libcamera#19; cam_helper_imx477.cpp",
	}, {
		.name = "imx378", .family = &ccs, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_ENABLE_BY_US, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0x0378 },
		.source = "imx378 patch, linux-media 2020; imx477 driver",
	}, {
		.name = "imx708", .family = &ccs, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_ENABLE_BY_US, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0x0708 },
		.source = "cam_helper_imx708.cpp of libcamera",
	}, {
		.name = "imx500", .family = &ccs, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_IMX500, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0x0500 },
		.source = "cam_helper_imx500.cpp; raspberrypi/linux PR 6877",
	}, {
		.name = "imx501", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_IMX500, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0 },
		.source = "the die of the IMX500 in another package",
	}, {
		.name = "imx214", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0x0214 },
		.source = "drivers/media/i2c/imx214.c sets 0x0138",
	}, {
		.name = "imx258", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0x0258 },
		.source = MTK_CCS,
	}, {
		.name = "imx519", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0x0519 },
		.source = MTK_CCS,
	}, {
		.name = "imx582", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0 },
		.source = MTK_CCS,
	}, {
		.name = "imx586", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0 },
		.source = MTK_CCS,
	}, {
		.name = "imx481", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0 },
		.source = MTK_CCS,
	}, {
		.name = "imx709", .family = &ccs, .confidence = NST_CCI_MEDIUM,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0 },
		.source = MTK_CCS,
	}, {
		.name = "imx412", .family = &ccs, .confidence = NST_CCI_LOW,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0x0577 },
		.source = "by likeness to IMX477; drivers/media/i2c/imx412.c",
	}, {
		.name = "imx577", .family = &ccs, .confidence = NST_CCI_LOW,
		CCS_DIE, CCS_RAILS, .id = { 0x0016, 2, 0x0577 },
		.source = "by likeness to IMX477; drivers/media/i2c/imx412.c",
	}, {
		.name = "imx800", .family = &ccs, .confidence = NST_CCI_LOW,
		CCS_DIE, .id = { 0x0016, 2, 0 },
		.rail_low_mc = -20000, .rail_high_mc = 85000,
		.step_mc = 1000, .settle_us = 21000,
		.source = "MediaTek imgsensor imx800: ends at 85",
	}, {
		.name = "ccs", .family = &ccs, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_CAPABILITY, CCS_DIE, CCS_RAILS,
		.id = { 0x0016, 2, 0 },
		.source = "MIPI CCS 1.1; drivers/media/i2c/ccs/ccs-regs.h",
	}, {
		.name = "imx219", .family = &imx219, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_ENABLE_BY_US | NST_CCI_STREAMING,
		.channels = 1,
		.channel = { { .label = "die", .data_reg = 0x0140,
			       .ctrl_reg = 0x0140 } },
		.id = { 0x0000, 2, 0x0219 },
		.rail_low_mc = -10000, .rail_high_mc = 94000,
		.slope_uc = 820300, .offset_mc = -10000, .step_mc = 820,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "IMX219PQH5-C datasheet 9-3, table 40",
	}, {
		.name = "imx296", .family = &imx296, .confidence = NST_CCI_HIGH,
		.channels = 1,
		.channel = { { .label = "die", .data_reg = 0x301e,
			       .ctrl_reg = 0x301d } },
		.id = { 0x301d, 1, 0 }, RAILS_UNKNOWN,
		.slope_uc = -304000, .offset_mc = 246312, .step_mc = 304,
		.source = "drivers/media/i2c/imx296.c",
	}, {
		.name = "ar0331", .family = &onsemi, .confidence = NST_CCI_HIGH,
		.flags = NST_CCI_ENABLE_BY_US, ONSEMI_DIE,
		.id = { 0x3000, 2, 0 }, RAILS_UNKNOWN,
		.calib_mc = { 70000, 55000 }, .step_mc = 700,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "AR0331 datasheet, pages 34 and 35",
	}, {
		.name = "ar0234", .family = &onsemi, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_ENABLE_BY_US, ONSEMI_ONE,
		.id = { 0x3000, 2, 0x0a56, 0x0fff }, RAILS_UNKNOWN,
		.calib_mc = { 55000 }, .slope_uc = 700000, .step_mc = 700,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "Kurokesu cam_helper_ar0234.cpp: 55 degrees, 0.7",
	}, {
		.name = "ar0822", .family = &onsemi, .confidence = NST_CCI_MEDIUM,
		ONSEMI_ONE, .id = { 0x3000, 2, 0 }, RAILS_UNKNOWN,
		.calib_mc = { 60000 }, .slope_uc = 710000, .step_mc = 710,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "Kurokesu cam_helper_ar0822.cpp: 60 degrees, 0.71",
	}, {
		.name = "ar0144", .family = &onsemi, .confidence = NST_CCI_LOW,
		.flags = NST_CCI_ENABLE_BY_US, ONSEMI_ONE,
		.id = { 0x3000, 2, 0x0356, 0x0fff }, RAILS_UNKNOWN,
		.calib_mc = { 55000 }, .slope_uc = 700000, .step_mc = 700,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "ar0144 patches, linux-media; line as AR0234",
	}, {
		.name = "ar0231", .family = &onsemi_auto,
		.confidence = NST_CCI_MEDIUM, .flags = NST_CCI_STREAMING,
		.channels = 2,
		.channel = {
			{ .label = "die", .data_reg = 0x20b0,
			  .ctrl_reg = 0x30b4,
			  .calib_reg = { 0x30c6, 0x30c8 } },
			{ .label = "die2", .data_reg = 0x20b2,
			  .ctrl_reg = 0x30b8,
			  .calib_reg = { 0x30ca, 0x30cc } },
		},
		.id = { 0x3000, 2, 0x0354 }, RAILS_UNKNOWN,
		.calib_mc = { 125000, 55000 }, .step_mc = 100,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "openpilot camerad, sensors/ar0231.cc",
	}, {
		.name = "ov48b", .family = &ov_mobile, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_STREAMING, OV_DIE, .id = { 0x300a, 2, 0x5648 },
		RAILS_UNKNOWN, .step_mc = 1000,
		.settle_us = SETTLE_UNKNOWN_US, .source = MTK_OV,
	}, {
		.name = "ov20b", .family = &ov_mobile, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_STREAMING, OV_DIE, .id = { 0x300b, 2, 0 },
		RAILS_UNKNOWN, .step_mc = 1000,
		.settle_us = SETTLE_UNKNOWN_US, .source = MTK_OV,
	}, {
		.name = "ov13b10", .family = &ov_mobile,
		.confidence = NST_CCI_MEDIUM, .flags = NST_CCI_STREAMING, OV_DIE,
		.id = { 0x300a, 2, 0x560d }, RAILS_UNKNOWN, .step_mc = 1000,
		.settle_us = SETTLE_UNKNOWN_US, .source = MTK_OV,
	}, {
		.name = "ox03c10", .family = &ov_auto, .confidence = NST_CCI_MEDIUM,
		OV_AUTO_DIE, OV_AUTO_RAILS, .id = { 0x300a, 2, 0x5803 },
		.source = HORIZON,
	}, {
		.name = "ox08b40", .family = &ov_auto, .confidence = NST_CCI_MEDIUM,
		OV_AUTO_DIE, OV_AUTO_RAILS, .id = { 0x300a, 2, 0 },
		.source = HORIZON,
	}, {
		.name = "ox02c1b", .family = &ov_auto_q8,
		.confidence = NST_CCI_MEDIUM, OV_AUTO_DIE, OV_AUTO_RAILS,
		.id = { 0x300a, 2, 0 },
		.source = "OpenMOTION cooldown gate (0x4d2a, Q8.8)",
	}, {
		.name = "s5kjn1", .family = &samsung, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_STREAMING, .channels = 1,
		.channel = { { .label = "die", .data_reg = 0x0020 } },
		.id = { 0x0000, 2, 0x38e1 }, RAILS_UNKNOWN, .step_mc = 4,
		.settle_us = SETTLE_UNKNOWN_US, .source = MTK_S5K,
	}, {
		.name = "s5k3p9", .family = &samsung, .confidence = NST_CCI_MEDIUM,
		.flags = NST_CCI_STREAMING, .channels = 1,
		.channel = { { .label = "die", .data_reg = 0x0020 } },
		.id = { 0x0000, 2, 0 }, RAILS_UNKNOWN, .step_mc = 4,
		.settle_us = SETTLE_UNKNOWN_US, .source = MTK_S5K,
	}, {
		.name = "vd55g1", .family = &st_vd55g1, .confidence = NST_CCI_LOW,
		.flags = NST_CCI_STREAMING, .channels = 1,
		.channel = { { .label = "die", .data_reg = 0x003c } },
		.id = { 0x0000, 2, 0x3147 }, RAILS_UNKNOWN, .step_mc = 1000,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "ST's own vd55g1 driver: 10 bits, signed",
	}, {
		.name = "vd56g3", .family = &st, .confidence = NST_CCI_LOW,
		.flags = NST_CCI_STREAMING, .channels = 1,
		.channel = { { .label = "die", .data_reg = 0x004c } },
		.id = { 0x0000, 2, 0x0356 }, RAILS_UNKNOWN, .step_mc = 1000,
		.settle_us = SETTLE_UNKNOWN_US,
		.source = "ST's own vd56g3 driver: 10 bits, signed",
	}, {
		.name = "ov8858", .family = &ov_mobile,
		.confidence = NST_CCI_LOW, .flags = NST_CCI_STREAMING, OV_DIE,
		.id = { 0x300b, 2, 0 }, RAILS_UNKNOWN, .step_mc = 1000,
		.source = "a vendor's driver; drivers/media/i2c/ov8858.c",
		.why_off = "the owner sets slope and offset (0x4d00 to 0x4d05)",
	}, {
		.name = "mira220", .family = &none, .confidence = NST_CCI_LOW,
		.source = "nothing found",
		.why_off = "no thermometer known; use \"none\"",
	},
	{ .name = "imx290", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx327", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx462", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx334", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx335", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx415", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx585", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "imx678", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "ov5640", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "ov5647", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "ov9281", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "ov9282", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "ov2311", .family = &none, .confidence = NST_CCI_MEDIUM,
	  .source = NO_DIE },
	{ .name = "none", .family = &none, .confidence = NST_CCI_HIGH,
	  .source = "any part, or none" },
	{ .name = NULL }
};

/* --------------------------------------------------------------- queries */

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int nst_cci_model_find(const char *name, bool by_name,
		       const struct nst_cci_model **ret)
{
	const char *part = name;
	const struct nst_cci_model *model;

	/* A compatible: what comes before the comma is the maker. */
	for (; *name; name++) {
		if (*name == ',')
			part = name + 1;
	}
	*ret = NULL;
	for (model = nst_cci_models; model->name; model++) {
		if (!same_name(part, model->name))
			continue;
		*ret = model;
		if (model->why_off)
			return -EOPNOTSUPP;
		if (model->confidence == NST_CCI_LOW && !by_name)
			return -EACCES;
		return 0;
	}
	return -ENOENT;
}

bool nst_cci_id_fits(const struct nst_cci_id *id, u16 value)
{
	u16 mask = id->mask ? id->mask : 0xffff;

	return !id->value || (value & mask) == id->value;
}

bool nst_cci_write_allowed(const struct nst_cci_model *model, bool pause,
			   u16 reg, u8 bytes, u16 value)
{
	const struct nst_cci_family *family = model->family;
	unsigned int i;

	if (pause && (model->flags & NST_CCI_IMX500) && bytes == 1 &&
	    reg == NST_CCI_IMX500_DNN)
		return value == NST_CCI_IMX500_DNN_RUN ||
		       value == NST_CCI_IMX500_DNN_PAUSE;

	for (i = 0; i < model->channels; i++) {
		if (!model->channel[i].ctrl_reg ||
		    reg != model->channel[i].ctrl_reg ||
		    bytes != family->ctrl_bytes)
			continue;
		if (family->trigger)
			return value == family->trigger_on ||
			       (family->trigger_release &&
				value == family->trigger_off);
		return (model->flags & NST_CCI_ENABLE_BY_US) &&
		       value == family->enable_write;
	}
	return false;
}
