// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* around.c - the surroundings of one sensor, see around.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "around.h"
#include "log.h"

/* Below this a new ambient changes no decision. */
#define TELL_MC 100

enum { FAR_SENSOR, AMBIENT_SENSOR, BOARD_SENSOR };

void nst_around_configure(struct nst_around *a, struct nst_governor *g,
			  const struct nst_profile_sensor *ps)
{
	struct nst_around old = *a;

	memset(a, 0, sizeof(*a));
	a->told_mc = NST_TEMP_NONE_MC;
	memcpy(a->want.far_device, ps->far_device, sizeof(ps->far_device));
	memcpy(a->want.far_sensor, ps->far_sensor, sizeof(ps->far_sensor));
	memcpy(a->want.ambient_sensor, ps->ambient_sensor,
	       sizeof(ps->ambient_sensor));
	memcpy(a->want.board_sensor, ps->board_sensor,
	       sizeof(ps->board_sensor));
	a->limits = (struct nst_far_limits){
		.busy_permyriad = ps->far_busy_permyriad,
		.temp_mc = ps->far_sensor[0] ? ps->far_temp_max_mc
					     : NST_TEMP_NONE_MC,
	};
	a->far.present = true;
	/* A reload does not forget what is known of the same device. */
	if (!strcmp(old.want.ambient_sensor, a->want.ambient_sensor)) {
		a->ambient = old.ambient;
		a->said_ambient = old.said_ambient;
		a->told_mc = a->want.ambient_sensor[0] ? old.told_mc
						       : NST_TEMP_NONE_MC;
	}
	if (!strcmp(old.want.far_device, a->want.far_device) &&
	    !strcmp(old.want.far_sensor, a->want.far_sensor)) {
		a->far = old.far;
		a->rule = old.rule;
		a->said_far = old.said_far;
		a->far.present = a->far.present || !a->want.far_device[0];
	}
	nst_gov_ambient(g, a->told_mc);
	nst_gov_far(g, (enum nst_gov_far)a->rule.allowed);
}

static const char *err_text(int err)
{
	switch (err) {
	case -ENODEV:
		return "there is none of that name";
	case -ENOTUNIQ:
		return "the name fits more than one; name the bus";
	case -ENODATA:
		return "it has no reading";
	case -ENOSYS:
		return "libsensors is not there for it";
	default:
		return strerror(-err);
	}
}

static void say_sensor(struct nst_around *a, int which, const char *selector,
		       int err, const char *name)
{
	if (!selector[0] || a->said_err[which] == err)
		return;
	a->said_err[which] = err;
	if (err)
		nst_log(NST_LOG_WARNING, "%s: thermometer '%s': %s", name,
			selector, err_text(err));
	else
		nst_log(NST_LOG_NOTICE, "%s: thermometer '%s' reads", name,
			selector);
}

static void take_far(struct nst_around *a, struct nst_governor *g,
		     const char *name)
{
	const char *what = a->want.far_device[0] ? a->want.far_device
						 : "far device";
	enum nst_gov_far allowed;
	char text[128];

	a->far.present = !a->want.far_device[0] || !a->seen.far_err;
	a->far.busy_known = a->far.present && a->seen.busy_source;
	a->far.busy_permyriad = a->seen.busy_permyriad;
	a->far.temp_known = !a->seen.far.err;
	if (a->far.temp_known)
		a->far.temp_mc = a->seen.far.temp_mc;
	allowed = nst_far_judge(&a->rule, &a->limits, &a->far);
	nst_gov_far(g, allowed);
	if (allowed == a->said_far)
		return;
	a->said_far = (u8)allowed;
	nst_far_text(&a->rule, &a->limits, &a->far, text, sizeof(text));
	nst_log(allowed == NST_FAR_WELCOME ? NST_LOG_NOTICE : NST_LOG_WARNING,
		"%s: %s: %s%s", name, what, text,
		a->seen.far_err == -ENOTUNIQ ?
		" (the name fits more than one)" :
		a->seen.far_err == -ETIMEDOUT ?
		" (nothing is heard of it)" : "");
}

static void take_ambient(struct nst_around *a, struct nst_governor *g,
			 const char *name)
{
	s32 profile_mc = g->profile->sensors[g->sensor].ambient_mc, mc;

	if (!a->want.ambient_sensor[0])
		return;
	nst_ambient_take(&a->ambient, a->seen.ambient.err,
			 a->seen.ambient.temp_mc);
	if (a->ambient.state != NST_AMBIENT_NONE) {
		mc = nst_ambient_mc(&a->ambient, profile_mc);
		if (a->told_mc == NST_TEMP_NONE_MC ||
		    abs(mc - a->told_mc) >= TELL_MC) {
			a->told_mc = mc;
			nst_gov_ambient(g, mc);
		}
	}
	if (a->ambient.state == a->said_ambient)
		return;
	/* A step that is believed or goes away again is not worth a line. */
	if (a->ambient.state == NST_AMBIENT_GOOD &&
	    a->said_ambient != NST_AMBIENT_STEP)
		nst_log(NST_LOG_NOTICE, "%s: ambient is measured: %.1f degC, "
			"the profile says %.1f", name,
			a->ambient.value_mc / 1000.0, profile_mc / 1000.0);
	if (a->ambient.state == NST_AMBIENT_LOST)
		nst_log(NST_LOG_WARNING, "%s: ambient is not measured any "
			"more, %.1f degC is taken", name,
			a->told_mc / 1000.0);
	a->said_ambient = a->ambient.state;
}

void nst_around_take(struct nst_around *a, struct nst_governor *g,
		     const struct nst_host_seen *seen, const char *name)
{
	static const struct nst_host_seen silent = {
		.far_err = -ETIMEDOUT,
		.far = { .err = -ETIMEDOUT },
		.ambient = { .err = -ETIMEDOUT },
		.board = { .err = -ETIMEDOUT },
	};

	a->seen = seen ? *seen : silent;
	a->reported = seen;
	say_sensor(a, FAR_SENSOR, a->want.far_sensor, a->seen.far.err, name);
	say_sensor(a, AMBIENT_SENSOR, a->want.ambient_sensor,
		   a->seen.ambient.err, name);
	say_sensor(a, BOARD_SENSOR, a->want.board_sensor, a->seen.board.err,
		   name);
	if (a->want.far_device[0] || a->want.far_sensor[0])
		take_far(a, g, name);
	take_ambient(a, g, name);
}
