// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcu_wire_kunit.c - what the firmware sends, as the driver understands it
 *
 * The firmware's own application serves the registers, byte by byte as on a
 * bus; the host's side of the bus is played here, PEC included. What comes is
 * decoded by the driver's functions and compared with what the application
 * was configured with.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "app.h"
#include "nst-mcu-regs.h"

/* One stack: what its hardware says. */
struct bench {
	struct nst_app app;
	struct nst_app_config config;
	struct nst_app_hal hal;
	s32 temp_mc[4];
	int temp_err[4];
	u8 temp_bound[4];
	u32 power_mw;
	u32 gate;
	u64 now_us;
};

static int bench_read_temp(void *ctx, u32 ch, struct nst_sample *ret)
{
	struct bench *bench = ctx;

	if (bench->temp_err[ch])
		return bench->temp_err[ch];
	ret->value_mc = bench->temp_mc[ch];
	ret->bound = bench->temp_bound[ch];
	return 0;
}

static int bench_read_power(void *ctx, u32 *ret_mw)
{
	struct bench *bench = ctx;

	*ret_mw = bench->power_mw;
	return 0;
}

static int bench_set_gate(void *ctx, u32 gate)
{
	struct bench *bench = ctx;

	bench->gate = gate;
	return 0;
}

static int bench_get_gate(void *ctx, u32 *ret_gate)
{
	struct bench *bench = ctx;

	*ret_gate = bench->gate;
	return 0;
}

static void run_ms(struct bench *bench, u32 ms)
{
	while (ms--) {
		bench->now_us += 1000;
		nst_app_tick(&bench->app, bench->now_us);
	}
}

static struct bench *bench_new(struct kunit *test)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bench);
	bench->hal.read_temp = bench_read_temp;
	bench->hal.read_power = bench_read_power;
	bench->hal.set_gate = bench_set_gate;
	bench->hal.get_gate = bench_get_gate;
	bench->config.model = "wire-test";
	bench->config.serial = 0x123456789abcdef0ull;
	bench->config.caps = NST_MCU_CAPS_PEC | NST_MCU_CAPS_STANDBY |
			     NST_MCU_CAPS_CLEARED | NST_MCU_CAPS_OFF |
			     NST_MCU_CAPS_POWER | NST_MCU_CAPS_FRAMES |
			     NST_MCU_CAPS_CAPTURE | NST_MCU_CAPS_ALERT;
	bench->config.address = NST_MCU_ADDRESS;
	bench->config.channels = 4;
	bench->config.params = nst_plant_reference;
	bench->config.ambient_mc = -12500;
	bench->config.sensor = nst_observer_default;
	bench->config.sensor.lsb_mc = 63;
	bench->config.sensor.noise_mc = 100;
	bench->config.sensor.floor = true;
	bench->config.spike_mc = 20000;
	bench->config.sample_period_us = 5000;
	bench->config.conversion_us = 70000;
	bench->config.rated_max_mc = 105000;
	bench->config.high_mc = 80000;
	bench->config.low_mc = 60000;
	bench->config.ceiling_mc = 100000;
	for (i = 0; i < NST_GATE_COUNT; i++) {
		bench->config.gate_power_mw[i] = 2500 - 800 * i;
		bench->config.gate_enter_us[i] = 70000 + i;
		bench->config.gate_exit_us[i] = 80000 + i;
		bench->temp_mc[i] = -11000 + (s32)i * 500;
	}
	bench->config.watchdog_ms = 1000;
	bench->power_mw = 321;
	bench->now_us = 1000000;
	KUNIT_ASSERT_EQ(test, nst_app_init(&bench->app, &bench->config,
					   &bench->hal, bench,
					   bench->now_us), 0);
	run_ms(bench, 100);
	return bench;
}

/* --------------------------------------------------- the host on the bus */

#define ADDR_W	(NST_MCU_ADDRESS << 1)
#define ADDR_R	(ADDR_W | 1)

static u8 pec_step(u8 crc, u8 byte)
{
	return nst_mcu_pec(crc, byte);
}

/* Return: bytes of data, PEC checked; 0 when it was not served. */
static u32 bus_read(struct bench *bench, u8 command, u8 *ret, bool block)
{
	struct nst_app *app = &bench->app;
	u8 crc = pec_step(pec_step(pec_step(0, ADDR_W), command), ADDR_R);
	u32 len = 2, i;

	if (!nst_app_bus_start(app, false, bench->now_us) ||
	    !nst_app_bus_write(app, command) ||
	    !nst_app_bus_start(app, true, bench->now_us)) {
		nst_app_bus_stop(app);
		return 0;
	}
	if (block) {
		len = nst_app_bus_read(app);
		crc = pec_step(crc, (u8)len);
		if (len > NST_MCU_BLOCK_MAX)
			len = 0;
	}
	for (i = 0; i < len; i++) {
		ret[i] = nst_app_bus_read(app);
		crc = pec_step(crc, ret[i]);
	}
	if (nst_app_bus_read(app) != crc)
		len = 0;
	nst_app_bus_stop(app);
	return len;
}

static bool bus_write(struct bench *bench, u8 command, const u8 *bytes,
		      u32 len, bool block)
{
	struct nst_app *app = &bench->app;
	u8 crc = pec_step(pec_step(0, ADDR_W), command);
	bool ack;
	u32 i;

	ack = nst_app_bus_start(app, false, bench->now_us) &&
	      nst_app_bus_write(app, command);
	if (block) {
		ack = ack && nst_app_bus_write(app, (u8)len);
		crc = pec_step(crc, (u8)len);
	}
	for (i = 0; i < len; i++) {
		ack = ack && nst_app_bus_write(app, bytes[i]);
		crc = pec_step(crc, bytes[i]);
	}
	ack = ack && nst_app_bus_write(app, crc);
	nst_app_bus_stop(app);
	return ack;
}

static u32 block_get(struct kunit *test, struct bench *bench, u8 command,
		     u16 words[NST_MCU_BLOCK_WORDS])
{
	u8 bytes[NST_MCU_BLOCK_MAX];
	u32 len = bus_read(bench, command, bytes, true);
	int count;

	KUNIT_ASSERT_NE(test, len, 0u);
	count = nst_mcu_words_from_wire(words, bytes, len);
	KUNIT_ASSERT_GT(test, count, 0);
	return (u32)count;
}

static u16 word_get(struct kunit *test, struct bench *bench, u8 reg)
{
	u8 bytes[2];
	u16 word = 0;

	KUNIT_ASSERT_EQ(test, bus_read(bench, reg, bytes, false), 2u);
	KUNIT_ASSERT_EQ(test, nst_mcu_words_from_wire(&word, bytes, 2), 1);
	return word;
}

static bool word_put(struct bench *bench, u8 reg, u16 word)
{
	u8 bytes[2];

	nst_mcu_words_to_wire(bytes, &word, 1);
	return bus_write(bench, reg, bytes, 2, false);
}

/* --------------------------------------------------------------- tests */

static void identity_as_configured(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	struct nst_mcu_identity id;
	u16 words[NST_MCU_BLOCK_WORDS];
	u32 count = block_get(test, bench, NST_MCU_BLK_IDENTITY, words);

	KUNIT_ASSERT_EQ(test, nst_mcu_identity_from_regs(&id, words, count),
			0);
	KUNIT_EXPECT_EQ(test, (int)id.major, NST_MCU_VERSION_MAJOR);
	KUNIT_EXPECT_EQ(test, (int)id.minor, NST_MCU_VERSION_MINOR);
	KUNIT_EXPECT_EQ(test, (u32)id.caps, bench->config.caps);
	KUNIT_EXPECT_EQ(test, id.channels, 4u);
	KUNIT_EXPECT_EQ(test, id.serial, bench->config.serial);
	KUNIT_EXPECT_STREQ(test, id.model, "wire-test");
}

static void constants_as_configured(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	u32 mw[NST_GATE_COUNT], in_us[NST_GATE_COUNT], out_us[NST_GATE_COUNT];
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_sensor sensor;
	struct nst_mcu_plant plant;
	u32 count, i;

	count = block_get(test, bench, NST_MCU_BLK_SENSOR, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_sensor_from_regs(&sensor, words, count),
			0);
	KUNIT_EXPECT_EQ(test, sensor.lsb_mc, 63u);
	KUNIT_EXPECT_EQ(test, sensor.noise_mc, 100u);
	KUNIT_EXPECT_TRUE(test, sensor.floor);
	KUNIT_EXPECT_EQ(test, sensor.sample_period_us, 5000u);
	KUNIT_EXPECT_EQ(test, sensor.conversion_us, 70000u);

	count = block_get(test, bench, NST_MCU_BLK_PLANT, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_plant_from_regs(&plant, words, count),
			0);
	KUNIT_EXPECT_EQ(test, plant.params.r_jp_mk_per_w,
			nst_plant_reference.r_jp_mk_per_w);
	KUNIT_EXPECT_EQ(test, plant.params.r_pa_mk_per_w,
			nst_plant_reference.r_pa_mk_per_w);
	KUNIT_EXPECT_EQ(test, plant.params.c_j_uj_per_k,
			nst_plant_reference.c_j_uj_per_k);
	KUNIT_EXPECT_EQ(test, plant.params.c_p_uj_per_k,
			nst_plant_reference.c_p_uj_per_k);
	KUNIT_EXPECT_EQ(test, plant.ambient_mc, -12500);

	count = block_get(test, bench, NST_MCU_BLK_POWERS, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_powers_from_regs(mw, words, count), 0);
	count = block_get(test, bench, NST_MCU_BLK_GATE_TIMES, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_times_from_regs(in_us, out_us, words,
						      count), 0);
	for (i = 0; i < NST_GATE_COUNT; i++) {
		KUNIT_EXPECT_EQ(test, mw[i], bench->config.gate_power_mw[i]);
		KUNIT_EXPECT_EQ(test, in_us[i], 70000 + i);
		KUNIT_EXPECT_EQ(test, out_us[i], 80000 + i);
	}
}

static void sample_get(struct kunit *test, struct bench *bench,
		       struct nst_mcu_sample *ret)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	u32 count = block_get(test, bench, NST_MCU_BLK_SAMPLE, words);

	KUNIT_ASSERT_EQ(test,
			nst_mcu_sample_from_regs(ret, 4,
						 (u16)bench->config.caps,
						 words, count), 0);
}

/* Within half a step of the register. */
static void sample_as_measured(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	struct nst_mcu_sample sample, later;
	u32 ch;

	sample_get(test, bench, &sample);
	for (ch = 0; ch < 4; ch++) {
		KUNIT_EXPECT_EQ(test, (int)sample.channel[ch].state,
				(int)NST_SAMPLE_VALID);
		KUNIT_EXPECT_LE(test, sample.channel[ch].value_mc,
				bench->temp_mc[ch] + 4);
		KUNIT_EXPECT_GE(test, sample.channel[ch].value_mc,
				bench->temp_mc[ch] - 4);
	}
	KUNIT_EXPECT_EQ(test, sample.power_mw, 321u);
	KUNIT_EXPECT_EQ(test, (u32)sample.gate, bench->gate);
	KUNIT_EXPECT_LT(test, sample.age_us, 5000u);

	/* The same sample again, and older; then another. */
	bench->now_us += 300;
	sample_get(test, bench, &later);
	KUNIT_EXPECT_EQ(test, later.seq, sample.seq);
	KUNIT_EXPECT_EQ(test, later.age_us, sample.age_us + 300);
	run_ms(bench, 5);
	sample_get(test, bench, &later);
	KUNIT_EXPECT_EQ(test, (int)(u16)(later.seq - sample.seq), 1);
}

static void states_as_met(struct kunit *test)
{
	static const struct {
		int err;
		int state;
	} errors[] = {
		{ -EAGAIN, NST_SAMPLE_NOT_READY },
		{ -EIO, NST_SAMPLE_BUS_FAULT },
		{ -ENODEV, NST_SAMPLE_GONE },
	};
	struct bench *bench = bench_new(test);
	struct nst_mcu_sample sample;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		bench->temp_err[2] = errors[i].err;
		run_ms(bench, 10);
		sample_get(test, bench, &sample);
		KUNIT_EXPECT_EQ(test, (int)sample.channel[2].state,
				errors[i].state);
		KUNIT_EXPECT_EQ(test, (int)sample.channel[1].state,
				(int)NST_SAMPLE_VALID);
	}
	bench->temp_bound[3] = NST_BOUND_AT_LEAST;
	run_ms(bench, 10);
	sample_get(test, bench, &sample);
	KUNIT_EXPECT_EQ(test, (int)sample.channel[3].state,
			(int)NST_SAMPLE_VALID);
	KUNIT_EXPECT_EQ(test, (int)sample.channel[3].bound,
			(int)NST_BOUND_AT_LEAST);
}

/* The gate asked for is the one that is told and the one that is there. */
static void gate_both_ways(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	struct nst_mcu_sample sample;
	u32 gate;
	u16 word;
	u8 got;

	KUNIT_ASSERT_TRUE(test, word_put(bench, NST_MCU_REG_DWELL_MS, 0));
	for (gate = 0; gate < NST_GATE_COUNT; gate++) {
		KUNIT_ASSERT_TRUE(test, word_put(bench,
						 NST_MCU_REG_GATE_REQUEST,
						 (u16)gate));
		run_ms(bench, 1);
		KUNIT_EXPECT_EQ(test, bench->gate, gate);
		word = word_get(test, bench, NST_MCU_REG_GATE_ACTUAL);
		KUNIT_ASSERT_EQ(test,
				nst_mcu_gate_from_reg(&got,
						      (u16)bench->config.caps,
						      word), 0);
		KUNIT_EXPECT_EQ(test, (u32)got, gate);
		sample_get(test, bench, &sample);
		KUNIT_EXPECT_EQ(test, (u32)sample.gate, gate);
		KUNIT_EXPECT_NE(test, sample.state & NST_MCU_STATE_HOST, 0);
	}
	KUNIT_EXPECT_FALSE(test, word_put(bench, NST_MCU_REG_GATE_REQUEST, 4));
}

/* Whatever thresholds the core allows the MCU takes, as they were meant. */
static void limits_are_taken(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	u16 words[NST_MCU_BLK_LIMITS_WORDS], back[NST_MCU_BLOCK_WORDS];
	struct nst_thresholds thr;
	u8 bytes[NST_MCU_BLOCK_MAX];
	s32 low_mc;

	for (low_mc = -59000; low_mc < 104000; low_mc += 777) {
		thr.low_mc = low_mc;
		thr.high_mc = low_mc + 1;
		thr.max_mc = 105000;
		nst_mcu_limits_to_regs(words, &thr);
		nst_mcu_words_to_wire(bytes, words, 3);
		KUNIT_ASSERT_TRUE(test, bus_write(bench, NST_MCU_BLK_LIMITS,
						  bytes, 6, true));
		KUNIT_ASSERT_EQ(test, block_get(test, bench,
						NST_MCU_BLK_LIMITS, back), 3u);
		KUNIT_EXPECT_EQ(test, back[0], words[0]);
		KUNIT_EXPECT_EQ(test, back[1], words[1]);
		KUNIT_EXPECT_EQ(test, back[2], words[2]);
	}
	/* more than the part is rated for */
	thr.max_mc = 106000;
	nst_mcu_limits_to_regs(words, &thr);
	nst_mcu_words_to_wire(bytes, words, 3);
	KUNIT_EXPECT_FALSE(test, bus_write(bench, NST_MCU_BLK_LIMITS, bytes,
					   6, true));
}

/* High half first: the low half is of that moment, however late it is read. */
static void pairs_are_latched(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_frames frames;
	u32 count, i;
	u16 pair[2];

	for (i = 0; i < 0x1ffff; i++) {
		bench->now_us += 1000;
		nst_app_frame(&bench->app, bench->now_us);
	}
	pair[0] = word_get(test, bench, NST_MCU_REG_FRAME_COUNT_HI);
	for (i = 0; i < 3; i++) {
		bench->now_us += 1000;
		nst_app_frame(&bench->app, bench->now_us);
	}
	/* the counter has passed 0x20000, the low half alone would be 2 */
	pair[1] = word_get(test, bench, NST_MCU_REG_FRAME_COUNT_LO);
	KUNIT_EXPECT_EQ(test, nst_mcu_u32(pair), 0x1ffffu);

	count = block_get(test, bench, NST_MCU_BLK_FRAME, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_frames_from_regs(&frames, words, count),
			0);
	KUNIT_EXPECT_EQ(test, frames.count, 0x20002u);
	KUNIT_EXPECT_EQ(test, frames.period_us, 1000u);
	KUNIT_EXPECT_EQ(test, frames.age_us, 0u);
}

static void refusals_are_told(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_fault fault;
	u32 count;

	KUNIT_EXPECT_FALSE(test, word_put(bench, NST_MCU_REG_WATCHDOG_MS, 9));
	count = block_get(test, bench, NST_MCU_BLK_FAULTS, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_fault_from_regs(&fault, words, count),
			0);
	KUNIT_EXPECT_EQ(test, (int)fault.refused_command,
			NST_MCU_REG_WATCHDOG_MS);
	KUNIT_EXPECT_EQ(test, (int)fault.refused_why,
			NST_MCU_LAST_ERROR_RANGE);
}

static void capture_both_ways(struct kunit *test)
{
	struct bench *bench = bench_new(test);
	const struct nst_mcu_request request = {
		.temp_mc = -30000,
		.deadline_us = 200000,
		.frames = 2,
	};
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_result result;
	u8 bytes[NST_MCU_BLOCK_MAX];
	u32 count, i;

	for (i = 0; i < 3; i++) {
		run_ms(bench, 33);
		nst_app_frame(&bench->app, bench->now_us);
	}
	KUNIT_ASSERT_EQ(test, nst_mcu_request_to_regs(words, &request), 0);
	nst_mcu_words_to_wire(bytes, words, 4);
	KUNIT_ASSERT_TRUE(test, bus_write(bench, NST_MCU_BLK_CAPTURE, bytes,
					  8, true));
	count = block_get(test, bench, NST_MCU_BLK_CAPTURE_RESULT, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_result_from_regs(&result, words, count),
			0);
	KUNIT_EXPECT_EQ(test, (int)result.state,
			NST_MCU_CAPTURE_STATE_COOLING);
	/* Colder than it can get: missed, and at what temperature is told. */
	for (i = 0; i < 10; i++) {
		run_ms(bench, 33);
		nst_app_frame(&bench->app, bench->now_us);
	}
	count = block_get(test, bench, NST_MCU_BLK_CAPTURE_RESULT, words);
	KUNIT_ASSERT_EQ(test, nst_mcu_result_from_regs(&result, words, count),
			0);
	KUNIT_EXPECT_EQ(test, (int)result.state, NST_MCU_CAPTURE_STATE_MISSED);
	KUNIT_EXPECT_TRUE(test, result.reached);
	KUNIT_EXPECT_GT(test, result.reached_mc, -30000);
}

static struct kunit_case mcu_wire_cases[] = {
	KUNIT_CASE(identity_as_configured),
	KUNIT_CASE(constants_as_configured),
	KUNIT_CASE(sample_as_measured),
	KUNIT_CASE(states_as_met),
	KUNIT_CASE(gate_both_ways),
	KUNIT_CASE(limits_are_taken),
	KUNIT_CASE(pairs_are_latched),
	KUNIT_CASE(refusals_are_told),
	KUNIT_CASE(capture_both_ways),
	{}
};

static struct kunit_suite mcu_wire_suite = {
	.name = "nst-mcu-wire",
	.test_cases = mcu_wire_cases,
};

kunit_test_suite(mcu_wire_suite);

MODULE_DESCRIPTION("firmware and driver on one emulated bus");
MODULE_LICENSE("GPL");
