// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_calibration.c - calibration files: round trip, messages, damage
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration.h"
#include "cleanup.h"
#include "ktap.h"
#include "profile.h"
#include "rng.h"

#define FUZZ_ROUNDS 5000

static char path[32] = "/tmp/nst-calib-XXXXXX";

static struct nst_calibration_value measured(double value, double width)
{
	return (struct nst_calibration_value){
		value, value - width, value + width, true, true,
	};
}

static struct nst_calibration_value given(double value)
{
	return (struct nst_calibration_value){ .value = value, .known = true };
}

/* The reference sensor as a calibration might find it. */
static struct nst_calibration a_noise(void)
{
	struct nst_calibration c;

	memset(&c, 0, sizeof(c));
	c.kind = NST_CALIBRATION_NOISE;
	strcpy(c.name, "sim0");
	strcpy(c.card, "nst-sim sim0");
	strcpy(c.date, "2026-01-31T12:00:00Z");
	c.noise = (struct nst_calibration_noise){
		.ref_mc = 60000,
		.dark_e_per_s = measured(244.1, 3.2),
		.doubling_mc = measured(7000.5, 80),
		.full_well_e = given(7900),
		.prnu_permyriad = measured(100, 1),
		.dsnu_permyriad = measured(1000, 12),
		.hot_ppm = given(1000),
		.hot_median_permyriad = given(100000),
		.hot_sigma_permyriad = given(5000),
		.bits = 10,
		.black_dn = 64,
		.gains = 2,
		.gain = {
			{ 100, measured(959.0 / 7900, 0.001),
			  { .known = false }, 4.9 },
			{ 800, measured(8 * 959.0 / 7900, 0.01),
			  measured(2.7, 0.05), 0 },
		},
		.dark_residual_permyriad = given(37.5),
	};
	return c;
}

static struct nst_calibration a_thermal(void)
{
	struct nst_calibration c;

	memset(&c, 0, sizeof(c));
	c.kind = NST_CALIBRATION_THERMAL;
	strcpy(c.name, "sim0");
	strcpy(c.model, "nst-sim");
	strcpy(c.date, "2026-01-31T12:00:00Z");
	c.thermal = (struct nst_calibration_thermal){
		.r_jp_mk_per_w = measured(5500, 40),
		.r_pa_mk_per_w = measured(28500, 200),
		.tau_j_us = measured(4999.5, 100),
		.tau_p_us = measured(19950000, 100000),
		.ambient_mc = measured(26400, 300),
		.residual_mc = given(120),
	};
	return c;
}

static int save(const struct nst_calibration *c)
{
	_cleanup_fclose_ FILE *out = fopen(path, "we");

	return out ? nst_calibration_save(c, out) : -errno;
}

static int put(const char *text)
{
	_cleanup_fclose_ FILE *out = fopen(path, "we");

	return out && fputs(text, out) >= 0 ? 0 : -EIO;
}

static char *text_of(const struct nst_calibration *c)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	EXPECT(!nst_calibration_save(c, out), "save");
	fclose(out);
	return text;
}

/* ------------------------------------------------------------- tests --- */

static void round_trip(void)
{
	struct nst_calibration all[] = { a_noise(), a_thermal() }, again;

	for (unsigned int i = 0; i < KTAP_COUNT(all); i++) {
		_cleanup_free_ char *first = text_of(&all[i]);
		_cleanup_free_ char *second = NULL;

		memset(&again, 0x5a, sizeof(again));
		EXPECT(!save(&all[i]), "save %u", i);
		EXPECT(!nst_calibration_load(&again, path, stdout), "load %u",
		       i);
		second = text_of(&again);
		EXPECT(!strcmp(first, second), "%s\n# and\n%s", first, second);
		EXPECT(!memcmp(&all[i], &again, sizeof(again)), "%u: %s", i,
		       first);
	}
}

static void stands_for_a_sensor(void)
{
	struct nst_calibration noise = a_noise(), thermal = a_thermal();
	struct nst_plant_params plant = nst_plant_reference;
	struct nst_emva m;

	EXPECT(!nst_calibration_emva(&noise, &m), "emva");
	EXPECT(m.dark_e_per_s == 244.1 && m.prnu == 0.01 && m.dsnu == 0.1 &&
	       m.hot_share == 0.001 && m.hot_median == 10 &&
	       m.hot_sigma == 0.5 && m.bits == 10 && m.black_dn == 64, "emva");
	/* Hidden read noise counts with its bound. */
	EXPECT(m.gain[0].read_noise_e == 4.9 && m.gain[1].read_noise_e == 2.7,
	       "read noise");
	noise.noise.hot_ppm.known = false;
	EXPECT(!nst_calibration_emva(&noise, &m) && m.hot_share == 0, "hot");
	EXPECT(nst_calibration_emva(&thermal, &m) == -EINVAL, "kind");

	plant.leak_ref_uw = 50000;
	EXPECT(!nst_calibration_plant(&thermal, &plant), "plant");
	EXPECT(plant.r_jp_mk_per_w == 5500 && plant.c_j_uj_per_k == 909 &&
	       plant.c_p_uj_per_k == 700000 && plant.leak_ref_uw == 50000,
	       "%u %u", plant.c_j_uj_per_k, plant.c_p_uj_per_k);
	EXPECT(nst_calibration_plant(&noise, &plant) == -EINVAL, "kind");
	thermal.thermal.tau_p_us.value = 15000;
	EXPECT(nst_calibration_plant(&thermal, &plant) == -ERANGE, "tau");
}

static void belongs(void)
{
	const struct nst_profile_owner owner = { "sim0", "nst-sim sim0" };
	const char *theirs, *ours;

	EXPECT(nst_profile_owner_is(&owner, "nst-sim sim0", "", "cam0",
				    &theirs, &ours), "card");
	EXPECT(!nst_profile_owner_is(&owner, "imx500", "sim0", "sim0", &theirs,
				     &ours), "another card");
	EXPECT(!strcmp(theirs, "nst-sim sim0") && !strcmp(ours, "imx500"),
	       "%s, %s", theirs, ours);
	EXPECT(nst_profile_owner_is(&owner, "", "sim0", "cam0", &theirs,
				    &ours), "device");
	EXPECT(nst_profile_owner_is(&owner, "", "", "sim0", &theirs, &ours),
	       "name");
	EXPECT(!nst_profile_owner_is(&owner, "", "sim1", "cam1", &theirs,
				     &ours), "another");
	EXPECT(!strcmp(theirs, "sim0") && !strcmp(ours, "sim1"), "%s, %s",
	       theirs, ours);
	EXPECT(!nst_profile_owner_is(&owner, "", "", "cam1", &theirs, &ours) &&
	       !strcmp(ours, "cam1"), "%s", ours);
}

static void not_saved(void)
{
	struct nst_calibration c = a_noise();
	FILE *out = fopen("/dev/null", "we");

	c.noise.doubling_mc.value = NAN;
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "not a number");
	c = a_noise();
	c.noise.prnu_permyriad.hi = 50;
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "interval");
	c = a_noise();
	c.noise.gains = 0;
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "no gain");
	c = a_noise();
	c.noise.gain[1].iso = 100;
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "gain twice");
	c = a_noise();
	c.name[0] = '\0';
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "no name");
	strcpy(c.name, "sim\n0");
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "control character");
	c = a_noise();
	strcpy(c.date, "yesterday");
	EXPECT(nst_calibration_save(&c, out) == -EINVAL, "date");
	fclose(out);
}

#define HEAD \
	"version: 1\nkind: noise\nsensor: { name: sim0 }\n" \
	"date: 2026-01-31T12:00:00Z\nref_mc: 60000\ndark_e_per_s: 244\n" \
	"doubling_mc: 7000\nfull_well_e: 7900\nprnu_permyriad: 100\n" \
	"dsnu_permyriad: 1000\nbits: 10\nblack_dn: 64\n"
#define GAINS "gains: [ { iso: 100, dn_per_e: 0.12, read_noise_e: 2.7 } ]\n"

static void bad_files(void)
{
	static const struct {
		const char *text;
		const char *want;
	} bad[] = {
		{ "", ":1:1: the file is empty; a calibration begins with 'version: 1'\n" },
		{ "- a\n", ":1:1: a calibration must be a mapping, this is a list\n" },
		{ "version: 2\nkind: noise\n", ":1:1: missing key 'sensor' in a calibration\n" },
		{ HEAD "gains: []\n", ":13:8: 'gains' needs at least one entry\n" },
		{ HEAD "gains: 3\n", ":13:8: 'gains' must be a list ('- iso: ...'), this is a value\n" },
		{ HEAD "gains: [ { iso: 100, dn_per_e: 0.12 } ]\n",
		  ":13:10: one of read_noise_e and read_noise_max_e is needed, and only one\n" },
		{ HEAD "gains: [ { iso: 100, dn_per_e: -1, read_noise_e: 1 } ]\n",
		  ":13:32: 'dn_per_e' is -1, out of range; valid: 1e-06 to 1e+06\n" },
		{ HEAD "gains: [ { iso: 200, dn_per_e: 1, read_noise_e: 1 },\n"
		  "  { iso: 100, dn_per_e: 2, read_noise_e: 1 } ]\n",
		  ":1:1: iso must rise from entry to entry of gains\n" },
		{ HEAD GAINS "prnu: 1\n", ":14:1: unknown key 'prnu' in a noise calibration; " },
		{ HEAD GAINS "doubling_mc: 7000\n", ":14:1: key 'doubling_mc' again\n" },
		{ HEAD GAINS "doubling_mc_lo: 6900\n",
		  ":14:17: 'doubling_mc' needs 'doubling_mc', 'doubling_mc_lo' and 'doubling_mc_hi' together\n" },
		{ HEAD GAINS "doubling_mc_lo: 7100\ndoubling_mc_hi: 7200\n",
		  ":7:14: 'doubling_mc' is 7000, outside of its own interval 7100 to 7200\n" },
		{ HEAD GAINS "hot_ppm: 1000\n",
		  ":1:1: hot_ppm, hot_median_permyriad and hot_sigma_permyriad come together\n" },
		{ HEAD GAINS "r_jp_mk_per_w: 5500\n", ":14:1: unknown key 'r_jp_mk_per_w' in a noise calibration; " },
		{ "version: 1\nkind: warm\nsensor: { name: a }\ndate: 2026-01-31T12:00:00Z\n",
		  ":2:7: 'warm' is unknown as 'kind'; valid: noise, thermal\n" },
		{ "version: 1\nkind: thermal\nsensor: { name: a, card: \"\\x01\" }\ndate: today\n",
		  ":3:26: 'card' holds a control character\n" },
		{ HEAD GAINS "---\nversion: 1\n",
		  ":15:1: a calibration is one document, this is a second one\n" },
	};
	struct nst_calibration c, before;

	memset(&c, 0x5a, sizeof(c));
	before = c;
	for (unsigned int i = 0; i < KTAP_COUNT(bad); i++) {
		_cleanup_free_ char *text = NULL;
		size_t size = 0;
		FILE *err = open_memstream(&text, &size);

		EXPECT(!put(bad[i].text), "%u", i);
		EXPECT(nst_calibration_load(&c, path, err) == -EINVAL, "%s",
		       bad[i].text);
		fclose(err);
		EXPECT(!memcmp(&c, &before, sizeof(c)), "half applied: %s",
		       bad[i].text);
		EXPECT(strstr(text, bad[i].want), "%s# wanted: %s", text,
		       bad[i].want);
		EXPECT(nst_calibration_load(&c, path, NULL) == -EINVAL,
		       "nobody listens");
	}
	EXPECT(nst_calibration_load(&c, "/no/such/file", stdout) == -ENOENT,
	       "missing");
	EXPECT(nst_calibration_load(&c, "/", stdout) == -EISDIR, "folder");
	EXPECT(nst_calibration_load(&c, "/dev/zero", stdout) == -EFBIG,
	       "endless");
}

/* Damaged files are refused with a message, or are read and written whole. */
static void fuzz(void)
{
	static const char *const words[] = {
		"_lo", "_hi", ": ", "- ", "{", "}", "[", "]", "nan", "1e999",
		"-1", "0", "\n", "gains:\n", "kind: thermal\n", "&a ", "*a",
		"read_noise_max_e: 1\n", "iso: 100", "\"", "#", "\xff", "\t",
		"version: 1\n", "  ", "---\n", "sensor: {}\n", "~", "!!int ",
	};
	struct nst_calibration seeds[] = { a_noise(), a_thermal() };
	struct nst_rng rng = { 41 };
	unsigned int accepted = 0, refused = 0;

	for (int i = 0; i < FUZZ_ROUNDS; i++) {
		_cleanup_free_ char *clean = text_of(&seeds[i & 1]);
		_cleanup_free_ char *messages = NULL;
		char text[8192];
		struct nst_calibration c;
		size_t size = 0, len = strlen(clean);
		FILE *err;
		int r;

		memcpy(text, clean, len + 1);
		for (u64 n = 1 + nst_rng_u64(&rng) % 3; n; n--) {
			size_t at = nst_rng_u64(&rng) % len;
			const char *w = words[nst_rng_u64(&rng) %
					      KTAP_COUNT(words)];
			size_t add = strlen(w);

			switch (nst_rng_u64(&rng) % 3) {
			case 0:
				text[at] = (char)(1 + nst_rng_u64(&rng) % 255);
				break;
			case 1:
				memmove(text + at + add, text + at,
					len - at + 1);
				memcpy(text + at, w, add);
				len += add;
				break;
			default:
				text[at] = '\0';
				len = at ? at : 1;
				break;
			}
		}
		EXPECT(!put(text), "write");
		err = open_memstream(&messages, &size);
		r = nst_calibration_load(&c, path, err);
		fclose(err);
		EXPECT(r == 0 || (r == -EINVAL && *messages), "%d:\n%s", r,
		       text);
		refused += r != 0;
		if (r)
			continue;
		accepted++;
		EXPECT(!save(&c), "cannot be written again:\n%s", text);
		EXPECT(!nst_calibration_load(&c, path, stdout),
		       "cannot be read again:\n%s", text);
	}
	printf("# %u accepted, %u refused\n", accepted, refused);
	EXPECT(accepted > 30 && refused > 1000, "the mixture is not useful");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "what is saved loads to the same", round_trip },
		{ "a calibration stands for a sensor", stands_for_a_sensor },
		{ "whose it is", belongs },
		{ "what could not be read back is not saved", not_saved },
		{ "messages say where and what is valid", bad_files },
		{ "damaged files are refused or read whole", fuzz },
	};
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = ktap_main(tests, KTAP_COUNT(tests));
	unlink(path);
	return r;
}
