// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_noise.c - characterise a camera as a user would
 *
 * sim_noise VIDEO TEMPERATURE WARM EXPECTED...
 *
 * VIDEO is a capture node on the step clock, TEMPERATURE the file that its
 * temperature is read from (hwmon, millidegrees), WARM a program that takes
 * a temperature in millidegrees as its argument and brings the sensor there.
 * EXPECTED are gain (DN of ten bits an electron, times a million), doubling
 * temperature (mK), DSNU and PRNU (permyriad) and read noise (millielectrons).
 *
 * From pictures alone, as EMVA 1288 does it: gain and read noise from the
 * variance of the difference of two flat fields against their mean, the
 * doubling temperature from dark pictures at several temperatures, DSNU and
 * PRNU from averages of many pictures. EXPECTED is looked at when all has
 * been measured; each figure has to be within five percent.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "uapi/nst-sim.h"

#define W	640
#define H	480
#define N	(W * H)
#define TOP	(NST_SIM_DARK_ROWS * W)	/* flat fields begin below them */
#define AVERAGED 40
#define FULL_DN	1023

static const char *temperature_file, *warm_program;
static int video = -1;
static const uint16_t *mapped;
static uint16_t shot[2][N];
static double total[N], square[N];
static unsigned char hot[N];

static void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printf("Bail out! ");
	vprintf(format, ap);
	printf(": %s\n", strerror(errno));
	va_end(ap);
	exit(1);
}

/* --------------------------------------------------------------- camera */

static void set_control(uint32_t id, int value)
{
	struct v4l2_control c = { .id = id, .value = value };

	if (ioctl(video, VIDIOC_S_CTRL, &c))
		die("control %#x = %d", id, value);
}

static void give_buffer(void)
{
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};

	if (ioctl(video, VIDIOC_QBUF, &b))
		die("QBUF");
}

static void take_buffer(uint16_t *to)
{
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};

	if (ioctl(video, VIDIOC_DQBUF, &b))
		die("DQBUF");
	if (b.bytesused != 2 * N || b.flags & V4L2_BUF_FLAG_ERROR) {
		errno = EIO;
		die("frame %u", b.sequence);
	}
	if (to)
		memcpy(to, mapped, 2 * N);
}

/*
 * One buffer: a frame is exposed when it is given back, so the camera stands
 * still in between. What is set meanwhile holds from the frame after the
 * next one on.
 */
static void next_frame(uint16_t *to)
{
	give_buffer();
	take_buffer(to);
}

static void settle(void)
{
	next_frame(NULL);
}

static void open_camera(const char *path)
{
	struct v4l2_format f = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.fmt.pix = { .width = W, .height = H,
			     .pixelformat = V4L2_PIX_FMT_Y10 },
	};
	struct v4l2_requestbuffers r = {
		.count = 1, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	video = open(path, O_RDWR);
	if (video < 0)
		die("%s", path);
	if (ioctl(video, VIDIOC_S_FMT, &f))
		die("S_FMT");
	if (f.fmt.pix.width != W || f.fmt.pix.height != H ||
	    f.fmt.pix.pixelformat != V4L2_PIX_FMT_Y10) {
		errno = EINVAL;
		die("no VGA with ten bits");
	}
	if (ioctl(video, VIDIOC_REQBUFS, &r) ||
	    ioctl(video, VIDIOC_QUERYBUF, &b))
		die("buffers");
	mapped = mmap(NULL, b.length, PROT_READ, MAP_SHARED, video,
		      b.m.offset);
	if (mapped == MAP_FAILED)
		die("mmap");
	give_buffer();
	if (ioctl(video, VIDIOC_STREAMON, &type))
		die("STREAMON");
	take_buffer(NULL);
}

/* Millidegrees as the user reads them. */
static double read_temperature(void)
{
	char text[32];
	ssize_t len;
	int fd = open(temperature_file, O_RDONLY);

	if (fd < 0)
		die("%s", temperature_file);
	len = read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		die("%s", temperature_file);
	text[len] = '\0';
	close(fd);
	return atof(text);
}

static void warm(int mc)
{
	char arg[16];
	pid_t pid;
	int status;

	snprintf(arg, sizeof(arg), "%d", mc);
	pid = fork();
	if (!pid) {
		execl(warm_program, warm_program, arg, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		errno = EIO;
		die("%s %s", warm_program, arg);
	}
}

/* ----------------------------------------------------------- statistics */

/* Mean of both pictures, and half the variance of their difference. */
static void pair(int from, double *mean, double *var)
{
	double m = 0, v = 0, d = 0;
	int i, n = 0;

	for (i = from; i < N; i++) {
		double e = shot[0][i] - shot[1][i];

		if (hot[i])
			continue;
		m += shot[0][i] + shot[1][i];
		d += e;
		v += e * e;
		n++;
	}
	*mean = m / n / 2;
	*var = (v / n - d / n * (d / n)) / 2;
}

/* Averages AVERAGED pictures into total[]; mean temporal variance. */
static double average(int from)
{
	double v = 0;
	int i, k, n = 0;

	memset(total, 0, sizeof(total));
	memset(square, 0, sizeof(square));
	for (k = 0; k < AVERAGED; k++) {
		next_frame(shot[0]);
		for (i = 0; i < N; i++) {
			total[i] += shot[0][i];
			square[i] += (double)shot[0][i] * shot[0][i];
		}
	}
	for (i = 0; i < N; i++) {
		total[i] /= AVERAGED;
		square[i] = square[i] / AVERAGED - total[i] * total[i];
		if (i < from || hot[i])
			continue;
		v += square[i] * AVERAGED / (AVERAGED - 1);
		n++;
	}
	return v / n;
}

/* Mean and spread over the pixels of what average() left. */
static void spread(int from, double temporal_var, double *mean, double *sd)
{
	double m = 0, v = 0;
	int i, n = 0;

	for (i = from; i < N; i++)
		if (!hot[i]) {
			m += total[i];
			n++;
		}
	m /= n;
	for (i = from; i < N; i++)
		if (!hot[i])
			v += (total[i] - m) * (total[i] - m);
	*mean = m;
	/* What is left of the temporal noise is not fixed. */
	*sd = sqrt(v / n - temporal_var / AVERAGED);
}

/* Weighted straight line y = a + b x. */
static void line(const double *x, const double *y, const double *w, int n,
		 double *a, double *b)
{
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
	int i;

	for (i = 0; i < n; i++) {
		sw += w[i];
		sx += w[i] * x[i];
		sy += w[i] * y[i];
		sxx += w[i] * x[i] * x[i];
		sxy += w[i] * x[i] * y[i];
	}
	*b = (sw * sxy - sx * sy) / (sw * sxx - sx * sx);
	*a = (sy - *b * sx) / sw;
}

/* --------------------------------------------------------- measurements */

struct figures {
	double gain, doubling_mk, dsnu, prnu, read_noise_e;
};

/* Black level: dark, cold, shortest exposure. */
static double measure_black(double *var)
{
	double black;

	warm(0);
	set_control(V4L2_CID_TEST_PATTERN, NST_SIM_PATTERN_DARK);
	set_control(V4L2_CID_EXPOSURE_ABSOLUTE, 1);
	settle();
	next_frame(shot[0]);
	next_frame(shot[1]);
	pair(0, &black, var);
	return black;
}

static void measure_gain(struct figures *f)
{
	/* Shares of white; the last ones are cut off and left out. */
	static const int permille[] = { 20, 50, 100, 180, 280, 400, 550, 700,
					850, 1000, 1300 };
	double x[16], y[16], w[16], black, dark_var, mean, var, a;
	unsigned int i;
	int n = 0;

	black = measure_black(&dark_var);
	printf("# black level %.2f DN, variance there %.3f DN^2\n", black,
	       dark_var);
	set_control(V4L2_CID_TEST_PATTERN, NST_SIM_PATTERN_FLAT);
	set_control(V4L2_CID_EXPOSURE_ABSOLUTE, 320);
	for (i = 0; i < sizeof(permille) / sizeof(permille[0]); i++) {
		set_control(NST_SIM_CID_LIGHT, 160 * permille[i]);
		settle();
		next_frame(shot[0]);
		next_frame(shot[1]);
		pair(TOP, &mean, &var);
		if (mean + 5 * sqrt(var) > FULL_DN * .95)
			break;
		x[n] = mean - black;
		y[n] = var;
		w[n] = 1 / (var * var);
		n++;
	}
	if (n < 4) {
		errno = ERANGE;
		die("only %d levels below white", n);
	}
	line(x, y, w, n, &a, &f->gain);
	printf("# %d levels to %.0f DN: variance = %.3f + %.5f * mean\n", n,
	       x[n - 1], a, f->gain);
	/* Rounding to whole numbers adds a twelfth. */
	f->read_noise_e = sqrt(dark_var - 1 / 12.) / f->gain;
}

static void measure_prnu(struct figures *f, double black)
{
	double var, mean, sd;

	set_control(NST_SIM_CID_LIGHT, 160 * 500);
	settle();
	var = average(TOP);
	spread(TOP, var, &mean, &sd);
	f->prnu = sd / (mean - black);
}

/* Dark pictures: the pattern at the hottest, then the slope downwards. */
static void measure_dark(struct figures *f)
{
	static const int at_mc[] = { 84000, 78000, 72000, 66000, 60000 };
	double x[8], y[8], w[8], mean, sd, var, black, before, after, a, b;
	unsigned int i, n = sizeof(at_mc) / sizeof(at_mc[0]);
	int k, hots = 0;

	black = measure_black(&var);
	set_control(V4L2_CID_EXPOSURE_ABSOLUTE, 640);
	settle();

	warm(at_mc[0]);
	settle();
	average(0);
	for (mean = 0, k = 0; k < N; k++)
		mean += (total[k] - black) / N;
	for (k = 0; k < N; k++) {
		hot[k] = total[k] - black > 2 * mean;
		hots += hot[k];
	}
	var = average(0);
	spread(0, var, &mean, &sd);
	f->dsnu = sd / (mean - black);
	printf("# at %.2f degC: dark level %.2f DN, pattern %.3f DN, %d hot pixels\n",
	       read_temperature() / 1000, mean - black, sd, hots);

	for (i = 0; i < n; i++) {
		warm(at_mc[i]);
		settle();
		before = read_temperature();
		next_frame(shot[0]);
		next_frame(shot[1]);
		after = read_temperature();
		pair(0, &mean, &var);
		x[i] = (before + after) / 2;
		y[i] = log2(mean - black);
		w[i] = 1;
		printf("# at %.2f degC: dark level %.3f DN\n", x[i] / 1000,
		       mean - black);
	}
	line(x, y, w, (int)n, &a, &b);
	f->doubling_mk = 1 / b;
}

static void compare(int n, const char *name, double got, double want,
		    const char *unit)
{
	double off = 100 * (got / want - 1);

	printf("# %s: measured %.5g %s, true %.5g, off by %+.2f %%\n", name,
	       got, unit, want, off);
	printf("%sok %d - %s within 5 %%\n", fabs(off) <= 5 ? "" : "not ", n,
	       name);
}

int main(int argc, char **argv)
{
	struct figures f;
	double black, var;

	if (argc != 9) {
		fputs("usage: sim_noise VIDEO TEMPERATURE WARM EXPECTED...\n",
		      stderr);
		return 2;
	}
	temperature_file = argv[2];
	warm_program = argv[3];
	printf("KTAP version 1\n1..5\n");

	open_camera(argv[1]);
	set_control(NST_SIM_CID_AUTO_IRIS, 0);
	set_control(V4L2_CID_ANALOGUE_GAIN, 800);
	measure_gain(&f);
	black = measure_black(&var);
	set_control(V4L2_CID_TEST_PATTERN, NST_SIM_PATTERN_FLAT);
	set_control(V4L2_CID_EXPOSURE_ABSOLUTE, 320);
	measure_prnu(&f, black);
	measure_dark(&f);

	compare(1, "gain", f.gain, atof(argv[4]) / 1e6, "DN/e-");
	compare(2, "dark current doubling", f.doubling_mk, atof(argv[5]),
		"mK");
	compare(3, "DSNU", 1e4 * f.dsnu, atof(argv[6]), "permyriad");
	compare(4, "PRNU", 1e4 * f.prnu, atof(argv[7]), "permyriad");
	compare(5, "read noise", 1e3 * f.read_noise_e, atof(argv[8]),
		"millielectrons");
	return 0;
}
