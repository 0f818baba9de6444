// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_profile_fuzz.c - damaged profiles never crash the reader
 *
 * Shipped profiles are damaged at random, from a fixed seed: bytes changed,
 * lines swapped, doubled and cut, words of the grammar thrown in. Whatever
 * comes out must be refused with at least one message and the profile left
 * alone, or read into a profile that dumps to a fixed point. The sanitizers
 * of the build watch the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "ktap.h"
#include "profile.h"
#include "rng.h"
#include "situation.h"

#define ROUNDS 6000
#define TEXT_MAX 16384

static struct nst_rng rng = { 20240229 };
static char path[32] = "/tmp/nst-fuzz-XXXXXX";
static char seeds[3][TEXT_MAX];
static unsigned int accepted, refused;

static unsigned int pick(size_t n)
{
	return (unsigned int)(nst_rng_u64(&rng) % n);
}

static void insert(char *text, size_t at, const char *what)
{
	size_t len = strlen(text), add = strlen(what);

	if (len + add >= TEXT_MAX)
		return;
	memmove(text + at + add, text + at, len - at + 1);
	memcpy(text + at, what, add);
}

/* Start and length of a random line. */
static size_t a_line(const char *text, size_t *ret_len)
{
	size_t len = strlen(text), at = len ? pick(len) : 0;

	while (at && text[at - 1] != '\n')
		at--;
	*ret_len = strcspn(text + at, "\n");
	if (text[at + *ret_len])
		++*ret_len;
	return at;
}

static void damage(char *text)
{
	static const char *const words[] = {
		"near_mw: ", "- ", "? ", ": ", "{", "}", "[", "]", "&a ", "*a",
		"!!int ", "|\n", ">\n", "---\n", "...\n", "\"", "'", "#", "\t",
		"%YAML 1.1\n", "<<: ", "~", "null", "-1", "0", "1e999", "nan",
		"99999999999999999999", "\xff", "\xc3\xa9", "\r", "  ", "cam0",
		"preset: imx500-like\n", "kind: imaging", "fps: 1\n",
		"noise: { model: emva }\n", "calibration: /dev/null\n",
		"accuracy_curve: ", "preset: reference-sensor\n",
		"version: 1\n", "sensors:\n", "tasks:\n", "fidelity: {}\n",
	};
	size_t len = strlen(text), at, n;
	char line[512];

	if (!len)
		return;
	switch (pick(6)) {
	case 0:
		text[pick(len)] = (char)(1 + pick(255));
		break;
	case 1:
		insert(text, pick(len), words[pick(KTAP_COUNT(words))]);
		break;
	case 2:
		at = a_line(text, &n);
		memmove(text + at, text + at + n, len - at - n + 1);
		break;
	case 3:
		at = a_line(text, &n);
		snprintf(line, sizeof(line), "%.*s", (int)n, text + at);
		at = a_line(text, &n);
		insert(text, at, line);
		break;
	case 4:
		text[pick(len)] = '\0';
		break;
	default:
		at = pick(len);
		if (text[at] >= '0' && text[at] <= '9')
			text[at] = (char)('0' + pick(10));
		else if (text[at] == ' ')
			memmove(text + at, text + at + 1, len - at);
		else
			insert(text, at, " ");
		break;
	}
}

static int load(const char *text, struct nst_profile *profile,
		size_t *ret_said)
{
	_cleanup_free_ char *said = NULL;
	FILE *out = fopen(path, "we"), *err;
	size_t size = 0;
	int r;

	if (!out)
		return -errno;
	fputs(text, out);
	fclose(out);
	err = open_memstream(&said, &size);
	r = nst_profile_load(profile, path, err);
	fclose(err);
	*ret_said = size;
	return r;
}

static void use(const struct nst_profile *profile)
{
	for (unsigned int i = 0; i < profile->sensor_count; i++) {
		const struct nst_profile_light *l = &profile->sensors[i].light;
		struct nst_situation sit;

		nst_situation_get(&sit, profile, i, l->exposure_us, l->iso);
	}
}

static void one_round(char *text)
{
	_cleanup_free_ char *dumped = NULL;
	struct nst_profile profile, before, again;
	size_t said, size = 0;
	FILE *out;
	int r;

	memset(&profile, 0x5a, sizeof(profile));
	before = profile;
	r = load(text, &profile, &said);
	EXPECT(!r || r == -EINVAL, "%d:\n%s", r, text);
	if (r) {
		refused++;
		EXPECT(said, "refused without a word:\n%s", text);
		EXPECT(!memcmp(&profile, &before, sizeof(profile)),
		       "half applied:\n%s", text);
		return;
	}
	accepted++;
	EXPECT(!said, "messages and no error:\n%s", text);
	use(&profile);
	out = open_memstream(&dumped, &size);
	nst_profile_dump(&profile, out);
	fclose(out);
	EXPECT(!load(dumped, &again, &said), "dump is refused:\n%s", dumped);
	EXPECT(!memcmp(&profile, &again, sizeof(again)), "dump differs:\n%s",
	       dumped);
}

static void fuzz(void)
{
	static char text[TEXT_MAX];

	for (int i = 0; i < ROUNDS && !ktap_failed; i++) {
		unsigned int hits = 1 + pick(4);

		strcpy(text, seeds[pick(KTAP_COUNT(seeds))]);
		while (hits--)
			damage(text);
		one_round(text);
	}
	printf("# %u accepted, %u refused\n", accepted, refused);
	/* Both ways have to be walked, or the damage is of the wrong kind. */
	EXPECT(accepted > ROUNDS / 50, "%u", accepted);
	EXPECT(refused > ROUNDS / 2, "%u", refused);
}

static bool read_seed(const char *name, char *text)
{
	const char *top = getenv("NST_TOP");
	char file[1024];
	FILE *in;
	size_t n;

	snprintf(file, sizeof(file), "%s/policies/profiles/%s.yaml",
		 top ? top : ".", name);
	in = fopen(file, "re");
	if (!in)
		return false;
	n = fread(text, 1, TEXT_MAX / 2, in);
	text[n] = '\0';
	fclose(in);
	return n > 0;
}

/* A curve by its path: the damaged profile is nowhere near it. */
static void place_curve(char *text)
{
	static const char name[] = "retinanet-r50-coco";
	const char *top = getenv("NST_TOP");
	_cleanup_free_ char *real = realpath(top ? top : ".", NULL);
	char *at = strstr(text, name);
	char file[1024];

	if (!at || !real)
		return;
	memmove(at, at + strlen(name), strlen(at + strlen(name)) + 1);
	snprintf(file, sizeof(file), "%s/policies/profiles/accuracy/%s.csv",
		 real, name);
	insert(text, (size_t)(at - text), file);
}

static void seeds_are_there(void)
{
	EXPECT(read_seed("reference", seeds[0]), "reference.yaml");
	EXPECT(read_seed("demo", seeds[1]), "demo.yaml");
	EXPECT(read_seed("emva", seeds[2]), "emva.yaml");
	place_curve(seeds[2]);
	for (unsigned int i = 0; i < KTAP_COUNT(seeds); i++) {
		struct nst_profile profile;
		size_t said;

		EXPECT(!load(seeds[i], &profile, &said), "%s", seeds[i]);
	}
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "profiles to start from", seeds_are_there },
		{ "damaged profiles are refused or read whole", fuzz },
	};
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = ktap_main(tests, KTAP_COUNT(tests));
	unlink(path);
	return r;
}
