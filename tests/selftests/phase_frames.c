// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * phase_frames.c - how warm the pixels of delivered frames were, by their noise
 *
 * usage: phase_frames SOCKET SENSOR VIDEO FRAMES EXPOSURE_US
 *		UDN_PER_E DARK_E_PER_S READ_ME DOUBLING_MC
 *
 * Leads a stack on the step clock through frames, as nstd_step does, but by
 * giving its camera's buffer back, and asks nstd what became of each frame.
 * The variance of the dark rows of a frame is that of the dark charge, which
 * tells the temperature of the pixels while it was collected:
 *
 *	variance / K^2 - read^2 = dark(60 degC) * 2^((T - 60) / T_d) * exposure
 *
 * UDN_PER_E is K in millionths, DARK_E_PER_S the dark current at 60 degC. The
 * camera is to be without a fixed pattern. Prints "key value" lines:
 *
 *	frames delivered dropped withheld
 *	mean_mc hottest_mc	of delivered frames, by their noise
 *	told_mc			the hottest that nstd says one was
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "uapi/nst-sim.h"

struct camera {
	int fd;
	uint32_t width;
	const uint16_t *mapped;
};

struct physics {
	double exposure_s, dn_per_e, dark_e_per_s, read_e, doubling_k;
};

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

/* --------------------------------------------------------------- camera */

static struct v4l2_buffer buffer(void)
{
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};

	return b;
}

static int camera_open(struct camera *c, const char *path)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	struct v4l2_requestbuffers r = {
		.count = 1, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	struct v4l2_buffer b = buffer();
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	void *at;

	c->fd = open(path, O_RDWR);
	if (c->fd < 0 || ioctl(c->fd, VIDIOC_G_FMT, &f))
		return -1;
	f.fmt.pix.pixelformat = V4L2_PIX_FMT_Y10;
	if (ioctl(c->fd, VIDIOC_S_FMT, &f) ||
	    ioctl(c->fd, VIDIOC_REQBUFS, &r) ||
	    ioctl(c->fd, VIDIOC_QUERYBUF, &b))
		return -1;
	c->width = f.fmt.pix.width;
	at = mmap(NULL, b.length, PROT_READ, MAP_SHARED, c->fd, b.m.offset);
	if (at == MAP_FAILED)
		return -1;
	c->mapped = at;
	return ioctl(c->fd, VIDIOC_STREAMON, &type);
}

/* One buffer: time moves on by a period when it is given back. */
static int camera_next(struct camera *c, uint64_t *ret_seq)
{
	struct v4l2_buffer b = buffer();

	if (ioctl(c->fd, VIDIOC_QBUF, &b) || ioctl(c->fd, VIDIOC_DQBUF, &b))
		return -1;
	*ret_seq = b.sequence;
	return 0;
}

/* Temperature of the pixels, degC; NAN where the noise is too small to say. */
static double noise_c(const struct camera *c, const struct physics *p)
{
	uint32_t count = NST_SIM_DARK_ROWS * c->width;
	double mean = 0.0, var = 0.0, e;

	for (uint32_t i = 0; i < count; i++)
		mean += c->mapped[i] / (double)count;
	for (uint32_t i = 0; i < count; i++)
		var += (c->mapped[i] - mean) * (c->mapped[i] - mean) /
		       (count - 1);
	/* less what rounding to a DN adds */
	e = (var - 1.0 / 12.0) / (p->dn_per_e * p->dn_per_e) -
	    p->read_e * p->read_e;
	return 60.0 + p->doubling_k *
		      log2(e / (p->dark_e_per_s * p->exposure_s));
}

/* ----------------------------------------------------------------- nstd */

static int connect_to(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (fd < 0 || strlen(path) >= sizeof(sun.sun_path))
		return -1;
	strcpy(sun.sun_path, path);
	return connect(fd, (struct sockaddr *)&sun, sizeof(sun)) ? -1 : fd;
}

static struct json_object *verdict(int fd, const char *sensor, uint64_t seq)
{
	char buf[65537];
	ssize_t len;

	len = snprintf(buf, sizeof(buf), "{\"id\":1,\"req\":\"frame.get\","
		       "\"sensor\":\"%s\",\"seq\":%llu,\"wait_ms\":9000}",
		       sensor, (unsigned long long)seq);
	if (send(fd, buf, (size_t)len, MSG_NOSIGNAL) != len)
		return NULL;
	len = recv(fd, buf, sizeof(buf) - 1, 0);
	if (len <= 0)
		return NULL;
	buf[len] = '\0';
	return json_tokener_parse(buf);
}

struct sums {
	unsigned long delivered, dropped, withheld;
	double sum_c, hottest_c, told_c;
};

static int judge(struct json_object *reply, double by_noise_c, struct sums *s)
{
	struct json_object *ok, *o;
	const char *placement = "";

	if (!json_object_object_get_ex(reply, "ok", &ok)) {
		fprintf(stderr, "%s\n", json_object_to_json_string(reply));
		return -1;
	}
	if (json_object_object_get_ex(ok, "placement", &o))
		placement = json_object_get_string(o);
	json_object_object_get_ex(ok, "deliver", &o);
	if (!json_object_get_boolean(o)) {
		s->dropped += !strcmp(placement, "paused");
		s->withheld += !!strcmp(placement, "paused");
		return 0;
	}
	s->delivered++;
	s->sum_c += by_noise_c;
	s->hottest_c = fmax(s->hottest_c, by_noise_c);
	if (json_object_object_get_ex(ok, "exposure_temp_mc", &o))
		s->told_c = fmax(s->told_c,
				 json_object_get_int(o) / 1000.0);
	return 0;
}

int main(int argc, char **argv)
{
	struct sums s = { .hottest_c = -1000, .told_c = -1000 };
	struct camera camera;
	struct physics p;
	uint64_t seq;
	long count;
	int fd;

	if (argc != 10) {
		fprintf(stderr, "usage: phase_frames SOCKET SENSOR VIDEO FRAMES EXPOSURE_US UDN_PER_E DARK_E_PER_S READ_ME DOUBLING_MC\n");
		return 3;
	}
	count = strtol(argv[4], NULL, 10);
	p = (struct physics){ atof(argv[5]) / 1e6, atof(argv[6]) / 1e6,
			      atof(argv[7]), atof(argv[8]) / 1e3,
			      atof(argv[9]) / 1e3 };
	fd = connect_to(argv[1]);
	if (fd < 0)
		return fail(argv[1]);
	if (camera_open(&camera, argv[3]))
		return fail(argv[3]);
	for (long i = 0; i < count; i++) {
		struct json_object *reply;
		int r;

		if (camera_next(&camera, &seq))
			return fail("frame");
		reply = verdict(fd, argv[2], seq);
		r = reply ? judge(reply, noise_c(&camera, &p), &s) : -1;
		json_object_put(reply);
		if (r)
			return fail("verdict");
	}
	printf("frames %ld\ndelivered %lu\ndropped %lu\nwithheld %lu\n"
	       "mean_mc %.0f\nhottest_mc %.0f\ntold_mc %.0f\n", count,
	       s.delivered, s.dropped, s.withheld,
	       s.delivered ? s.sum_c / (double)s.delivered * 1e3 : 0.0,
	       s.hottest_c * 1e3, s.told_c * 1e3);
	return 0;
}
