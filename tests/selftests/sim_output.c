// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_output.c - sim_output TEST VIDEO META SCENE DEBUGFS
 *
 * Frames that go into the scene node and come out of the camera. VIDEO, META
 * and SCENE are the nodes of a stack on the step clock, DEBUGFS its folder.
 * Prints a line "ok ..." or "not ok ..." for each check.
 */
#include <math.h>

#include "sim_nodes.h"

#define W 640
#define H 480
#define PERIOD_US 33333

static struct {
	const char *video, *meta, *scene, *debugfs;
	struct node v, m, o;
} t;

static uint16_t shown[W * H], first[W * H];

/* ---------------------------------------------------------------- pieces */

static void open_all(void)
{
	node_open(&t.v, t.video, V4L2_BUF_TYPE_VIDEO_CAPTURE);
	node_open(&t.m, t.meta, V4L2_BUF_TYPE_META_CAPTURE);
	node_open(&t.o, t.scene, V4L2_BUF_TYPE_VIDEO_OUTPUT);
	if (node_format(&t.v, W, H, V4L2_PIX_FMT_Y10))
		fatal("S_FMT");
	node_map(&t.v, 1);
	node_map(&t.m, 1);
	node_start(&t.v);
	node_start(&t.m);
}

static void close_all(void)
{
	node_stop(&t.v);
	node_stop(&t.m);
	node_close(&t.v);
	node_close(&t.m);
	close(t.o.fd);
}

/* The next exposure: its record, and its pixels in shown[]. */
static struct nst_sim_meta expose(void)
{
	struct nst_sim_meta meta;

	if (node_queue(&t.m, 0) < 0 || node_queue(&t.v, 0) < 0 ||
	    node_wait(&t.v, NULL) < 0 || node_wait(&t.m, NULL) < 0)
		fatal("frame");
	memcpy(shown, t.v.map[0], sizeof(shown));
	memcpy(&meta, t.m.map[0], sizeof(meta));
	return meta;
}

static void out_open(uint32_t width, uint32_t height, uint32_t fourcc,
		     bool full_range, unsigned int buffers)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT };

	f.fmt.pix.width = width;
	f.fmt.pix.height = height;
	f.fmt.pix.pixelformat = fourcc;
	/* Without these two the range is not looked at. */
	f.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
	f.fmt.pix.colorspace = V4L2_COLORSPACE_SMPTE170M;
	f.fmt.pix.quantization = full_range ? V4L2_QUANTIZATION_FULL_RANGE :
					      V4L2_QUANTIZATION_DEFAULT;
	if (ioctl(t.o.fd, VIDIOC_S_FMT, &f))
		fatal("S_FMT of the scene");
	t.o.pix = f.fmt.pix;
	node_map(&t.o, buffers);
	node_start(&t.o);
}

static void out_close(void)
{
	struct v4l2_requestbuffers r = {
		.type = V4L2_BUF_TYPE_VIDEO_OUTPUT,
		.memory = V4L2_MEMORY_MMAP,
	};

	node_stop(&t.o);
	for (unsigned int i = 0; i < t.o.buffers; i++)
		munmap(t.o.map[i], t.o.length[i]);
	t.o.buffers = 0;
	if (ioctl(t.o.fd, VIDIOC_REQBUFS, &r))
		fatal("REQBUFS");
}

static uint8_t pattern(uint32_t x, uint32_t y)
{
	return (uint8_t)(x * 3 + y * 7 + (x ^ y));
}

/* pattern() in the format of the scene node; other bytes are noise. */
static void paint(unsigned int index)
{
	const struct v4l2_pix_format *f = &t.o.pix;
	uint8_t *to = t.o.map[index];
	uint32_t x, y, v;

	memset(to, 0x5a, f->sizeimage);
	for (y = 0; y < f->height; y++) {
		for (x = 0; x < f->width; x++) {
			uint8_t *p = to + y * f->bytesperline;

			v = pattern(x, y);
			switch (f->pixelformat) {
			case V4L2_PIX_FMT_Y10:
				v = (v * 1023 + 127) / 255;
				p[2 * x] = (uint8_t)v;
				p[2 * x + 1] = (uint8_t)(v >> 8);
				break;
			case V4L2_PIX_FMT_Y16:
				p[2 * x] = (uint8_t)v;
				p[2 * x + 1] = (uint8_t)v;
				break;
			case V4L2_PIX_FMT_YUYV:
			case V4L2_PIX_FMT_NV12:
				if (f->quantization !=
				    V4L2_QUANTIZATION_FULL_RANGE)
					v = 16 + (v * 219 + 127) / 255;
				p[f->pixelformat == V4L2_PIX_FMT_YUYV ?
				  2 * x : x] = (uint8_t)v;
				break;
			default:
				p[x] = (uint8_t)v;
			}
		}
	}
}

static void flat(unsigned int index, uint8_t value)
{
	memset(t.o.map[index], value, t.o.length[index]);
}

static double mean(uint32_t y0, uint32_t y1)
{
	double sum = 0;

	for (uint32_t i = y0 * W; i < y1 * W; i++)
		sum += shown[i];
	return sum / ((y1 - y0) * W);
}

static double spread(uint32_t y0, uint32_t y1)
{
	double m = mean(y0, y1), sum = 0;

	for (uint32_t i = y0 * W; i < y1 * W; i++)
		sum += (shown[i] - m) * (shown[i] - m);
	return sqrt(sum / ((y1 - y0) * W));
}

/* White is at 70 % of the span. */
static double level(double share)
{
	return NST_SIM_BLACK_DN +
	       share * 0.7 * (NST_SIM_WHITE_DN - NST_SIM_BLACK_DN);
}

/* The largest error of shown[] against pattern() stretched from w x h. */
static double worst(uint32_t w, uint32_t h)
{
	double max = 0;

	for (uint32_t y = NST_SIM_DARK_ROWS; y < H; y++)
		for (uint32_t x = 0; x < W; x++) {
			double e = shown[y * W + x] -
				   level(pattern(x * w / W, y * h / H) / 255.);

			max = fmax(max, fabs(e));
		}
	return max;
}

/* ----------------------------------------------------------------- tests */

static void test_formats(void)
{
	static const struct {
		const char *name;
		uint32_t fourcc;
		bool full;
		double tolerance;	/* DN of ten bits */
	} kind[] = {
		{ "GREY", V4L2_PIX_FMT_GREY, false, 0.51 },
		{ "Y16", V4L2_PIX_FMT_Y16, false, 0.51 },
		{ "YUYV of full range", V4L2_PIX_FMT_YUYV, true, 0.51 },
		{ "NV12 of full range", V4L2_PIX_FMT_NV12, true, 0.51 },
		{ "Y10", V4L2_PIX_FMT_Y10, false, 1 },
		/* 219 steps for 256 levels */
		{ "YUYV", V4L2_PIX_FMT_YUYV, false, 2.1 },
		{ "NV12", V4L2_PIX_FMT_NV12, false, 2.1 },
	};

	open_all();
	for (unsigned int i = 0; i < 7; i++) {
		char name[80];
		double e;

		out_open(W, H, kind[i].fourcc, kind[i].full, 1);
		paint(0);
		node_queue(&t.o, 0);
		expose();
		e = worst(W, H);
		snprintf(name, sizeof(name), "%s: within %.2f DN",
			 kind[i].name, kind[i].tolerance);
		if (!judge(e <= kind[i].tolerance, name))
			printf("# off by %.2f DN\n", e);
		if (!i)
			memcpy(first, shown, sizeof(first));
		if (kind[i].tolerance < 1 && i) {
			snprintf(name, sizeof(name), "%s: as GREY",
				 kind[i].name);
			judge(!memcmp(first, shown, sizeof(first)), name);
		}
		judge(fabs(mean(0, NST_SIM_DARK_ROWS) - NST_SIM_BLACK_DN) <
		      0.01, "and dark rows are dark");
		out_close();
	}
	close_all();
}

static void test_sizes(void)
{
	static const uint32_t side[][2] = {
		{ 320, 240 }, { 1920, 1080 }, { 16, 16 }, { 642, 478 },
	};
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT };

	open_all();
	for (unsigned int i = 0; i < 4; i++) {
		char name[80];

		out_open(side[i][0], side[i][1], V4L2_PIX_FMT_GREY, false, 1);
		paint(0);
		node_queue(&t.o, 0);
		expose();
		snprintf(name, sizeof(name), "%ux%u fills the frame",
			 side[i][0], side[i][1]);
		judge(worst(side[i][0], side[i][1]) <= 0.51, name);
		if (!i) {
			is_errno(node_format(&t.o, 100, 100,
					     V4L2_PIX_FMT_GREY), EBUSY,
				 "the format stays while it streams");
		}
		out_close();
	}
	f.fmt.pix.width = 5000;
	f.fmt.pix.height = 7;
	f.fmt.pix.pixelformat = V4L2_PIX_FMT_RGB24;
	judge(!ioctl(t.o.fd, VIDIOC_S_FMT, &f) && f.fmt.pix.width == 1920 &&
	      f.fmt.pix.height == 16 &&
	      f.fmt.pix.pixelformat == V4L2_PIX_FMT_GREY &&
	      f.fmt.pix.sizeimage == 1920 * 16,
	      "what cannot be comes back as what can");
	close_all();
}

static void test_pace(void)
{
	struct nst_sim_meta meta;
	bool good = true;
	double scene;

	open_all();
	meta = expose();
	scene = mean(NST_SIM_DARK_ROWS, H);
	judge(!(meta.flags & NST_SIM_META_INPUT) && !meta.input_seq,
	      "the scene at first");
	out_open(W, H, V4L2_PIX_FMT_GREY, false, 6);
	meta = expose();
	judge(!(meta.flags & NST_SIM_META_INPUT) &&
	      fabs(mean(NST_SIM_DARK_ROWS, H) - scene) < 5,
	      "and until the first frame is there");
	for (unsigned int i = 0; i < 6; i++) {
		flat(i, (uint8_t)(10 + 40 * i));
		node_queue(&t.o, i);
	}
	for (unsigned int i = 0; i < 6; i++) {
		meta = expose();
		good &= meta.flags & NST_SIM_META_INPUT &&
			!(meta.flags & NST_SIM_META_REPEATED) &&
			meta.input_seq == i + 1 &&
			fabs(mean(NST_SIM_DARK_ROWS, H) -
			     level((10 + 40 * i) / 255.)) < 0.51;
		good &= node_take(&t.o, NULL) == (int)i;
	}
	judge(good, "a frame a period, in order, and given back");
	for (unsigned int i = 0; i < 3; i++) {
		meta = expose();
		good &= meta.flags & NST_SIM_META_REPEATED &&
			meta.input_seq == 6 &&
			fabs(mean(NST_SIM_DARK_ROWS, H) -
			     level(210 / 255.)) < 0.51;
	}
	judge(good, "then the last one, and it says so");
	flat(2, 77);
	node_queue(&t.o, 2);
	meta = expose();
	judge(meta.input_seq == 7 && !(meta.flags & NST_SIM_META_REPEATED) &&
	      fabs(mean(NST_SIM_DARK_ROWS, H) - level(77 / 255.)) < 0.51,
	      "and on with the next");
	node_take(&t.o, NULL);
	/* Nobody takes pictures: the pace is that of the camera. */
	for (unsigned int i = 0; i < 4; i++)
		node_queue(&t.o, i);
	advance_us(t.debugfs, 3 * PERIOD_US);
	judge(node_take(&t.o, NULL) >= 0 && node_take(&t.o, NULL) >= 0 &&
	      node_take(&t.o, NULL) >= 0 && node_take(&t.o, NULL) < 0 &&
	      errno == EAGAIN, "three periods, three frames");
	out_close();
	meta = expose();
	judge(!(meta.flags & NST_SIM_META_INPUT) && !meta.input_seq &&
	      fabs(mean(NST_SIM_DARK_ROWS, H) - scene) < 5,
	      "without a writer the scene is back");
	close_all();
}

static void test_bad(void)
{
	static uint8_t bytes[W * H + 1];
	struct nst_sim_meta meta;
	int flags;

	open_all();
	if (node_format(&t.o, W, H, V4L2_PIX_FMT_GREY))
		fatal("S_FMT of the scene");
	memset(bytes, 99, sizeof(bytes));
	flags = fcntl(t.o.fd, F_GETFL);
	fcntl(t.o.fd, F_SETFL, flags & ~O_NONBLOCK);
	is_errno((int)write(t.o.fd, bytes, W * H - 1), EINVAL,
		 "a byte too few");
	is_errno((int)write(t.o.fd, bytes, W * H + 1), EINVAL,
		 "a byte too many");
	is_errno((int)write(t.o.fd, bytes, 0), EINVAL, "none");
	judge(write(t.o.fd, bytes, W * H) == W * H, "a frame by write()");
	meta = expose();
	judge(meta.input_seq == 1 && fabs(mean(NST_SIM_DARK_ROWS, H) -
					  level(99 / 255.)) < 0.51,
	      "is shown");
	/* Its buffers are those of write() until it is closed. */
	close(t.o.fd);
	node_open(&t.o, t.scene, V4L2_BUF_TYPE_VIDEO_OUTPUT);
	meta = expose();
	judge(!meta.input_seq, "a writer that is gone");
	out_open(W, H, V4L2_PIX_FMT_Y16, false, 2);
	is_errno(node_ask(&t.o, VIDIOC_QBUF, 0, W * H, NULL), EINVAL,
		 "half a frame");
	judge(node_queue(&t.o, 0) >= 0, "a whole one");
	out_close();
	close_all();
}

/* Heat, light and gain work on it as on the scene. */
static void test_physics(void)
{
	struct v4l2_ext_control c[3] = {
		{ .id = NST_SIM_CID_AUTO_IRIS, .value = 0 },
		{ .id = V4L2_CID_EXPOSURE_ABSOLUTE, .value = 320 },
		{ .id = NST_SIM_CID_LIGHT, .value = 320000 },
	};
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 3, .controls = c,
	};
	double cold, hot, cold_spread, hot_spread, full;

	open_all();
	out_open(W, H, V4L2_PIX_FMT_GREY, false, 2);
	flat(0, 128);
	node_queue(&t.o, 0);
	expose();
	expose();
	cold = mean(NST_SIM_DARK_ROWS, H);
	cold_spread = spread(NST_SIM_DARK_ROWS, H);
	if (put(t.debugfs, "fault", "hot 90000"))
		fatal("hot");
	expose();
	expose();
	hot = mean(NST_SIM_DARK_ROWS, H);
	hot_spread = spread(NST_SIM_DARK_ROWS, H);
	printf("# cold %.1f +- %.1f DN, hot %.1f +- %.1f DN\n", cold,
	       cold_spread, hot, hot_spread);
	judge(hot > cold + 20 && hot_spread > 1.5 * cold_spread,
	      "heat makes it brighter and noisier");
	if (put(t.debugfs, "fault", "hot 25000") ||
	    ioctl(t.v.fd, VIDIOC_S_EXT_CTRLS, &controls))
		fatal("controls");
	expose();
	expose();
	full = mean(NST_SIM_DARK_ROWS, H) - NST_SIM_BLACK_DN;
	c[2].value = 160000;
	if (ioctl(t.v.fd, VIDIOC_S_EXT_CTRLS, &controls))
		fatal("controls");
	expose();
	expose();
	judge(fabs((mean(NST_SIM_DARK_ROWS, H) - NST_SIM_BLACK_DN) / full -
		   0.5) < 0.02, "half the light gives half of it");
	out_close();
	close_all();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc != 6) {
		fprintf(stderr,
			"usage: sim_output TEST VIDEO META SCENE DEBUGFS\n");
		return 2;
	}
	t.video = argv[2];
	t.meta = argv[3];
	t.scene = argv[4];
	t.debugfs = argv[5];
	if (!strcmp(what, "formats"))
		test_formats();
	else if (!strcmp(what, "sizes"))
		test_sizes();
	else if (!strcmp(what, "pace"))
		test_pace();
	else if (!strcmp(what, "bad"))
		test_bad();
	else if (!strcmp(what, "physics"))
		test_physics();
	else
		return 2;
	return failures ? 1 : 0;
}
