// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_util.c - strict numbers, word hints, paths, places, light traces
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "ktap.h"
#include "number.h"
#include "path.h"
#include "places.h"
#include "trace.h"
#include "words.h"

static void integers(void)
{
	static const struct {
		const char *text;
		int err;
		long long value;
	} rows[] = {
		{ "0", 0, 0 },		   { "-7", 0, -7 },
		{ "+7", 0, 7 },		   { "007", 0, 7 },
		{ "100", 0, 100 },	   { "101", -ERANGE, 0 },
		{ "-101", -ERANGE, 0 },	   { "", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },	   { " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },	   { "1.0", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 },	   { "1e2", -EINVAL, 0 },
		{ "--1", -EINVAL, 0 },	   { "one", -EINVAL, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(rows); i++) {
		long long v = 555;
		int r = nst_number_int(rows[i].text, -100, 100, &v);

		EXPECT(r == rows[i].err, "'%s': %d", rows[i].text, r);
		EXPECT(v == (r ? 555 : rows[i].value), "'%s': %lld",
		       rows[i].text, v);
	}
}

static void reals(void)
{
	static const struct {
		const char *text;
		int err;
		double value;
	} rows[] = {
		{ "0", 0, 0 },		{ "-0.5", 0, -0.5 },
		{ "1e2", 0, 100 },	{ "1.5E+1", 0, 15 },
		{ "1e3", -ERANGE, 0 },	{ "1e999", -ERANGE, 0 },
		{ "nan", -EINVAL, 0 },	{ "inf", -EINVAL, 0 },
		{ "0x1p3", -EINVAL, 0 }, { ".5", -EINVAL, 0 },
		{ "5.", -EINVAL, 0 },	{ "1e", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },	{ "", -EINVAL, 0 },
		{ "1,5", -EINVAL, 0 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(rows); i++) {
		double v = 555;
		int r = nst_number_real(rows[i].text, -100, 100, &v);

		EXPECT(r == rows[i].err, "'%s': %d", rows[i].text, r);
		EXPECT(v == (r ? 555 : rows[i].value), "'%s': %g",
		       rows[i].text, v);
	}
}

static void thousandths(void)
{
	static const struct {
		const char *text;
		int err;
		long long value;
	} rows[] = {
		{ "3.2", 0, 3200 },	   { "3.201", 0, 3201 },
		{ "3", 0, 3000 },	   { "-0.001", 0, -1 },
		{ "0.0", 0, 0 },	   { "3.2001", -EINVAL, 0 },
		{ "3.", -EINVAL, 0 },	   { ".3", -EINVAL, 0 },
		{ "100.001", -ERANGE, 0 }, { "1e2", -EINVAL, 0 },
		{ "9999999999999999", -ERANGE, 0 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(rows); i++) {
		long long v = 555;
		int r = nst_number_milli(rows[i].text, -100000, 100000, &v);

		EXPECT(r == rows[i].err, "'%s': %d", rows[i].text, r);
		EXPECT(v == (r ? 555 : rows[i].value), "'%s': %lld",
		       rows[i].text, v);
	}
}

static void hints(void)
{
	static const char *const words[] = { "near_mw", "far_mw", "fps",
					     "readout_us", "" };
	char buf[128], tiny[16];

	EXPECT(nst_words_distance("fps", "fsp") == 1, "a swap is one slip");
	EXPECT(nst_words_distance("", "abc") == 3, "-");
	EXPECT(nst_words_nearest("near_mv", words, 5) == 0, "-");
	EXPECT(nst_words_nearest("readout", words, 5) == 3, "unit left out");
	EXPECT(nst_words_nearest("xyz", words, 5) == -1, "nothing near");
	EXPECT(nst_words_nearest("", words, 5) == -1, "nothing");
	nst_words_hint(buf, sizeof(buf), "valid", "fsp", words, 5);
	EXPECT(!strcmp(buf, "did you mean 'fps'? valid: "
			    "near_mw, far_mw, fps, readout_us"),
	       "%s", buf);
	nst_words_hint(buf, sizeof(buf), "valid", "x", words, 0);
	EXPECT(!strcmp(buf, "valid: none"), "%s", buf);
	nst_words_hint(tiny, sizeof(tiny), "valid", "zzz", words, 5);
	EXPECT(strlen(tiny) < sizeof(tiny) && strstr(tiny, "..."), "%s", tiny);
}

static void paths(void)
{
	char buf[32] = "before", line[16];
	long long value;

	EXPECT(!nst_path_join(buf, sizeof(buf), "/tmp/x/", "/sys/a"), "-");
	EXPECT(!strcmp(buf, "/tmp/x/sys/a"), "%s", buf);
	EXPECT(!nst_path_join(buf, sizeof(buf), NULL, "/sys/a"), "-");
	EXPECT(!strcmp(buf, "/sys/a"), "%s", buf);
	EXPECT(nst_path_join(buf, 8, "/tmp/x", "/sys/a") == -ENAMETOOLONG,
	       "-");
	EXPECT(!strcmp(buf, "/sys/a"), "touched: %s", buf);
	EXPECT(nst_path_read_line("/no/such", line, sizeof(line)) == -ENOENT,
	       "-");
	EXPECT(nst_path_read_int("/proc/version", &value) == -EINVAL, "-");
	EXPECT(nst_path_write("/no/such", "1") == -ENOENT, "-");
}

/* @path: of an empty file below @root, with the folders on the way to it */
static void put_file(const char *root, const char *path)
{
	char full[128];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *c = full + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		(void)mkdir(full, 0700);
		*c = '/';
	}
	f = fopen(full, "we");
	EXPECT(f, "%s: %m", full);
	if (f)
		fclose(f);
}

static void places(void)
{
	static const char *const worse_first[] = {
		NST_PLACES_VENDOR, NST_PLACES_LOCAL, NST_PLACES_ETC,
	};
	char root[] = "/tmp/nst-test-XXXXXX", command[64];

	EXPECT(mkdtemp(root), "%m");
	EXPECT(!nst_places_profile(root), "one in an empty folder");
	for (unsigned int i = 0; i < KTAP_COUNT(worse_first); i++) {
		const char *found;

		put_file(root, worse_first[i]);
		found = nst_places_profile(root);
		EXPECT(found && !strcmp(found, worse_first[i]), "%s",
		       found ? found : "none");
	}
	snprintf(command, sizeof(command), "rm -r %s", root);
	EXPECT(!system(command), "%s", command);

	unsetenv("NST_SOCKET");
	EXPECT(!strcmp(nst_places_socket(), NST_PLACES_SOCKET), "unset");
	setenv("NST_SOCKET", "", 1);
	EXPECT(!strcmp(nst_places_socket(), NST_PLACES_SOCKET), "empty");
	setenv("NST_SOCKET", "/x", 1);
	EXPECT(!strcmp(nst_places_socket(), "/x"), "set");
	unsetenv("NST_SOCKET");
}

/* ------------------------------------------------------------ traces --- */

static int load(const char *text, struct nst_trace *trace, char *said,
		size_t size)
{
	char path[] = "/tmp/nst-test-XXXXXX";
	int fd = mkstemp(path), r;
	size_t len = strlen(text);
	FILE *err;

	memset(said, 0, size);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return -EIO;
	close(fd);
	err = fmemopen(said, size - 1, "w");
	r = nst_trace_load(trace, path, err);
	fclose(err);
	unlink(path);
	return r;
}

static void good_traces(void)
{
	struct nst_trace t;
	char said[512];

	EXPECT(!load("# comment\n\nt_s,light,ambient_mc\n0,dim,20000\n"
		     "2.5,office,-500\n7,daylight,30000\r\n", &t, said,
		     sizeof(said)), "%s", said);
	EXPECT(t.count == 3 && t.steps[1].t_us == 2500000 &&
	       t.steps[1].exposure_us == 32000 && t.steps[1].iso == 400 &&
	       t.steps[1].has_ambient && t.steps[1].ambient_mc == -500 &&
	       t.end_us == 11500000, "steps");
	nst_trace_free(&t);
	EXPECT(!load("iso,t_s,exposure_us\n100,0,16000\n", &t, said,
		     sizeof(said)), "%s", said);
	EXPECT(t.count == 1 && !t.end_us && t.steps[0].iso == 100 &&
	       !t.steps[0].has_ambient, "steps");
	nst_trace_free(&t);
}

static void auto_exposure(void)
{
	u32 exposure, iso, last_exposure = 64000, last_iso = 800;

	/* The three published settings themselves. */
	nst_trace_auto_exposure(3200, &exposure, &iso);
	EXPECT(exposure == 64000 && iso == 800, "%u %u", exposure, iso);
	nst_trace_auto_exposure(320000, &exposure, &iso);
	EXPECT(exposure == 32000 && iso == 400, "%u %u", exposure, iso);
	nst_trace_auto_exposure(32000000, &exposure, &iso);
	EXPECT(exposure == 16000 && iso == 100, "%u %u", exposure, iso);
	nst_trace_auto_exposure(0, &exposure, &iso);
	EXPECT(exposure == 64000 && iso == 800, "darkness");
	/* More light never asks for more of anything. */
	for (double mlux = 1000; mlux < 1e8; mlux *= 1.05) {
		nst_trace_auto_exposure((u32)mlux, &exposure, &iso);
		EXPECT(exposure <= last_exposure && iso <= last_iso,
		       "%g: %u %u", mlux, exposure, iso);
		last_exposure = exposure;
		last_iso = iso;
	}
}

static void bad_traces(void)
{
	static const struct {
		const char *text;
		const char *said;
	} rows[] = {
		{ "", ":0: the trace has no steps" },
		{ "t_s,light\n", ":1: the trace has no steps" },
		{ "light\ndim\n", ":1: no column 't_s'" },
		{ "t_s\n0\n", ":1: one of 'light', 'lux'" },
		{ "t_s,light,lux\n", ":1: one of 'light', 'lux'" },
		{ "t_s,iso\n0,1\n", ":1: 'exposure_us' and 'iso' come" },
		{ "t_s,ligth\n", "did you mean 'light'? valid columns:" },
		{ "t_s,t_s,light\n", ":1: column 't_s' again" },
		{ "t_s,light\n0,dusk\n", ":2: unknown light 'dusk'; valid: dim" },
		{ "t_s,light\n0\n", ":2: 1 fields where the header has 2" },
		{ "t_s,light\n1,dim\n", ":2: the first step must be at t_s 0" },
		{ "t_s,light\n0,dim\n0,dim\n", ":3: t_s must rise" },
		{ "t_s,lux\n0,nan\n", ":2: 'nan' is not a valid lux; valid: 0" },
		{ "t_s,lux\n0,-1\n", ":2: '-1' is not a valid lux" },
		{ "t_s,light,ambient_mc\n0,dim,99\n1,dim,99000\n",
		  ":3: '99000' is not a valid ambient_mc" },
		{ "t_s,exposure_us,iso\n0,0,100\n",
		  ":2: '0' is not a valid exposure_us" },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(rows); i++) {
		struct nst_trace t = { .count = 99 };
		char said[512];
		int r = load(rows[i].text, &t, said, sizeof(said));

		EXPECT(r == -EINVAL, "%u: %d", i, r);
		EXPECT(strstr(said, rows[i].said), "%u: %s", i, said);
		EXPECT(t.count == 99, "touched");
	}
	{
		struct nst_trace t;

		EXPECT(nst_trace_load(&t, "/no/such.csv", NULL) == -ENOENT,
		       "missing");
		EXPECT(nst_trace_load(&t, "/", NULL) == -EISDIR, "folder");
	}
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "integers are read strictly", integers },
		{ "reals are read strictly", reals },
		{ "thousandths are read strictly", thousandths },
		{ "hints name the likely and the valid words", hints },
		{ "paths below a root", paths },
		{ "places of profile and socket", places },
		{ "traces are read", good_traces },
		{ "auto-exposure meets the published settings",
		  auto_exposure },
		{ "broken traces are refused by line", bad_traces },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
