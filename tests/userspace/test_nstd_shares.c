// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_shares.c - two sensors on one far device, several tasks on one
 * sensor
 *
 * The stacks' frames pass much faster than the clock of the daemon, which
 * turns are counted by: a test ages what is asked for and granted by as much
 * as the frames took.
 */
#include "nstd_loop.h"

#define PERIOD_US 33333

#define SHARED(name, camera, capacity) SENSOR_YAML(name, camera)          \
	"    far: { device: 'driver:test', capacity_permyriad: " capacity " }\n"
#define LOADED(name, sensor, load)                                        \
	VISION_YAML(name, sensor, "seasonal-migration", "20")             \
	"    far_load_permyriad: " load "\n"
#define TWO(capacity, load_a, load_b) "version: 1\nsensors:\n"            \
	SHARED("a", CAMERA_YAML, capacity) SHARED("b", "", capacity)      \
	"tasks:\n" LOADED("va", "a", load_a) LOADED("vb", "b", load_b)

struct counts {
	unsigned int far[STACKS];
	unsigned int both;
	unsigned int over;
	unsigned int changes;	/* of who is there alone */
	unsigned int wait;	/* longest, frames */
};

static void age(u64 us)
{
	for (int i = 0; i < STACKS; i++) {
		struct nst_share *h = &m.shares.of[i];

		if (h->grant.since_us > us)
			h->grant.since_us -= us;
		if (h->wish_ms > us / 1000)
			h->wish_ms -= us / 1000;
	}
}

static struct counts run(unsigned int count)
{
	unsigned int waits[STACKS] = { 0 };
	struct counts c = { 0 };
	int last = -1;

	for (unsigned int i = 0; i < count; i++) {
		bool far[STACKS];
		u32 load = 0;

		frames(1);
		age(PERIOD_US);
		for (int s = 0; s < STACKS; s++) {
			const struct nst_share *h = &m.shares.of[s];

			far[s] = m.sensor[s].state == NST_SENSOR_GOVERNED &&
				 m.sensor[s].gov.placement == NST_FAR;
			c.far[s] += far[s];
			load += far[s] ? h->load : 0;
			waits[s] = h->grant.why == NST_ARBITER_WAITS
				? waits[s] + 1 : 0;
			if (waits[s] > c.wait)
				c.wait = waits[s];
		}
		c.both += far[0] && far[1];
		c.over += load > m.shares.of[0].capacity;
		if (far[0] != far[1]) {
			c.changes += last >= 0 && far[last] != true;
			last = far[1];
		}
	}
	return c;
}

static void say(const char *what, const struct counts *c)
{
	printf("# %s: a %u frames far, b %u, both %u, %u changes, longest wait "
	       "%u frames\n", what, c->far[0], c->far[1], c->both, c->changes,
	       c->wait);
}

/* Neither is kept out, and never both: they do not fit. */
static void turns(void)
{
	struct counts c;

	begin(TWO("10000", "6000", "6000"));
	/* A stack that is found gated counts as far until it is decided. */
	run(1);
	c = run(3000);
	say("6000 + 6000 of 10000", &c);
	EXPECT(!c.over && !c.both, "%u %u", c.over, c.both);
	EXPECT(c.far[0] > 400 && c.far[1] > 400, " ");
	EXPECT(c.far[0] < 2 * c.far[1] && c.far[1] < 2 * c.far[0], " ");
	EXPECT(c.changes > 10, "%u", c.changes);
	/* 20 s: as much as urgency is worth, and a turn */
	EXPECT(c.wait < 600, "%u", c.wait);
	end();
}

static void room_for_both(void)
{
	struct counts c;

	begin(TWO("10000", "4000", "6000"));
	c = run(1200);
	say("4000 + 6000 of 10000", &c);
	EXPECT(c.both > 100 && !c.over && !c.wait, "%u %u %u", c.both, c.over,
	       c.wait);
	end();
	/* As it is without a capacity. */
	begin(TWO("0", "10000", "10000"));
	c = run(600);
	EXPECT(c.both > 20 && !c.wait, "%u %u", c.both, c.wait);
	end();
}

static void status_says_why(void)
{
	struct json_object *o;
	int fd, waits;

	begin(TWO("10000", "6000", "6000"));
	run(600);
	for (int i = 0; i < 900; i++) {
		run(1);
		if (m.shares.of[0].grant.why == NST_ARBITER_WAITS ||
		    m.shares.of[1].grant.why == NST_ARBITER_WAITS)
			break;
	}
	waits = m.shares.of[0].grant.why == NST_ARBITER_WAITS ? 0 : 1;
	fd = client();
	o = ask(fd, "{\"req\":\"status\"}");
	for (int i = 0; i < STACKS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "ok/sensors/%d/far_share/why", i);
		EXPECT(!strcmp(text_at(o, path), i == waits ?
			       "others come first" : "it comes first") ||
		       (i != waits && !strcmp(text_at(o, path),
					      "its turn is not over")),
		       "%s", text_at(o, path));
		snprintf(path, sizeof(path),
			 "ok/sensors/%d/far_share/load_permyriad", i);
		EXPECT(!strcmp(text_at(o, path), "6000"), "%s",
		       text_at(o, path));
		snprintf(path, sizeof(path), "ok/sensors/%d/far_share/granted",
			 i);
		EXPECT(!strcmp(text_at(o, path), i == waits ? "false"
							    : "true"), " ");
	}
	json_object_put(o);
	close(fd);
	end();
}

/* A task that could never be far with the others is told when it comes. */
static void never_fits(void)
{
	struct json_object *o;
	int fd;

	begin(TWO("10000", "6000", "6000"));
	run(10);
	fd = client();
	o = ask(fd, "{\"req\":\"task.add\",\"name\":\"more\",\"sensor\":\"a\","
		    "\"kind\":\"vision\",\"far_load_permyriad\":4001}");
	EXPECT(!strcmp(text_at(o, "error/errno"), "EINVAL") &&
	       strstr(text_at(o, "error/what"), "are 10001 to its far device, "
		      "which takes 10000"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_ok(fd, "{\"req\":\"task.add\",\"name\":\"more\","
		      "\"sensor\":\"a\",\"kind\":\"vision\","
		      "\"far_load_permyriad\":4000}"), " ");
	run(2);
	EXPECT(m.shares.of[0].load == 10000, "%u", m.shares.of[0].load);
	EXPECT(ask_ok(fd, "{\"req\":\"task.remove\",\"name\":\"more\"}"), " ");
	run(2);
	EXPECT(m.shares.of[0].load == 6000, "%u", m.shares.of[0].load);
	close(fd);
	end();

	/* What only stops does not need the far device, until it does. */
	begin("version: 1\nsensors:\n" SHARED("a", CAMERA_YAML, "10000")
	      SENSOR_YAML("b", "") "tasks:\n"
	      VISION_YAML("va", "a", "stop-capture-go", "20")
	      "    far_load_permyriad: 20000\n" TASK_B);
	run(5);
	fd = client();
	EXPECT(ask_error(fd, "{\"req\":\"policy.set\",\"sensor\":\"a\","
			     "\"policy\":\"seasonal-migration\"}", "EDOM"),
	       " ");
	EXPECT(!strcmp(m.sensor[0].gov.policy->name, "stop-capture-go"), "%s",
	       m.sensor[0].gov.policy->name);
	close(fd);
	end();
}

static bool binds(int fd, const char *kind, const char *name, const char *of)
{
	struct json_object *o = ask(fd, "{\"req\":\"status\"}");
	char path[80];
	bool same;

	snprintf(path, sizeof(path), "ok/sensors/0/binding/%s/task", kind);
	same = !strcmp(text_at(o, path), name);
	snprintf(path, sizeof(path), "ok/sensors/0/binding/%s/of", kind);
	same = same && !strcmp(text_at(o, path), of);
	if (!same)
		printf("# %s\n", json_object_to_json_string(
			       at(o, "ok/sensors/0/binding")));
	json_object_put(o);
	return same;
}

#define BRING(name, kind, more) "{\"req\":\"task.add\",\"name\":\"" name "\"," \
	"\"sensor\":\"a\",\"kind\":\"" kind "\"," more "}"

/* Several tasks on one sensor: the strictest that is there. */
static void strictest_binds(void)
{
	int fd, other;

	begin(TWO("10000", "4000", "4000"));
	run(10);
	fd = client();
	EXPECT(binds(fd, "vision", "va", "1"), "the only one");
	EXPECT(binds(fd, "imaging", "(none)", "(none)"), "none");
	EXPECT(ask_ok(fd, BRING("lax", "vision", "\"min_snr_db\":10,"
				"\"far_load_permyriad\":100")), " ");
	EXPECT(binds(fd, "vision", "va", "2"), "still");
	other = client();
	EXPECT(ask_ok(other, BRING("strict", "vision", "\"min_snr_db\":35,"
				   "\"far_load_permyriad\":100")), " ");
	EXPECT(ask_ok(other, BRING("photo", "imaging", "\"min_snr_db\":30,"
				   "\"deadline_ms\":500")), " ");
	run(3);
	EXPECT(binds(fd, "vision", "strict", "3"), " ");
	EXPECT(binds(fd, "imaging", "photo", "1"), " ");
	EXPECT(m.sensor[0].gov.vision_mc == m.sensor[0].binding.limit_mc[0],
	       "%d %d", m.sensor[0].gov.vision_mc,
	       m.sensor[0].binding.limit_mc[0]);
	/* It was live for as long as its client. */
	close(other);
	settle();
	run(3);
	EXPECT(binds(fd, "vision", "va", "2"), " ");
	EXPECT(binds(fd, "imaging", "(none)", "(none)"), " ");
	close(fd);
	end();
}

/* A sensor whose device is gone asks for nothing. */
static void gone(void)
{
	struct counts c;

	begin(TWO("10000", "6000", "6000"));
	run(600);
	stack[0].gone = true;
	nst_sensor_gone(&m.sensor[0], nst_now_ms());
	c = run(1200);
	say("a is gone", &c);
	EXPECT(c.far[1] > 300, "%u", c.far[1]);
	EXPECT(m.shares.of[0].grant.why == NST_ARBITER_IDLE, "%u",
	       m.shares.of[0].grant.why);
	end();
}

static const struct ktap_test tests[] = {
	{ "two that do not fit take turns", turns },
	{ "two that fit do not notice", room_for_both },
	{ "status says who waits, and why", status_says_why },
	{ "what could never fit is told at once", never_fits },
	{ "a sensor that is gone holds nothing", gone },
	{ "the strictest task of a sensor binds, and is named",
	  strictest_binds },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
