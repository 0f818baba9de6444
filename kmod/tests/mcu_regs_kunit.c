// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcu_regs_kunit.c - the register map of the management MCU, both ways
 *
 * Words are made here from the addresses of registers.def, one by one and by
 * other arithmetic than the driver's, so that neither side of a conversion
 * vouches for itself.
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Pure: tested as a part of the suite. */
#include "../nst-mcu-regs.c"

#define CAPS_ALL (NST_MCU_CAPS_STANDBY | NST_MCU_CAPS_CLEARED | \
		  NST_MCU_CAPS_OFF)

/* A register file of which a block is a part. */
struct file {
	u16 reg[0x100];
};

static void set_long(struct file *file, u32 reg, u32 value)
{
	file->reg[reg] = (u16)(value / 65536);
	file->reg[reg + 1] = (u16)(value % 65536);
}

static void sample_fill(struct file *file)
{
	u16 *reg = file->reg;

	reg[0x10] = 0x8001;
	reg[0x11] = NST_MCU_STATE_HOST;
	reg[0x12] = NST_MCU_STATUS_HIGH;
	reg[0x13] = 1;
	set_long(file, 0x14, 70000);
	reg[0x16] = 2500;
	reg[0x17] = 5000;
	reg[0x18] = 6400;		/* 50 degC */
	reg[0x19] = 0xfb00;		/* -10 degC */
	reg[0x1a] = 0x0001;		/* 1/128 */
	reg[0x1b] = 0xffff;		/* -1/128 */
	reg[0x1c] = 0x0000;
	reg[0x1d] = 0x0000;
	reg[0x1e] = 250;
	reg[0x1f] = 0x8001;
}

static int sample_of(struct nst_mcu_sample *ret, const struct file *file)
{
	return nst_mcu_sample_from_regs(ret, 4, CAPS_ALL, file->reg + 0x10,
					16);
}

/* -------------------------------------------------------- temperatures */

/* Every code, against the definition: raw / 128 degrees, to the nearest. */
static void temp_every_code(struct kunit *test)
{
	s32 raw;

	for (raw = -32768; raw <= 32767; raw++) {
		s32 mc = 123;
		int err = nst_mcu_temp_from_reg(&mc, (u16)raw);
		s32 off;

		if (raw == -32768 || raw < -7680 || raw > 32000) {
			/* none, or outside -60 to 250 degC */
			KUNIT_EXPECT_EQ(test, err, -EPROTO);
			KUNIT_EXPECT_EQ(test, mc, 123);
			continue;
		}
		KUNIT_EXPECT_EQ(test, err, 0);
		off = mc * 128 - raw * 1000;
		KUNIT_EXPECT_LE(test, off < 0 ? -off : off, 64);
		KUNIT_EXPECT_EQ(test, (s32)nst_mcu_temp_from_mc(mc), raw);
	}
}

static void temp_saturates(struct kunit *test)
{
	static const s32 far_mc[] = { 256000, 300000, 1000000,
				      0x7fffffff };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(far_mc); i++) {
		KUNIT_EXPECT_EQ(test, (int)nst_mcu_temp_from_mc(far_mc[i]),
				32767);
		/* and never the code that is no temperature */
		KUNIT_EXPECT_EQ(test, (int)nst_mcu_temp_from_mc(-far_mc[i]),
				-32767);
	}
}

/* ---------------------------------------------------------------- wire */

static void wire_both_ways(struct kunit *test)
{
	static const u8 bytes[] = { 0x12, 0x34, 0x80, 0x00, 0x00, 0xff };
	u16 words[NST_MCU_BLOCK_WORDS] = {};
	u8 back[NST_MCU_BLOCK_MAX] = {};
	u32 i;

	KUNIT_ASSERT_EQ(test, nst_mcu_words_from_wire(words, bytes, 6), 3);
	KUNIT_EXPECT_EQ(test, (int)words[0], 0x1234);
	KUNIT_EXPECT_EQ(test, (int)words[1], 0x8000);
	KUNIT_EXPECT_EQ(test, (int)words[2], 0x00ff);
	KUNIT_ASSERT_EQ(test, nst_mcu_words_to_wire(back, words, 3), 6u);
	for (i = 0; i < sizeof(bytes); i++)
		KUNIT_EXPECT_EQ(test, back[i], bytes[i]);

	KUNIT_EXPECT_EQ(test, nst_mcu_words_from_wire(words, bytes, 0),
			-EPROTO);
	KUNIT_EXPECT_EQ(test, nst_mcu_words_from_wire(words, bytes, 5),
			-EPROTO);
	KUNIT_EXPECT_EQ(test, nst_mcu_words_from_wire(words, bytes, 34),
			-EPROTO);
}

/* CRC-8 of SMBus: the check value of its polynomial, and a residue of 0. */
static void wire_pec(struct kunit *test)
{
	static const char check[] = "123456789";
	u8 crc = 0;
	u32 i;

	for (i = 0; i < 9; i++)
		crc = nst_mcu_pec(crc, (u8)check[i]);
	KUNIT_EXPECT_EQ(test, (int)crc, 0xf4);
	KUNIT_EXPECT_EQ(test, (int)nst_mcu_pec(crc, crc), 0);
}

/* ------------------------------------------------------------ identity */

static void identity_fill(struct file *file)
{
	u16 *reg = file->reg;

	reg[0x00] = 0x0103;
	reg[0x01] = NST_MCU_CAPS_PEC | NST_MCU_CAPS_STANDBY | 0x8000;
	reg[0x02] = 0x4e53;
	reg[0x03] = 3;
	reg[0x04] = 'a' * 256 + 'r';
	reg[0x05] = '0' * 256;
	set_long(file, 0x0c, 0xdeadbeef);
	set_long(file, 0x0e, 0x01020304);
}

static void identity(struct kunit *test)
{
	struct nst_mcu_identity id;
	struct file file = {};

	identity_fill(&file);
	KUNIT_ASSERT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 16),
			0);
	KUNIT_EXPECT_EQ(test, (int)id.major, 1);
	KUNIT_EXPECT_EQ(test, (int)id.minor, 3);
	KUNIT_EXPECT_EQ(test, (int)id.caps, 0x8003);
	KUNIT_EXPECT_EQ(test, id.channels, 3u);
	KUNIT_EXPECT_EQ(test, id.serial, (u64)0xdeadbeef01020304ull);
	KUNIT_EXPECT_STREQ(test, id.model, "ar0");

	/* All sixteen characters are one name. */
	memset(file.reg + 4, 'x', 16);
	KUNIT_ASSERT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 16),
			0);
	KUNIT_EXPECT_STREQ(test, id.model, "xxxxxxxxxxxxxxxx");
	file.reg[0x06] = 0x780a;
	KUNIT_ASSERT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 16),
			0);
	KUNIT_EXPECT_STREQ(test, id.model, "xxxxx");
}

static void identity_refused(struct kunit *test)
{
	struct nst_mcu_identity id;
	struct file file = {};
	u32 channels;

	KUNIT_EXPECT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 16),
			-ENODEV);
	memset(file.reg, 0xff, sizeof(file.reg));
	KUNIT_EXPECT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 16),
			-ENODEV);
	identity_fill(&file);
	KUNIT_EXPECT_EQ(test, nst_mcu_identity_from_regs(&id, file.reg, 15),
			-EPROTO);
	for (channels = 0; channels <= 0xffff; channels++) {
		file.reg[0x03] = (u16)channels;
		KUNIT_EXPECT_EQ(test,
				nst_mcu_identity_from_regs(&id, file.reg, 16),
				channels >= 1 && channels <= 4 ? 0 : -EPROTO);
	}
}

/* -------------------------------------------------------------- sample */

static void sample_values(struct kunit *test)
{
	static const s32 want_mc[] = { 50000, -10000, 8, -8 };
	struct nst_mcu_sample sample;
	struct file file = {};
	u32 ch;

	sample_fill(&file);
	KUNIT_ASSERT_EQ(test, sample_of(&sample, &file), 0);
	KUNIT_EXPECT_EQ(test, (int)sample.seq, 0x8001);
	KUNIT_EXPECT_EQ(test, (int)sample.state, NST_MCU_STATE_HOST);
	KUNIT_EXPECT_EQ(test, (int)sample.status, NST_MCU_STATUS_HIGH);
	KUNIT_EXPECT_EQ(test, (int)sample.gate, (int)NST_GATE_STANDBY);
	KUNIT_EXPECT_EQ(test, sample.age_us, 70000u);
	KUNIT_EXPECT_EQ(test, sample.power_mw, 2500u);
	for (ch = 0; ch < 4; ch++) {
		KUNIT_EXPECT_EQ(test, (int)sample.channel[ch].state,
				(int)NST_SAMPLE_VALID);
		KUNIT_EXPECT_EQ(test, (int)sample.channel[ch].bound,
				(int)NST_BOUND_NONE);
		KUNIT_EXPECT_EQ(test, sample.channel[ch].value_mc,
				want_mc[ch]);
	}
}

/* Every code of every channel, while the others stay as they are. */
static void sample_channel_codes(struct kunit *test)
{
	static const int state_of[] = {
		NST_SAMPLE_VALID, NST_SAMPLE_NOT_READY, NST_SAMPLE_NO_DATA,
		NST_SAMPLE_BUS_FAULT, NST_SAMPLE_GONE, NST_SAMPLE_IMPLAUSIBLE,
	};
	u32 ch, code;

	for (ch = 0; ch < 4; ch++) {
		for (code = 0; code <= 0xff; code++) {
			struct nst_mcu_sample sample;
			struct file file = {};
			u16 *pair = &file.reg[0x1c + ch / 2];
			bool rail = code == 0x10 || code == 0x20;
			int err;

			sample_fill(&file);
			*pair = (u16)(ch % 2 ? code : code * 256);
			err = sample_of(&sample, &file);
			if (code > 5 && !rail) {
				KUNIT_EXPECT_EQ(test, err, -EPROTO);
				continue;
			}
			KUNIT_ASSERT_EQ(test, err, 0);
			KUNIT_EXPECT_EQ(test, (int)sample.channel[ch].state,
					rail ? 0 : state_of[code]);
			KUNIT_EXPECT_EQ(test, (int)sample.channel[ch].bound,
					code == 0x10 ? NST_BOUND_AT_LEAST :
					code == 0x20 ? NST_BOUND_AT_MOST :
						       NST_BOUND_NONE);
			/* a channel that is not valid has no temperature */
			if (code && !rail)
				KUNIT_EXPECT_EQ(test,
						sample.channel[ch].value_mc,
						0);
			KUNIT_EXPECT_NE(test,
					sample.channel[3 - ch].value_mc, 0);
		}
	}
}

/* What a bus in trouble shows: none of it becomes a sample. */
static void sample_bus_faults(struct kunit *test)
{
	struct nst_mcu_sample sample = { .seq = 77 };
	struct file file = {};
	u32 i;

	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
	memset(file.reg, 0xff, sizeof(file.reg));
	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);

	/* Torn anywhere: the rest of the block is of the next sample. */
	for (i = 1; i < 16; i++) {
		u32 r;

		sample_fill(&file);
		for (r = 0x10 + i; r <= 0x1f; r++)
			file.reg[r] = r == 0x1f ? 0x8002 : file.reg[r];
		KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
	}

	/* The bus goes to ones, or zeros, in the middle. */
	for (i = 0; i < 15; i++) {
		sample_fill(&file);
		memset(file.reg + 0x10 + i + 1, 0xff, 2 * (15 - i));
		KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
		sample_fill(&file);
		memset(file.reg + 0x10 + i + 1, 0, 2 * (15 - i));
		KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
	}
	KUNIT_EXPECT_EQ(test, (int)sample.seq, 77);
}

static void sample_out_of_range(struct kunit *test)
{
	struct nst_mcu_sample sample;
	struct file file = {};

	sample_fill(&file);
	file.reg[0x16] = 50000;
	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), 0);
	file.reg[0x16] = 50001;
	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);

	/* VALID, and the code that is no temperature; or hotter than any. */
	sample_fill(&file);
	file.reg[0x1b] = 0x8000;
	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
	file.reg[0x1b] = 32001;
	KUNIT_EXPECT_EQ(test, sample_of(&sample, &file), -EPROTO);
	/* of a channel that is not there it does not matter */
	KUNIT_EXPECT_EQ(test,
			nst_mcu_sample_from_regs(&sample, 3, CAPS_ALL,
						 file.reg + 0x10, 16), 0);
	KUNIT_EXPECT_EQ(test,
			nst_mcu_sample_from_regs(&sample, 3, CAPS_ALL,
						 file.reg + 0x10, 15),
			-EPROTO);
}

static void gate_needs_its_bit(struct kunit *test)
{
	u32 caps, word;

	for (caps = 0; caps < 16; caps++) {
		for (word = 0; word <= 0xffff; word++) {
			bool exists = word == 0 ||
				      (word <= 3 && caps & 1u << word);
			u8 gate = 9;
			int err = nst_mcu_gate_from_reg(&gate, (u16)caps,
							(u16)word);

			if (err != (exists ? 0 : -EPROTO) ||
			    gate != (exists ? word : 9))
				KUNIT_FAIL(test, "caps %x gate %u: %d", caps,
					   word, err);
		}
	}
}

/* ---------------------------------------------------- frames and faults */

static void frames(struct kunit *test)
{
	struct nst_mcu_frames frames;
	struct file file = {};

	set_long(&file, 0x30, 0x00010000);
	set_long(&file, 0x32, 33333);
	set_long(&file, 0x34, 0xfffffffe);
	KUNIT_ASSERT_EQ(test, nst_mcu_frames_from_regs(&frames,
						       file.reg + 0x30, 6), 0);
	KUNIT_EXPECT_EQ(test, frames.count, 0x10000u);
	KUNIT_EXPECT_EQ(test, frames.period_us, 33333u);
	KUNIT_EXPECT_EQ(test, frames.age_us, 0xfffffffeu);
	KUNIT_EXPECT_EQ(test, nst_mcu_frames_from_regs(&frames,
						       file.reg + 0x30, 5),
			-EPROTO);
	set_long(&file, 0x30, 1);
	KUNIT_EXPECT_EQ(test, nst_mcu_frames_from_regs(&frames,
						       file.reg + 0x30, 6),
			-EPROTO);
	set_long(&file, 0x32, 0);
	KUNIT_EXPECT_EQ(test, nst_mcu_frames_from_regs(&frames,
						       file.reg + 0x30, 6), 0);
}

static void faults(struct kunit *test)
{
	struct nst_mcu_fault fault;
	struct file file = {};

	file.reg[0x38] = NST_MCU_FAULT_GATE;
	file.reg[0x39] = 2;
	file.reg[0x3a] = 0x2606;
	KUNIT_ASSERT_EQ(test, nst_mcu_fault_from_regs(&fault, file.reg + 0x38,
						      3), 0);
	KUNIT_EXPECT_EQ(test, (int)fault.code, NST_MCU_FAULT_GATE);
	KUNIT_EXPECT_EQ(test, (int)fault.value, 2);
	KUNIT_EXPECT_EQ(test, (int)fault.refused_command,
			NST_MCU_REG_CEILING);
	KUNIT_EXPECT_EQ(test, (int)fault.refused_why,
			NST_MCU_LAST_ERROR_RANGE);
	KUNIT_EXPECT_EQ(test, nst_mcu_fault_from_regs(&fault, file.reg + 0x38,
						      2), -EPROTO);
}

/* ----------------------------------------------------------- constants */

static void sensor_constants(struct kunit *test)
{
	static const u32 bad_us[] = { 0, 1000001, 0xffffffff };
	struct nst_mcu_sensor sensor;
	struct file file = {};
	u16 *words = file.reg + 0x60;
	u32 i;

	file.reg[0x60] = 63;
	file.reg[0x61] = 120;
	file.reg[0x62] = NST_MCU_SENSOR_FLAGS_FLOOR;
	set_long(&file, 0x63, 1000000);
	set_long(&file, 0x65, 70000);
	KUNIT_ASSERT_EQ(test, nst_mcu_sensor_from_regs(&sensor, words, 7), 0);
	KUNIT_EXPECT_EQ(test, sensor.lsb_mc, 63u);
	KUNIT_EXPECT_EQ(test, sensor.noise_mc, 120u);
	KUNIT_EXPECT_TRUE(test, sensor.floor);
	KUNIT_EXPECT_EQ(test, sensor.sample_period_us, 1000000u);
	KUNIT_EXPECT_EQ(test, sensor.conversion_us, 70000u);
	KUNIT_EXPECT_EQ(test, nst_mcu_sensor_from_regs(&sensor, words, 6),
			-EPROTO);
	for (i = 0; i < ARRAY_SIZE(bad_us); i++) {
		set_long(&file, 0x63, bad_us[i]);
		KUNIT_EXPECT_EQ(test,
				nst_mcu_sensor_from_regs(&sensor, words, 7),
				-EPROTO);
	}
	set_long(&file, 0x63, 10000);
	set_long(&file, 0x65, 1000001);
	KUNIT_EXPECT_EQ(test, nst_mcu_sensor_from_regs(&sensor, words, 7),
			-EPROTO);
	/* flags of a newer version are its own */
	set_long(&file, 0x65, 0);
	file.reg[0x62] = 0xfffe;
	KUNIT_ASSERT_EQ(test, nst_mcu_sensor_from_regs(&sensor, words, 7), 0);
	KUNIT_EXPECT_FALSE(test, sensor.floor);
}

static void plant_constants(struct kunit *test)
{
	struct nst_mcu_plant plant;
	struct file file = {};
	u16 *words = file.reg + 0x68;

	set_long(&file, 0x68, 5500);
	set_long(&file, 0x6a, 28500);
	set_long(&file, 0x6c, 909);
	set_long(&file, 0x6e, 700000);
	file.reg[0x70] = (u16)(-20 * 128);
	KUNIT_ASSERT_EQ(test, nst_mcu_plant_from_regs(&plant, words, 9), 0);
	KUNIT_EXPECT_EQ(test, plant.params.r_jp_mk_per_w, 5500u);
	KUNIT_EXPECT_EQ(test, plant.params.r_pa_mk_per_w, 28500u);
	KUNIT_EXPECT_EQ(test, plant.params.c_j_uj_per_k, 909u);
	KUNIT_EXPECT_EQ(test, plant.params.c_p_uj_per_k, 700000u);
	KUNIT_EXPECT_EQ(test, plant.params.leak_ref_uw, 0u);
	KUNIT_EXPECT_EQ(test, plant.ambient_mc, -20000);
	file.reg[0x70] = 0x8000;
	KUNIT_EXPECT_EQ(test, nst_mcu_plant_from_regs(&plant, words, 9),
			-EPROTO);
	file.reg[0x70] = 0;
	set_long(&file, 0x6e, 909);
	KUNIT_EXPECT_EQ(test, nst_mcu_plant_from_regs(&plant, words, 9),
			-EPROTO);
}

static void gate_constants(struct kunit *test)
{
	u32 mw[NST_GATE_COUNT] = {}, in_us[NST_GATE_COUNT] = {};
	u32 out_us[NST_GATE_COUNT] = {};
	struct file file = {};
	u32 i;

	file.reg[0x71] = 2500;
	file.reg[0x72] = 100;
	file.reg[0x74] = 5;	/* no cleared */
	KUNIT_ASSERT_EQ(test, nst_mcu_powers_from_regs(mw, file.reg + 0x71, 4),
			0);
	KUNIT_EXPECT_EQ(test, mw[NST_GATE_RUN], 2500u);
	KUNIT_EXPECT_EQ(test, mw[NST_GATE_STANDBY], 100u);
	KUNIT_EXPECT_EQ(test, mw[NST_GATE_CLEARED], 0u);
	KUNIT_EXPECT_EQ(test, mw[NST_GATE_OFF], 5u);
	file.reg[0x74] = 101;
	KUNIT_EXPECT_EQ(test, nst_mcu_powers_from_regs(mw, file.reg + 0x71, 4),
			-EPROTO);
	file.reg[0x74] = 0;
	file.reg[0x71] = 50001;
	KUNIT_EXPECT_EQ(test, nst_mcu_powers_from_regs(mw, file.reg + 0x71, 4),
			-EPROTO);
	KUNIT_EXPECT_EQ(test, mw[NST_GATE_OFF], 5u);

	for (i = 0; i < 8; i++)
		set_long(&file, 0x78 + 2 * i, 100000 + i);
	KUNIT_ASSERT_EQ(test, nst_mcu_times_from_regs(in_us, out_us,
						      file.reg + 0x78, 16), 0);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, in_us[i], 100000 + i);
		KUNIT_EXPECT_EQ(test, out_us[i], 100004 + i);
	}
	set_long(&file, 0x86, 600000001);
	KUNIT_EXPECT_EQ(test, nst_mcu_times_from_regs(in_us, out_us,
						      file.reg + 0x78, 16),
			-EPROTO);
}

/* -------------------------------------------------- limits and captures */

/* @raw is @mc or the step of 1/128 degree below it, or what it came from. */
static bool strict(u16 word, s32 mc)
{
	s32 raw = (s16)word;

	return (raw * 125 <= mc * 16 && (raw + 1) * 125 > mc * 16) ||
	       nst_mcu_temp_to_mc((s16)raw) == mc;
}

static void limits_every_place(struct kunit *test)
{
	s32 low_mc;
	int gap;

	for (low_mc = -60000; low_mc < 100000; low_mc += 37) {
		for (gap = 1; gap < 40000; gap = gap * 3 + 1) {
			const struct nst_thresholds thr = {
				.low_mc = low_mc,
				.high_mc = low_mc + gap,
				.max_mc = low_mc + gap + gap / 7,
				.capture_mc = NST_TEMP_NONE_MC,
			};
			u16 words[3];
			s16 high, low, ceiling;

			nst_mcu_limits_to_regs(words, &thr);
			high = (s16)words[0];
			low = (s16)words[1];
			ceiling = (s16)words[2];
			if (low >= high || high > ceiling ||
			    !strict(words[0], thr.high_mc) ||
			    !strict(words[2], thr.max_mc) ||
			    (!strict(words[1], thr.low_mc) && low != high - 1))
				KUNIT_FAIL(test, "%d %d %d: %d %d %d",
					   thr.low_mc, thr.high_mc, thr.max_mc,
					   low, high, ceiling);
		}
	}
}

/* A limit that came from a register is that register again. */
static void limits_round_trip(struct kunit *test)
{
	s32 raw;

	for (raw = -7600; raw < 31900; raw++) {
		const struct nst_thresholds thr = {
			.low_mc = nst_mcu_temp_to_mc((s16)raw),
			.high_mc = nst_mcu_temp_to_mc((s16)(raw + 1)),
			.max_mc = nst_mcu_temp_to_mc((s16)(raw + 2)),
		};
		u16 words[3];

		nst_mcu_limits_to_regs(words, &thr);
		if ((s16)words[1] != raw || (s16)words[0] != raw + 1 ||
		    (s16)words[2] != raw + 2)
			KUNIT_FAIL(test, "%d: %d %d %d", raw, (s16)words[1],
				   (s16)words[0], (s16)words[2]);
	}
}

static void capture_request(struct kunit *test)
{
	const struct nst_mcu_request good = { -12500, 0x12345, 1000 };
	struct nst_mcu_request bad;
	u16 words[4] = { 1, 2, 3, 4 };

	KUNIT_ASSERT_EQ(test, nst_mcu_request_to_regs(words, &good), 0);
	KUNIT_EXPECT_EQ(test, (int)(s16)words[0], -1600);
	KUNIT_EXPECT_EQ(test, (int)words[1], 1);
	KUNIT_EXPECT_EQ(test, (int)words[2], 0x2345);
	KUNIT_EXPECT_EQ(test, (int)words[3], 1000);
	bad = good;
	bad.deadline_us = 0;
	KUNIT_EXPECT_EQ(test, nst_mcu_request_to_regs(words, &bad), -ERANGE);
	bad.deadline_us = 3600000001u;
	KUNIT_EXPECT_EQ(test, nst_mcu_request_to_regs(words, &bad), -ERANGE);
	bad = good;
	bad.frames = 1001;
	KUNIT_EXPECT_EQ(test, nst_mcu_request_to_regs(words, &bad), -ERANGE);
	bad = good;
	bad.temp_mc = 250001;
	KUNIT_EXPECT_EQ(test, nst_mcu_request_to_regs(words, &bad), -ERANGE);
	KUNIT_EXPECT_EQ(test, (int)words[3], 1000);
}

static void capture_result(struct kunit *test)
{
	struct nst_mcu_result result;
	struct file file = {};
	u32 state;

	set_long(&file, 0x2e, 0x1fffe);
	for (state = 0; state <= 0xffff; state++) {
		file.reg[0x2c] = (u16)state;
		file.reg[0x2d] = state % 2 ? 0x8000 : 3200;
		if (nst_mcu_result_from_regs(&result, file.reg + 0x2c, 4) !=
		    (state <= 5 ? 0 : -EPROTO))
			KUNIT_FAIL(test, "state %u", state);
		if (state > 5)
			continue;
		KUNIT_EXPECT_EQ(test, (u32)result.state, state);
		KUNIT_EXPECT_EQ(test, result.frame, 0x1fffeu);
		KUNIT_EXPECT_EQ(test, (u32)result.reached, (state + 1) % 2);
		KUNIT_EXPECT_EQ(test, result.reached_mc,
				result.reached ? 25000 : 0);
	}
}

/* --------------------------------------------------------------- table */

#define ROW(name, address, access, kind) \
	{ #name, (address), NST_MCU_ACCESS_##access },

static const struct row {
	const char *name;
	u32 address;
	enum nst_mcu_access access;
} rows[] = {
	NST_MCU_REGISTERS(ROW)
};

#define BLOCK(name, command, first, words, least, access) \
	{ #name, (command), (first), (words), (least), \
	  NST_MCU_ACCESS_##access },

static const struct block {
	const char *name;
	u32 command;
	u32 first;
	u32 words;
	u32 least;
	enum nst_mcu_access access;
} blocks[] = {
	NST_MCU_BLOCKS(BLOCK)
};

static void access_every_register(struct kunit *test)
{
	u32 reg, i;

	for (reg = 0; reg <= 0x1ff; reg++) {
		enum nst_mcu_access want = NST_MCU_ACCESS_NONE;

		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			if (rows[i].address == reg)
				want = rows[i].access;
		}
		KUNIT_EXPECT_EQ(test, (int)nst_mcu_access(reg), (int)want);
	}
}

static bool can_be_written(u32 reg)
{
	return nst_mcu_access(reg) == NST_MCU_ACCESS_RW ||
	       nst_mcu_access(reg) == NST_MCU_ACCESS_BW;
}

/* Blocks are of registers that are there, fit the wire, and overlap none. */
static void blocks_are_of_registers(struct kunit *test)
{
	u8 covered[0x100] = {};
	u32 i, r;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		const struct block *b = &blocks[i];

		KUNIT_EXPECT_EQ(test, b->command, NST_MCU_BLOCKS_BEGIN + i);
		KUNIT_EXPECT_LE(test, 2 * b->words, (u32)NST_MCU_BLOCK_MAX);
		KUNIT_EXPECT_LE(test, b->least, b->words);
		for (r = b->first; r < b->first + b->words; r++) {
			enum nst_mcu_access access = nst_mcu_access(r);

			KUNIT_EXPECT_NE(test, (int)access,
					(int)NST_MCU_ACCESS_NONE);
			KUNIT_EXPECT_EQ(test, (int)covered[r], 0);
			covered[r] = 1;
			/* what a block writes can be written */
			if (b->access == NST_MCU_ACCESS_RW)
				KUNIT_EXPECT_TRUE(test, can_be_written(r));
		}
	}
	/* what only a block can write is in one, both halves with it */
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].access == NST_MCU_ACCESS_BW)
			KUNIT_EXPECT_EQ(test, (int)covered[rows[i].address],
					1);
	}
}

static struct kunit_case mcu_regs_cases[] = {
	KUNIT_CASE(temp_every_code),
	KUNIT_CASE(temp_saturates),
	KUNIT_CASE(wire_both_ways),
	KUNIT_CASE(wire_pec),
	KUNIT_CASE(identity),
	KUNIT_CASE(identity_refused),
	KUNIT_CASE(sample_values),
	KUNIT_CASE(sample_channel_codes),
	KUNIT_CASE(sample_bus_faults),
	KUNIT_CASE(sample_out_of_range),
	KUNIT_CASE(gate_needs_its_bit),
	KUNIT_CASE(frames),
	KUNIT_CASE(faults),
	KUNIT_CASE(sensor_constants),
	KUNIT_CASE(plant_constants),
	KUNIT_CASE(gate_constants),
	KUNIT_CASE(limits_every_place),
	KUNIT_CASE(limits_round_trip),
	KUNIT_CASE(capture_request),
	KUNIT_CASE(capture_result),
	KUNIT_CASE(access_every_register),
	KUNIT_CASE(blocks_are_of_registers),
	{}
};

static struct kunit_suite mcu_regs_suite = {
	.name = "nst-mcu-regs",
	.test_cases = mcu_regs_cases,
};

kunit_test_suite(mcu_regs_suite);

MODULE_DESCRIPTION("register map of the management MCU");
MODULE_LICENSE("GPL");
