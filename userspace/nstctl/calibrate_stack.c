// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_stack.c - heat and cool a sensor, see calibrate_stack.h
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "calibrate_stack.h"
#include "log.h"
#include "path.h"

#define LEASE_MS 5000
#define SILENT_MS 2000
#define FIRST_MS 50		/* between looks for a first reading */
#define STANDS_MS 10000
#define MARGIN_MC 5000		/* that the top stays below the ceiling */
#define ENGINE_ATTR "policy/engine"

volatile sig_atomic_t nst_cal_stopped;

static void on_signal(int sig)
{
	(void)sig;
	nst_cal_stopped = 1;
}

void nst_cal_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGQUIT, &sa, NULL);
	/* output that nobody reads ends a write, not the cooling */
	signal(SIGPIPE, SIG_IGN);
}

u64 nst_cal_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + (u64)ts.tv_nsec / 1000000;
}

static void sleep_us(u64 us)
{
	struct timespec ts = { (time_t)(us / 1000000),
			       (long)(us % 1000000) * 1000 };

	/* A signal ends it early, which is what it is for. */
	(void)nanosleep(&ts, NULL);
}

/* --------------------------------------------------------------- engine */

static void engine_path(const struct nst_cal_stack *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s/" ENGINE_ATTR, s->dev.sys);
}

static int hold_engine(struct nst_cal_stack *s)
{
	char path[NST_NSTDEV_PATH_LEN + 32];
	int r;

	engine_path(s, path, sizeof(path));
	r = nst_path_read_line(path, s->found_engine,
			       sizeof(s->found_engine));
	if (r < 0)
		return nst_log_err(r, "%s", path);
	if (!strcmp(s->found_engine, "hold"))
		return 0;
	r = nst_path_write(path, "hold");
	if (r)
		return nst_log_err(r, "%s: with engine '%s' nothing but the ceiling would hold the sensor if this program died",
				   path, s->found_engine);
	s->engine_changed = true;
	return 0;
}

static void restore_engine(struct nst_cal_stack *s)
{
	char path[NST_NSTDEV_PATH_LEN + 32];

	if (!s->engine_changed)
		return;
	engine_path(s, path, sizeof(path));
	if (nst_path_write(path, s->found_engine))
		nst_log(NST_LOG_WARNING, "%s stays at 'hold'", path);
	s->engine_changed = false;
}

/* -------------------------------------------------------- take and leave */

static int take_lease(struct nst_cal_stack *s)
{
	struct nst_dev *dev = &s->dev.dev;
	char owner[128] = "somebody";
	int r = dev->ops->lease(dev, NST_DEV_TAKE, LEASE_MS, &s->lease_ms);

	if (!r) {
		s->held = true;
		s->renewed_ms = nst_cal_now_ms();
		return 0;
	}
	if (r == -EBUSY) {
		(void)dev->ops->owner(dev, owner, sizeof(owner));
		return nst_log_err(r, "%s is governed by %s; stop it (systemctl stop nstd) and start again",
				   s->dev.info.node, owner);
	}
	if (r == -EPERM)
		return nst_log_err(-EACCES, "%s: the lease needs write permission",
				   s->dev.info.node);
	return nst_log_err(r, "%s: lease", s->dev.info.node);
}

int nst_cal_stack_take(struct nst_cal_stack *s, const char *selector)
{
	struct nst_dev_policy policy;
	char list[256];
	int r;

	memset(s, 0, sizeof(*s));
	s->dev.fd = -1;
	r = nst_nstdev_open(&s->dev, "", selector);
	if (r) {
		s->dev.fd = -1;
		nst_nstdev_list("", list, sizeof(list));
		return nst_log_err(r, "nst device '%s' (there are: %s)",
				   selector, list);
	}
	if (!s->dev.info.channels ||
	    !s->dev.info.gate_power_mw[NST_GATE_RUN])
		return nst_log_err(-EOPNOTSUPP, "%s has no %s: nothing to calibrate with",
				   s->dev.info.node, s->dev.info.channels ?
				   "power of its VPU" : "temperature");
	r = take_lease(s);
	if (r)
		return r;
	r = s->dev.dev.ops->get_policy(&s->dev.dev, &policy);
	if (!r)
		r = s->dev.dev.ops->sample(&s->dev.dev, &s->now);
	if (r)
		return nst_log_err(r, "%s", s->dev.info.node);
	s->found_gate = s->now.gate;
	s->low_mc = policy.thr.low_mc;
	s->ceiling_mc = policy.thr.max_mc < NST_TEMP_MAX_MC
			? policy.thr.max_mc : NST_TEMP_MAX_MC;
	s->top_mc = s->ceiling_mc - MARGIN_MC;
	r = hold_engine(s);
	if (!r)
		r = nst_cal_stack_tick(s);
	/* From here on there always is a reading. */
	for (int i = 0; !r && !s->readings && i < SILENT_MS / FIRST_MS; i++) {
		sleep_us(FIRST_MS * 1000);
		r = nst_cal_stack_tick(s);
	}
	if (!r && !s->readings)
		return nst_log_err(-EIO, "%s: no valid temperature",
				   s->dev.info.node);
	return r;
}

void nst_cal_stack_leave(struct nst_cal_stack *s)
{
	struct nst_dev *dev = &s->dev.dev;
	struct nst_dev_applied applied;
	bool cool;

	if (s->dev.fd < 0)
		return;
	cool = s->readings && s->reading[s->readings - 1].temp_mc < s->low_mc;
	if (s->held) {
		/* What was found; while it is hot, that is for the guard. */
		const struct nst_dev_gate gate = {
			.gate = cool ? s->found_gate : NST_GATE_STANDBY,
			.placement = NST_PAUSED,
		};

		(void)dev->ops->set_gate(dev, &gate, &applied);
	}
	if (cool)
		restore_engine(s);
	else if (s->engine_changed)
		/* Without a holder and an engine it would run at once. */
		nst_log(NST_LOG_NOTICE, "%s is still hot: its policy/engine stays at 'hold', it was '%s'",
			s->dev.info.node, s->found_engine);
	if (s->held)
		(void)dev->ops->lease(dev, NST_DEV_GIVE_BACK, 0, NULL);
	s->held = false;
	dev->ops->close(dev);
}

/* ----------------------------------------------------------------- tick */

static void note(struct nst_cal_stack *s)
{
	const struct nst_sample *m = &s->now.sample[0];
	u32 half = NST_CAL_READINGS / 2;

	/* a bound at a rail is no temperature */
	if (m->state != NST_SAMPLE_VALID || m->bound != NST_BOUND_NONE ||
	    (s->readings && m->t_us <= s->reading[s->readings - 1].t_us))
		return;
	if (s->readings == NST_CAL_READINGS) {
		memmove(s->reading, s->reading + half,
			half * sizeof(s->reading[0]));
		s->readings = half;
	}
	if (s->readings) {
		s32 d = m->value_mc - s->reading[s->readings - 1].temp_mc;

		d = d < 0 ? -d : d;
		if (d && (!s->lsb_mc || d < s->lsb_mc))
			s->lsb_mc = d;
	}
	s->reading[s->readings++] = (struct nst_cal_reading){
		.t_us = m->t_us,
		.temp_mc = m->value_mc,
		.power_mw = s->now.power_mw,
		.gate = s->now.gate,
	};
}

static int renew(struct nst_cal_stack *s)
{
	struct nst_dev *dev = &s->dev.dev;
	u64 now_ms = nst_cal_now_ms();
	char owner[128] = "the kernel";
	int r;

	if (now_ms - s->renewed_ms < s->lease_ms / 4)
		return 0;
	r = dev->ops->lease(dev, NST_DEV_RENEW, 0, NULL);
	if (!r) {
		s->renewed_ms = now_ms;
		return 0;
	}
	s->held = false;
	(void)dev->ops->owner(dev, owner, sizeof(owner));
	return nst_log_err(r, "%s: the lease is lost, %s governs",
			   s->dev.info.node, owner);
}

int nst_cal_stack_tick(struct nst_cal_stack *s)
{
	struct nst_dev *dev = &s->dev.dev;
	u32 before = s->readings;
	int r;

	if (nst_cal_stopped)
		return -EINTR;
	r = dev->ops->sample(dev, &s->now);
	if (r)
		return nst_log_err(r, "%s", s->dev.info.node);
	r = renew(s);
	if (r)
		return r;
	note(s);
	if (s->readings == before && before &&
	    s->now.now_us > s->reading[before - 1].t_us + SILENT_MS * 1000)
		return nst_log_err(-EIO, "%s: no valid temperature for two seconds",
				   s->dev.info.node);
	if (s->readings && s->now.gate == NST_GATE_RUN &&
	    s->reading[s->readings - 1].temp_mc >= s->top_mc)
		return nst_cal_stack_gate(s, NST_GATE_STANDBY);
	return 0;
}

int nst_cal_stack_gate(struct nst_cal_stack *s, enum nst_gate gate)
{
	const struct nst_dev_gate want = {
		.gate = (u8)gate,
		.placement = gate == NST_GATE_RUN ? NST_NEAR : NST_PAUSED,
	};
	struct nst_dev_applied applied;
	struct nst_dev *dev = &s->dev.dev;
	struct nst_dev_state after;
	int r = dev->ops->set_gate(dev, &want, &applied);

	if (r)
		return nst_log_err(r, "%s: gate %s", s->dev.info.node,
				   nst_gate_name(gate));
	if (applied.clamped)
		return nst_log_err(-EBUSY, "%s: the guard or the cooling device keeps the gate at %s",
				   s->dev.info.node,
				   nst_gate_name(applied.gate));
	r = dev->ops->sample(dev, &after);
	if (r)
		return nst_log_err(r, "%s", s->dev.info.node);
	s->gate_told_us = after.now_us;
	return 0;
}

u64 nst_cal_stack_late_us(const struct nst_cal_stack *s)
{
	const struct nst_dev_state *now = &s->now;
	/* one that somebody else asked for: until it was seen */
	u64 by_us = s->gate_told_us >= now->gate_since_us ? s->gate_told_us
							  : now->now_us;

	if (now->gate >= NST_GATE_COUNT || now->gate_prev >= NST_GATE_COUNT)
		return by_us - now->gate_since_us;
	return by_us - now->gate_since_us +
	       s->dev.info.gate_enter_us[now->gate] +
	       s->dev.info.gate_exit_us[now->gate_prev];
}

int nst_cal_stack_wait(struct nst_cal_stack *s, u64 us, u32 step_us)
{
	u64 end_us = s->now.now_us + us;
	u64 late_ms = nst_cal_now_ms() + 4 * us / 1000 + STANDS_MS;
	int r;

	do {
		sleep_us(step_us);
		r = nst_cal_stack_tick(s);
		if (!r && nst_cal_now_ms() > late_ms)
			return nst_log_err(-ETIME, "%s: its clock does not keep up, or stands still (step?)",
					   s->dev.info.node);
	} while (!r && s->now.now_us < end_us);
	return r;
}

void nst_cal_stack_forget(struct nst_cal_stack *s)
{
	/* The last one stays: silence is counted from it. */
	if (s->readings > 1)
		s->reading[0] = s->reading[s->readings - 1];
	if (s->readings)
		s->readings = 1;
}

/* ---------------------------------------------------------------- curve */

/* Solve three equations, pivots are positive definite. */
static int solve3(double a[3][4], double *ret)
{
	for (int i = 0; i < 3; i++) {
		if (!(fabs(a[i][i]) > 1e-12))
			return -EDOM;
		for (int k = i + 1; k < 3; k++) {
			double f = a[k][i] / a[i][i];

			for (int j = i; j < 4; j++)
				a[k][j] -= f * a[i][j];
		}
	}
	for (int i = 2; i >= 0; i--) {
		ret[i] = a[i][3];
		for (int j = i + 1; j < 3; j++)
			ret[i] -= a[i][j] * ret[j];
		ret[i] /= a[i][i];
	}
	return 0;
}

int nst_cal_stack_curve(const struct nst_cal_stack *s, u64 from_us,
			struct nst_cal_curve *ret)
{
	double a[3][4] = { 0 }, scale, sum = 0;
	u32 first = s->readings, n;

	while (first && s->reading[first - 1].t_us >= from_us)
		first--;
	n = s->readings - first;
	if (n < 3)
		return -ENODATA;
	*ret = (struct nst_cal_curve){ .readings = n };
	ret->from_us = (double)s->reading[first].t_us;
	/* the time in units of the whole, for the sake of the equations */
	scale = ((double)s->reading[s->readings - 1].t_us - ret->from_us) /
		1e6;
	if (!(scale > 0))
		return -ENODATA;
	for (u32 i = first; i < s->readings; i++) {
		double x = ((double)s->reading[i].t_us - ret->from_us) / 1e6 /
			   scale;
		double p[3] = { 1, x, x * x };

		for (int k = 0; k < 3; k++) {
			for (int j = 0; j < 3; j++)
				a[k][j] += p[k] * p[j];
			a[k][3] += p[k] * s->reading[i].temp_mc;
		}
	}
	if (solve3(a, ret->c))
		return -ENODATA;
	ret->c[1] /= scale;
	ret->c[2] /= scale * scale;
	for (u32 i = first; i < s->readings; i++) {
		double d = s->reading[i].temp_mc -
			   nst_cal_curve_at(ret, (double)s->reading[i].t_us);

		sum += d * d;
	}
	ret->residual_mc = sqrt(sum / n);
	ret->slope_mc_per_s = ret->c[1] + ret->c[2] * scale;
	return 0;
}

double nst_cal_curve_at(const struct nst_cal_curve *curve, double t_us)
{
	double x = (t_us - curve->from_us) / 1e6;

	return curve->c[0] + x * (curve->c[1] + x * curve->c[2]);
}
