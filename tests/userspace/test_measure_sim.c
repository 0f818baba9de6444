// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_measure_sim.c - emulator, measurement and model say the same
 *
 * Pictures of nst-sim (its rendering files as they are) at known temperatures
 * are measured as those of a camera are; what comes out is held against the
 * `emva` model with the constants of the emulated sensor. Three pieces that
 * were written apart: what one has wrong, the others do not share.
 */
#include "emva.h"
#include "exposure.h"
#include "ktap.h"
#include "measure.h"
#include "nst-sim-scene.c"
#include "nst-sim-rows.c"
#include "nst-sim-noise.c"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W 640
#define H 480
#define N (W * H)
#define FRAMES 32

static struct nst_sim_pool pool;
static struct nst_sim_render r;
static s32 dark_q6[H];
static u16 frame[N];

static const struct nst_sim_sensor sensor = {
	.doubling_mc = 7000, .dark_e_per_s_60c = 244, .read_noise_me = 2700,
	.full_well_e = 7900, .prnu_permyriad = 100, .dsnu_permyriad = 1000,
	.hot_ppm = 1000,
};

static void *need(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		exit(2);
	return p;
}

static void make(u64 seed, u32 card)
{
	const struct nst_sim_scene_params params = {
		.objects = 4, .speed_mpx = 1500, .contrast_permille = 100,
		.card = card,
	};
	s32 *scratch = need(W, sizeof(*scratch));

	memset(&r, 0, sizeof(r));
	r.pool = &pool;
	r.sensor = sensor;
	r.width = W;
	r.height = H;
	r.seed = seed;
	r.background = need(N, 1);
	r.prnu = need(N, 1);
	r.dsnu = need(N, 1);
	r.base_q6 = need(N, 2);
	r.hot = need(nst_sim_hot_count(&sensor, W, H) + 1, sizeof(*r.hot));
	nst_sim_scene_init(&r.scene, &params, seed, W, H);
	nst_sim_scene_background(&r.scene, r.background, scratch);
	nst_sim_render_init(&r);
	free(scratch);
}

static void drop(void)
{
	free(r.background);
	free(r.prnu);
	free(r.dsnu);
	free(r.base_q6);
	free(r.hot);
}

static void measure(struct nst_measure *m, const struct nst_sim_setting *s,
		    double temp_mc, u64 first_seq)
{
	double e = nst_emva_dark_e(&nst_emva_reference, temp_mc,
				   s->exposure_us);
	s32 level = (s32)lround(e * nst_sim_gain_q16(&sensor, s->iso) /
				65536);
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX];

	for (u32 y = 0; y < H; y++)
		dark_q6[y] = level;
	for (u64 seq = first_seq; seq < first_seq + FRAMES; seq++) {
		const struct nst_view v = {
			.format = { .width = W, .height = H, .stride = 2 * W,
				    .bytes = 2, .bits = 10 },
			.pixels = (const uint8_t *)frame,
			.size = sizeof(frame),
		};
		u32 boxes = nst_sim_scene_boxes(&r.scene, seq, box);

		nst_sim_render_frame(&r, seq, s, dark_q6, true, frame, 2 * W,
				     box, boxes);
		EXPECT(!nst_measure_add(m, &v), " ");
	}
}

static struct nst_measure begin(struct nst_rect patch)
{
	const struct nst_measure_config config = {
		.format = { .width = W, .height = H, .stride = 2 * W,
			    .bytes = 2, .bits = 10 },
		.dark_rows = NST_SIM_DARK_ROWS,
		.black_dn = NST_SIM_BLACK_DN,
		.patch = patch,
		.blocks = 2,
	};
	struct nst_measure m;

	EXPECT(!nst_measure_init(&m, &config), " ");
	return m;
}

/* Signal in electrons from what the patch has over the dark rows. */
static double electrons(double dn, u32 iso)
{
	return dn * 64 * 65536 / nst_sim_gain_q16(&sensor, iso);
}

/* A large patch: of a small one sixteen hot pixels are chance. */
static void flat_field(void)
{
	static const struct nst_sim_setting office = {
		.exposure_us = 32000, .iso = 400, .light_mlx = 160000,
		.pattern = NST_SIM_PATTERN_FLAT,
	}, day = {
		.exposure_us = 16000, .iso = 100, .light_mlx = 2000000,
		.pattern = NST_SIM_PATTERN_FLAT,
	};
	const struct nst_rect patch = { .x = 64, .y = 16, .w = 512,
					.h = 448 };
	struct nst_measure_figure flat, dark;
	struct nst_measure m;

	make(5, 0);
	m = begin(patch);
	for (int i = 0; i < 10; i++) {
		const struct nst_sim_setting *s = i < 6 ? &office : &day;
		double temp_mc = 30000 + 13000 * (i % 6), signal, model, noise;
		struct nst_emva_noise n;

		nst_measure_reset(&m);
		measure(&m, s, temp_mc, 1 + 100 * (u64)i);
		nst_measure_get(&m, &flat, &dark);
		EXPECT(flat.state == NST_MEASURED, "%s",
		       nst_measure_state_text(flat.state));
		signal = electrons(flat.signal_dn, s->iso);
		model = nst_emva_snr_db(&nst_emva_reference, temp_mc,
					s->exposure_us, s->iso, signal);
		nst_emva_noise(&nst_emva_reference, temp_mc, s->exposure_us,
			       s->iso, 0, &n);
		noise = hypot(n.temporal_e, n.fixed_e);
		printf("# %.0f degC, %u us, ISO %u, %.0f e-: measured %.2f dB, "
		       "at least %.2f, model %.2f; %u ppm hot; dark rows %.1f "
		       "e-, model %.1f\n", temp_mc / 1000, s->exposure_us,
		       s->iso, signal, flat.snr_db, flat.low_db, model,
		       flat.stats.hot_ppm,
		       electrons(sqrt(dark.stats.noise_dn2), s->iso), noise);
		/*
		 * The model gives hot pixels more than they have, where they
		 * are at white: noise that is clipped is not seen.
		 */
		EXPECT(flat.snr_db > model - 0.3 &&
		       flat.snr_db < model + (temp_mc > 90000 ? 1 : 0.3), " ");
		EXPECT(flat.low_db < flat.snr_db, " ");
	}
	nst_measure_deinit(&m);
	drop();
}

/* Objects go by, the card is found, and the number is that of the card. */
static void card_in_a_scene(void)
{
	static const struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 400, .auto_iris = true,
	};
	struct nst_measure_figure flat;
	struct nst_measure m;
	double signal, model;

	make(1, 1);
	m = begin((struct nst_rect){ 0 });
	measure(&m, &s, 45000, 1);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED, "%s",
	       nst_measure_state_text(flat.state));
	EXPECT(m.flat->config.rect.x + 128 <= NST_SIM_CARD &&
	       m.flat->config.rect.y + 128 <= NST_SIM_DARK_ROWS + NST_SIM_CARD,
	       "%u,%u", m.flat->config.rect.x, m.flat->config.rect.y);
	signal = electrons(flat.signal_dn, s.iso);
	model = nst_emva_snr_db(&nst_emva_reference, 45000, s.exposure_us,
				s.iso, signal);
	printf("# card: %.0f e-, measured %.2f dB, model %.2f\n", signal,
	       flat.snr_db, model);
	EXPECT(fabs(flat.snr_db - model) < 0.2, " ");
	nst_measure_deinit(&m);
	drop();
}

/* A lens cap: the flat patch is none, the dark rows are as they were. */
static void lens_cap(void)
{
	static const struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 800,
		.pattern = NST_SIM_PATTERN_DARK,
	};
	struct nst_measure_figure flat, dark;
	struct nst_measure m;

	make(2, 0);
	m = begin((struct nst_rect){ .x = 64, .y = 64, .w = 128, .h = 128 });
	measure(&m, &s, 60000, 1);
	nst_measure_get(&m, &flat, &dark);
	EXPECT(flat.state == NST_MEASURE_NO_PATCH, "%s",
	       nst_measure_state_text(flat.state));
	EXPECT(dark.state == NST_MEASURED, " ");
	EXPECT(fabs(electrons(dark.dark_dn, s.iso) - 7.81) < 0.3, "%f",
	       electrons(dark.dark_dn, s.iso));
	nst_measure_deinit(&m);
	drop();
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "flat_field", flat_field },
		{ "card_in_a_scene", card_in_a_scene },
		{ "lens_cap", lens_cap },
	};

	nst_sim_pool_init(&pool);
	return ktap_main(tests, KTAP_COUNT(tests));
}
