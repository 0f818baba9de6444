// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_vision.c - the parts of nst-vision that need no camera
 *
 * The units are included as source: they belong to the program and are in no
 * library.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ktap.h"
#include "vision/phases.c"
#include "vision/score.c"
#include "vision/task.c"
#include "vision/truth.c"

static char dir[40];

static const char *file_of(const char *name, const char *text)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
	return path;
}

/* ---------------------------------------------------------------- score */

static void overlap(void)
{
	static const struct {
		const char *name;
		struct nst_box a, b;
		int permyriad;
	} cases[] = {
		{ "the same", { 10, 10, 20, 20 }, { 10, 10, 20, 20 }, 10000 },
		{ "half a box aside", { 0, 0, 20, 20 }, { 10, 0, 20, 20 },
		  3333 },
		{ "inside", { 0, 0, 20, 20 }, { 5, 5, 10, 10 }, 2500 },
		{ "side by side", { 0, 0, 20, 20 }, { 20, 0, 20, 20 }, 0 },
		{ "apart", { 0, 0, 5, 5 }, { 100, 100, 5, 5 }, 0 },
		{ "large", { 0, 0, 4096, 4096 }, { 0, 0, 4096, 2048 }, 5000 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		EXPECT(nst_box_iou_permyriad(&cases[i].a, &cases[i].b) ==
		       cases[i].permyriad, "%s", cases[i].name);
		EXPECT(nst_box_iou_permyriad(&cases[i].b, &cases[i].a) ==
		       cases[i].permyriad, "%s, turned", cases[i].name);
	}
}

static void matching(void)
{
	const struct nst_box truth[] = { { 0, 0, 20, 20 }, { 10, 0, 20, 20 } };
	/* the first overlaps both, best the second; one is far away */
	const struct nst_box found[] = { { 8, 0, 20, 20 }, { 1, 0, 20, 20 },
					 { 300, 300, 9, 9 } };
	struct nst_score s = { 0 };
	bool matched[3];

	nst_score_frame(&s, truth, 2, found, 3, matched);
	EXPECT(s.matches == 2 && s.detections == 3 && s.objects == 2, "%lu",
	       s.matches);
	EXPECT(matched[0] && matched[1] && !matched[2], "flags");
	EXPECT(nst_score_precision_permyriad(&s) == 6667, "%d",
	       nst_score_precision_permyriad(&s));
	EXPECT(nst_score_recall_permyriad(&s) == 10000, "%d",
	       nst_score_recall_permyriad(&s));

	/* one detection cannot stand for two objects */
	s = (struct nst_score){ 0 };
	nst_score_frame(&s, truth, 2, found, 1, NULL);
	EXPECT(s.matches == 1, "%lu", s.matches);
	EXPECT(nst_score_recall_permyriad(&s) == 5000, "recall");

	/* nothing found has a recall, and no precision */
	s = (struct nst_score){ 0 };
	nst_score_frame(&s, truth, 2, NULL, 0, NULL);
	EXPECT(nst_score_precision_permyriad(&s) == -1, "precision");
	EXPECT(nst_score_recall_permyriad(&s) == 0, "recall");
}

/* --------------------------------------------------------------- phases */

static void phases_good(void)
{
	const char *path = file_of("good", "# a day\n\n"
				   "dim 2 64000 800 3200 26400\n"
				   "frost-1 1 16000 100 32000000 -20000 # !\n");
	struct nst_phases p;

	EXPECT(!nst_phases_load(&p, path, stderr), "%s", path);
	EXPECT(p.count == 2 && p.shares == 3, "%u", p.count);
	EXPECT(!strcmp(p.phase[1].name, "frost-1") &&
	       p.phase[1].ambient_mc == -20000 &&
	       p.phase[0].setting.iso == 800, "fields");
	EXPECT(nst_phases_end_ms(&p, 0, 60000) == 40000 &&
	       nst_phases_end_ms(&p, 1, 60000) == 60000, "ends");
	EXPECT(nst_phases_load(&p, "/nonexistent", stderr) == -ENOENT, "none");
}

static void phases_bad(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "no phase" },
		{ "dim 1 64000 800 3200\n", ":1: a phase is: name" },
		{ "dim 1 64000 800 3200 26400 9\n", ":1: a phase is: name" },
		{ "\ndim 0 64000 800 3200 26400\n", ":2: share is" },
		{ "dim 1 64ms 800 3200 26400\n", "exposure_us is" },
		{ "dim 1 64000 50 3200 26400\n", "iso is a number from 100" },
		{ "dim 1 64000 800 0 26400\n", "lux_milli is" },
		{ "dim 1 64000 800 3200 99000\n", "ambient_mc is" },
		{ "di\"m 1 64000 800 3200 26400\n", "a name has" },
		{ "averyveryverylongname 1 64000 800 3200 26400\n",
		  "a name has" },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		const char *path = file_of("bad", cases[i].text);
		struct nst_phases p = { .count = 99 };
		char *said = NULL;
		size_t size = 0;
		FILE *err = open_memstream(&said, &size);

		EXPECT(nst_phases_load(&p, path, err) == -EINVAL, "case %u", i);
		fclose(err);
		EXPECT(strstr(said, cases[i].message), "case %u says %s", i,
		       said);
		EXPECT(p.count == 99, "case %u touched the result", i);
		free(said);
	}
}

/* ---------------------------------------------------------------- truth */

static void frames_of_the_truth(void)
{
	static const char *const broken[] = {
		"", "x", "12 34 56", "1 2 3 4 run 2 1,2,3,4", "1 2 3 4 run 9",
		"1 2 3 4 run 1 1,2,3", "1 2 3 4 run -1",
	};
	struct nst_truth_frame f = { .seq = 7 };

	for (unsigned int i = 0; i < KTAP_COUNT(broken); i++)
		EXPECT(nst_truth_parse_frame(broken[i], &f) == -EPROTO,
		       "'%s'", broken[i]);
	EXPECT(f.seq == 7, "touched");
	EXPECT(!nst_truth_parse_frame("88 2933304 81050 -3 standby 2 1,2,30,40 "
				      "600,400,28,59\n", &f), "good");
	EXPECT(f.seq == 88 && f.start_us == 2933304 && f.hot_mc == 81050 &&
	       f.cold_mc == -3 && f.boxes == 2 && f.box[1].x == 600 &&
	       f.box[1].h == 59, "fields");
	EXPECT(!nst_truth_parse_frame("1 2 3 4 run 0\n", &f) && f.boxes == 0,
	       "no object");
}

static void state_of_the_truth(void)
{
	static const char text[] =
		"now_us 123\ndie_mc 47103\npackage_mc 1\npower_mw 2500\n"
		"gate run\nambient_mc 26400\nframe_seq 61\n"
		"frame_period_us 33333\nenergy_uj 5\ntime_run_us 6\n"
		"slipped_us 7\nsomething_new 8\n";
	struct nst_truth_now now = { .die_mc = 1 };

	(void)file_of("truth", "now_us 123\ndie_mc 5\n");
	EXPECT(nst_truth_now(dir, &now) == -EPROTO && now.die_mc == 1,
	       "incomplete");
	(void)file_of("truth", text);
	EXPECT(!nst_truth_now(dir, &now), "complete");
	EXPECT(now.die_mc == 47103 && now.slipped_us == 7 &&
	       now.time_run_us == 6 && !strcmp(now.gate, "run"), "fields");
	EXPECT(nst_truth_now("/nonexistent", &now) == -ENODEV, "none");
}

static void whose_truth(void)
{
	char ret[64];

	EXPECT(nst_truth_dir("usb-0000:00:14.0-1", ret, sizeof(ret)) ==
	       -ENODEV, "a webcam is not emulated");
	EXPECT(nst_truth_dir("platform:nst-sim.none", ret, sizeof(ret)) ==
	       -EACCES, "emulated, and not to be read");
}

/* ----------------------------------------------------------------- task */

static void two_workers(void)
{
	static u8 pixels[640 * 480];
	struct vpu_frame f = { .seq = 1, .pixels = pixels, .width = 640,
			       .height = 480, .stride = 640, .bits = 8 };
	struct vpu_result result;
	struct nst_vision_task t;

	memset(pixels, 80, sizeof(pixels));
	EXPECT(nst_vision_task_init(&t, 32, 32, 8) == -ERANGE, "too small");
	nst_vision_task_deinit(&t);
	EXPECT(!nst_vision_task_init(&t, 640, 480, 8), "VGA");
	EXPECT(!nst_vision_task_process(&t, &f, &result), "near");
	EXPECT(!nst_vision_task_move(&t, NST_TASK_NEAR) && t.handovers == 0,
	       "to itself");
	EXPECT(!nst_vision_task_move(&t, NST_TASK_FAR) && t.handovers == 1 &&
	       t.owner == NST_TASK_FAR, "to far");
	/* what is left behind can neither work nor be taken over */
	EXPECT(vpu_check(t.state[NST_TASK_NEAR]) == -EPROTO, "left behind");
	f.seq = 2;
	EXPECT(vpu_process(t.state[NST_TASK_NEAR], t.work[NST_TASK_NEAR], &f,
			   &result) == -EINVAL, "the old owner works on");
	f.seq = 1;
	EXPECT(nst_vision_task_process(&t, &f, &result) == -EINVAL,
	       "a frame that near has done");
	f.seq = 2;
	EXPECT(!nst_vision_task_process(&t, &f, &result), "far");
	EXPECT(t.frames[NST_TASK_NEAR] == 1 && t.frames[NST_TASK_FAR] == 1,
	       "counts");
	/* a state that does not check stays where it is */
	t.state[NST_TASK_FAR]->cols = 9999;
	EXPECT(nst_vision_task_move(&t, NST_TASK_NEAR) == -ERANGE &&
	       t.owner == NST_TASK_FAR && t.failed == 1, "damaged");
	nst_vision_task_deinit(&t);
}

static const struct ktap_test tests[] = {
	{ "overlap of boxes", overlap },
	{ "matching of detections and objects", matching },
	{ "a file of phases", phases_good },
	{ "files of phases with mistakes", phases_bad },
	{ "lines of the truth", frames_of_the_truth },
	{ "state of the truth", state_of_the_truth },
	{ "where the truth is", whose_truth },
	{ "two workers, one owner", two_workers },
};

int main(void)
{
	char cmd[64];
	int r;

	strcpy(dir, "/tmp/nst-test-vision-XXXXXX");
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	r = ktap_main(tests, KTAP_COUNT(tests));
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 1 : r;
}
