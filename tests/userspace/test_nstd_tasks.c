// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_tasks.c - what programs bring to the daemon while it runs: tasks,
 * questions, triggers, reports, file descriptors
 */
#include <sys/mman.h>

#include "nstd/reply.h"
#include "nstd_loop.h"

/* Clients that leave the daemon with what it had before. */
#define IMAGING "{\"id\":1,\"req\":\"task.add\",\"name\":\"still\"," \
	"\"sensor\":\"a\",\"kind\":\"imaging\",\"min_snr_db\":26," \
	"\"deadline_ms\":400}"
#define STRICT "{\"id\":1,\"req\":\"task.add\",\"name\":\"strict\"," \
	"\"sensor\":\"a\",\"kind\":\"vision\",\"min_snr_db\":26}"

static s32 limit_of(const char *sensor)
{
	const struct nst_sensor *s = nst_manager_find(&m, sensor);

	return s ? s->gov.vision_mc : 0;
}

static unsigned int tasks(void)
{
	return m.profile[m.in_use].task_count;
}

static void hang_up(int fd)
{
	close(fd);
	settle();
}

static void task_lives_with_its_client(void)
{
	s32 before_mc;
	int fd;

	begin(PROFILE);
	frames(10);
	before_mc = limit_of("a");
	fd = client();
	EXPECT(ask_ok(fd, STRICT), " ");
	frames(3);
	EXPECT(tasks() == 3, "%u", tasks());
	EXPECT(limit_of("a") < before_mc, "%d, before %d", limit_of("a"),
	       before_mc);
	EXPECT(m.sensor[0].gov.pc.thr.high_mc <= limit_of("a"), " ");
	hang_up(fd);
	frames(3);
	EXPECT(tasks() == 2, "%u", tasks());
	EXPECT(limit_of("a") == before_mc, "%d, before %d", limit_of("a"),
	       before_mc);
	end();
}

static void task_changes(void)
{
	struct json_object *o;
	s32 first_mc;
	int fd, other;

	begin(PROFILE);
	frames(10);
	fd = client();
	other = client();
	o = ask(fd, STRICT);
	first_mc = json_object_get_int(at(o, "ok/limit_mc"));
	EXPECT(first_mc > 0, "%s", json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_error(fd, STRICT, "EINVAL"), "the name is taken");
	o = ask(fd, "{\"id\":1,\"req\":\"task.update\",\"name\":\"strict\","
		"\"min_snr_db\":24.5}");
	EXPECT(json_object_get_int(at(o, "ok/limit_mc")) > first_mc, "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	o = ask(fd, "{\"id\":1,\"req\":\"task.update\",\"name\":\"strict\","
		"\"min_snr_db\":null,\"max_temp_mc\":70000}");
	EXPECT(json_object_get_int(at(o, "ok/limit_mc")) == 70000, "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_error(other, "{\"req\":\"task.update\",\"name\":\"strict\","
			 "\"fps\":5}", "EPERM"), " ");
	EXPECT(ask_error(other, "{\"req\":\"task.remove\",\"name\":\"strict\"}",
			 "EPERM"), " ");
	EXPECT(ask_error(fd, "{\"req\":\"task.remove\",\"name\":\"va\"}",
			 "EPERM"), "of the profile");
	EXPECT(ask_error(fd, "{\"req\":\"task.remove\",\"name\":\"no\"}",
			 "ENOENT"), " ");
	EXPECT(ask_ok(fd, "{\"req\":\"task.remove\",\"name\":\"strict\"}"),
	       " ");
	EXPECT(tasks() == 2, "%u", tasks());
	hang_up(fd);
	hang_up(other);
	end();
}

/* Every one gets an error, and nothing is changed by it. */
static void bad_tasks(void)
{
	static const struct {
		const char *members;
		const char *err;
	} bad[] = {
		{ "", "EINVAL" },
		{ ",\"name\":\"x\"", "EINVAL" },
		{ ",\"name\":5,\"sensor\":\"a\",\"kind\":\"vision\"", "EINVAL" },
		{ ",\"name\":\"x y\",\"sensor\":\"a\",\"kind\":\"vision\"",
		  "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"c\",\"kind\":\"vision\"",
		  "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"dream\"",
		  "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"fsp\":3", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"fps\":\"30\"", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"fps\":0", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"fps\":1e9", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"fps\":true", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"imaging\"",
		  "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"min_snr_db\":99", "EINVAL" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"min_snr_db\":44.999", "EDOM" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"max_temp_mc\":20000", "EDOM" },
		{ ",\"name\":\"x\",\"sensor\":\"a\",\"kind\":\"vision\","
		  "\"policy\":\"full-near\"", "EINVAL" },
		{ ",\"name\":\"x\\\", kind: imaging, \\\"\",\"sensor\":\"a\","
		  "\"kind\":\"vision\"", "EINVAL" },
		{ ",\"name\":\"va\",\"sensor\":\"a\",\"kind\":\"vision\"",
		  "EINVAL" },
	};
	struct nst_profile before;
	char text[512];
	int fd;

	begin(PROFILE);
	frames(10);
	before = m.profile[m.in_use];
	fd = client();
	for (unsigned int i = 0; i < KTAP_COUNT(bad); i++) {
		snprintf(text, sizeof(text), "{\"id\":1,\"req\":\"task.add\"%s}",
			 bad[i].members);
		EXPECT(ask_error(fd, text, bad[i].err), "%s", text);
	}
	snprintf(text, sizeof(text), "{\"req\":\"task.add\",\"name\":\"%0200d\","
		 "\"sensor\":\"a\",\"kind\":\"vision\"}", 1);
	EXPECT(ask_error(fd, text, "EINVAL"), " ");
	EXPECT(!memcmp(&before, &m.profile[m.in_use], sizeof(before)),
	       "the profile is another");
	EXPECT(m.tasks.task[0].owner == 0, " ");
	hang_up(fd);
	end();
}

/* One request of a client at a time of its own; the reply is in @out. */
static void reply_at(struct nst_client *c, u64 now_ms, const char *text,
		     char *out, size_t size)
{
	struct nst_request req;
	struct nst_out o;
	char copy[256], what[100];
	int fd;

	snprintf(copy, sizeof(copy), "%s", text);
	nst_out_init(&o, out, size);
	EXPECT(!nst_request_parse(&req, copy, strlen(copy), what,
				  sizeof(what)), "%s", what);
	EXPECT(nst_reply(&m, c, &req, -1, now_ms, &o, &fd), " ");
}

/* Who asks without end is told to wait; nobody else is. */
static void too_much_at_once(void)
{
#define ASK "{\"req\":\"capture.ask\",\"task\":\"va\",\"in_ms\":300}"
	struct nst_client c = { .fd = -1, .serial = 77 };
	struct nst_client other = { .fd = -1, .serial = 78 };
	char out[1024];
	int good = 0;

	begin(PROFILE);
	frames(10);
	for (int i = 0; i < 1000; i++) {
		reply_at(&c, 5000, ASK, out, sizeof(out));
		good += strstr(out, "\"ok\"") != NULL;
	}
	EXPECT(strstr(out, "\"EAGAIN\""), "%s", out);
	EXPECT(good == 64, "%d", good);
	reply_at(&c, 5000, "{\"req\":\"hello\"}", out, sizeof(out));
	EXPECT(strstr(out, "\"ok\""), "%s", out);
	reply_at(&other, 5000, ASK, out, sizeof(out));
	EXPECT(strstr(out, "\"ok\""), "%s", out);
	reply_at(&c, 5050, ASK, out, sizeof(out));
	EXPECT(strstr(out, "\"ok\""), "%s", out);
	reply_at(&c, 5051, ASK, out, sizeof(out));
	EXPECT(strstr(out, "\"EAGAIN\""), "%s", out);
	end();
}

static bool add_numbered(int fd, int i, const char *err)
{
	char text[200];

	snprintf(text, sizeof(text), "{\"req\":\"task.add\",\"name\":\"t%d\","
		 "\"sensor\":\"b\",\"kind\":\"vision\",\"fps\":%d}", i,
		 10 + i);
	return err ? ask_error(fd, text, err) : ask_ok(fd, text);
}

static void bounded_tasks(void)
{
	int fd[4], count = 0;

	begin(PROFILE);
	frames(10);
	for (int c = 0; c < 4; c++) {
		fd[c] = client();
		for (int i = 0; i < NST_TASKS_PER_CLIENT && c < 3; i++)
			EXPECT(add_numbered(fd[c], count++, NULL), " ");
	}
	EXPECT(add_numbered(fd[0], 90, "EDQUOT"), " ");
	EXPECT(add_numbered(fd[3], count++, NULL), " ");
	EXPECT(add_numbered(fd[3], count++, NULL), " ");
	EXPECT(add_numbered(fd[3], 91, "ENOSPC"), " ");
	EXPECT(tasks() == NST_PROFILE_TASKS_MAX, "%u", tasks());
	/* All of them go at once. */
	for (int c = 0; c < 4; c++)
		close(fd[c]);
	settle();
	EXPECT(tasks() == 2, "%u", tasks());
	end();
}

/* What an administrator set holds on, whatever clients bring. */
static void keeps_what_was_set(void)
{
	const struct nst_governor *g = &m.sensor[0].gov;
	int fd;

	begin(PROFILE);
	frames(10);
	fd = client();
	EXPECT(ask_ok(fd, "{\"req\":\"policy.set\",\"sensor\":\"a\","
		      "\"policy\":\"stop-capture-go\",\"stop_frames\":3,"
		      "\"dwell_ms\":70}"), " ");
	EXPECT(ask_ok(fd, STRICT), " ");
	EXPECT(!strcmp(g->policy->name, "stop-capture-go"), "%s",
	       g->policy->name);
	EXPECT(g->stop_frames == 3 && g->dwell_ms == 70, "%u %u",
	       g->stop_frames, g->dwell_ms);
	hang_up(fd);
	EXPECT(!strcmp(g->policy->name, "stop-capture-go"), "%s",
	       g->policy->name);
	EXPECT(g->stop_frames == 3, "%u", g->stop_frames);
	end();
}

static void policy_needs_admin(void)
{
	char out[512];
	struct nst_client c = { .fd = -1, .serial = 77 };
	struct nst_request req;
	struct nst_out o;
	char with[] = "{\"req\":\"task.add\",\"name\":\"x\",\"sensor\":\"a\","
		      "\"kind\":\"vision\",\"policy\":\"seasonal-migration\"}";
	char without[] = "{\"req\":\"task.add\",\"name\":\"x\","
			 "\"sensor\":\"a\",\"kind\":\"vision\"}";
	char load[] = "{\"req\":\"task.add\",\"name\":\"x\",\"sensor\":\"a\","
		      "\"kind\":\"vision\",\"far_load_permyriad\":5000}";
	char what[100];
	int fd;

	begin(PROFILE);
	/* Tasks of other sensors would wait for it. */
	nst_out_init(&o, out, sizeof(out));
	EXPECT(!nst_request_parse(&req, load, sizeof(load) - 1, what,
				  sizeof(what)), "%s", what);
	EXPECT(nst_reply(&m, &c, &req, -1, 0, &o, &fd), " ");
	EXPECT(strstr(out, "\"EPERM\"") && strstr(out, "far device"), "%s",
	       out);
	nst_out_init(&o, out, sizeof(out));
	EXPECT(!nst_request_parse(&req, with, sizeof(with) - 1, what,
				  sizeof(what)), "%s", what);
	EXPECT(nst_reply(&m, &c, &req, -1, 0, &o, &fd), " ");
	EXPECT(strstr(out, "\"EPERM\""), "%s", out);
	nst_out_init(&o, out, sizeof(out));
	EXPECT(!nst_request_parse(&req, without, sizeof(without) - 1, what,
				  sizeof(what)), "%s", what);
	EXPECT(nst_reply(&m, &c, &req, -1, 0, &o, &fd), " ");
	EXPECT(strstr(out, "\"ok\""), "%s", out);
	EXPECT(tasks() == 3, "%u", tasks());
	EXPECT(nst_tasks_find(&m, "x") &&
	       !nst_tasks_find(&m, "x")->far_load_permyriad, " ");
	end();
}

static void reload_keeps_tasks(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(10);
	fd = client();
	EXPECT(ask_ok(fd, STRICT), " ");
	EXPECT(ask_ok(fd, IMAGING), " ");
	write_profile(TWO_SENSORS "tasks:\n" TASK_B TASK_A);
	EXPECT(ask_ok(fd, "{\"req\":\"reload\"}"), " ");
	EXPECT(tasks() == 4, "%u", tasks());
	/* The new file has a task of that name: the file wins. */
	write_profile(TWO_SENSORS "tasks:\n" TASK_A TASK_B
		      VISION_YAML("strict", "b", "stop-capture-go", "21"));
	(void)send(fd, "{\"req\":\"reload\"}", 16, 0);
	settle();
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "event"), "task.ended") &&
	       !strcmp(text_at(o, "name"), "strict"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	o = receive(fd);
	EXPECT(at(o, "ok"), "%s", json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(tasks() == 4, "%u", tasks());
	/* A sensor that is no more takes the tasks on it along. */
	write_profile("version: 1\nsensors:\n" SENSOR_YAML("b", "")
		      "tasks:\n" TASK_B);
	(void)send(fd, "{\"req\":\"reload\"}", 16, 0);
	settle();
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "name"), "still"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	o = receive(fd);
	json_object_put(o);
	EXPECT(tasks() == 1, "%u", tasks());
	hang_up(fd);
	end();
}

static void expose(u32 exposure_us)
{
	const struct nst_light light = { .exposure_us = exposure_us,
					 .iso = 800, .lux_milli = 3200 };

	nst_plantcam_set(&cam, &light);
	frames(3);
}

/* The light that let a task be may go: who brought it is told at once. */
static void light_takes_it(void)
{
	struct json_object *o;
	int fd, other;

	begin(PROFILE);
	frames(10);
	fd = client();
	other = client();
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"task.add\",\"name\":\"glass\","
			  "\"sensor\":\"a\",\"kind\":\"vision\","
			  "\"min_snr_db\":34}"), " ");
	/* Nothing is said of a change that it can live with. */
	expose(32000);
	EXPECT(ask_ok(fd, "{\"req\":\"hello\"}"), "an event before it");
	expose(3000000);
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "event"), "task") &&
	       !strcmp(text_at(o, "name"), "glass") &&
	       !json_object_get_boolean(at(o, "possible")), "%s",
	       json_object_to_json_string(o));
	EXPECT(strstr(text_at(o, "what"), "glass asks for at most"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	/* In that light it is refused, and the one that is there stays. */
	EXPECT(ask_error(other, "{\"req\":\"task.add\",\"name\":\"more\","
				"\"sensor\":\"a\",\"kind\":\"vision\","
				"\"min_snr_db\":34}", "EDOM"), " ");
	EXPECT(tasks() == 3, "%u", tasks());
	expose(64000);
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "event"), "task") &&
	       json_object_get_boolean(at(o, "possible")) &&
	       at(o, "limit_mc"), "%s", json_object_to_json_string(o));
	json_object_put(o);
	hang_up(other);
	hang_up(fd);
	end();
}

/* ----------------------------------------------------- asked in advance */

struct answer {
	char word[16];
	s32 reached_mc;
	s32 margin_mc;
	u32 exposure_in_us;
	u32 gate_in_us;
	bool gate;
};

static struct answer ask_capture(int fd, int temp_mc, int in_ms, int count)
{
	struct answer a = { 0 };
	struct json_object *o;
	char text[200];

	snprintf(text, sizeof(text), "{\"req\":\"capture.ask\",\"sensor\":"
		 "\"b\",\"temp_mc\":%d,\"in_ms\":%d,\"frames\":%d}", temp_mc,
		 in_ms, count);
	o = ask(fd, text);
	snprintf(a.word, sizeof(a.word), "%s", text_at(o, "ok/answer"));
	a.reached_mc = json_object_get_int(at(o, "ok/reached_mc"));
	a.margin_mc = json_object_get_int(at(o, "ok/margin_mc"));
	a.exposure_in_us = (u32)json_object_get_int(at(o, "ok/exposure_in_us"));
	a.gate_in_us = (u32)json_object_get_int(at(o, "ok/gate_in_us"));
	a.gate = json_object_get_boolean(at(o, "ok/gate"));
	json_object_put(o);
	return a;
}

/* Frames of stack b from now to a time. */
static unsigned int frames_in(u32 us)
{
	const struct nst_plantdev *d = &stack[1];
	u64 period_us = (u64)d->config.exposure_us + d->config.readout_us;
	u64 next_us = d->frame_start_us + period_us - d->now_us;

	return us < next_us ? 0 : 1 + (unsigned int)((us - next_us) / period_us);
}

/*
 * The answer against the stack itself: a copy that is as hot as the thresholds
 * permit, gated from the moment named on, as the kernel does it.
 */
static s32 truth_mc(unsigned int gate_from, unsigned int exposure_at)
{
	const s32 high_mc = m.sensor[1].gov.pc.thr.high_mc;
	struct nst_plantdev copy = stack[1];
	u32 period_us = copy.config.exposure_us + copy.config.readout_us;

	copy.config.clock_scale = 1;	/* no eventfd */
	for (unsigned int i = 1; i <= exposure_at + 1; i++) {
		struct nst_plant next = copy.plant;
		u32 rest_us = (u32)(copy.frame_start_us + period_us -
				    copy.now_us);

		nst_plant_step(&next, copy.gate == NST_GATE_RUN
			       ? copy.config.near_mw : copy.config.gated_mw,
			       copy.config.ambient_mc, rest_us);
		copy.pending = true;
		copy.pending_seq = copy.frame_seq + 1;
		copy.pending_gate = i < gate_from &&
			nst_plant_peek_die_mc(&next, copy.config.near_mw,
					      copy.config.ambient_mc,
					      period_us) <= high_mc
			? NST_GATE_RUN : NST_GATE_STANDBY;
		nst_plantdev_advance(&copy, 1);
	}
	return nst_plantdev_exposure_mc(&copy, copy.frame_seq - 1);
}

static void answers_in_advance(void)
{
	int fd, yes = 0, no = 0, later = 0;

	begin(PROFILE);
	frames(2000);
	fd = client();
	for (int temp_mc = 30000; temp_mc <= 90000; temp_mc += 1500) {
		hang_up(fd);	/* a client has its limit of questions */
		fd = client();
		for (int in_ms = 100; in_ms <= 3000; in_ms += 290) {
			struct answer a = ask_capture(fd, temp_mc, in_ms, 1);
			unsigned int at = frames_in(a.exposure_in_us);
			s32 best_mc = truth_mc(1, at);

			EXPECT(a.exposure_in_us <= (u32)in_ms * 1000, "%u",
			       a.exposure_in_us);
			EXPECT(abs(best_mc - a.reached_mc) <= a.margin_mc,
			       "%d, said %d +- %d", best_mc, a.reached_mc,
			       a.margin_mc);
			if (!strcmp(a.word, "no")) {
				EXPECT(best_mc > temp_mc, "%d in %d: %d",
				       temp_mc, in_ms, best_mc);
				no++;
				continue;
			}
			if (strcmp(a.word, "yes"))
				continue;
			yes++;
			EXPECT(best_mc <= temp_mc, "%d in %d: %d", temp_mc,
			       in_ms, best_mc);
			if (!a.gate)
				continue;
			/* In time when gated at the moment that was named. */
			later += frames_in(a.gate_in_us) > 1;
			EXPECT(truth_mc(frames_in(a.gate_in_us), at) <= temp_mc,
			       "%d in %d, gated in %u: %d", temp_mc, in_ms,
			       a.gate_in_us,
			       truth_mc(frames_in(a.gate_in_us), at));
		}
	}
	EXPECT(yes > 50 && no > 50 && later > 20, "%d yes, %d no, %d later",
	       yes, no, later);
	EXPECT(ask_error(fd, "{\"req\":\"capture.ask\",\"sensor\":\"b\"}",
			 "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"req\":\"capture.ask\",\"task\":\"none\"}",
			 "ENOENT"), " ");
	EXPECT(ask_error(fd, "{\"req\":\"capture.ask\",\"task\":\"vb\","
			 "\"sensor\":\"b\"}", "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"req\":\"capture.ask\",\"sensor\":\"b\","
			 "\"temp_mc\":50000,\"in_ms\":60001}", "ERANGE"), " ");
	/* Without a temperature nothing is certain. */
	stack[1].sample_state = NST_SAMPLE_BUS_FAULT;
	frames(50);
	EXPECT(!strcmp(ask_capture(fd, 90000, 500, 1).word, "uncertain"), " ");
	EXPECT(!strcmp(ask_capture(fd, 10000, 500, 1).word, "uncertain"), " ");
	hang_up(fd);
	end();
}

/* ------------------------------------------------------------- triggers */

static struct json_object *next_event(int fd, unsigned int most)
{
	struct json_object *o = receive(fd);

	for (unsigned int i = 0; i < most && !o; i++) {
		frames(1);
		o = receive(fd);
	}
	return o;
}

static void triggers(void)
{
	struct json_object *o;
	int64_t ticket;
	int fd;

	begin(PROFILE);
	frames(2000);
	fd = client();
	EXPECT(ask_ok(fd, IMAGING), " ");
	o = ask(fd, "{\"req\":\"capture.trigger\",\"task\":\"still\"}");
	ticket = json_object_get_int64(at(o, "ok/ticket"));
	EXPECT(ticket > 0, "%s", json_object_to_json_string(o));
	json_object_put(o);
	o = next_event(fd, 20);
	EXPECT(!strcmp(text_at(o, "event"), "capture") &&
	       !strcmp(text_at(o, "result"), "ready") &&
	       json_object_get_int64(at(o, "ticket")) == ticket, "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	o = ask(fd, "{\"req\":\"capture.trigger\",\"sensor\":\"b\","
		"\"temp_mc\":-10000,\"deadline_ms\":200,\"frames\":2}");
	EXPECT(at(o, "ok"), "%s", json_object_to_json_string(o));
	json_object_put(o);
	o = next_event(fd, 20);
	EXPECT(!strcmp(text_at(o, "result"), "missed") &&
	       json_object_get_int(at(o, "temp_mc")) > 20000, "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	/* And the gate that was found comes back. */
	frames(100);
	EXPECT(stack[1].gate == NST_GATE_RUN || m.sensor[1].gov.told_gate ==
	       stack[1].gate, " ");
	hang_up(fd);
	end();
}

static void tickets_end(void)
{
#define COLD "{\"req\":\"capture.trigger\",\"sensor\":\"b\"," \
	"\"temp_mc\":-10000,\"deadline_ms\":60000}"
	struct json_object *o;
	int fd, other;

	begin(PROFILE);
	frames(100);
	fd = client();
	other = client();
	for (int i = 0; i < NST_CAPTURES_PER_CLIENT; i++)
		EXPECT(ask_ok(fd, COLD), " ");
	EXPECT(ask_error(fd, COLD, "EDQUOT"), " ");
	frames(5);
	EXPECT(stack[1].gate == NST_GATE_STANDBY, " ");
	/* With the client. */
	hang_up(fd);
	frames(60);
	for (int i = 0; i < NST_PLANTDEV_TICKETS; i++)
		EXPECT(!stack[1].ticket[i].id, "ticket %d", i);
	EXPECT(stack[1].gate == NST_GATE_RUN, " ");
	/* With the device. */
	EXPECT(ask_ok(other, COLD), " ");
	nst_plantdev_vanish(&stack[1], true);
	settle();
	o = receive(other);
	EXPECT(!strcmp(text_at(o, "result"), "missed") &&
	       strstr(text_at(o, "what"), "gone"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_error(other, COLD, "ENODEV"), " ");
	hang_up(other);
	end();
}

/* -------------------------------------------------------------- reports */

static void reports(void)
{
#define REPORT "{\"req\":\"frame.report\",\"sensor\":\"b\","
	s32 before_mc;
	int fd, other;

	begin(PROFILE);
	frames(10);
	before_mc = limit_of("b");
	fd = client();
	other = client();
	EXPECT(ask_ok(fd, REPORT "\"iso\":100,\"exposure_us\":16000,"
		      "\"temp_mc\":0}"), " ");
	frames(1);
	EXPECT(limit_of("b") > before_mc, "%d, before %d", limit_of("b"),
	       before_mc);
	/* One at a time; measuring is another's business. */
	EXPECT(ask_error(other, REPORT "\"iso\":800}", "EBUSY"), " ");
	EXPECT(ask_ok(other, REPORT "\"snr_cdb\":2310,\"snr_low_cdb\":2290}"),
	       " ");
	EXPECT(m.sensor[1].reported.measured.snr_cdb == 2310, " ");
	EXPECT(ask_error(other, REPORT "\"snr_cdb\":2310}", "EINVAL"), " ");
	EXPECT(ask_error(other, REPORT "\"measured\":\"maybe\"}", "EINVAL"),
	       " ");
	/* What cannot be is refused whole. */
	EXPECT(ask_error(fd, REPORT "\"iso\":200,\"exposure_us\":-5}",
			 "ERANGE"), " ");
	EXPECT(ask_error(fd, REPORT "\"iso\":200,\"exposure_us\":4000000000}",
			 "ERANGE"), " ");
	EXPECT(ask_error(fd, REPORT "\"iso\":200,\"temp_mc\":900000}",
			 "ERANGE"), " ");
	EXPECT(ask_error(fd, REPORT "\"iso\":200,\"temp_mc\":\"warm\"}",
			 "EINVAL"), " ");
	EXPECT(ask_error(fd, REPORT "\"seq\":99999999,\"iso\":200}", "ERANGE"),
	       "a frame that has not been");
	EXPECT(m.sensor[1].reported.light.iso == 100, "%u",
	       m.sensor[1].reported.light.iso);
	/* With its client the place is free. */
	hang_up(fd);
	EXPECT(ask_ok(other, REPORT "\"iso\":800,\"exposure_us\":64000}"),
	       " ");
	hang_up(other);
	end();
}

/* It says night where it is day, or day where it is night: no heat of it. */
static void lies(void)
{
	s32 hottest_mc = 0;
	int fd;

	begin(PROFILE);
	frames(100);
	fd = client();
	for (int i = 0; i < 3000; i++) {
		char text[256];

		if (i % 10 == 0) {
			snprintf(text, sizeof(text), REPORT "\"iso\":%d,"
				 "\"exposure_us\":%d,\"temp_mc\":%d,"
				 "\"snr_cdb\":19999,\"snr_low_cdb\":19999}",
				 i % 20 ? 1 : 10000000, i % 20 ? 1 : 10000000,
				 -59000);
			(void)send(fd, text, strlen(text), MSG_NOSIGNAL);
		}
		frames(1);
		json_object_put(receive(fd));
		if (nst_plant_die_mc(&stack[1].plant) > hottest_mc)
			hottest_mc = nst_plant_die_mc(&stack[1].plant);
	}
	EXPECT(hottest_mc <= 105000, "%d", hottest_mc);
	EXPECT(m.sensor[1].state == NST_SENSOR_GOVERNED, " ");
	hang_up(fd);
	end();
}

static void snapshot(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(200);
	fd = client();
	o = ask(fd, "{\"req\":\"snapshot\",\"sensor\":\"a\"}");
	EXPECT(at(o, "ok/seq") && at(o, "ok/exposure_temp_mc") &&
	       json_object_get_int(at(o, "ok/snr_cdb")) > 2000 &&
	       json_object_get_boolean(at(o, "ok/deliver")) &&
	       !strcmp(text_at(o, "ok/placement"), "near"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_error(fd, "{\"req\":\"snapshot\",\"sensor\":\"z\"}",
			 "ENOENT"), " ");
	hang_up(fd);
	end();
}

static void events(void)
{
	unsigned int seasons = 0, limits = 0, profiles = 0, sensors = 0;
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(100);
	fd = client();
	EXPECT(ask_ok(fd, "{\"req\":\"subscribe\",\"frames\":false,"
		      "\"events\":true}"), " ");
	EXPECT(ask_error(fd, "{\"req\":\"subscribe\",\"events\":1}", "EINVAL"),
	       " ");
	for (int i = 0; i < 1000; i++) {
		if (i == 500)
			(void)send(fd, STRICT, strlen(STRICT), 0);
		if (i == 700)
			nst_plantdev_vanish(&stack[1], true);
		frames(1);
		if (i == 700)
			settle();
		while ((o = receive(fd))) {
			const char *e = text_at(o, "event");

			seasons += !strcmp(e, "season");
			limits += !strcmp(e, "limits");
			profiles += !strcmp(e, "profile");
			sensors += !strcmp(e, "sensor");
			EXPECT(strcmp(e, "frames"), " ");
			json_object_put(o);
		}
	}
	EXPECT(seasons > 2 && limits >= 1 && profiles == 1 && sensors == 1,
	       "%u %u %u %u", seasons, limits, profiles, sensors);
	hang_up(fd);
	end();
}

/* A listener that does not read stays a client, and learns what it missed. */
static void slow_listener(void)
{
	struct json_object *o;
	uint64_t lost = 0;
	int fd;

	begin(PROFILE);
	frames(50);
	fd = client();
	EXPECT(ask_ok(fd, "{\"req\":\"subscribe\",\"frames\":false,"
		      "\"events\":true}"), " ");
	for (int i = 0; i < 5000; i++)
		frames(1);
	while ((o = receive(fd))) {
		EXPECT(!at(o, "lost"), "%s", json_object_to_json_string(o));
		json_object_put(o);
	}
	for (int i = 0; i < 100; i++) {
		frames(1);
		while ((o = receive(fd))) {
			lost += (uint64_t)json_object_get_int64(at(o, "lost"));
			json_object_put(o);
		}
	}
	EXPECT(lost > 0, " ");
	EXPECT(ask_ok(fd, "{\"req\":\"subscribe\",\"frames\":false}"),
	       "it was closed");
	hang_up(fd);
	end();
}

/* ----------------------------------------------------- file descriptors */

static void send_fds(int fd, const char *text, int count)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * 64)];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)text,
			     .iov_len = strlen(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control.buf,
			      .msg_controllen = CMSG_SPACE(sizeof(int) *
							   (size_t)count) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int memfd = memfd_create("state", MFD_CLOEXEC);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
	for (int i = 0; i < count; i++)
		memcpy(CMSG_DATA(cmsg) + sizeof(int) * (size_t)i, &memfd,
		       sizeof(memfd));
	EXPECT(sendmsg(fd, &msg, MSG_NOSIGNAL) >= 0, "%d", errno);
	close(memfd);
	settle();
}

static unsigned int open_fds(void)
{
	unsigned int count = 0;

	for (int i = 0; i < 1000; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

static void unexpected_fds(void)
{
	struct json_object *o;
	unsigned int before;
	int fd;

	begin(PROFILE);
	fd = client();
	before = open_fds();
	for (int count = 1; count <= 60; count++) {
		send_fds(fd, count % 3 ? "{\"req\":\"status\"}" : "garbage",
			 count);
		o = receive(fd);
		EXPECT(!strcmp(text_at(o, "error/errno"), "EINVAL"), "%s",
		       json_object_to_json_string(o));
		json_object_put(o);
	}
	EXPECT(open_fds() == before, "%u, before %u", open_fds(), before);
	EXPECT(ask_ok(fd, "{\"req\":\"hello\"}"), " ");
	hang_up(fd);
	end();
}

static const struct ktap_test tests[] = {
	{ "task_lives_with_its_client", task_lives_with_its_client },
	{ "task_changes", task_changes },
	{ "bad_tasks", bad_tasks },
	{ "bounded_tasks", bounded_tasks },
	{ "too_much_at_once", too_much_at_once },
	{ "keeps_what_was_set", keeps_what_was_set },
	{ "policy_needs_admin", policy_needs_admin },
	{ "reload_keeps_tasks", reload_keeps_tasks },
	{ "light_takes_it", light_takes_it },
	{ "answers_in_advance", answers_in_advance },
	{ "triggers", triggers },
	{ "tickets_end", tickets_end },
	{ "reports", reports },
	{ "lies", lies },
	{ "snapshot", snapshot },
	{ "events", events },
	{ "slow_listener", slow_listener },
	{ "unexpected_fds", unexpected_fds },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
