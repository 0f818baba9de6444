/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-cci-table.h - what is known of the thermometers in image sensors
 *
 * One const table. A family says how a reading is got and what it means; a
 * row (model) says where, how far it can be trusted and where that is
 * written. Everything here is pure: it is compiled into the driver, into its
 * KUnit suite and into the program that prints the support table.
 *
 * Confidence. H: a primary source (the maker's datasheet, or a driver in a
 * kernel or libcamera tree) says so. M: several secondary sources agree, or
 * one that is used in products. L: one weak source; such a row is only used
 * when it is asked for by name. A row with @why_off is never used.
 */
#ifndef NST_CCI_TABLE_H
#define NST_CCI_TABLE_H

#include "sample.h"

#define NST_CCI_CHANNELS_MAX 2

/* A reading and its control register are fetched together up to this size. */
#define NST_CCI_WINDOW_MAX 4

/* IMX500: registers of its own, see nst-cci-imx500.c. */
#define NST_CCI_IMX500_STATE 0xd02a
#define NST_CCI_IMX500_DNN 0xd100
#define NST_CCI_IMX500_DNN_RUN 4
#define NST_CCI_IMX500_DNN_PAUSE 0

/* Flags of a row. */
#define NST_CCI_ENABLE_BY_US 0x01	/* else the owner's business alone */
#define NST_CCI_STREAMING 0x02		/* valid while streaming only */
#define NST_CCI_CAPABILITY 0x04		/* 0x1618 has to say that it is CCS */
#define NST_CCI_IMX500 0x08		/* state, DNN and bridge of an IMX500 */

enum nst_cci_confidence {
	NST_CCI_LOW = 0,
	NST_CCI_MEDIUM,
	NST_CCI_HIGH,
};

struct nst_cci_model;

/**
 * struct nst_cci_calib - what a conversion needs beside the reading
 * @word: calibration words of the channel, 0 where there is none
 * @reset_80: 0x80 stands for "no value" (CCS capability, bit 2)
 */
struct nst_cci_calib {
	u16 word[2];
	bool reset_80;
};

/**
 * struct nst_cci_family - how a thermometer is read
 * @data_bytes, @data_mask: size of a reading, and its valid bits; a reading
 *	with other bits set is garbage where @mask_strict
 * @little: low byte first
 * @ctrl_bytes: size of the control register
 * @enable_mask, @enable_value: (control & mask) == value: it measures
 * @enable_write: what turns it on
 * @trigger_on, @trigger_off: written to the control register before and
 *	after each reading instead; @trigger tells, @trigger_release that
 *	@trigger_off is needed
 * @stream_reg, @stream_bytes, @stream_mask, @stream_value: how a part says
 *	that it streams
 * @convert: pure; 0 with value and bound of @ret filled in, -EAGAIN for no
 *	value yet, -ENODATA when the calibration is missing, -EIO for garbage
 */
struct nst_cci_family {
	const char *name;
	u8 data_bytes;
	bool little;
	bool mask_strict;
	u16 data_mask;
	u8 ctrl_bytes;
	u16 enable_mask;
	u16 enable_value;
	u16 enable_write;
	bool trigger;
	bool trigger_release;
	u16 trigger_on;
	u16 trigger_off;
	u16 stream_reg;
	u8 stream_bytes;
	u16 stream_mask;
	u16 stream_value;
	int (*convert)(const struct nst_cci_model *model,
		       const struct nst_cci_calib *calib, u16 raw,
		       struct nst_sample *ret);
};

/**
 * struct nst_cci_channel - one thermometer of a part
 * @ctrl_reg: 0 for none
 * @calib_reg: 0 for none
 */
struct nst_cci_channel {
	const char *label;
	u16 data_reg;
	u16 ctrl_reg;
	u16 calib_reg[2];
};

/**
 * struct nst_cci_id - the register that says what a part is
 * High byte first.
 * @value: 0 for not known; then an answer is all that is asked for
 * @mask: bits of it that say so, 0 for all; others tell colour or revision
 */
struct nst_cci_id {
	u16 reg;
	u8 bytes;
	u16 value;
	u16 mask;
};

/**
 * struct nst_cci_model - one row
 * @channels: 0 for a part without a thermometer
 * @rail_low_mc, @rail_high_mc: at and beyond these a reading is a bound
 * @calib_mc: temperatures that the calibration words were read at
 * @slope_uc: microdegrees per step, for one calibration word or for a line
 * @offset_mc: temperature of a reading of 0, for a line
 * @step_mc: of a reading
 * @settle_us: first valid reading after it was turned on
 * @source: where this is written
 * @why_off: NULL, or why the row is not used
 */
struct nst_cci_model {
	const char *name;
	const struct nst_cci_family *family;
	u8 confidence;
	u8 flags;
	u8 channels;
	struct nst_cci_channel channel[NST_CCI_CHANNELS_MAX];
	struct nst_cci_id id;
	s32 rail_low_mc;
	s32 rail_high_mc;
	s32 calib_mc[2];
	s32 slope_uc;
	s32 offset_mc;
	u32 step_mc;
	u32 settle_us;
	const char *source;
	const char *why_off;
};

/* A row without a name ends it. */
extern const struct nst_cci_model nst_cci_models[];

/**
 * nst_cci_model_find() - a row by the name of a part
 * @name: "imx477", or a compatible, "sony,imx477"
 * @by_name: the user asked for it by name, so L will do
 * @ret: the row; set on -ENOENT to NULL, on other errors to the row refused
 *
 * Return: 0, -ENOENT for no such row, -EACCES for an L row that was not
 * asked for, -EOPNOTSUPP for a row that is off.
 */
int nst_cci_model_find(const char *name, bool by_name,
		       const struct nst_cci_model **ret);

/** nst_cci_id_fits() - what a part says of itself is what the row is of */
bool nst_cci_id_fits(const struct nst_cci_id *id, u16 value);

/**
 * nst_cci_write_allowed() - the only register writes there are
 * @pause: the DNN of an IMX500 may be paused
 *
 * Return: whether the table lets this value be written to this register of
 * this part.
 */
bool nst_cci_write_allowed(const struct nst_cci_model *model, bool pause,
			   u16 reg, u8 bytes, u16 value);

/* nst-cci-convert.c; see @convert */
int nst_cci_convert_ccs(const struct nst_cci_model *model,
			const struct nst_cci_calib *calib, u16 raw,
			struct nst_sample *ret);
int nst_cci_convert_calibrated(const struct nst_cci_model *model,
			       const struct nst_cci_calib *calib, u16 raw,
			       struct nst_sample *ret);
int nst_cci_convert_line(const struct nst_cci_model *model,
			 const struct nst_cci_calib *calib, u16 raw,
			 struct nst_sample *ret);
int nst_cci_convert_q8(const struct nst_cci_model *model,
		       const struct nst_cci_calib *calib, u16 raw,
		       struct nst_sample *ret);
int nst_cci_convert_sign_c0(const struct nst_cci_model *model,
			    const struct nst_cci_calib *calib, u16 raw,
			    struct nst_sample *ret);
int nst_cci_convert_int10(const struct nst_cci_model *model,
			  const struct nst_cci_calib *calib, u16 raw,
			  struct nst_sample *ret);

/**
 * nst_cci_convert() - a reading as it came off the bus
 * Checks the bits that cannot be set, then the family's @convert.
 */
int nst_cci_convert(const struct nst_cci_model *model,
		    const struct nst_cci_calib *calib, u16 raw,
		    struct nst_sample *ret);

/**
 * nst_cci_field() - bytes of a register as a number
 * @bytes: 1 or 2
 */
u16 nst_cci_field(const u8 *buf, u8 bytes, bool little);

#endif /* NST_CCI_TABLE_H */
