// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_forecast.c - the daemon asked in advance, on emulated stacks
 *
 * Sensor a migrates, b stops. Whether answers are right is for test_ask.c;
 * here it is what the daemon makes of its model, and that it is told.
 */
#include <math.h>

#include "nstd_loop.h"
#include "nstd/forecast.h"
#include "../core/rng.h"

static struct nst_forecast ask_gov(unsigned int sensor, s32 temp_mc, u32 in_us,
				   u32 count)
{
	const struct nst_governor *g = &m.sensor[sensor].gov;
	const struct nst_forecast_query query = {
		.temp_mc = temp_mc, .in_us = in_us, .frames = count,
	};
	struct nst_forecast f;

	EXPECT(!nst_forecast(g, &query, g->state.now_us, &f), " ");
	return f;
}

static void nothing_to_go_by(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	nst_gov_restart(&m.sensor[0].gov);
	fd = client();
	m.sensor[0].gov.obs.healthy = false;
	o = ask(fd, "{\"req\":\"capture.ask\",\"sensor\":\"a\","
		    "\"temp_mc\":70000,\"in_ms\":500}");
	EXPECT(!strcmp(text_at(o, "ok/answer"), "uncertain") &&
	       !strcmp(text_at(o, "ok/bound"), "sensor"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	close(fd);
	end();
}

/* Warm: b at its threshold, frame by frame; a in its near season. */
static void warm_up(void)
{
	begin(PROFILE);
	frames(258);
	EXPECT(m.sensor[0].gov.placement == NST_NEAR, " ");
}

static void what_it_costs(void)
{
	const struct nst_governor *g;
	struct nst_forecast f;

	warm_up();
	g = &m.sensor[0].gov;
	f = ask_gov(0, 50000, 500000, 2);
	f = ask_gov(0, f.reached_mc + (s32)f.margin_mc + 50, 500000, 2);
	EXPECT(f.answer.verdict == NST_ASK_YES && f.answer.gate, "%s", f.why);
	EXPECT(f.answer.lost_frames == 0, "%u", f.answer.lost_frames);
	/* 3900 mW instead of 2500, there and back */
	EXPECT(f.answer.cost_uj == (s64)f.answer.gated_frames *
	       g->state.frame_period_us * 1400 / 1000 + 2 * g->pc.switch_uj,
	       "%lld", (long long)f.answer.cost_uj);
	EXPECT(f.gate_in_us < f.exposure_in_us, "%u %u", f.gate_in_us,
	       f.exposure_in_us);

	f = ask_gov(1, 50000, 500000, 2);
	f = ask_gov(1, f.reached_mc + (s32)f.margin_mc + 50, 500000, 2);
	EXPECT(f.answer.verdict == NST_ASK_YES && f.answer.gate, "%s", f.why);
	EXPECT(f.answer.lost_frames == f.answer.gated_frames &&
	       f.answer.gated_frames >= 3, "%u", f.answer.lost_frames);
	/* 100 mW instead of 2500 */
	EXPECT(f.answer.cost_uj == -(s64)f.answer.gated_frames *
	       g->state.frame_period_us * 2400 / 1000, "%lld",
	       (long long)f.answer.cost_uj);
	end();
}

/* At what is reached nobody can say; a little further there is no doubt. */
static void who_decides(void)
{
	struct nst_forecast f, g;

	warm_up();
	f = ask_gov(1, 60000, 500000, 1);
	EXPECT(f.reached_mc > 50000 && f.reached_mc < 75000, "%d",
	       f.reached_mc);
	m.sensor[1].gov.obs.uncertainty_mc = 400;
	g = ask_gov(1, f.reached_mc, 500000, 1);
	EXPECT(g.answer.verdict == NST_ASK_UNCERTAIN &&
	       g.answer.bound == NST_ASK_BY_STATE, "%u %s", g.answer.bound,
	       g.why);
	EXPECT(g.margin_mc >= 400 && g.margin_mc < 800, "%u", g.margin_mc);
	EXPECT(g.answer.gate && g.gate_in_us < 67000, "%u", g.gate_in_us);
	g = ask_gov(1, f.reached_mc + 1000, 500000, 1);
	EXPECT(g.answer.verdict == NST_ASK_YES, "%s", g.why);
	g = ask_gov(1, f.reached_mc - 1000, 500000, 1);
	EXPECT(g.answer.verdict == NST_ASK_NO, "%s", g.why);
	end();
}

#define UNSURE "version: 1\nsensors:\n"                                   \
	"  - name: a\n    device: plant-a\n" CAMERA_YAML                   \
	"    thermal: { preset: stacked-reference, tolerance_percent: 20 }\n" \
	"    power: { preset: neurostream, capture_mw: 100 }\n"            \
	"    light: { preset: dim }\n" SENSOR_YAML("b", "")                \
	"tasks:\n" TASK_A TASK_B

/* Random questions, and how many of them nobody can answer. */
static unsigned int uncertain_of(unsigned int count)
{
	unsigned int uncertain = 0;
	uint64_t seed = 3;

	for (unsigned int i = 0; i < count; i++) {
		double share = (double)(rng_next(&seed) >> 11) * 0x1p-53;
		u32 in_us = (u32)(1000 * pow(60000, share));
		s32 temp_mc = (s32)rng_between(&seed, 35000, 105000);
		u32 many = rng_between(&seed, 1, 10);

		uncertain += ask_gov(0, temp_mc, in_us, many).answer.verdict ==
			     NST_ASK_UNCERTAIN;
	}
	return uncertain;
}

/* What is open of where the stack tends to counts, and is learned. */
static void what_is_identified(void)
{
	u32 open_mc, known_mc;

	begin(UNSURE);
	frames(60);
	open_mc = ask_gov(0, 60000, 10000000, 1).margin_mc;
	EXPECT(m.sensor[0].gov.identifies, " ");
	/* At once it matters less than in ten seconds. */
	EXPECT(ask_gov(0, 60000, 200000, 1).margin_mc < open_mc / 2, "%u of %u",
	       ask_gov(0, 60000, 200000, 1).margin_mc, open_mc);
	frames(3000);
	known_mc = ask_gov(0, 60000, 10000000, 1).margin_mc;
	printf("# margin at 10 s: %u mC after 60 frames, %u after 3060\n",
	       open_mc, known_mc);
	EXPECT(known_mc < open_mc / 4, " ");
	printf("# %u of 2000 random questions are uncertain then\n",
	       uncertain_of(2000));
	EXPECT(uncertain_of(2000) <= 40, "2 %%");
	EXPECT(known_mc > ask_gov(1, 60000, 10000000, 1).margin_mc / 2, " ");
	end();
}

static void limits_of_a_question(void)
{
	const struct nst_forecast_query bad[] = {
		{ 70000, NST_FORECAST_MAX_MS * 1000 + 1, 1 },
		{ 70000, 1000, 0 },
		{ 70000, 1000, NST_FORECAST_FRAMES_MAX + 1 },
	};
	struct nst_forecast f;

	warm_up();
	for (unsigned int i = 0; i < KTAP_COUNT(bad); i++)
		EXPECT(nst_forecast(&m.sensor[0].gov, &bad[i], 0, &f) ==
		       -ERANGE, "%u", i);
	f = ask_gov(0, 70000, 0, 1);
	EXPECT(f.answer.verdict == NST_ASK_NO && f.exposure_in_us > 0, "%s",
	       f.why);
	f = ask_gov(0, NST_TEMP_NONE_MC, 100000, 1);
	EXPECT(f.answer.verdict == NST_ASK_YES && !f.answer.gate, "%s",
	       f.why);
	f = ask_gov(0, NST_TEMP_MIN_MC, 60000000, 100);
	EXPECT(f.answer.verdict == NST_ASK_NO, "%s", f.why);
	f = ask_gov(0, NST_TEMP_MAX_MC, 60000000, 100);
	EXPECT(f.answer.verdict == NST_ASK_YES && !f.answer.gate, "%s",
	       f.why);
	end();
}

static const struct ktap_test tests[] = {
	{ "without a temperature it is uncertain", nothing_to_go_by },
	{ "the cost of going far, and of a stop", what_it_costs },
	{ "the bound that decides has a name", who_decides },
	{ "what is identified is known better", what_is_identified },
	{ "limits of a question", limits_of_a_question },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
