// SPDX-License-Identifier: GPL-2.0-only
/*
 * cci_table_kunit.c - thermometers of image sensors: every row against what
 * its source says, and the only writes that the table allows
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Pure, and small: tested as a part of the suite. */
#include "../nst-cci-convert.c"
#include "../nst-cci-table.c"
#include "cci_vectors.h"

/* Not every place that this is run in has ARRAY_SIZE(). */
#define COUNT(a) ((unsigned int)(sizeof(a) / sizeof(*(a))))

static bool named(const char *list, const char *name)
{
	const char *at = list;
	size_t i;

	while (*at) {
		for (i = 0; name[i] && at[i] == name[i]; i++)
			;
		if (!name[i] && (!at[i] || at[i] == ' '))
			return true;
		while (*at && *at != ' ')
			at++;
		while (*at == ' ')
			at++;
	}
	return false;
}

static const struct nst_cci_model *row(struct kunit *test, const char *name)
{
	const struct nst_cci_model *model;

	KUNIT_ASSERT_EQ(test, 0, nst_cci_model_find(name, true, &model));
	return model;
}

/* --- conversions --------------------------------------------------------- */

static void vector_name(const struct cci_vector *v, char *desc)
{
	size_t i;

	for (i = 0; i < 24 && v->models[i] && v->models[i] != ' '; i++)
		desc[i] = v->models[i];
	desc[i++] = ' ';
	desc[i++] = "0123456789abcdef"[v->raw >> 12];
	desc[i++] = "0123456789abcdef"[v->raw >> 8 & 15];
	desc[i++] = "0123456789abcdef"[v->raw >> 4 & 15];
	desc[i++] = "0123456789abcdef"[v->raw & 15];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(vector, cci_vectors, vector_name);

static void vectors_agree(struct kunit *test)
{
	const struct cci_vector *v = test->param_value;
	const struct nst_cci_calib calib = {
		.word = { v->calib[0], v->calib[1] },
	};
	unsigned int i, rows = 0;

	for (i = 0; nst_cci_models[i].name; i++) {
		const struct nst_cci_model *model = &nst_cci_models[i];
		struct nst_sample sample = { .value_mc = 12345 };

		if (!named(v->models, model->name))
			continue;
		rows++;
		KUNIT_EXPECT_EQ(test, v->err,
				nst_cci_convert(model, &calib, v->raw,
						&sample));
		if (v->err) {
			KUNIT_EXPECT_EQ(test, 12345, sample.value_mc);
			continue;
		}
		KUNIT_EXPECT_GE(test, sample.value_mc,
				v->value_mc - v->tol_mc);
		KUNIT_EXPECT_LE(test, sample.value_mc,
				v->value_mc + v->tol_mc);
		KUNIT_EXPECT_EQ(test, (int)v->bound, (int)sample.bound);
		KUNIT_EXPECT_EQ(test, NST_SAMPLE_VALID, (int)sample.state);
	}
	KUNIT_EXPECT_GT(test, rows, 0u);
}

/* A row that is on has three pairs of temperatures, or says why it is off. */
static void rows_have_their_proof(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; nst_cci_models[i].name; i++) {
		const struct nst_cci_model *model = &nst_cci_models[i];
		unsigned int pairs = 0;

		KUNIT_ASSERT_TRUE(test, !!model->source);
		if (model->why_off || !model->channels)
			continue;
		for (k = 0; k < COUNT(cci_vectors); k++)
			pairs += !cci_vectors[k].err &&
				 named(cci_vectors[k].models, model->name);
		KUNIT_EXPECT_GE(test, pairs, 3u);
		if (pairs < 3)
			kunit_info(test, "%s has %u pairs", model->name,
				   pairs);
	}
}

/* No row can be read as more, or less, than it says. */
static void rows_are_whole(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; nst_cci_models[i].name; i++) {
		const struct nst_cci_model *model = &nst_cci_models[i];
		const struct nst_cci_family *family = model->family;
		const struct nst_cci_model *found;

		/* found by its own name, so the name is there once */
		nst_cci_model_find(model->name, true, &found);
		KUNIT_EXPECT_PTR_EQ(test, model, found);
		KUNIT_EXPECT_LE(test, (unsigned int)model->channels,
				(unsigned int)NST_CCI_CHANNELS_MAX);
		if (!model->channels)
			continue;
		KUNIT_ASSERT_TRUE(test, !!family->convert);
		KUNIT_EXPECT_LT(test, model->rail_low_mc, model->rail_high_mc);
		KUNIT_EXPECT_GT(test, model->step_mc, 0u);
		KUNIT_EXPECT_GE(test, (int)model->id.bytes, 1);
		KUNIT_EXPECT_TRUE(test, nst_cci_id_fits(&model->id,
							model->id.value));
		for (k = 0; k < model->channels; k++) {
			KUNIT_EXPECT_TRUE(test, !!model->channel[k].label);
			/* control wherever the family has one */
			KUNIT_EXPECT_EQ(test, family->ctrl_bytes > 0,
					model->channel[k].ctrl_reg > 0);
		}
		/* what we switch on we do while it streams only */
		if (model->flags & (NST_CCI_ENABLE_BY_US | NST_CCI_STREAMING))
			KUNIT_EXPECT_GT(test, (int)family->stream_bytes, 0);
		/* the owner of an IMX500 alone decides about 0x0138 */
		if (model->flags & NST_CCI_IMX500)
			KUNIT_EXPECT_FALSE(test, model->flags &
					   NST_CCI_ENABLE_BY_US);
	}
}

/* 0x80 is "no value" only where the part says that it is. */
static void reset_value_of_ccs(struct kunit *test)
{
	const struct nst_cci_model *model = row(test, "imx477");
	struct nst_cci_calib calib = { .reset_80 = true };
	struct nst_sample sample = { .value_mc = 1 };

	KUNIT_EXPECT_EQ(test, -EAGAIN,
			nst_cci_convert(model, &calib, 0x80, &sample));
	KUNIT_EXPECT_EQ(test, 1, sample.value_mc);
	calib.reset_80 = false;
	KUNIT_EXPECT_EQ(test, 0,
			nst_cci_convert(model, &calib, 0x80, &sample));
	KUNIT_EXPECT_EQ(test, NST_BOUND_AT_MOST, (int)sample.bound);
	KUNIT_EXPECT_FALSE(test, nst_sample_usable(&sample));
}

/* Nothing was converted: a register of 1/256 degrees is not zero degrees. */
static void zeros_are_no_temperature(struct kunit *test)
{
	static const char * const names[] = {
		"ox03c10", "ox08b40", "ox02c1b", "s5kjn1", "s5k3p9",
	};
	const struct nst_cci_calib calib = { 0 };
	struct nst_sample sample = { .value_mc = 1 };
	unsigned int i;

	for (i = 0; i < COUNT(names); i++)
		KUNIT_EXPECT_EQ(test, -EAGAIN,
				nst_cci_convert(row(test, names[i]), &calib,
						0, &sample));
	KUNIT_EXPECT_EQ(test, 1, sample.value_mc);
}

/* A stopped part is told from a streaming one by the register it has for it. */
static void states_are_where_the_part_has_them(struct kunit *test)
{
	/* st-vd55g1.c, vd56g3.c: SYSTEM_FSM, 3 is streaming */
	KUNIT_EXPECT_EQ(test, 0x001c,
			(int)row(test, "vd55g1")->family->stream_reg);
	KUNIT_EXPECT_EQ(test, 0x0028,
			(int)row(test, "vd56g3")->family->stream_reg);
}

/* Whatever a part reads: never cooler than a lower reading of it was. */
static void hotter_reads_hotter(struct kunit *test)
{
	static const struct {
		const char *name;
		u16 from, to;
		bool falls;
	} spans[] = {
		{ "imx477", 0x00, 0x7f, false },
		{ "imx477", 0x81, 0xff, false },
		{ "imx219", 0, 127, false },
		{ "imx296", 0, 1023, true },
		{ "ar0331", 0, 1023, false },
		{ "ar0234", 0, 1023, false },
		{ "ar0231", 0, 4095, false },
		{ "ov48b", 0, 0xbf, false },
		{ "ov48b", 0xc0, 0xff, true },
		{ "ox03c10", 1, 0xc000, false },
		{ "ox03c10", 0xc001, 0xfffe, true },
		{ "ox02c1b", 1, 0x7fff, false },
		{ "s5kjn1", 0x8000, 0xfffe, false },
		{ "vd56g3", 0, 511, false },
		{ "vd56g3", 512, 1023, false },
	};
	const struct nst_cci_calib calib = { .word = { 520, 499 } };
	unsigned int i, raw;

	for (i = 0; i < COUNT(spans); i++) {
		const struct nst_cci_model *model = row(test, spans[i].name);
		s32 last_mc = 0;

		for (raw = spans[i].from; raw <= spans[i].to; raw++) {
			struct nst_sample sample = { 0 };
			s32 sign = spans[i].falls ? -1 : 1;
			int err;

			err = nst_cci_convert(model, &calib, (u16)raw,
					      &sample);
			KUNIT_ASSERT_EQ(test, 0, err);
			if (raw > spans[i].from)
				KUNIT_ASSERT_GE(test, sign * sample.value_mc,
						sign * last_mc);
			last_mc = sample.value_mc;
		}
	}
}

static void garbage_is_no_temperature(struct kunit *test)
{
	static const char * const two_bytes[] = {
		"ar0331", "ar0234", "ar0822", "ar0144", "ar0231", "imx296",
		"ox03c10", "ox02c1b", "s5kjn1", "vd55g1", "vd56g3",
	};
	const struct nst_cci_calib calib = { .word = { 520, 499 } };
	struct nst_sample sample = { .value_mc = 1 };
	unsigned int i;

	for (i = 0; i < COUNT(two_bytes); i++)
		KUNIT_EXPECT_EQ(test, -EIO,
				nst_cci_convert(row(test, two_bytes[i]),
						&calib, 0xffff, &sample));
	/* ten bits, and one more */
	KUNIT_EXPECT_EQ(test, -EIO, nst_cci_convert(row(test, "ar0331"),
						    &calib, 0x0400, &sample));
	KUNIT_EXPECT_EQ(test, 1, sample.value_mc);
}

/* Words a step apart make a line that leaves 32 bits: hot stays hot. */
static void a_steep_line_ends_at_its_rails(struct kunit *test)
{
	const struct nst_cci_calib calib = { .word = { 30001, 30000 } };
	const struct nst_cci_model *model = row(test, "ar0231");
	struct nst_sample sample;

	KUNIT_ASSERT_EQ(test, 0, nst_cci_convert(model, &calib, 0xfffe,
						 &sample));
	KUNIT_EXPECT_EQ(test, (int)NST_BOUND_AT_LEAST, (int)sample.bound);
	KUNIT_EXPECT_EQ(test, model->rail_high_mc, sample.value_mc);
	KUNIT_ASSERT_EQ(test, 0, nst_cci_convert(model, &calib, 0, &sample));
	KUNIT_EXPECT_EQ(test, (int)NST_BOUND_AT_MOST, (int)sample.bound);
	KUNIT_EXPECT_EQ(test, model->rail_low_mc, sample.value_mc);
}

static void fields_have_an_order(struct kunit *test)
{
	const u8 buf[2] = { 0x12, 0x34 };

	KUNIT_EXPECT_EQ(test, 0x12, (int)nst_cci_field(buf, 1, false));
	KUNIT_EXPECT_EQ(test, 0x12, (int)nst_cci_field(buf, 1, true));
	KUNIT_EXPECT_EQ(test, 0x1234, (int)nst_cci_field(buf, 2, false));
	KUNIT_EXPECT_EQ(test, 0x3412, (int)nst_cci_field(buf, 2, true));
}

/* --- names --------------------------------------------------------------- */

static void names_find_rows(struct kunit *test)
{
	const struct nst_cci_model *model;

	KUNIT_EXPECT_EQ(test, 0, nst_cci_model_find("imx477", false, &model));
	KUNIT_EXPECT_STREQ(test, "imx477", model->name);
	KUNIT_EXPECT_EQ(test, 0,
			nst_cci_model_find("sony,imx477", false, &model));
	KUNIT_EXPECT_STREQ(test, "imx477", model->name);
	KUNIT_EXPECT_EQ(test, 0, nst_cci_model_find("none", true, &model));
	KUNIT_EXPECT_EQ(test, 0u, (unsigned int)model->channels);

	/* one weak source: by name only */
	KUNIT_EXPECT_EQ(test, -EACCES,
			nst_cci_model_find("sony,imx577", false, &model));
	KUNIT_EXPECT_STREQ(test, "imx577", model->name);
	KUNIT_EXPECT_EQ(test, 0, nst_cci_model_find("imx577", true, &model));

	/* off, whoever asks */
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			nst_cci_model_find("mira220", true, &model));
	KUNIT_EXPECT_TRUE(test, !!model->why_off);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			nst_cci_model_find("ov8858", true, &model));

	KUNIT_EXPECT_EQ(test, -ENOENT,
			nst_cci_model_find("imx47", true, &model));
	KUNIT_EXPECT_FALSE(test, !!model);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			nst_cci_model_find("imx4777", true, &model));
	KUNIT_EXPECT_EQ(test, -ENOENT, nst_cci_model_find("", true, &model));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			nst_cci_model_find("sony,", true, &model));
}

/* --- the write filter ---------------------------------------------------- */

/* All that may ever be written, as the design says it: by hand, not by rule. */
static const struct {
	const char *name;
	u16 reg;
	u8 bytes;
	u16 value;
	bool pause;
} may_write[] = {
	{ "imx477", 0x0138, 1, 1, false },
	{ "imx378", 0x0138, 1, 1, false },
	{ "imx708", 0x0138, 1, 1, false },
	{ "imx219", 0x0140, 1, 0x80, false },
	{ "imx296", 0x301d, 1, 1, false },
	{ "imx296", 0x301d, 1, 0, false },
	{ "ar0331", 0x30b4, 2, 0x0011, false },
	{ "ar0234", 0x30b4, 2, 0x0011, false },
	{ "ar0144", 0x30b4, 2, 0x0011, false },
	{ "ov48b", 0x4d12, 1, 1, false },
	{ "ov20b", 0x4d12, 1, 1, false },
	{ "ov13b10", 0x4d12, 1, 1, false },
	{ "ov8858", 0x4d12, 1, 1, false },
	{ "imx500", 0xd100, 1, 0, true },
	{ "imx500", 0xd100, 1, 4, true },
	{ "imx501", 0xd100, 1, 0, true },
	{ "imx501", 0xd100, 1, 4, true },
};

static bool listed(const char *name, u32 reg, u8 bytes, u16 value, bool pause)
{
	unsigned int i;

	for (i = 0; i < COUNT(may_write); i++) {
		if (named(may_write[i].name, name) &&
		    may_write[i].reg == reg && may_write[i].bytes == bytes &&
		    may_write[i].value == value &&
		    (pause || !may_write[i].pause))
			return true;
	}
	return false;
}

static const u16 values[] = {
	0, 1, 2, 3, 4, 5, 0x10, 0x11, 0x80, 0xff, 0x0100, 0x0400, 0xffff,
};

/* Whatever gets through is on the list, and all of that does. */
static void writes_are_the_listed_ones(struct kunit *test)
{
	const struct nst_cci_model *model;
	unsigned int i, v;
	u32 reg;
	u8 bytes;

	for (model = nst_cci_models; model->name; model++) {
		for (reg = 0; reg <= 0xffff; reg++) {
			bool near = reg <= 0x0200 || reg == 0x301a ||
				    (reg & 0xff00) == 0x4d00 ||
				    (reg & 0xff00) == 0xd100 ||
				    (reg & 0xff00) == 0x3000;

			/* far from everything two values will do */
			for (v = 0; v < (near ? COUNT(values) : 2); v++) {
				for (bytes = 1; bytes <= 2; bytes++) {
					if (!nst_cci_write_allowed(model, true,
								   (u16)reg,
								   bytes,
								   values[v]))
						continue;
					KUNIT_EXPECT_TRUE(test,
							  listed(model->name,
								 reg, bytes,
								 values[v],
								 true));
				}
			}
		}
	}
	for (i = 0; i < COUNT(may_write); i++) {
		nst_cci_model_find(may_write[i].name, true, &model);
		KUNIT_ASSERT_TRUE(test, !!model);
		KUNIT_EXPECT_TRUE(test,
				  nst_cci_write_allowed(model, true,
							may_write[i].reg,
							may_write[i].bytes,
							may_write[i].value));
		KUNIT_EXPECT_NE(test, may_write[i].pause,
				nst_cci_write_allowed(model, false,
						      may_write[i].reg,
						      may_write[i].bytes,
						      may_write[i].value));
	}
}

/* Either width, with all that the options allow. */
static bool may(const struct nst_cci_model *model, u16 reg, u32 value)
{
	return nst_cci_write_allowed(model, true, reg, 1, (u16)value) ||
	       nst_cci_write_allowed(model, true, reg, 2, (u16)value);
}

/* Said once more, for those that break a camera. */
static void streams_are_never_written(struct kunit *test)
{
	static const u16 stream[] = { 0x0100, 0x0103, 0x301a, 0x301b, 0x3000,
				      0x300a, 0x0201, 0x0202, 0x0200 };
	unsigned int i, k, v;

	for (i = 0; nst_cci_models[i].name; i++) {
		for (k = 0; k < COUNT(stream); k++) {
			for (v = 0; v <= 0xffff; v += 1 + v / 64) {
				KUNIT_ASSERT_FALSE(test,
						   may(&nst_cci_models[i],
						       stream[k], v));
			}
		}
	}
}

static struct kunit_case cci_table_cases[] = {
	KUNIT_CASE_PARAM(vectors_agree, vector_gen_params),
	KUNIT_CASE(rows_have_their_proof),
	KUNIT_CASE(rows_are_whole),
	KUNIT_CASE(reset_value_of_ccs),
	KUNIT_CASE(zeros_are_no_temperature),
	KUNIT_CASE(states_are_where_the_part_has_them),
	KUNIT_CASE(hotter_reads_hotter),
	KUNIT_CASE(garbage_is_no_temperature),
	KUNIT_CASE(a_steep_line_ends_at_its_rails),
	KUNIT_CASE(fields_have_an_order),
	KUNIT_CASE(names_find_rows),
	KUNIT_CASE(writes_are_the_listed_ones),
	KUNIT_CASE(streams_are_never_written),
	{}
};

static struct kunit_suite cci_table_suite = {
	.name = "nst-cci-table",
	.test_cases = cci_table_cases,
};

kunit_test_suite(cci_table_suite);

MODULE_DESCRIPTION("KUnit suite of the thermometers in image sensors");
MODULE_LICENSE("GPL");
