// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_frame.c - what one frame of a simulation costs in the core
 *
 * A policy decides, the exposure temperature is looked up, the plant makes
 * its step. CPU time of one core, the best of five runs: other work on the
 * machine only adds. A figure, not a test: it fails only if the loop did not
 * do what it is meant to do.
 */
#include <time.h>

#include "ktap.h"
#include "loop.h"

#define FRAMES 2000000
#define RUNS 5

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Return: ns a frame; the sum keeps the work from being left out. */
static double run(struct loop *loop, const struct nst_exposure_map *map,
		  s64 *ret_sum)
{
	const struct nst_policy_config *config = &loop->config;
	struct nst_policy_inputs in = {
		.model = &loop->plant,
		.ambient_mc = loop->ambient_mc,
		.sensor_ok = true,
	};
	double began = cpu_ns();
	s64 sum = 0;
	u32 n;

	loop->near = 0;
	for (n = 0; n < FRAMES; n++) {
		u32 mw;

		in.frame_seq = n;
		in.t_us += config->frame_period_us;
		loop->ops->decide(config, &loop->state, &in, &loop->out);
		mw = config->gated_mw;
		if (loop->out.gate == NST_GATE_RUN) {
			mw = config->near_mw;
			loop->near++;
		}
		sum += nst_exposure_map_mc(map, &loop->plant, mw,
					   loop->ambient_mc);
		nst_plant_step(&loop->plant, mw, loop->ambient_mc,
			       config->frame_period_us);
	}
	*ret_sum = sum;
	return (cpu_ns() - began) / FRAMES;
}

int main(void)
{
	static const char *const policies[] = {
		"stop-capture-go", "seasonal-migration",
		"predictive", "predictive-stop",
	};
	static struct nst_exposure_map map;
	struct ktap ktap = { 0 };
	size_t p;
	int i;

	for (p = 0; p < 4; p++) {
		struct loop loop;
		double best = 1e9;
		s64 sum = 0;

		if (loop_init(&loop, policies[p], 2500, NST_TEMP_NONE_MC,
			      74000) ||
		    nst_exposure_map_init(&map, &loop.config.params,
					  loop.config.exposure_us,
					  loop.config.readout_us,
					  loop.config.doubling_mc)) {
			ktap_ok(&ktap, false, "bench.%s", policies[p]);
			continue;
		}
		loop_run(&loop, 9000);
		for (i = 0; i < RUNS; i++) {
			double ns = run(&loop, &map, &sum);

			if (ns < best)
				best = ns;
		}
		ktap_ok(&ktap, sum / FRAMES > 60000 && sum / FRAMES < 90000 &&
			loop.near > FRAMES / 2,
			"bench.%s # %.1f ns a frame, %.1f million frames a second",
			policies[p], best, 1e3 / best);
	}
	return ktap_end(&ktap);
}
