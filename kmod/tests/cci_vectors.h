/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cci_vectors.h - what a register reads, and what temperature that is
 *
 * Each value is what the source named beside it says: a figure printed there,
 * or its formula worked out by hand. None comes from our own conversion.
 * @tol_mc is what the source itself leaves open (a step of the table it
 * prints, a rounding).
 */
#ifndef NST_CCI_VECTORS_H
#define NST_CCI_VECTORS_H

#include "nst-cci-table.h"

/**
 * struct cci_vector - one pair
 * @models: the rows it is for, names with blanks between
 * @calib: calibration words of the part
 * @err: what the conversion says instead of a value
 */
struct cci_vector {
	const char *models;
	u16 raw;
	u16 calib[2];
	s32 value_mc;
	s32 tol_mc;
	u8 bound;
	int err;
	const char *source;
};

#define CCS_ROWS "imx477 imx378 imx708 imx500 imx501 imx214 imx258 imx519 " \
		 "imx582 imx586 imx481 imx709 imx412 imx577 ccs"
#define LO NST_BOUND_AT_MOST
#define HI NST_BOUND_AT_LEAST

/*
 * SMIA-format table as cam_thermal_sensor.c (Surface Duo kernel) and the
 * imgsensor drivers print it: 0x81-0xec -20, 0xed -19, 0x00 0, 0x4f 79,
 * 0x50-0x7f 80.
 */
#define SONY_TABLE "cam_thermal_sensor.c, table of TEMP_SEN_OUT"

static const struct cci_vector cci_vectors[] = {
	{ CCS_ROWS, 0x00, { 0 }, 0, 0, 0, 0, SONY_TABLE },
	{ CCS_ROWS, 0x4f, { 0 }, 79000, 0, 0, 0, SONY_TABLE },
	{ CCS_ROWS, 0x50, { 0 }, 80000, 0, HI, 0, SONY_TABLE },
	{ CCS_ROWS, 0x7f, { 0 }, 80000, 0, HI, 0, SONY_TABLE },
	{ CCS_ROWS, 0x81, { 0 }, -20000, 0, LO, 0, SONY_TABLE },
	{ CCS_ROWS, 0xec, { 0 }, -20000, 0, LO, 0, SONY_TABLE },
	{ CCS_ROWS, 0xed, { 0 }, -19000, 0, 0, 0, SONY_TABLE },
	{ CCS_ROWS, 0xff, { 0 }, -1000, 0, 0, 0,
	  "raspberrypi/libcamera#19: signed 8 bit value" },

	{ "imx800", 0x54, { 0 }, 84000, 0, 0, 0, "imgsensor imx800" },
	{ "imx800", 0x55, { 0 }, 85000, 0, HI, 0, "imgsensor imx800" },
	{ "imx800", 0x7f, { 0 }, 85000, 0, HI, 0, "imgsensor imx800" },
	{ "imx800", 0x81, { 0 }, -20000, 0, LO, 0, "imgsensor imx800" },

	/* Codes of the table beside their temperatures; one step either way. */
	{ "imx219", 0, { 0 }, -10000, 0, LO, 0, "IMX219PQH5-C, table 40" },
	{ "imx219", 12, { 0 }, 0, 821, 0, 0, "IMX219PQH5-C, table 40" },
	{ "imx219", 36, { 0 }, 20000, 821, 0, 0, "IMX219PQH5-C, table 40" },
	{ "imx219", 43, { 0 }, 25000, 821, 0, 0, "IMX219PQH5-C, table 40" },
	{ "imx219", 61, { 0 }, 40000, 821, 0, 0, "IMX219PQH5-C, table 40" },
	{ "imx219", 127, { 0 }, 95000, 1000, HI, 0,
	  "IMX219PQH5-C 9-3: measures to 95" },

	/* 246.312 - 0.304 * code */
	{ "imx296", 0, { 0 }, 246312, 0, 0, 0, "drivers/media/i2c/imx296.c" },
	{ "imx296", 500, { 0 }, 94312, 0, 0, 0,
	  "drivers/media/i2c/imx296.c" },
	{ "imx296", 728, { 0 }, 25000, 0, 0, 0,
	  "drivers/media/i2c/imx296.c" },
	{ "imx296", 900, { 0 }, -27288, 0, 0, 0,
	  "drivers/media/i2c/imx296.c" },

	/* The words are the readings at 70 and 55 degrees. */
	{ "ar0331", 520, { 520, 499 }, 70000, 0, 0, 0,
	  "AR0331 datasheet, page 35" },
	{ "ar0331", 499, { 520, 499 }, 55000, 0, 0, 0,
	  "AR0331 datasheet, page 35" },
	{ "ar0331", 450, { 520, 499 }, 20000, 0, 0, 0,
	  "AR0331 datasheet, page 35: line through both" },
	{ "ar0331", 415, { 520, 499 }, -5000, 0, 0, 0,
	  "AR0331 datasheet, page 35: line through both" },
	{ "ar0331", 450, { 0, 0 }, 0, 0, 0, -ENODATA,
	  "AR0331 datasheet, page 35: no line without the words" },
	{ "ar0331", 450, { 499, 499 }, 0, 0, 0, -ENODATA,
	  "AR0331 datasheet, page 35: no line through one point" },
	{ "ar0331", 450, { 520, 0 }, 0, 0, 0, -ENODATA,
	  "AR0331 datasheet, page 35: no line through one point" },
	{ "ar0331", 450, { 499, 520 }, 0, 0, 0, -ENODATA,
	  "AR0331 datasheet, page 35: hotter reads higher" },

	/* 0.7 * (code - word) + 55 */
	{ "ar0234 ar0144", 480, { 480 }, 55000, 0, 0, 0, "cam_helper_ar0234.cpp" },
	{ "ar0234 ar0144", 530, { 480 }, 90000, 0, 0, 0, "cam_helper_ar0234.cpp" },
	{ "ar0234 ar0144", 430, { 480 }, 20000, 0, 0, 0, "cam_helper_ar0234.cpp" },
	{ "ar0234 ar0144", 380, { 480 }, -15000, 0, 0, 0, "cam_helper_ar0234.cpp" },
	{ "ar0234 ar0144", 430, { 0xfde0 }, 20000, 0, 0, 0,
	  "cam_helper_ar0234.cpp: ten bits of the word (480)" },
	{ "ar0234 ar0144", 430, { 0 }, 0, 0, 0, -ENODATA,
	  "cam_helper_ar0234.cpp: no temperature without the word" },

	/* 0.71 * (code - word) + 60 */
	{ "ar0822", 468, { 468 }, 60000, 0, 0, 0, "cam_helper_ar0822.cpp" },
	{ "ar0822", 518, { 468 }, 95500, 0, 0, 0, "cam_helper_ar0822.cpp" },
	{ "ar0822", 368, { 468 }, -11000, 0, 0, 0, "cam_helper_ar0822.cpp" },

	/* 55 + (code - word2) * (125 - 55) / (word1 - word2) */
	{ "ar0231", 2100, { 2100, 1400 }, 125000, 0, 0, 0,
	  "openpilot ar0231_parse_temp_sensor()" },
	{ "ar0231", 1400, { 2100, 1400 }, 55000, 0, 0, 0,
	  "openpilot ar0231_parse_temp_sensor()" },
	{ "ar0231", 1250, { 2100, 1400 }, 40000, 0, 0, 0,
	  "openpilot ar0231_parse_temp_sensor()" },
	{ "ar0231", 700, { 2100, 1400 }, -15000, 0, 0, 0,
	  "openpilot ar0231_parse_temp_sensor()" },
	{ "ar0231", 1250, { 0, 0 }, 0, 0, 0, -ENODATA,
	  "openpilot ar0231_parse_temp_sensor(): no line" },

	/* v < 0xc000: v / 256, else 192 - v / 256, with v the byte twice */
	{ "ov48b ov20b ov13b10", 0x19, { 0 }, 25000, 0, 0, 0, "imgsensor ov" },
	{ "ov48b ov20b ov13b10", 0x55, { 0 }, 85000, 0, 0, 0, "imgsensor ov" },
	{ "ov48b ov20b ov13b10", 0xc0, { 0 }, 0, 0, 0, 0, "imgsensor ov" },
	{ "ov48b ov20b ov13b10", 0xc1, { 0 }, -1000, 0, 0, 0, "imgsensor ov" },
	{ "ov48b ov20b ov13b10", 0xd4, { 0 }, -20000, 0, 0, 0,
	  "imgsensor ov" },

	/* code <= 0xc000: code / 256, else -(code - 0xc000) / 256 */
	{ "ox03c10 ox08b40", 0x1900, { 0 }, 25000, 0, 0, 0, "ov_sen_diag.c" },
	{ "ox03c10 ox08b40", 0x2a80, { 0 }, 42500, 0, 0, 0, "ov_sen_diag.c" },
	{ "ox03c10 ox08b40", 0xca00, { 0 }, -10000, 0, 0, 0,
	  "ov_sen_diag.c" },
	{ "ox03c10 ox08b40", 0x7d00, { 0 }, 125000, 0, HI, 0,
	  "ov_sen_diag.h: 125 at most" },
	{ "ox03c10 ox08b40", 0xc000, { 0 }, 125000, 0, HI, 0,
	  "ov_sen_diag.c: 0xc000 is still above zero" },
	{ "ox03c10 ox08b40", 0xe800, { 0 }, -40000, 0, LO, 0,
	  "ov_sen_diag.h: -40 at least" },

	{ "ox02c1b", 0x1900, { 0 }, 25000, 0, 0, 0, "q88_to_celsius()" },
	{ "ox02c1b", 0x7100, { 0 }, 113000, 0, 0, 0, "q88_to_celsius()" },
	{ "ox02c1b", 0xf600, { 0 }, -10000, 0, 0, 0, "q88_to_celsius()" },
	{ "ox02c1b", 0xffff, { 0 }, 0, 0, 0, -EIO,
	  "an I2C bus that nobody drives reads all ones" },

	/* Byte 0x0020 is whole degrees, the next 1/256. */
	{ "s5kjn1 s5k3p9", 0x1400, { 0 }, 20000, 0, 0, 0, "imgsensor s5k" },
	{ "s5kjn1 s5k3p9", 0x2d40, { 0 }, 45250, 0, 0, 0, "imgsensor s5k" },
	{ "s5kjn1 s5k3p9", 0x5000, { 0 }, 80000, 0, 0, 0, "imgsensor s5k" },
	{ "s5kjn1 s5k3p9", 0xff80, { 0 }, -500, 0, 0, 0, "imgsensor s5k" },

	/* "signed 10 bits", handed to a control that is in degrees Celsius */
	{ "vd55g1 vd56g3", 0x0000, { 0 }, 0, 0, 0, 0, "st-vd55g1.c" },
	{ "vd55g1 vd56g3", 0x0019, { 0 }, 25000, 0, 0, 0, "st-vd55g1.c" },
	{ "vd55g1 vd56g3", 0x03f6, { 0 }, -10000, 0, 0, 0, "st-vd55g1.c" },
	{ "vd55g1 vd56g3", 0xfc19, { 0 }, 25000, 0, 0, 0,
	  "st-vd55g1.c: the other bits are not the value's" },
};

#undef LO
#undef HI

#endif /* NST_CCI_VECTORS_H */
