// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_subdev.c - a raw sensor's sub-device, behind a layer of made-up ioctls
 *
 * The numbers are those of real parts' modes (their drivers in the kernel);
 * no such part was asked. What is shown is that units and gain codes are
 * taken for what they are, that what is missing is not told, and that one
 * that goes away is seen.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/v4l2-subdev.h>
#include <linux/videodev2.h>

#include "ktap.h"
#include "v4l2_subdev.h"

/* A sensor. */
static struct {
	s64 exposure, hblank, vblank, rate, gain, digital;
	bool no_exposure, no_rate, no_gain, no_format, events, gone;
	u32 width, height, pad;
	unsigned int told;		/* events to be taken */
	unsigned int reads;
} part;

/* IMX477, 2028x1520, as its driver sets it up. */
static void imx477(void)
{
	memset(&part, 0, sizeof(part));
	part.exposure = 1600;
	part.hblank = 12740 - 2028;
	part.vblank = 3212 - 1520;
	part.rate = 840000000;
	part.gain = 512;
	part.digital = 256;
	part.width = 2028;
	part.height = 1520;
}

static s64 *value_of(u32 id)
{
	switch (id) {
	case V4L2_CID_EXPOSURE:
		return part.no_exposure ? NULL : &part.exposure;
	case V4L2_CID_HBLANK:
		return &part.hblank;
	case V4L2_CID_VBLANK:
		return &part.vblank;
	case V4L2_CID_PIXEL_RATE:
		return part.no_rate ? NULL : &part.rate;
	case V4L2_CID_ANALOGUE_GAIN:
		return part.no_gain ? NULL : &part.gain;
	case V4L2_CID_DIGITAL_GAIN:
		return part.digital < 0 ? NULL : &part.digital;
	default:
		return NULL;
	}
}

static int get_controls(struct v4l2_ext_controls *c)
{
	for (u32 i = 0; i < c->count; i++) {
		const s64 *v = value_of(c->controls[i].id);

		if (!v)
			return -EINVAL;
		if (c->controls[i].id == V4L2_CID_PIXEL_RATE)
			c->controls[i].value64 = *v;
		else
			c->controls[i].value = (s32)*v;
	}
	part.reads++;
	return 0;
}

static int query(struct v4l2_query_ext_ctrl *q)
{
	if (!value_of(q->id))
		return -EINVAL;
	q->type = q->id == V4L2_CID_PIXEL_RATE ? V4L2_CTRL_TYPE_INTEGER64
					       : V4L2_CTRL_TYPE_INTEGER;
	q->default_value = q->id == V4L2_CID_DIGITAL_GAIN ? 256 : 0;
	return 0;
}

static int fake_ioctl(void *arg, unsigned long request, void *data)
{
	struct v4l2_subdev_format *f = data;

	(void)arg;
	if (part.gone)
		return -ENODEV;
	switch (request) {
	case VIDIOC_QUERY_EXT_CTRL:
		return query(data);
	case VIDIOC_G_EXT_CTRLS:
		return get_controls(data);
	case VIDIOC_SUBSCRIBE_EVENT:
		return part.events ? 0 : -ENOTTY;
	case VIDIOC_DQEVENT:
		if (!part.told)
			return -ENOENT;
		part.told--;
		return 0;
	case VIDIOC_SUBDEV_G_FMT:
		if (part.no_format || f->pad != part.pad)
			return -EINVAL;
		f->format.width = part.width;
		f->format.height = part.height;
		return 0;
	default:
		return -ENOTTY;
	}
}

static const struct nst_subdev_io io = { .ioctl = fake_ioctl };

static struct nst_light read_one(struct nst_subdev *s)
{
	struct nst_light light = { 0 };

	EXPECT(!s->cam.ops->read(&s->cam, &light), " ");
	return light;
}

static void units(void)
{
	struct nst_subdev s;
	struct nst_light light;

	imx477();
	EXPECT(!nst_subdev_attach(&s, "imx477 10-001a", &io), " ");
	light = read_one(&s);
	/* A line is 12740 pixels at 840 MHz: 15.1667 us. */
	EXPECT(light.exposure_us == 24267, "%u", light.exposure_us);
	EXPECT(light.frame_us == 48715, "%u", light.frame_us);
	EXPECT(light.iso == 200, "%u", light.iso);
	EXPECT(!light.lux_milli, " ");
	/* Twice as much in the converter. */
	part.digital = 512;
	EXPECT(read_one(&s).iso == 400, " ");
	/* Another mode, another line, the same exposure in lines. */
	part.hblank = 4000;
	part.width = 1332;
	EXPECT(read_one(&s).exposure_us == 10156, "%u",
	       read_one(&s).exposure_us);
	part.gain = 978;
	part.digital = 256;
	EXPECT(read_one(&s).iso == 2226, "%u", read_one(&s).iso);
}

static void gain_codes(void)
{
	static const struct {
		const char *name;
		s64 code;
		u32 iso;
	} cases[] = {
		{ "imx219 10-0010", 0, 100 },
		{ "imx219 10-0010", 232, 1067 },
		{ "imx219", 256, 0 },		/* no such code */
		{ "imx477", 0, 100 },
		{ "imx708_wide 4-001a", 960, 1600 },
		{ "imx500 10-001a", 512, 200 },
		{ "imx290 1-001a", 100, 3162 },	/* 30 dB */
		{ "imx296 1-001a", 60, 200 },	/* 6 dB */
		{ "ov5647 10-0036", 16, 100 },
		{ "ov5647 10-0036", 1023, 6394 },
		{ "imx47 1-001a", 512, 0 },
		{ "imx4777 1-001a", 512, 0 },
		{ "", 512, 0 },
		{ "imx477", -1, 0 },
		{ "imx290", 1000000, 0 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++)
		EXPECT(nst_gain_iso(cases[i].name, cases[i].code) ==
		       cases[i].iso, "%s %lld: %u", cases[i].name,
		       (long long)cases[i].code,
		       nst_gain_iso(cases[i].name, cases[i].code));
}

/* What is not there is not told, and the rest is. */
static void missing(void)
{
	struct nst_subdev s;
	struct nst_light light;

	imx477();
	part.no_rate = true;
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	light = read_one(&s);
	EXPECT(!light.exposure_us && !light.frame_us && light.iso == 200, " ");
	imx477();
	part.no_format = true;
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	light = read_one(&s);
	EXPECT(!light.exposure_us && light.iso == 200, " ");
	imx477();
	part.pad = 1;
	part.digital = -1;
	EXPECT(!nst_subdev_attach(&s, "nobody 1-0010", &io), " ");
	light = read_one(&s);
	EXPECT(light.exposure_us == 24267 && !light.iso, " ");
	part.no_exposure = true;
	part.no_gain = true;
	EXPECT(nst_subdev_attach(&s, "lens", &io) == -ENOTTY, " ");
}

static void absurd_numbers(void)
{
	static const s64 odd[] = { INT64_MIN, -1, 0, 1, INT32_MAX, INT64_MAX };
	const struct nst_subdev_raw sane = {
		.exposure_lines = 1000, .hblank = 100, .vblank = 100,
		.pixel_rate = 1000000, .gain_code = 1, .digital_gain = 256,
		.digital_unity = 256, .width = 100, .height = 100,
	};

	for (unsigned int i = 0; i < KTAP_COUNT(odd); i++)
		for (unsigned int k = 0; k < 7; k++) {
			struct nst_subdev_raw raw = sane;
			s64 *field[] = { &raw.exposure_lines, &raw.hblank,
					 &raw.vblank, &raw.pixel_rate,
					 &raw.gain_code, &raw.digital_gain,
					 &raw.digital_unity };

			*field[k] = odd[i];
			/* The sanitizers look on. */
			(void)nst_subdev_light("imx477", &raw);
		}
	EXPECT(nst_subdev_light("x", &sane).exposure_us == 200000, " ");
}

/* With events it waits for them, without it is asked with every frame. */
static void events(void)
{
	struct nst_subdev s;

	imx477();
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	EXPECT(s.cam.polled && s.cam.ops->fd(&s.cam) == -1, " ");
	part.events = true;
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	EXPECT(!s.cam.polled && s.cam.ops->epoll_events, " ");
	part.told = 3;
	(void)read_one(&s);
	EXPECT(!part.told, "%u", part.told);
}

static void gone_and_back(void)
{
	struct nst_subdev s;
	struct nst_light light = { .iso = 7 };

	imx477();
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	part.gone = true;
	EXPECT(s.cam.ops->read(&s.cam, &light) == -ENODEV && light.iso == 7,
	       " ");
	EXPECT(nst_subdev_attach(&s, "imx477", &io) == -ENOTTY, " ");
	part.gone = false;
	EXPECT(!nst_subdev_attach(&s, "imx477", &io), " ");
	EXPECT(read_one(&s).iso == 200, " ");
}

/* ------------------------------------------------------------- selectors */

static char root[64];

static void put(const char *path, const char *text)
{
	char full[160];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	if (!text) {
		if (mkdir(full, 0755))
			exit(1);
		return;
	}
	f = fopen(full, "we");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

static void names(void)
{
#define CLASS "/sys/class/video4linux"
	char command[128];
	struct nst_subdev s = { .fd = -7 };

	strcpy(root, "/tmp/nst-subdev-XXXXXX");
	if (!mkdtemp(root))
		exit(1);
	put("/dev", NULL);
	put("/sys", NULL);
	put("/sys/class", NULL);
	put(CLASS, NULL);
	put(CLASS "/v4l-subdev0", NULL);
	put(CLASS "/v4l-subdev0/name", "imx477 10-001a\n");
	put(CLASS "/v4l-subdev1", NULL);
	put(CLASS "/v4l-subdev1/name", "imx477 11-001a\n");
	put(CLASS "/v4l-subdev2", NULL);
	put(CLASS "/v4l-subdev2/name", "dw9714 10-000c\n");
	put(CLASS "/video0", NULL);
	put(CLASS "/video0/name", "imx477\n");
	put("/dev/v4l-subdev1", "");
	put("/dev/v4l-subdev2", "");

#define OPENS(selector, err)                                            \
	EXPECT(nst_subdev_open(&s, root, selector) == (err), "%d",      \
	       nst_subdev_open(&s, root, selector))
	OPENS("subdev:imx477", -ENOTUNIQ);
	/* A file is no sub-device, but it was found. */
	OPENS("subdev:imx477 11-001a", -ENOTTY);
	OPENS("subdev:imx477 10-001a", -ENODEV);	/* no node */
	OPENS("subdev:dw9714", -ENOTTY);
	OPENS("subdev:imx47", -ENODEV);
	OPENS("subdev:", -EINVAL);
	OPENS("/dev/v4l-subdev1", -ENOTTY);
	OPENS("/dev/v4l-subdev9", -ENODEV);
	OPENS("/dev/video0", -EINVAL);
	EXPECT(s.fd == -7, "changed without being opened");
	EXPECT(nst_subdev_selected("subdev:x") &&
	       nst_subdev_selected("/dev/v4l-subdev3") &&
	       !nst_subdev_selected("/dev/video3") &&
	       !nst_subdev_selected("card:x"), " ");
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command))
		printf("# %s stays\n", root);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "units", units },
		{ "gain_codes", gain_codes },
		{ "missing", missing },
		{ "absurd_numbers", absurd_numbers },
		{ "events", events },
		{ "gone_and_back", gone_and_back },
		{ "names", names },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
