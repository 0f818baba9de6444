// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_rec.c - recordings: what is written reads back, what is broken is
 * refused with its line, and no mutation of a good file crashes the reader
 * or becomes a record that the writer would not have written
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "rec.h"

#define FRAMES 40

static struct nst_rec_frame example(unsigned int i)
{
	struct nst_rec_frame f = {
		.seq = i + 1,
		.t_us = 33333ull * i,
		.temp_mc = (s32)(40000 + 137 * i),
		.temp_state = NST_SAMPLE_VALID,
		.gate = i % 3 ? NST_GATE_RUN : NST_GATE_STANDBY,
		.placement = (enum nst_placement)(i % 3),
		.exposure_temp_mc = (s32)(40500 + 137 * i),
		.limit_mc = 81100,
		.high_mc = 80000,
		.low_mc = 63000,
		.max_mc = 105000,
		.power_mw = 2500,
		.ambient_mc = -12345,
		.exposure_us = 64000,
		.iso = 800,
		.lux_milli = 3200,
		.delivered = i % 3 != 2,
		.reason_text = nst_reason_text((enum nst_reason)
					       (i % NST_REASON_COUNT)),
	};

	strcpy(f.sensor, i % 2 ? "cam0" : "cam_1.b-x");
	if (i % 7 == 0) {
		f.temp_state = (enum nst_sample_state)
			(1 + i / 7 % (NST_SAMPLE_STATE_COUNT - 1));
		f.temp_mc = NST_TEMP_NONE_MC;
		f.exposure_temp_mc = NST_TEMP_NONE_MC;
	}
	if (i % 5 == 0)
		f.limit_mc = NST_TEMP_NONE_MC;
	return f;
}

static char *write_all(size_t *ret_len)
{
	struct nst_rec_writer *w;
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	EXPECT(!nst_rec_writer_new(&w, out), " ");
	EXPECT(!nst_rec_writer_meta(w, "sensor cam0 near_mw=2500"), " ");
	EXPECT(!nst_rec_writer_meta(w, "started, by hand"), " ");
	for (unsigned int i = 0; i < FRAMES; i++) {
		struct nst_rec_frame f = example(i);

		EXPECT(!nst_rec_writer_frame(w, &f), "frame %u", i);
	}
	nst_rec_writer_free(w);
	fclose(out);
	return text;
}

static bool same(const struct nst_rec_frame *a, const struct nst_rec_frame *b)
{
	return a->seq == b->seq && a->t_us == b->t_us &&
	       !strcmp(a->sensor, b->sensor) && a->temp_mc == b->temp_mc &&
	       a->temp_state == b->temp_state && a->gate == b->gate &&
	       a->placement == b->placement &&
	       a->exposure_temp_mc == b->exposure_temp_mc &&
	       a->limit_mc == b->limit_mc && a->high_mc == b->high_mc &&
	       a->low_mc == b->low_mc && a->max_mc == b->max_mc &&
	       a->power_mw == b->power_mw && a->ambient_mc == b->ambient_mc &&
	       a->exposure_us == b->exposure_us && a->iso == b->iso &&
	       a->lux_milli == b->lux_milli && a->delivered == b->delivered &&
	       !strcmp(a->reason_text, b->reason_text);
}

static void round_trip(void)
{
	struct nst_rec_reader *r = NULL;
	struct nst_rec_frame f;
	size_t len = 0;
	char *text = write_all(&len);
	FILE *in = fmemopen(text, len, "r");
	unsigned int i = 0;

	EXPECT(!nst_rec_reader_new(&r, in, "mem", stdout), " ");
	EXPECT(!strcmp(nst_rec_reader_meta(r, 0), "sensor cam0 near_mw=2500"),
	       " ");
	EXPECT(!strcmp(nst_rec_reader_meta(r, 1), "started, by hand"), " ");
	EXPECT(!nst_rec_reader_meta(r, 2), " ");
	while (nst_rec_reader_next(r, &f) == 1) {
		struct nst_rec_frame want = example(i);

		EXPECT(same(&f, &want), "frame %u", i);
		i++;
	}
	EXPECT(i == FRAMES, "%u", i);
	EXPECT(nst_rec_reader_next(r, &f) == 0, "at the end");
	nst_rec_reader_free(r);
	fclose(in);
	free(text);
}

static void writer_refuses(void)
{
	struct nst_rec_writer *w;
	struct nst_rec_frame f;
	char *text = NULL;
	size_t len = 0, before;
	FILE *out = open_memstream(&text, &len);

	EXPECT(!nst_rec_writer_new(&w, out), " ");
	EXPECT(nst_rec_writer_meta(w, "two\nlines") == -EINVAL, " ");
	EXPECT(nst_rec_writer_meta(w, "") == -EINVAL, " ");
	fflush(out);
	before = len;
#define REFUSED(change, err)                                               \
	do {                                                               \
		f = example(1);                                            \
		change;                                                    \
		EXPECT(nst_rec_writer_frame(w, &f) == (err), #change);     \
	} while (0)
	REFUSED(f.reason_text = "a, b", -EINVAL);
	REFUSED(f.reason_text = "a\nb", -EINVAL);
	REFUSED(f.reason_text = NULL, -EINVAL);
	REFUSED(f.sensor[0] = '\0', -EINVAL);
	REFUSED(f.sensor[1] = ',', -EINVAL);
	REFUSED(f.gate = NST_GATE_COUNT, -EINVAL);
	REFUSED(f.placement = NST_PLACEMENT_COUNT, -EINVAL);
	REFUSED(f.temp_mc = NST_TEMP_NONE_MC, -ERANGE);
	REFUSED(f.temp_mc = NST_TEMP_MIN_MC - 1, -ERANGE);
	REFUSED(f.low_mc = f.high_mc, -EINVAL);
	REFUSED(f.max_mc = f.high_mc - 1, -EINVAL);
	REFUSED(f.power_mw = NST_POWER_MAX_MW + 1, -ERANGE);
	fflush(out);
	EXPECT(len == before, "something was written");
	f = example(1);
	EXPECT(!nst_rec_writer_frame(w, &f), " ");
	EXPECT(nst_rec_writer_meta(w, "late") == -EBUSY, " ");
	nst_rec_writer_free(w);
	fclose(out);
	free(text);
}

static void full_disk(void)
{
	FILE *out = fopen("/dev/full", "w");
	struct nst_rec_writer *w = NULL;
	struct nst_rec_frame f = example(1);

	if (!out)
		return;
	setvbuf(out, NULL, _IONBF, 0);
	EXPECT(nst_rec_writer_new(&w, out) == -EIO, "no room for the head");
	fclose(out);
	out = fopen("/dev/full", "w");
	EXPECT(!nst_rec_writer_new(&w, out), "buffered");
	setvbuf(out, NULL, _IONBF, 0);
	EXPECT(nst_rec_writer_frame(w, &f) == -EIO, " ");
	nst_rec_writer_free(w);
	fclose(out);
}

#define HEAD "# nst-recording 1\n"
#define COLUMNS "seq,t_us,sensor,temp_mc,temp_state,gate,placement," \
	"exposure_temp_mc,limit_mc,high_mc,low_mc,max_mc,power_mw," \
	"ambient_mc,exposure_us,iso,lux_milli,delivered,reason"
#define GOOD "1,2,cam0,40000,valid,run,near,41000,,80000,63000,105000," \
	"2500,26400,64000,800,3200,1,steady"

/* Reads all of it; the messages end up in @ret_said. */
static int read_text(const char *text, size_t len, char *ret_said,
		     size_t said_size, struct nst_rec_frame *last)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, len, "r");
	FILE *err = fmemopen(ret_said, said_size, "w");
	struct nst_rec_reader *r = NULL;
	int res, count = 0;

	res = nst_rec_reader_new(&r, in, "f", err);
	if (!res) {
		while ((res = nst_rec_reader_next(r, last)) == 1)
			count++;
		nst_rec_reader_free(r);
	}
	fclose(in);
	fclose(err);
	return res ? res : count;
}

struct broken {
	const char *text;
	const char *said;
};

static const struct broken broken[] = {
	{ "seq,t_us\n", "f:1: 'seq,t_us' is not the first line" },
	{ "# nst-recording 2\n", "f:1: recording version '2'" },
	{ "# nst-recording 1.0\n", "f:1: recording version '1.0'" },
	{ HEAD, "f:2: the file ends before its column names" },
	{ HEAD "# note\nseq,t_us\n", "f:3: column 'sensor' is missing" },
	{ HEAD COLUMNS ",seq\n", "f:2: column 'seq' twice" },
	{ HEAD COLUMNS "\n" GOOD, "f:3: the file ends in the middle" },
	{ HEAD COLUMNS "\r\n", "f:2: line ends with CR LF" },
	{ HEAD COLUMNS "\n" GOOD ",x\n", "f:3: 20 fields, the header" },
	{ HEAD COLUMNS "\n1,2\n", "f:3: 2 fields, the header" },
	{ HEAD COLUMNS "\n\n", "f:3: 1 fields, the header" },
	{ HEAD COLUMNS "\n-1,2,cam0,40000,valid,run,near,,,,,,0,,0,0,0,1,\n",
	  "f:3: seq is '-1', valid is 0 to" },
	{ HEAD COLUMNS "\n99999999999999999999,2,cam0,40000,valid,run,near,,,"
	  ",,,0,,0,0,0,1,\n", "f:3: seq is '9999" },
	{ HEAD COLUMNS "\n1,2,cam0,40.5,valid,run,near,,,,,,0,,0,0,0,1,\n",
	  "f:3: temp_mc is '40.5', valid is -60000 to 250000" },
	{ HEAD COLUMNS "\n1,2,cam0, 40,valid,run,near,,,,,,0,,0,0,0,1,\n",
	  "f:3: temp_mc is ' 40'" },
	{ HEAD COLUMNS "\n1,2,cam0,,valid,run,near,,,,,,0,,0,0,0,1,\n",
	  "f:3: temp_mc is empty beside temp_state 'valid'" },
	{ HEAD COLUMNS "\n1,2,cam0,1,gone,run,near,,,,,,0,,0,0,0,1,\n",
	  "a temperature that is not valid has no number" },
	{ HEAD COLUMNS "\n1,2,cam0,1,cold,run,near,,,,,,0,,0,0,0,1,\n",
	  "temp_state is 'cold', valid are valid, not-ready" },
	{ HEAD COLUMNS "\n1,2,cam0,1,valid,open,near,,,,,,0,,0,0,0,1,\n",
	  "gate is 'open', valid are run, standby, cleared, off" },
	{ HEAD COLUMNS "\n1,2,cam0,1,valid,run,here,,,,,,0,,0,0,0,1,\n",
	  "placement is 'here', valid are near, far, paused" },
	{ HEAD COLUMNS "\n1,2,ca m,1,valid,run,near,,,,,,0,,0,0,0,1,\n",
	  "sensor is 'ca m'" },
	{ HEAD COLUMNS "\n1,2,c,1,valid,run,near,,,63,63,99,0,,0,0,0,1,\n",
	  "break low_mc < high_mc <= max_mc" },
	{ HEAD COLUMNS "\n1,2,c,1,valid,run,near,,,,,,0,,0,0,0,2,\n",
	  "delivered is '2', valid is 0 to 1" },
	{ HEAD COLUMNS "\n1,2,c,1,valid,run,near,,,,,,,,0,0,0,1,\n",
	  "power_mw is empty, valid is 0 to 50000" },
	{ "", "f:1: the file is empty" },
};

static void broken_files(void)
{
	for (unsigned int i = 0; i < KTAP_COUNT(broken); i++) {
		const struct broken *b = &broken[i];
		char said[1024] = "";
		struct nst_rec_frame f;
		int r;

		/* fmemopen() has no empty files */
		r = b->text[0]
			? read_text(b->text, strlen(b->text), said,
				    sizeof(said), &f)
			: -EBADMSG;
		if (!b->text[0]) {
			FILE *in = fopen("/dev/null", "r");
			FILE *err = fmemopen(said, sizeof(said), "w");
			struct nst_rec_reader *reader;

			r = nst_rec_reader_new(&reader, in, "f", err);
			fclose(in);
			fclose(err);
		}
		EXPECT(r == -EBADMSG, "case %u gave %d", i, r);
		EXPECT(strstr(said, b->said), "case %u said: %s", i, said);
	}
}

static void nul_and_long_lines(void)
{
	static const char nul[] = HEAD COLUMNS "\n1,2\0,c\n";
	static const char nul_first[] = HEAD COLUMNS "\n" GOOD "\n\0\n";
	static char text[20000];
	struct nst_rec_frame f;
	char said[1024] = "";

	EXPECT(read_text(nul, sizeof(nul) - 1, said, sizeof(said), &f) ==
	       -EBADMSG && strstr(said, "f:3: a NUL byte"), "said %s", said);
	EXPECT(read_text(nul_first, sizeof(nul_first) - 1, said, sizeof(said),
			 &f) == -EBADMSG && strstr(said, "f:4: a NUL byte"),
	       "said %s", said);
	memset(text, 'x', sizeof(text));
	memcpy(text, HEAD, strlen(HEAD));
	EXPECT(read_text(text, sizeof(text), said, sizeof(said), &f) ==
	       -EBADMSG && strstr(said, "f:2: line is longer than"),
	       "said %s", said);
}

static void other_columns(void)
{
	static const char text[] = HEAD
		"future,reason,delivered,lux_milli,iso,exposure_us,ambient_mc,"
		"power_mw,max_mc,low_mc,high_mc,limit_mc,exposure_temp_mc,"
		"placement,gate,temp_state,temp_mc,sensor,t_us,seq\n"
		"# a remark\n"
		"?,steady,0,3200,800,64000,26400,2500,105000,63000,80000,,"
		"41000,far,standby,valid,40000,cam0,2,1\n";
	struct nst_rec_frame f = { 0 };
	char said[256] = "";

	EXPECT(read_text(text, sizeof(text) - 1, said, sizeof(said), &f) == 1,
	       "said %s", said);
	EXPECT(f.seq == 1 && f.iso == 800 && f.placement == NST_FAR &&
	       f.gate == NST_GATE_STANDBY && !f.delivered, "wrong columns");
}

/* xorshift: the same mutations on every machine */
static u64 rng_state = 88172645463325252ull;

static u64 rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

/*
 * Every record that is read from a broken file has to be one that the
 * writer takes: nothing out of range, no text that breaks a line.
 */
static void check_taken(const struct nst_rec_frame *f)
{
	struct nst_rec_writer *w;
	FILE *null = fopen("/dev/null", "w");

	EXPECT(!nst_rec_writer_new(&w, null), " ");
	EXPECT(!nst_rec_writer_frame(w, f), "read, but cannot be written");
	nst_rec_writer_free(w);
	fclose(null);
}

static void mutate_file(char *text, size_t *len, size_t size)
{
	static const char *const bits[] = {
		",", "\n", "#", "-", "NaN", "1e9", "999999999999", "\r", "run",
		"valid", ",,", "0x10", "\xff",
	};

	for (u64 n = 1 + rng() % 4; n; n--) {
		size_t at = rng() % *len;
		const char *bit = bits[rng() % KTAP_COUNT(bits)];
		size_t bit_len = strlen(bit);

		switch (rng() % 4) {
		case 0:
			text[at] = (char)rng();
			break;
		case 1:		/* cut */
			*len = at + 1;
			break;
		case 2:		/* take out */
			memmove(text + at, text + at + 1, *len - at - 1);
			if (*len > 1)
				--*len;
			break;
		default:	/* put in */
			if (*len + bit_len > size)
				break;
			memmove(text + at + bit_len, text + at, *len - at);
			memcpy(text + at, bit, bit_len);
			*len += bit_len;
		}
	}
}

static void mutations(void)
{
	size_t good_len = 0, len;
	char *good = write_all(&good_len);
	static char text[16384];
	unsigned int read = 0, refused = 0;

	EXPECT(good_len < sizeof(text) - 64, "%zu", good_len);
	for (int i = 0; i < 4000; i++) {
		struct nst_rec_reader *r = NULL;
		struct nst_rec_frame f;
		char said[2048] = "";
		FILE *in, *err;
		int res;

		memcpy(text, good, good_len);
		len = good_len;
		mutate_file(text, &len, sizeof(text));
		in = fmemopen(text, len, "r");
		err = fmemopen(said, sizeof(said) - 1, "w");
		setvbuf(err, NULL, _IONBF, 0);
		res = nst_rec_reader_new(&r, in, "f", err);
		while (!res && (res = nst_rec_reader_next(r, &f)) == 1) {
			check_taken(&f);
			read++;
			res = 0;
		}
		EXPECT(res == 0 || res == -EBADMSG, "%d", res);
		EXPECT(!res == !said[0], "%d said '%s'", res, said);
		if (res) {
			EXPECT(!strncmp(said, "f:", 2), "said %s", said);
			refused++;
		}
		nst_rec_reader_free(r);
		fclose(in);
		fclose(err);
	}
	/* The mutations have to reach both sides. */
	EXPECT(read > 1000 && refused > 1000, "%u read, %u refused", read,
	       refused);
	free(good);
}

static const struct ktap_test tests[] = {
	{ "round_trip", round_trip },
	{ "writer_refuses", writer_refuses },
	{ "full_disk", full_disk },
	{ "broken_files", broken_files },
	{ "nul_and_long_lines", nul_and_long_lines },
	{ "other_columns", other_columns },
	{ "mutations", mutations },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
