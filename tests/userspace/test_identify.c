// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_identify.c - figures of a stack while it runs, and their intervals
 *
 * The stack is policies/core's plant with figures of its own; the filter is
 * told those of a profile, the powers, and readings of whole degrees with
 * half a degree of noise.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "fit_synthetic.h"
#include "identify.h"
#include "ktap.h"

#define RUNS 1000
#define SEEDS_APART 1000000
#define FRAME_S (1.0 / 30)
#define FRAME_US 33333
#define NEAR_MW 2500
#define GATED_MW 100
#define LSB_C 1.0
#define NOISE_C 0.5
/* Of a reading: noise, and a step that it blurs. */
#define VAR_C2 (NOISE_C * NOISE_C + LSB_C * LSB_C / 12)
#define TOLERANCE 0.1
#define AMBIENT_SD_C 5.0

struct world {
	struct nst_plant plant;
	double ambient_c;
	double wander_c;
	double near_w;
	struct nst_identify id;
	double truth[NST_IDENT_PARAMS];
};

static const struct nst_identify_config usual = {
	.near_w = NEAR_MW / 1000.0,
	.gated_w = GATED_MW / 1000.0,
	.tolerance = TOLERANCE,
	.ambient_c = 26.4,
	.ambient_sd_c = AMBIENT_SD_C,
	.wander_c = NST_IDENT_WANDER_C,
};

/* How a stack differs from the profile: factors, and kelvins of the room. */
struct other {
	double r_pa, r_jp, tau_p, near, ambient_c;
};

static void world_set(struct world *w, const struct other *o)
{
	struct nst_plant_params p = nst_plant_reference;
	struct nst_plant plant;

	p.r_pa_mk_per_w = (u32)lround(p.r_pa_mk_per_w * o->r_pa);
	p.r_jp_mk_per_w = (u32)lround(p.r_jp_mk_per_w * o->r_jp);
	/* The die's own constant is the profile's: it is not looked for. */
	p.c_j_uj_per_k = (u32)lround(p.c_j_uj_per_k / o->r_jp);
	p.c_p_uj_per_k = (u32)lround(p.c_p_uj_per_k * o->tau_p / o->r_pa);
	w->near_w = usual.near_w * o->near;
	EXPECT(!nst_plant_init(&plant, &p, (s32)lround(1000 * w->ambient_c)),
	       "plant");
	if (w->plant.params.r_pa_mk_per_w)
		nst_plant_set_state(&plant, nst_plant_die_mc(&w->plant),
				    nst_plant_package_mc(&w->plant));
	w->plant = plant;
	w->truth[NST_IDENT_R_PA] = p.r_pa_mk_per_w / 1e3;
	w->truth[NST_IDENT_R_JP] = p.r_jp_mk_per_w / 1e3;
	w->truth[NST_IDENT_TAU_P] = (double)p.r_pa_mk_per_w *
				    p.c_p_uj_per_k / 1e9;
	w->truth[NST_IDENT_NEAR] = w->near_w;
	w->truth[NST_IDENT_JUMP] = p.r_jp_mk_per_w / 1e3 *
				   (w->near_w - usual.gated_w);
}

static void world_begin(struct world *w, const struct other *o)
{
	struct nst_identify_config config = usual;

	memset(w, 0, sizeof(*w));
	w->ambient_c = usual.ambient_c + o->ambient_c;
	w->wander_c = usual.wander_c;
	config.params = nst_plant_reference;
	world_set(w, o);
	EXPECT(!nst_identify_init(&w->id, &config), "init");
}

/* A frame; true when the filter says that the stack is another one. */
static bool frame(struct world *w, bool near)
{
	u32 mw = near ? (u32)lround(1000 * w->near_w) : GATED_MW;
	double seen;

	w->ambient_c += w->wander_c * sqrt(FRAME_S) * synthetic_normal();
	nst_plant_step(&w->plant, mw, (s32)lround(1000 * w->ambient_c),
		       FRAME_US);
	nst_identify_advance(&w->id, near ? usual.near_w : usual.gated_w,
			     FRAME_US / 1e6);
	seen = nst_plant_die_mc(&w->plant) / 1e3 + NOISE_C * synthetic_normal();
	seen = LSB_C * floor(seen / LSB_C);
	return nst_identify_reading(&w->id, seen + LSB_C / 2, VAR_C2);
}

static unsigned int frames(struct world *w, int n, int near_of)
{
	unsigned int changes = 0;

	for (int i = 0; i < n; i++)
		changes += frame(w, near_of && i % near_of == 0);
	return changes;
}

/* Seasons of one to seven seconds, and stops of one frame. */
static unsigned int life(struct world *w, double s)
{
	unsigned int changes = 0;

	while (s > 0) {
		double season = 1 + 6 * synthetic_uniform();
		int near_of = (int)(4 * synthetic_uniform());

		changes += frames(w, (int)(season / FRAME_S), near_of);
		s -= season;
	}
	return changes;
}

static struct other draw(bool power)
{
	struct other o = { 1, 1, 1, 1, 0 };

	o.ambient_c = AMBIENT_SD_C * synthetic_normal();
	o.tau_p = exp(TOLERANCE * synthetic_normal());
	if (power) {
		/* span, not power, is what the figure is of */
		o.near = 1 + TOLERANCE * synthetic_normal();
		o.near = (usual.gated_w + (usual.near_w - usual.gated_w) *
						  o.near) / usual.near_w;
		return o;
	}
	o.r_pa = 1 + TOLERANCE * synthetic_normal();
	o.r_jp = 1 + TOLERANCE * synthetic_normal();
	return o;
}

static void coverage(bool power, const bool *claimed)
{
	int covered[NST_IDENT_PARAMS] = { 0 };
	double width[NST_IDENT_PARAMS] = { 0 }, off[NST_IDENT_PARAMS] = { 0 };
	unsigned int changes = 0;

	for (int run = 0; run < RUNS; run++) {
		struct other o;
		struct world w;

		/* a seed is a place in one sequence: far from the next */
		synthetic_seed(SEEDS_APART * (u64)run);
		o = draw(power);
		world_begin(&w, &o);
		changes += frames(&w, 300, 1);
		changes += life(&w, 80);
		for (int k = 0; k < NST_IDENT_PARAMS; k++) {
			struct nst_fit_value v = nst_identify_value(
				&w.id, (enum nst_identify_param)k);
			double truth = k == NST_IDENT_AMBIENT ?
					       w.ambient_c : w.truth[k];

			covered[k] += covers(&v, truth);
			width[k] += (v.hi - v.lo) / 2 / RUNS;
			off[k] += fabs(v.value - truth) / RUNS;
		}
	}
	for (int k = 0; k < NST_IDENT_PARAMS; k++) {
		const char *name = nst_identify_name(
			(enum nst_identify_param)k);

		printf("# %s: %d of %d, interval +-%.3g %s, off by %.3g%s\n",
		       name, covered[k], RUNS, width[k],
		       nst_identify_unit((enum nst_identify_param)k), off[k],
		       claimed[k] ? "" : " (not claimed)");
		if (claimed[k])
			EXPECT(covered[k] >= 930 && covered[k] <= 970,
			       "%s: %d", name, covered[k]);
	}
	printf("# taken for another stack: %u times\n", changes);
	EXPECT(changes <= RUNS / 100, "%u", changes);
}

static void intervals_cover_resistances(void)
{
	static const bool claimed[NST_IDENT_PARAMS] = {
		[NST_IDENT_AMBIENT] = true, [NST_IDENT_R_PA] = true,
		[NST_IDENT_R_JP] = true, [NST_IDENT_TAU_P] = true,
		[NST_IDENT_JUMP] = true,
	};

	coverage(false, claimed);
}

/* Rise and jump have the same factor; the jump is one either way. */
static void intervals_cover_powers(void)
{
	static const bool claimed[NST_IDENT_PARAMS] = {
		[NST_IDENT_NEAR] = true, [NST_IDENT_JUMP] = true,
		[NST_IDENT_TAU_P] = true,
	};

	coverage(true, claimed);
}

static const struct other same = { 1, 1, 1, 1, 0 };

static void nothing_seen_is_the_profile(void)
{
	struct nst_plant_params p;
	struct world w;

	world_begin(&w, &same);
	EXPECT(!nst_identify_plant(&w.id, &p), "plant");
	EXPECT(!memcmp(&p, &nst_plant_reference, sizeof(p)), "not the profile");
	for (int k = 0; k < NST_IDENT_PARAMS; k++) {
		struct nst_fit_value v = nst_identify_value(
			&w.id, (enum nst_identify_param)k);
		double truth = k == NST_IDENT_AMBIENT ? w.ambient_c :
							w.truth[k];

		EXPECT(fabs(v.value - truth) < 1e-6 * truth && v.lo < v.value &&
		       v.hi > v.value, "%s %g",
		       nst_identify_name((enum nst_identify_param)k), v.value);
	}
}

/* The figures that one parameter 20 % off leaves, after two minutes. */
static void twenty_percent_is_found(void)
{
	static const struct other others[] = {
		{ 1.2, 1, 1, 1, 0 }, { 0.8, 1, 1, 1, 0 },
		{ 1, 1.2, 1, 1, 0 }, { 1, 0.8, 1, 1, 0 },
		{ 1, 1, 1.2, 1, 0 }, { 1, 1, 0.8, 1, 0 },
		{ 1, 1, 1, 1.2, 0 }, { 1, 1, 1, 0.8, 0 },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct world w;
		double off = 0;

		synthetic_seed(SEEDS_APART * (2000 + i));
		world_begin(&w, &others[i]);
		frames(&w, 300, 1);
		life(&w, 110);
		/* what counts: where the die goes from here */
		for (int n = 0; n < 900; n++) {
			frame(&w, n % 3 != 0);
			off = fmax(off, fabs(nst_identify_die_c(&w.id) -
					     nst_plant_die_mc(&w.plant) / 1e3));
		}
		printf("# other %zu: die within %.3f K, settles within %.3f K (sd)\n",
		       i, off, nst_identify_settle_sd_c(&w.id));
		EXPECT(off < 0.35, "%g", off);
		EXPECT(nst_identify_settle_sd_c(&w.id) < 0.2, "settles");
		EXPECT(nst_identify_jump_sd_c(&w.id) < 0.05, "jump");
	}
}

/* A package at 85 degC when the filter begins: the first reading tells. */
static void hot_start(void)
{
	struct world w;
	double off = 0;

	synthetic_seed(SEEDS_APART * 3000ull);
	world_begin(&w, &same);
	nst_plant_set_state(&w.plant, 98000, 84800);
	frames(&w, 30, 1);
	for (int n = 0; n < 600; n++) {
		frame(&w, n % 2);
		off = fmax(off, fabs(nst_identify_die_c(&w.id) -
				     nst_plant_die_mc(&w.plant) / 1e3));
	}
	EXPECT(off < 0.8, "%g", off);
	EXPECT(!w.id.changes, "taken for another stack");
}

/* Ten minutes in which it cooled, and nobody looked. */
static void recovers_after_a_gap(void)
{
	struct nst_fit_value before, after;
	double off = 0;
	struct world w;

	synthetic_seed(SEEDS_APART * 3001ull);
	world_begin(&w, &(struct other){ 1.15, 0.9, 1.1, 1, 3 });
	frames(&w, 300, 1);
	life(&w, 110);
	before = nst_identify_value(&w.id, NST_IDENT_R_PA);
	for (int i = 0; i < 600; i++)
		nst_plant_step(&w.plant, GATED_MW,
			       (s32)lround(1000 * w.ambient_c), 1000000);
	nst_identify_gap(&w.id, 600);
	frames(&w, 60, 2);
	after = nst_identify_value(&w.id, NST_IDENT_R_PA);
	for (int n = 0; n < 600; n++) {
		frame(&w, n % 2);
		off = fmax(off, fabs(nst_identify_die_c(&w.id) -
				     nst_plant_die_mc(&w.plant) / 1e3));
	}
	EXPECT(off < 0.8, "%g", off);
	EXPECT(!w.id.changes, "taken for another stack");
	EXPECT(fabs(after.value - before.value) < before.hi - before.lo,
	       "r_pa was lost");
}

static void changed_plant_is_found(void)
{
	static const struct {
		const char *name;
		struct other to;
		double within_s;
	} cases[] = {
		{ "cap on the lens", { 1.3, 1, 1.3, 1, 0 }, 20 },
		{ "fan", { 0.7, 1, 0.7, 1, 0 }, 20 },
		{ "another network", { 1, 1, 1, 1.3, 0 }, 5 },
		{ "half the jump", { 1, 0.5, 1, 1, 0 }, 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) + 1; i++) {
		bool sun = i == sizeof(cases) / sizeof(cases[0]);
		double within_s = sun ? 20 : cases[i].within_s, off = 0;
		const char *name = sun ? "sun" : cases[i].name;
		struct world w;
		int n;

		synthetic_seed(SEEDS_APART * (4000 + i));
		world_begin(&w, &same);
		frames(&w, 300, 1);
		life(&w, 110);
		EXPECT(!w.id.changes, "%s: before it was", name);
		if (sun)
			w.ambient_c += 10;
		else
			world_set(&w, &cases[i].to);
		for (n = 0; n < 3000 && !w.id.changes; n++)
			frame(&w, n % 3 != 0);
		printf("# %s: after %.1f s\n", name, n * FRAME_S);
		EXPECT(n * FRAME_S < within_s, "%s", name);
		/* unsure: the profile's figures, and wide */
		EXPECT(nst_identify_settle_sd_c(&w.id) > 5, "%s: sure", name);
		EXPECT(nst_identify_value(&w.id, NST_IDENT_R_PA).value < 28.6 &&
		       nst_identify_value(&w.id, NST_IDENT_R_PA).value > 28.4,
		       "%s: not the profile", name);
		frames(&w, 300, 1);
		life(&w, 200);
		for (n = 0; n < 900; n++) {
			frame(&w, n % 3 != 0);
			off = fmax(off, fabs(nst_identify_die_c(&w.id) -
					     nst_plant_die_mc(&w.plant) / 1e3));
		}
		EXPECT(off < 0.4, "%s: %g", name, off);
		EXPECT(nst_identify_settle_sd_c(&w.id) < 0.3, "%s: unsure",
		       name);
	}
}

/* A bit that flipped on the bus is no other stack, nor a part of this one. */
static void one_bad_reading_is_passed_over(void)
{
	static const double bad_c[] = { -40, 127, 3, -6, 12 };

	for (size_t i = 0; i < sizeof(bad_c) / sizeof(bad_c[0]); i++) {
		double room_c, jump_c, read_c = bad_c[i];
		struct world w;

		synthetic_seed(SEEDS_APART * (5000 + i));
		world_begin(&w, &same);
		frames(&w, 300, 1);
		life(&w, 110);
		frames(&w, 30, 2);
		jump_c = nst_identify_jump_c(&w.id);
		room_c = nst_identify_ambient_c(&w.id);
		/* two of them a temperature, the others off by so much */
		if (i > 1)
			read_c += nst_identify_die_c(&w.id);
		EXPECT(!nst_identify_reading(&w.id, read_c, VAR_C2), "%g",
		       bad_c[i]);
		frames(&w, 30, 2);
		EXPECT(!w.id.changes, "%g: taken for another stack", bad_c[i]);
		printf("# %g: jump by %.3f K, room by %.3f K\n", bad_c[i],
		       nst_identify_jump_c(&w.id) - jump_c,
		       nst_identify_ambient_c(&w.id) - room_c);
		EXPECT(fabs(nst_identify_jump_c(&w.id) - jump_c) < 0.02,
		       "%g: jump", bad_c[i]);
		EXPECT(fabs(nst_identify_ambient_c(&w.id) - room_c) < 0.1,
		       "%g: room", bad_c[i]);
	}
}

/* What comes out is finite and ordered, whatever comes in. */
static void nonsense_does_no_harm(void)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300,
				      -40, 127 };
	struct nst_identify_config c = usual;
	struct nst_identify id, before;
	struct world w;

	memset(&id, 0, sizeof(id));
	before = id;
	c.params = nst_plant_reference;
	c.near_w = c.gated_w;
	EXPECT(nst_identify_init(&id, &c) == -ERANGE, "near is gated");
	c.near_w = NAN;
	EXPECT(nst_identify_init(&id, &c) == -ERANGE, "no near power");
	c = usual;
	EXPECT(nst_identify_init(&id, &c) == -ERANGE, "no plant");
	c.params = nst_plant_reference;
	c.tolerance = 1.5;
	EXPECT(nst_identify_init(&id, &c) == -ERANGE, "tolerance");
	c.tolerance = 0.1;
	c.ambient_c = 1e9;
	EXPECT(nst_identify_init(&id, &c) == -ERANGE, "ambient");
	EXPECT(!memcmp(&id, &before, sizeof(id)), "touched");

	world_begin(&w, &same);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		nst_identify_reading(&w.id, odd[i], VAR_C2);
		nst_identify_reading(&w.id, 30, odd[i]);
		nst_identify_advance(&w.id, 1, odd[i] < 1e6 ? odd[i] : 0);
		nst_identify_gap(&w.id, odd[i] < 1e6 ? odd[i] : 0);
	}
	for (int k = 0; k < NST_IDENT_PARAMS; k++) {
		struct nst_fit_value v = nst_identify_value(
			&w.id, (enum nst_identify_param)k);

		EXPECT(isfinite(v.value) && v.lo <= v.value && v.value <= v.hi,
		       "%s %g", nst_identify_name((enum nst_identify_param)k),
		       v.value);
	}
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "intervals cover resistances", intervals_cover_resistances },
		{ "intervals cover powers", intervals_cover_powers },
		{ "nothing seen is the profile", nothing_seen_is_the_profile },
		{ "twenty percent is found", twenty_percent_is_found },
		{ "hot start", hot_start },
		{ "recovers after a gap", recovers_after_a_gap },
		{ "a changed plant is found", changed_plant_is_found },
		{ "one bad reading is passed over",
		  one_bad_reading_is_passed_over },
		{ "nonsense does no harm", nonsense_does_no_harm },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
