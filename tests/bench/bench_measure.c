// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_measure.c - what measuring costs beside touching the frame at all
 *
 * A flat patch and the dark rows of 1080p frames, eight and ten bits, by
 * processor time; in the same run the sum of all bytes of the same frame and
 * a plain copy of it. A share of more than a tenth of a core at 30 frames a
 * second is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "patch.h"

#define W 1920u
#define H 1080u
#define ROUNDS 200
#define FPS 30
#define SHARE_MAX 10.0		/* percent of a core */
#define FRAMES 4
#define DARK 8

static uint8_t *frame[FRAMES], *copy;
static volatile uint64_t sink;

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return x ^ (x >> 27);
}

/* A level with noise of four bits, and rows that are dark. */
static void fill(const struct nst_view_format *f)
{
	uint64_t random = 1;

	for (int k = 0; k < FRAMES; k++)
		for (size_t i = 0; i < (size_t)W * H; i++) {
			uint32_t v = (uint32_t)(next_random(&random) & 15) +
				     (f->bytes == 1 ? 100 : 400);

			if (i < DARK * W)
				v -= f->bytes == 1 ? 84 : 336;
			memcpy(frame[k] + i * f->bytes, &v, f->bytes);
		}
}

static double plain_sum(size_t size)
{
	double begin = cpu_ns();

	for (int i = 0; i < ROUNDS; i++) {
		const uint8_t *p = frame[i % FRAMES];
		uint64_t sum = 0;

		for (size_t k = 0; k < size; k++)
			sum += p[k];
		sink += sum;
	}
	return (cpu_ns() - begin) / ROUNDS;
}

static double plain_copy(size_t size)
{
	double begin = cpu_ns();

	for (int i = 0; i < ROUNDS; i++) {
		memcpy(copy, frame[i % FRAMES], size);
		sink += copy[i];
	}
	return (cpu_ns() - begin) / ROUNDS;
}

static double measuring(const struct nst_view_format *f)
{
	const struct nst_measure_config config = {
		.format = *f, .dark_rows = DARK, .black_dn = 16,
		.patch = { .x = 100, .y = 100, .w = 128, .h = 128 },
	};
	struct nst_measure_figure flat;
	struct nst_measure m;
	double begin, ns;

	if (nst_measure_init(&m, &config))
		exit(2);
	begin = cpu_ns();
	for (int i = 0; i < ROUNDS; i++) {
		const struct nst_view v = {
			.format = *f, .pixels = frame[i % FRAMES],
			.size = (size_t)f->stride * f->height,
		};

		if (nst_measure_add(&m, &v))
			exit(2);
		/* As a program does that reports with every frame. */
		nst_measure_get(&m, &flat, NULL);
		sink += flat.state;
	}
	ns = (cpu_ns() - begin) / ROUNDS;
	if (flat.state != NST_MEASURED) {
		printf("nothing was measured: %s\n",
		       nst_measure_state_text(flat.state));
		exit(2);
	}
	nst_measure_deinit(&m);
	return ns;
}

static double looking(const struct nst_view_format *f)
{
	const struct nst_view v = {
		.format = *f, .pixels = frame[0],
		.size = (size_t)f->stride * f->height,
	};
	struct nst_rect rect;
	double begin = cpu_ns();

	for (int i = 0; i < 10; i++)
		sink += (uint64_t)nst_patch_find(&v, NST_MEASURE_SIDE, DARK,
						 H - DARK, 16, &rect);
	return (cpu_ns() - begin) / 10;
}

static bool one(uint32_t bits)
{
	struct nst_view_format f = {
		.width = W, .height = H, .bytes = bits > 8 ? 2 : 1,
		.bits = bits,
	};
	double sum, copying, ns, look, share;
	size_t size;

	f.stride = W * f.bytes;
	size = (size_t)f.stride * H;
	fill(&f);
	sum = plain_sum(size);
	copying = plain_copy(size);
	ns = measuring(&f);
	look = looking(&f);
	/* A patch is looked for once a second while there is none. */
	share = (ns * FPS + look) / 1e9 * 100;
	printf("1080p, %2u bits: %.0f ns a frame, %.2f of the plain sum (%.0f "
	       "ns), %.2f of the copy (%.0f ns)\n", bits, ns, ns / sum, sum,
	       ns / copying, copying);
	printf("  looking for a patch %.0f ns, once a second while there is "
	       "none; %.2f %% of a core at %d fps with it (at most %.0f)\n",
	       look, share, FPS, SHARE_MAX);
	return share <= SHARE_MAX;
}

int main(void)
{
	bool ok;

	for (int k = 0; k < FRAMES; k++)
		frame[k] = malloc((size_t)W * H * 2);
	copy = malloc((size_t)W * H * 2);
	if (!frame[FRAMES - 1] || !copy)
		return 2;
	ok = one(8);
	ok &= one(10);
	return ok ? 0 : 1;
}
