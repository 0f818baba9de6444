// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sensor.c - life of a sensor: open, lease, tick, restore; see sensor.h */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cursor.h"
#include "log.h"
#include "sensor.h"

#define RETRY_MS 1000

#define BUCKET_SIZE 6
#define BUCKET_REFILL_MS 2000

/* Nominal power of device and profile: more apart than this is told. */
#define POWER_APART_PERCENT 10

/* So long the records beside frames believe what they were told. */
#define SIDE_FRAMES 8

/* ------------------------------------------------------------- messages */

static bool bucket_take(struct nst_log_bucket *b, u64 now_ms)
{
	u64 tokens = (now_ms - b->filled_ms) / BUCKET_REFILL_MS;

	if (tokens) {
		b->tokens = b->tokens + tokens > BUCKET_SIZE
			? BUCKET_SIZE : b->tokens + (unsigned int)tokens;
		b->filled_ms = now_ms;
	}
	if (!b->tokens) {
		b->suppressed++;
		return false;
	}
	b->tokens--;
	return true;
}

/* Millidegrees as degrees with two decimals, without floating point. */
struct temp_text {
	char text[16];
};

static struct temp_text temp_text(s32 temp_mc)
{
	struct temp_text t;
	s32 abs_mc = temp_mc < 0 ? -temp_mc : temp_mc;

	if (temp_mc == NST_TEMP_NONE_MC)
		snprintf(t.text, sizeof(t.text), "none");
	else
		snprintf(t.text, sizeof(t.text), "%s%" PRId32 ".%02" PRId32,
			 temp_mc < 0 ? "-" : "", abs_mc / 1000,
			 abs_mc % 1000 / 10);
	return t;
}

/* What was told to the device; of a watched one there is nothing to tell. */
static void say_transition(struct nst_sensor *s, u64 now_ms)
{
	const struct nst_governor *g = &s->gov;
	char more[48] = "";
	u8 old = s->said_placement;

	if (!g->told || g->told_placement == old)
		return;
	s->said_placement = g->told_placement;
	/* The first frames, until the sensor has shown itself. */
	if (!nst_gov_trusted(g) && !s->said_blind)
		return;
	if (!bucket_take(&s->bucket, now_ms))
		return;
	if (s->bucket.suppressed)
		snprintf(more, sizeof(more), " (and %u more since the last "
			 "line)", s->bucket.suppressed);
	s->bucket.suppressed = 0;
	nst_log(NST_LOG_INFO,
		"%s: %s -> %s from frame %" PRIu64 " on: %s degC, T_high %s, "
		"T_low %s: %s%s", s->name,
		nst_placement_name((enum nst_placement)old),
		nst_placement_name((enum nst_placement)g->told_placement),
		g->told_seq,
		nst_gov_trusted(g) ? temp_text(g->decided_mc).text : "?",
		temp_text(g->pc.thr.high_mc).text,
		temp_text(g->pc.thr.low_mc).text,
		nst_reason_text((enum nst_reason)g->decided_why), more);
}

static void say_error(struct nst_sensor *s, int *said, int err,
		      const char *what)
{
	if (err == *said)
		return;
	*said = err;
	if (err)
		nst_log(NST_LOG_WARNING, "%s: %s: %s", s->name, what,
			strerror(-err));
	else
		nst_log(NST_LOG_NOTICE, "%s: %s: works again", s->name, what);
}

static void say_health(struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;
	bool blind = s->said_blind;

	/* Between the two, at the start, nothing is known yet. */
	if (nst_gov_trusted(g))
		blind = false;
	else if (g->obs.bad_run >= g->obs.config.bad_max)
		blind = true;
	if (blind == s->said_blind)
		return;
	s->said_blind = blind;
	if (blind)
		nst_log(NST_LOG_WARNING, "%s: no trustworthy temperature "
			"(last reading: %s); the VPU is gated until there is "
			"one", s->name,
			g->period[g->last_seq % NST_GOV_PERIODS].temp_state ==
			NST_SAMPLE_VALID ? "implausible" :
			strerror(-nst_sample_errno(&g->state.sample[0])));
	else
		nst_log(NST_LOG_NOTICE, "%s: the temperature can be trusted "
			"again: %s degC", s->name,
			temp_text(nst_observer_die_mc(&g->obs)).text);
}

static void say_situation(struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;

	if (g->pc_err != s->said_pc) {
		s->said_pc = g->pc_err;
		if (g->pc_err)
			nst_log(NST_LOG_WARNING,
				"%s: no limit can be met at %u us, ISO %u "
				"(%s): the VPU is gated and frames are "
				"withheld", s->name, g->light.exposure_us,
				g->light.iso, g->pc_err == -EDOM ?
				"a task asks for more than the camera gives "
				"at any temperature" : strerror(-g->pc_err));
		else
			nst_log(NST_LOG_NOTICE, "%s: limits can be met again",
				s->name);
	}
	if (g->automatic == s->said_manual) {
		s->said_manual = !g->automatic;
		if (g->automatic)
			nst_log(NST_LOG_NOTICE, "%s: thresholds are computed "
				"again", s->name);
		else
			nst_log(NST_LOG_NOTICE, "%s: thresholds were set by "
				"hand: T_high %s, T_low %s", s->name,
				temp_text(g->manual.high_mc).text,
				temp_text(g->manual.low_mc).text);
	}
}

static void say_tick(struct nst_sensor *s, const struct nst_tick *t,
		     u64 now_ms)
{
	if (t->failsafe_changed && bucket_take(&s->failsafe_bucket, now_ms)) {
		nst_log(NST_LOG_WARNING, "%s: the kernel's fail-safe %s (%u "
			"times since the last line)", s->name,
			t->failsafe ? "gates the VPU" : "lets go of the VPU",
			1 + s->failsafe_bucket.suppressed);
		s->failsafe_bucket.suppressed = 0;
	}
	if (t->events_lost && bucket_take(&s->bucket, now_ms))
		nst_log(NST_LOG_NOTICE, "%s: %" PRIu64 " events of the device "
			"were lost, this machine is too slow", s->name,
			t->events_lost);
	if (t->limits_clamped)
		nst_log(NST_LOG_WARNING, "%s: max_temp of the profile is above "
			"that of the device, which is taken: %s degC", s->name,
			temp_text(s->gov.ceiling_mc).text);
	if (t->limits_told)
		say_error(s, &s->said_limits, t->limits_err,
			  "thresholds are refused");
	if (t->gate_told)
		say_error(s, &s->said_gate, t->gate_err, "gate is refused");
	if (s->gov.delay_frames != s->said_delay) {
		s->said_delay = s->gov.delay_frames;
		if (bucket_take(&s->bucket, now_ms))
			nst_log(NST_LOG_NOTICE, "%s: plans %u frames ahead: "
				"that late are decisions on this machine",
				s->name, s->gov.delay_frames);
	}
	say_health(s);
	say_situation(s);
	say_transition(s, now_ms);
}

/* -------------------------------------------------------- configuration */

static void copy_config(struct nst_sensor *s,
			const struct nst_profile_sensor *ps)
{
	snprintf(s->name, sizeof(s->name), "%s", ps->name);
	snprintf(s->device, sizeof(s->device), "%s", ps->device);
	snprintf(s->camera, sizeof(s->camera), "%s", ps->camera);
	snprintf(s->gpio[0], sizeof(s->gpio[0]), "%s", ps->gate_line);
	snprintf(s->gpio[1], sizeof(s->gpio[1]), "%s", ps->strobe_line);
	s->gpio_low[0] = ps->gate_active_low;
	s->gpio_low[1] = ps->strobe_active_low;
}

static bool same_lines(const struct nst_sensor *s,
		       const struct nst_profile_sensor *ps)
{
	return !strcmp(s->gpio[0], ps->gate_line) &&
	       !strcmp(s->gpio[1], ps->strobe_line) &&
	       s->gpio_low[0] == ps->gate_active_low &&
	       s->gpio_low[1] == ps->strobe_active_low;
}

int nst_sensor_init(struct nst_sensor *s, const struct nst_env *env,
		    unsigned int slot, const struct nst_profile *profile,
		    unsigned int index)
{
	const struct nst_profile_sensor *ps = &profile->sensors[index];
	int r;

	memset(s, 0, sizeof(*s));
	nst_moves_init(&s->moves);
	if (!ps->device[0]) {
		nst_log(NST_LOG_NOTICE, "%s: has no device, for the simulator "
			"only", ps->name);
		return -ENOENT;
	}
	r = nst_gov_init(&s->gov, profile, index);
	if (r == -ENOENT)
		nst_log(NST_LOG_NOTICE, "%s: no vision task uses it, it is "
			"left to the kernel", ps->name);
	else if (r)
		nst_log_err(r, "%s: cannot be governed", ps->name);
	if (r)
		return r;
	s->env = env;
	s->slot = slot;
	s->used = true;
	s->gov.follow = env->dry_run;
	s->said_placement = s->gov.placement;
	s->bucket.tokens = BUCKET_SIZE;
	s->failsafe_bucket.tokens = 2;
	copy_config(s, ps);
	nst_around_configure(&s->around, &s->gov, ps);
	if (env->prepare)
		env->prepare(env->arg, slot, ps);
	snprintf(s->selector, sizeof(s->selector), "%s", ps->device);
	return 0;
}

int nst_sensor_configure(struct nst_sensor *s,
			 const struct nst_profile *profile,
			 unsigned int index)
{
	const struct nst_profile_sensor *ps = &profile->sensors[index];
	int r;

	if (strcmp(s->device, ps->device) || strcmp(s->camera, ps->camera) ||
	    !same_lines(s, ps))
		return -EXDEV;
	r = nst_gov_configure(&s->gov, profile, index);
	if (!r)
		nst_around_configure(&s->around, &s->gov, ps);
	return r;
}

/* --------------------------------------------------------------- opening */

/* What the application tells of its frames comes before the controls. */
static void take_light(struct nst_sensor *s, const struct nst_light *light,
		       u64 now_ms)
{
	struct nst_light all;

	s->cam_light = *light;
	all = nst_report_light(&s->reported, light, now_ms);
	nst_gov_light(&s->gov, &all);
}

static void open_camera(struct nst_sensor *s, u64 now_ms)
{
	struct nst_light light;
	int r;

	if (!s->camera[0] || s->cam)
		return;
	s->cam_retry_ms = now_ms + RETRY_MS;
	r = s->env->open_camera(s->env->arg, s->slot, s->camera, &s->cam);
	if (!r) {
		r = s->cam->ops->read(s->cam, &light);
		if (!r)
			take_light(s, &light, now_ms);
		else
			s->cam->ops->close(s->cam);
		if (r)
			s->cam = NULL;
	}
	if (r == s->said_cam)
		return;
	s->said_cam = r;
	if (r)
		nst_log(NST_LOG_WARNING, "%s: camera '%s': %s; the light of "
			"the profile is taken until it is there", s->name,
			s->camera, r == -ENOTUNIQ
			? "several sub-devices have that name, give the whole "
			  "of it" : strerror(-r));
	else
		nst_log(NST_LOG_NOTICE, "%s: camera '%s': %u us, ISO %u",
			s->name, s->camera, light.exposure_us, light.iso);
}

static void say_open(struct nst_sensor *s, int r)
{
	const char *why = s->env->why ? s->env->why(s->env->arg, s->slot) : "";
	char text[256];

	if (r == s->said_open)
		return;
	s->said_open = r;
	if (r && !s->dev && why[0]) {
		nst_log(NST_LOG_ERR, "%s: device '%s': %s", s->name,
			s->selector, why);
	} else if (r == -ENODEV) {
		s->env->list_devices(s->env->arg, text, sizeof(text));
		nst_log(NST_LOG_ERR, "%s: no device named '%s', there are: %s",
			s->name, s->selector, text);
	} else if (r == -EBUSY && s->dev) {
		if (s->dev->ops->owner(s->dev, text, sizeof(text)))
			snprintf(text, sizeof(text), "another program");
		nst_log(NST_LOG_ERR, "%s: %s is governed already, by %s",
			s->name, s->info.node, text);
	} else if (r == -EPROTO) {
		nst_log(NST_LOG_ERR, "%s: the driver of '%s' speaks another "
			"version of the interface", s->name, s->selector);
	} else if (r) {
		nst_log_err(r, "%s: device '%s'", s->name, s->selector);
	}
}

/* Said once: the user states one power, the driver another. */
static void compare_power(struct nst_sensor *s)
{
	u32 own = s->gov.history.power_mw[NST_GATE_RUN];
	u32 dev = s->info.gate_power_mw[NST_GATE_RUN];
	u32 apart = own > dev ? own - dev : dev - own;

	if (dev && apart * 100 > dev * POWER_APART_PERCENT)
		nst_log(NST_LOG_WARNING, "%s: near_mw of the profile is %u, "
			"the device says %u mW", s->name, own, dev);
}

static int take_lease(struct nst_sensor *s, u64 now_ms)
{
	struct nst_dev_policy policy;
	struct nst_dev_state state;
	int r;

	if (s->env->dry_run) {
		s->state = NST_SENSOR_WATCHED;
		return 0;
	}
	r = s->dev->ops->sample(s->dev, &state);
	if (!r)
		r = s->dev->ops->get_policy(s->dev, &policy);
	if (!r)
		r = s->dev->ops->lease(s->dev, NST_DEV_TAKE, 0, &s->lease_ms);
	if (r)
		return r;
	/* What was found the first time is what goes back. */
	if (!s->found) {
		s->found_gate = state.gate;
		s->found_policy = policy;
	}
	s->found = true;
	s->state = NST_SENSOR_GOVERNED;
	s->renewed_ms = now_ms;
	s->gov.told = false;
	s->gov.limits_due = true;
	nst_gov_policy(&s->gov, &policy);
	nst_log(NST_LOG_NOTICE, "%s: governs %s (%s, %s), policy %s, "
		"heartbeat %u ms", s->name, s->info.node, s->info.name,
		s->info.provider, s->gov.policy->name, s->lease_ms);
	return 0;
}

static int open_device(struct nst_sensor *s)
{
	static u64 openings;
	int r;

	r = s->env->open_device(s->env->arg, s->slot, s->selector, &s->dev);
	if (r) {
		s->dev = NULL;
		return r;
	}
	r = s->dev->ops->info(s->dev, &s->info);
	if (r) {
		s->dev->ops->close(s->dev);
		s->dev = NULL;
		return r;
	}
	/* A number is good for once; the name is for good. */
	if (s->info.name[0])
		snprintf(s->selector, sizeof(s->selector), "%s",
			 s->info.name);
	s->opening = ++openings;
	s->captures = 0;
	s->found = false;
	s->state = NST_SENSOR_HELD;
	nst_gov_restart(&s->gov);
	nst_gov_windows(&s->gov, s->info.windows);
	compare_power(s);
	return 0;
}

static void drop(struct nst_sensor *s)
{
	if (s->dev)
		s->dev->ops->close(s->dev);
	s->dev = NULL;
	s->state = NST_SENSOR_ABSENT;
	s->found = false;
	nst_gov_restart(&s->gov);
}

int nst_sensor_open(struct nst_sensor *s, u64 now_ms)
{
	int r = 0;

	s->retry_ms = now_ms + RETRY_MS;
	if (!s->dev)
		r = open_device(s);
	if (!r && s->state == NST_SENSOR_HELD)
		r = take_lease(s, now_ms);
	say_open(s, r);
	if (r && r != -EBUSY)
		drop(s);
	if (s->dev)
		open_camera(s, now_ms);
	/* The frame that is running is the first one with a verdict. */
	if (!r)
		nst_sensor_ready(s, now_ms);
	return s->dev || r ? r : -ENODEV;
}

/* -------------------------------------------------------------- closing */

static void put_back(struct nst_sensor *s)
{
	struct nst_dev_gate gate = { .gate = s->found_gate,
				     .placement = NST_PAUSED };
	struct nst_dev_applied applied;
	int r = 0, r2;

	if (s->found_gate == NST_GATE_RUN)
		gate.placement = NST_NEAR;
	/* Values that a user set by hand meanwhile are the user's. */
	if (s->gov.automatic && s->found_policy.automatic)
		r = s->dev->ops->set_limits(s->dev, &s->found_policy.thr);
	r2 = s->dev->ops->set_gate(s->dev, &gate, &applied);
	r = r ? r : r2;
	if (r && r != -ENODEV)
		nst_log(NST_LOG_WARNING, "%s: gate and limits could not be "
			"put back: %s", s->name, strerror(-r));
	r = s->dev->ops->lease(s->dev, NST_DEV_GIVE_BACK, 0, NULL);
	if (!r)
		nst_log(NST_LOG_NOTICE, "%s: given back to the kernel, gate "
			"%s", s->name,
			nst_gate_name((enum nst_gate)s->found_gate));
}

void nst_sensor_close(struct nst_sensor *s)
{
	if (s->dev && s->state == NST_SENSOR_GOVERNED)
		put_back(s);
	drop(s);
	if (s->cam)
		s->cam->ops->close(s->cam);
	s->cam = NULL;
}

void nst_sensor_gone(struct nst_sensor *s, u64 now_ms)
{
	if (!s->dev)
		return;
	nst_log(NST_LOG_WARNING, "%s: device '%s' is gone, looking for it "
		"once a second", s->name, s->selector);
	drop(s);
	s->said_open = -ENODEV;
	s->retry_ms = now_ms + RETRY_MS;
}

void nst_sensor_camera_gone(struct nst_sensor *s, u64 now_ms)
{
	if (!s->cam)
		return;
	s->cam->ops->close(s->cam);
	s->cam = NULL;
	s->said_cam = -ENODEV;
	s->cam_retry_ms = now_ms + RETRY_MS;
	nst_log(NST_LOG_WARNING, "%s: camera '%s' is gone, its last light "
		"stands", s->name, s->camera);
}

/* --------------------------------------------------------------- running */

static void lose_lease(struct nst_sensor *s, u64 now_ms)
{
	if (s->state != NST_SENSOR_GOVERNED)
		return;
	nst_log(NST_LOG_WARNING, "%s: the lease is lost, the kernel's guard "
		"has the VPU; trying to take it back", s->name);
	s->state = NST_SENSOR_HELD;
	s->gov.told = false;
	s->retry_ms = now_ms;
}

/* A camera that does not tell of changes is asked with every frame. */
static void poll_camera(struct nst_sensor *s, u64 now_ms)
{
	struct nst_light light;

	if (!s->cam || !s->cam->polled)
		return;
	if (s->cam->ops->read(s->cam, &light))
		nst_sensor_camera_gone(s, now_ms);
	else if (memcmp(&light, &s->cam_light, sizeof(light)))
		take_light(s, &light, now_ms);
}

/*
 * For the records beside the camera's frames. Each tick is told of anew and
 * holds a little longer: who is late or dead is soon quoted no more.
 */
static void tell_side(struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;
	struct nst_side side = {
		.frames = SIDE_FRAMES,
		.placement = g->placement,
	};

	if (!s->cam || !s->cam->ops->tell ||
	    s->state != NST_SENSOR_GOVERNED)
		return;
	side.has_snr = !nst_gov_snr_cdb(g, &side.snr_cdb);
	(void)s->cam->ops->tell(s->cam, &side);
}

void nst_sensor_ready(struct nst_sensor *s, u64 now_ms)
{
	struct nst_tick t;
	int r;

	if (!s->dev)
		return;
	poll_camera(s, now_ms);
	s->gov.follow = s->state != NST_SENSOR_GOVERNED;
	nst_moves_before(s);
	r = nst_tick(&s->gov, s->dev, s->state == NST_SENSOR_GOVERNED,
		     s->found_policy.thr.max_mc, &t);
	if (r == -ENODEV) {
		nst_sensor_gone(s, now_ms);
		return;
	}
	if (r) {
		say_error(s, &s->said_gate, r, "device cannot be read");
		return;
	}
	for (unsigned int i = 0; i < t.captures &&
	     s->captures < NST_TICK_CAPTURES; i++)
		s->capture[s->captures++] = t.capture[i];
	say_tick(s, &t, now_ms);
	if (t.lease_lost)
		lose_lease(s, now_ms);
	tell_side(s);
}

void nst_sensor_camera_ready(struct nst_sensor *s, u64 now_ms)
{
	struct nst_light light;
	int r;

	if (!s->cam)
		return;
	r = s->cam->ops->read(s->cam, &light);
	if (r)
		nst_sensor_camera_gone(s, now_ms);
	else
		take_light(s, &light, now_ms);
}

static void renew(struct nst_sensor *s, u64 now_ms)
{
	int r;

	/* The timer runs six times per heartbeat: never later than a third. */
	if ((now_ms - s->renewed_ms) * 6 < s->lease_ms)
		return;
	r = s->dev->ops->lease(s->dev, NST_DEV_RENEW, 0, NULL);
	if (r == -ENODEV)
		nst_sensor_gone(s, now_ms);
	else if (r)
		lose_lease(s, now_ms);
	else
		s->renewed_ms = now_ms;
}

void nst_sensor_timer(struct nst_sensor *s, u64 now_ms)
{
	if (nst_report_expire(&s->reported, now_ms))
		nst_gov_light(&s->gov, &s->cam_light);
	if (s->state == NST_SENSOR_GOVERNED)
		renew(s, now_ms);
	if ((s->state == NST_SENSOR_ABSENT || s->state == NST_SENSOR_HELD) &&
	    now_ms >= s->retry_ms)
		(void)nst_sensor_open(s, now_ms);
	if (s->dev && s->camera[0] && !s->cam && now_ms >= s->cam_retry_ms)
		open_camera(s, now_ms);
	/* Nothing wakes us up for a device without frames. */
	if (s->dev && s->gov.started && !s->gov.state.frames)
		nst_sensor_ready(s, now_ms);
}

const char *nst_sensor_state_text(const struct nst_sensor *s)
{
	switch (s->state) {
	case NST_SENSOR_ABSENT:
		return "absent";
	case NST_SENSOR_HELD:
		return "governed by another";
	case NST_SENSOR_GOVERNED:
		return "governed";
	case NST_SENSOR_WATCHED:
		return "watched (dry run)";
	}
	return "invalid";
}
