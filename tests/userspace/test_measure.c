// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_measure.c - noise of frames, against noise that was put in
 *
 * How often the 99.9 % bound fails is counted over seeded runs in
 * test_measure_bound.c.
 */
#include <errno.h>

#include "block.h"
#include "bound.h"
#include "ktap.h"
#include "measure_frames.h"
#include "patch.h"

#define FRAMES 64

static bool near(double got, double want, double permille)
{
	return fabs(got - want) <= fabs(want) * permille / 1000;
}

static struct nst_measure begin(const struct syn *s)
{
	struct nst_measure_config config = {
		.format = s->format,
		.dark_rows = s->dark_rows,
		.black_dn = s->black,
		.patch = { .x = 16, .y = s->dark_rows, .w = 128, .h = 128 },
	};
	struct nst_measure m;

	EXPECT(!nst_measure_init(&m, &config), " ");
	return m;
}

static void feed(struct nst_measure *m, struct syn *s, unsigned int frames,
		 double drift)
{
	for (unsigned int i = 0; i < frames; i++) {
		struct nst_view v = syn_frame(s, drift * i);

		EXPECT(!nst_measure_add(m, &v), " ");
	}
}

static void quantiles(void)
{
	/* Tables of Student's t, one-sided 99.9 %. */
	EXPECT(near(nst_bound_t(1), 318.31, 0.1), " ");
	EXPECT(near(nst_bound_t(3), 10.2145, 0.1), " ");
	EXPECT(near(nst_bound_t(7), 4.7853, 1), "%f", nst_bound_t(7));
	EXPECT(near(nst_bound_t(10), 4.1437, 0.5), "%f", nst_bound_t(10));
	EXPECT(near(nst_bound_t(30), 3.3852, 0.1), "%f", nst_bound_t(30));
	EXPECT(near(nst_bound_t(63), 3.2247, 0.5), "%f", nst_bound_t(63));
	EXPECT(near(nst_bound_t(100000), 3.0902, 0.1), " ");
	EXPECT(isinf(nst_bound_mean((const double[]){ 1, 2, 3 }, 3, 0)), " ");
}

static void pairs(void)
{
	const struct nst_rect rect = { .x = 3, .y = 5, .w = 130, .h = 120 };
	const struct nst_rect beyond = { .x = 100, .y = 5, .w = 130, .h = 1 };
	struct syn s = syn_of(200, 160, 10);
	struct nst_pair pair;
	struct nst_view a, b;
	uint8_t *first;

	syn_alloc(&s);
	syn_seed(&s, 1);
	a = syn_frame(&s, 0);
	first = malloc(s.size);
	if (!first)
		abort();
	memcpy(first, s.pixels, s.size);
	b = syn_frame(&s, 50);
	a.pixels = first;
	EXPECT(!nst_view_pair(&a, &b, &s.format, &rect, &pair), " ");
	EXPECT(near(pair.mean_dn, 489, 3), "%f", pair.mean_dn);
	EXPECT(near(pair.drift_dn, 50, 10), "%f", pair.drift_dn);
	/* 64 and quantisation; 15600 pixels know it to 1.1 % */
	EXPECT(near(pair.temporal_dn2, 64.083, 40), "%f", pair.temporal_dn2);
	EXPECT(pair.pixels == 15600 && !pair.clipped, " ");
	EXPECT(nst_view_pair(&a, &b, &s.format, &beyond, &pair) == -EINVAL,
	       " ");
	b.size = (size_t)s.format.stride * 100;
	EXPECT(nst_view_pair(&a, &b, &s.format, &rect, &pair) == -EMSGSIZE,
	       " ");
	free(first);
	syn_free(&s);
}

static void known_noise(uint32_t bits)
{
	struct syn s = syn_of(200, 160, bits);
	struct nst_measure_figure flat, dark;
	struct nst_measure m;
	double noise2, want;

	s.dark_rows = 8;
	if (bits == 16) {
		s.signal = 30000;
		s.temporal = 300;
		s.fixed = 200;
		s.black = 2000;
	}
	noise2 = s.temporal * s.temporal + s.fixed * s.fixed + 1.0 / 12;
	syn_alloc(&s);
	syn_seed(&s, 7 + bits);
	m = begin(&s);
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, &flat, &dark);
	EXPECT(flat.state == NST_MEASURED && dark.state == NST_MEASURED,
	       "%s %s", nst_measure_state_text(flat.state),
	       nst_measure_state_text(dark.state));
	want = 10 * log10(s.signal * s.signal / noise2);
	printf("# %u bits: %.2f dB (put in: %.2f), at least %.2f; dark %.2f, "
	       "at least %.2f\n", bits, flat.snr_db, want, flat.low_db,
	       dark.snr_db, dark.low_db);
	EXPECT(fabs(flat.snr_db - want) < 0.15, " ");
	EXPECT(flat.low_db < flat.snr_db && flat.low_db > flat.snr_db - 0.5,
	       " ");
	/* 8 bits: quantisation is part of both, shared by no rule */
	EXPECT(near(flat.stats.temporal_dn2,
		    s.temporal * s.temporal + 1.0 / 12, 15), "%f",
	       flat.stats.temporal_dn2);
	EXPECT(near(flat.stats.fixed_dn2, s.fixed * s.fixed, 45), "%f",
	       flat.stats.fixed_dn2);
	EXPECT(!flat.stats.tiles_out && !flat.stats.hot_ppm, " ");
	want = 10 * log10(dark.signal_dn * dark.signal_dn / noise2);
	EXPECT(near(dark.signal_dn, nst_view_max(&s.format) - s.black, 0.01),
	       " ");
	EXPECT(fabs(dark.snr_db - want) < 0.4, "%f %f", dark.snr_db, want);
	EXPECT(nst_measure_margin_db(&flat, flat.low_db - 1) > 0.99, " ");
	EXPECT(nst_measure_margin_db(&flat, flat.snr_db) < 0, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void known_noise_8(void)
{
	known_noise(8);
}

static void known_noise_10(void)
{
	known_noise(10);
}

static void known_noise_16(void)
{
	known_noise(16);
}

/* Light that rises by a third within the window is not noise. */
static void light_drifts(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, FRAMES, 2);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED, " ");
	EXPECT(flat.stats.frames == FRAMES, "%u", flat.stats.frames);
	EXPECT(near(flat.stats.temporal_dn2, 64.083, 15), "%f",
	       flat.stats.temporal_dn2);
	EXPECT(near(flat.stats.fixed_dn2, 25, 45), "%f",
	       flat.stats.fixed_dn2);
	EXPECT(near(flat.signal_dn, 400 + 63, 5), "%f", flat.signal_dn);
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* A step begins anew: no number of the old light, none of both. */
static void light_steps(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, 40, 0);
	s.signal = 200;
	s.temporal = 4;
	feed(&m, &s, 1, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_SETTLING, " ");
	EXPECT(isinf(nst_measure_margin_db(&flat, 0)), " ");
	feed(&m, &s, 15, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED && flat.stats.frames == 16, "%s %u",
	       nst_measure_state_text(flat.state), flat.stats.frames);
	EXPECT(near(flat.stats.temporal_dn2, 16.083, 20), "%f",
	       flat.stats.temporal_dn2);
	EXPECT(near(flat.signal_dn, 200, 5), "%f", flat.signal_dn);
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* Counted, kept out of the pattern of the others, and in the total. */
static void hot_pixels(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;
	double want = 0;

	s.hot_every = 997;
	s.hot_dn = 300;
	syn_alloc(&s);
	syn_seed(&s, 11);
	m = begin(&s);
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED, " ");
	for (uint32_t y = 0; y < 128; y++)
		for (uint32_t x = 16; x < 144; x++)
			want += (y * 200 + x) % s.hot_every == 0;
	EXPECT(fabs(flat.stats.hot_ppm - want / 16384 * 1e6) < 1,
	       "%u of %f pixels", flat.stats.hot_ppm, want);
	EXPECT(near(flat.stats.fixed_dn2, 25, 45), "%f",
	       flat.stats.fixed_dn2);
	want = flat.stats.hot_ppm * 1e-6 * 300 * 300;
	EXPECT(near(flat.stats.hot_dn2, want, 30), "%f, want %f",
	       flat.stats.hot_dn2, want);
	EXPECT(near(flat.stats.noise_dn2, 89.1 + want, 30), "%f",
	       flat.stats.noise_dn2);
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* Noise below half a code: the figure never beats the converter. */
static void below_quantisation(void)
{
	struct syn s = syn_of(200, 160, 8);
	struct nst_measure_figure dark;
	struct nst_measure m;

	s.dark_rows = 8;
	s.temporal = 0.08;
	s.fixed = 0.01;
	syn_alloc(&s);
	syn_seed(&s, 5);
	m = begin(&s);
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, NULL, &dark);
	EXPECT(dark.state == NST_MEASURED && dark.stats.quantised, " ");
	EXPECT(dark.low_db <= 20 * log10(239 * sqrt(12)) + 1e-9, "%f",
	       dark.low_db);
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* ------------------------------------------------------------ bad input */

static void truncated(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat, dark;
	struct nst_measure m;
	struct nst_view v;

	s.dark_rows = 8;
	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, 20, 0);
	v = syn_frame(&s, 0);
	v.size = (size_t)s.format.stride * 159;	/* the last row is missing */
	EXPECT(nst_measure_add(&m, &v) == -EMSGSIZE, " ");
	nst_measure_get(&m, &flat, &dark);
	EXPECT(flat.state == NST_MEASURE_DAMAGED &&
	       dark.state == NST_MEASURE_DAMAGED, " ");
	/* Without the padding behind the last row it is whole. */
	v.size = (size_t)s.format.stride * 159 + 400;
	EXPECT(!nst_measure_add(&m, &v), " ");
	v.pixels = NULL;
	v.size = 0;
	EXPECT(nst_measure_add(&m, &v) == -EMSGSIZE, " ");
	feed(&m, &s, 16, 0);
	nst_measure_get(&m, &flat, &dark);
	EXPECT(flat.state == NST_MEASURED && flat.stats.frames == 16, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void wrong_format(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;
	struct nst_view v;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, 20, 0);
	v = syn_frame(&s, 0);
	v.format.bits = 8;
	v.format.bytes = 1;
	EXPECT(nst_measure_add(&m, &v) == -EPROTO, " ");
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_DAMAGED, " ");
	feed(&m, &s, 20, 0);
	/* Ten bits at the upper end of the word: not what was agreed. */
	v = syn_frame(&s, 0);
	for (size_t i = 0; i + 1 < s.size; i += 2) {
		int w = s.pixels[i] | s.pixels[i + 1] << 8;

		s.pixels[i] = (uint8_t)(w << 6);
		s.pixels[i + 1] = (uint8_t)(w >> 2);
	}
	EXPECT(nst_measure_add(&m, &v) == -ERANGE, " ");
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_DAMAGED, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void bad_configurations(void)
{
	const struct nst_view_format good = {
		.width = 640, .height = 480, .stride = 640, .bytes = 1,
		.bits = 8,
	};
	struct nst_measure_config c = { .format = good, .black_dn = 16 };
	struct nst_measure m;

#define BAD(field, value)                                               \
	do {                                                            \
		struct nst_measure_config bad = c;                      \
									\
		bad.field = value;                                      \
		EXPECT(nst_measure_init(&m, &bad) == -EINVAL, " ");     \
	} while (0)

	BAD(format.bits, 10);
	BAD(format.bytes, 3);
	BAD(format.stride, 639);
	BAD(format.width, 0);
	BAD(format.height, 20000);
	BAD(black_dn, 256);
	BAD(black_dn, NAN);
	BAD(dark_rows, 1);
	c.dark_rows = 8;
	BAD(dark_row, 473);
	c.patch = (struct nst_rect){ 0, 8, 128, 128 };
	BAD(patch.w, 127);
	BAD(patch.x, 600);
	BAD(patch.y, 400);
	BAD(patch.h, 0xfffffff0);
	BAD(block_frames, 3);
	BAD(blocks, 9);
	EXPECT(!nst_measure_init(&m, &c), " ");
	nst_measure_deinit(&m);
	nst_measure_deinit(&m);
#undef BAD
}

static void clipped(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	s.signal = 1023 - 64 - 16;	/* two standard deviations below */
	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_CLIPPED, "%s",
	       nst_measure_state_text(flat.state));
	/* Wholly white has no noise at all, which is no good news. */
	s.signal = 2000;
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_CLIPPED, " ");
	s.signal = 400;
	feed(&m, &s, 17, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED, "%s",
	       nst_measure_state_text(flat.state));
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void no_light(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	s.signal = 0;
	s.dark_rows = 8;
	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	feed(&m, &s, FRAMES, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_NO_PATCH, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* ---------------------------------------------------------------- motion */

/* A box of @side pixels, 25 % darker, @x pixels to the right of nothing. */
static void put_box(struct syn *s, int x, int y, int side)
{
	for (int j = y; j < y + side; j++)
		for (int i = x < 0 ? 0 : x; i < x + side; i++) {
			uint8_t *at = s->pixels +
				      (size_t)j * s->format.stride + 2 * i;
			int v = at[0] | at[1] << 8;

			v -= 100;
			at[0] = (uint8_t)v;
			at[1] = (uint8_t)(v >> 8);
		}
}


static void small_object(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;
	uint32_t out = 0;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	for (int i = 0; i < 4; i++) {
		for (unsigned int f = 0; f < 16; f++) {
			struct nst_view v = syn_frame(&s, 0);

			put_box(&s, 2 * (16 * i + (int)f) - 8, 40, 24);
			EXPECT(!nst_measure_add(&m, &v), " ");
		}
		nst_measure_get(&m, &flat, NULL);
		EXPECT(flat.state == NST_MEASURED, "%s",
		       nst_measure_state_text(flat.state));
		out += flat.stats.tiles_out;
	}
	/* What it crossed is left out, what is left is right. */
	EXPECT(out >= 4 * 6, "%u", out);
	EXPECT(near(flat.stats.temporal_dn2, 64.083, 20), "%f",
	       flat.stats.temporal_dn2);
	EXPECT(near(flat.stats.fixed_dn2, 25, 60), "%f",
	       flat.stats.fixed_dn2);
	EXPECT(near(flat.signal_dn, 400, 5), "%f", flat.signal_dn);
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void large_object(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	for (unsigned int i = 0; i < 32; i++) {
		struct nst_view v = syn_frame(&s, 0);

		put_box(&s, 4 * (int)i - 60, 10, 110);
		EXPECT(!nst_measure_add(&m, &v), " ");
	}
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_MOVING, "%s",
	       nst_measure_state_text(flat.state));
	EXPECT(isinf(nst_measure_margin_db(&flat, 0)), " ");
	/* And back, once it has gone. */
	feed(&m, &s, 32, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* Slower than any pair of frames shows: a pixel in twenty frames. */
static void creeping_object(void)
{
	struct syn s = syn_of(200, 160, 10);
	struct nst_measure_figure flat;
	struct nst_measure m;

	syn_alloc(&s);
	syn_seed(&s, 3);
	m = begin(&s);
	for (int i = 0; i < FRAMES; i++) {
		struct nst_view v = syn_frame(&s, 0);

		put_box(&s, 60 + i / 20, 50, 40);
		EXPECT(!nst_measure_add(&m, &v), " ");
	}
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURED && flat.stats.tiles_out >= 6, "%u",
	       flat.stats.tiles_out);
	EXPECT(near(flat.stats.temporal_dn2, 64.083, 20), "%f",
	       flat.stats.temporal_dn2);
	EXPECT(near(flat.stats.fixed_dn2, 25, 60), "%f",
	       flat.stats.fixed_dn2);
	nst_measure_deinit(&m);
	syn_free(&s);
}

/* ----------------------------------------------------------------- patch */

/* Stripes everywhere but on a card. */
static void put_texture(struct syn *s, uint32_t x0, uint32_t y0)
{
	for (uint32_t y = s->dark_rows; y < s->format.height; y++)
		for (uint32_t x = 0; x < s->format.width; x++) {
			bool card = x >= x0 && x < x0 + 160 && y >= y0 &&
				    y < y0 + 160;
			uint8_t *at = s->pixels +
				      (size_t)y * s->format.stride + x;

			if (!card)
				*at = (uint8_t)(*at + (x / 3 + y / 5) % 4 * 6);
		}
}

static void finds_a_patch(void)
{
	struct syn s = syn_of(640, 480, 8);
	struct nst_measure_config config = {
		.format = s.format, .dark_rows = 8, .black_dn = 16,
	};
	struct nst_measure_figure flat;
	struct nst_measure m;
	const struct nst_rect *rect;

	s.dark_rows = 8;
	syn_alloc(&s);
	syn_seed(&s, 3);
	EXPECT(!nst_measure_init(&m, &config), " ");
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_NO_PATCH, " ");
	for (int i = 0; i < 20; i++) {
		struct nst_view v = syn_frame(&s, 0);

		put_texture(&s, 300, 200);
		EXPECT(!nst_measure_add(&m, &v), " ");
	}
	nst_measure_get(&m, &flat, NULL);
	rect = &m.flat->config.rect;
	EXPECT(flat.state == NST_MEASURED, "%s",
	       nst_measure_state_text(flat.state));
	EXPECT(rect->x >= 300 && rect->x + rect->w <= 460 && rect->y >= 200 &&
	       rect->y + rect->h <= 360, "%u,%u", rect->x, rect->y);
	EXPECT(near(flat.stats.fixed_dn2, 2.25, 60), "%f",
	       flat.stats.fixed_dn2);
	/* Nothing but black: there is none, and that is said. */
	nst_measure_reset(&m);
	s.signal = 0;
	feed(&m, &s, 40, 0);
	nst_measure_get(&m, &flat, NULL);
	EXPECT(flat.state == NST_MEASURE_NO_PATCH, " ");
	nst_measure_deinit(&m);
	syn_free(&s);
}

static void medians(void)
{
	struct syn s = { .random = 9 };
	double v[101], sorted[101];

	for (unsigned int n = 1; n <= 101; n++) {
		for (unsigned int i = 0; i < n; i++)
			v[i] = sorted[i] = (double)(syn_random(&s) % (n / 2 + 1));
		for (unsigned int i = 1; i < n; i++)
			for (unsigned int j = i;
			     j && sorted[j] < sorted[j - 1]; j--) {
				double t = sorted[j];

				sorted[j] = sorted[j - 1];
				sorted[j - 1] = t;
			}
		EXPECT(nst_median(v, n) == sorted[n / 2], "%u", n);
	}
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "quantiles", quantiles },
		{ "medians", medians },
		{ "pairs", pairs },
		{ "known_noise_8", known_noise_8 },
		{ "known_noise_10", known_noise_10 },
		{ "known_noise_16", known_noise_16 },
		{ "light_drifts", light_drifts },
		{ "light_steps", light_steps },
		{ "hot_pixels", hot_pixels },
		{ "below_quantisation", below_quantisation },
		{ "truncated", truncated },
		{ "wrong_format", wrong_format },
		{ "bad_configurations", bad_configurations },
		{ "clipped", clipped },
		{ "no_light", no_light },
		{ "small_object", small_object },
		{ "large_object", large_object },
		{ "creeping_object", creeping_object },
		{ "finds_a_patch", finds_a_patch },
	};

	syn_init();
	return ktap_main(tests, KTAP_COUNT(tests));
}
