// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-convert.c - from a register to millidegrees, pure
 *
 * A reading at or beyond a rail says how hot or cold the die is at least: it
 * becomes a bound. Nothing here clamps a hot reading to a cooler one without
 * saying so.
 */
#include "nst-cci-table.h"

u16 nst_cci_field(const u8 *buf, u8 bytes, bool little)
{
	if (bytes == 1)
		return buf[0];
	if (little)
		return (u16)(buf[1] << 8 | buf[0]);
	return (u16)(buf[0] << 8 | buf[1]);
}

/* The value and what it is worth, for every family. */
static int sample_set(const struct nst_cci_model *model, s64 value_mc,
		      struct nst_sample *ret)
{
	ret->state = NST_SAMPLE_VALID;
	ret->bound = NST_BOUND_NONE;
	if (value_mc >= model->rail_high_mc) {
		value_mc = model->rail_high_mc;
		ret->bound = NST_BOUND_AT_LEAST;
	} else if (value_mc <= model->rail_low_mc) {
		value_mc = model->rail_low_mc;
		ret->bound = NST_BOUND_AT_MOST;
	}
	/* Within the rails now; a line may end far outside of 32 bits. */
	ret->value_mc = (s32)value_mc;
	return 0;
}

static s64 div_round(s64 num, s32 den)
{
	return nst_div_s64(num < 0 ? num - den / 2 : num + den / 2, den);
}

static bool rises(s32 by)
{
	return by > 0;
}

/* Whole degrees, signed; 0x80 is what a part holds before it has measured. */
int nst_cci_convert_ccs(const struct nst_cci_model *model,
			const struct nst_cci_calib *calib, u16 raw,
			struct nst_sample *ret)
{
	if (raw == 0x80 && calib->reset_80)
		return -EAGAIN;
	return sample_set(model, (s8)raw * 1000, ret);
}

/*
 * A line through two readings kept in the part, at temperatures that the row
 * tells; with one of them (or two that are the same) the row's slope through
 * that one. A part without either cannot be read: a guessed offset would be
 * off by tens of degrees.
 */
int nst_cci_convert_calibrated(const struct nst_cci_model *model,
			       const struct nst_cci_calib *calib, u16 raw,
			       struct nst_sample *ret)
{
	u16 mask = model->family->data_mask;
	s32 a = calib->word[0] & mask, b = calib->word[1] & mask;
	s32 a_mc = model->calib_mc[0], b_mc = model->calib_mc[1];
	s64 rise;

	if (a && b && a != b) {
		/* A hotter die gives a higher reading, in every row. */
		if (rises(a - b) != rises(a_mc - b_mc))
			return -ENODATA;
		rise = (s64)((s32)raw - b) * (a_mc - b_mc);
		if (a < b)
			return sample_set(model, b_mc + div_round(-rise, b - a),
					  ret);
		return sample_set(model, b_mc + div_round(rise, a - b), ret);
	}
	if (!model->slope_uc || (!a && !b))
		return -ENODATA;
	if (!a) {
		a = b;
		a_mc = b_mc;
	}
	rise = (s64)((s32)raw - a) * model->slope_uc;
	return sample_set(model, a_mc + div_round(rise, 1000), ret);
}

/* offset + raw * slope */
int nst_cci_convert_line(const struct nst_cci_model *model,
			 const struct nst_cci_calib *calib, u16 raw,
			 struct nst_sample *ret)
{
	(void)calib;
	return sample_set(model, model->offset_mc +
			  div_round((s64)raw * model->slope_uc, 1000), ret);
}

/*
 * Two's complement, degrees in 1/256. Zero is one step of many thousands, and
 * what a register holds that nothing was converted into.
 */
int nst_cci_convert_q8(const struct nst_cci_model *model,
		       const struct nst_cci_calib *calib, u16 raw,
		       struct nst_sample *ret)
{
	(void)calib;
	if (!raw)
		return -EAGAIN;
	return sample_set(model, div_round((s64)(s16)raw * 1000, 256), ret);
}

/*
 * The sign that OmniVision uses: what exceeds 0xc0 (0xc000) is degrees below
 * zero. One byte or two, the second in 1/256. The sources of the one-byte form
 * count 0xc0 itself as zero, those of the other as +192. A zero of two bytes
 * is as in nst_cci_convert_q8().
 */
int nst_cci_convert_sign_c0(const struct nst_cci_model *model,
			    const struct nst_cci_calib *calib, u16 raw,
			    struct nst_sample *ret)
{
	s32 v = raw;

	(void)calib;
	if (model->family->data_bytes == 1) {
		v <<= 8;
		v -= v == 0xc000 ? 0xc000 : 0;
	} else if (!v) {
		return -EAGAIN;
	}
	if (v > 0xc000)
		v = 0xc000 - v;
	return sample_set(model, div_round((s64)v * 1000, 256), ret);
}

/* Ten bits, signed, whole degrees */
int nst_cci_convert_int10(const struct nst_cci_model *model,
			  const struct nst_cci_calib *calib, u16 raw,
			  struct nst_sample *ret)
{
	s32 v = raw & 0x3ff;

	(void)calib;
	if (v & 0x200)
		v -= 0x400;
	return sample_set(model, v * 1000, ret);
}

int nst_cci_convert(const struct nst_cci_model *model,
		    const struct nst_cci_calib *calib, u16 raw,
		    struct nst_sample *ret)
{
	const struct nst_cci_family *family = model->family;

	if (family->mask_strict && (raw & ~family->data_mask))
		return -EIO;
	/* Nobody drives the bus. */
	if (family->data_bytes == 2 && raw == 0xffff)
		return -EIO;
	return family->convert(model, calib, raw & family->data_mask, ret);
}
