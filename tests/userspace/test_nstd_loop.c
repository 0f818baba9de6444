// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_loop.c - the daemon's loop on emulated stacks
 *
 * Daemon, devices and clients are one process: the test moves the clock of
 * the stacks, lets the loop run and looks at all three sides.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <json-c/json.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "nstd_loop.h"

/* ---------------------------------------------------------------- tests */

static void governs(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(3000);
	fd = client();
	o = ask(fd, "{\"id\":\"x\",\"req\":\"status\"}");
	EXPECT(!strcmp(text_at(o, "id"), "x"), " ");
	EXPECT(!strcmp(text_at(o, "ok/sensors/0/name"), "a"), " ");
	EXPECT(!strcmp(text_at(o, "ok/sensors/0/state"), "governed"), " ");
	EXPECT(!strcmp(text_at(o, "ok/sensors/1/policy"), "stop-capture-go"),
	       " ");
	EXPECT(json_object_get_int(at(o, "ok/sensors/0/frames")) > 2990,
	       "%s", text_at(o, "ok/sensors/0/frames"));
	EXPECT(json_object_get_int(at(o, "ok/sensors/0/violations")) == 0,
	       " ");
	EXPECT(json_object_get_int(at(o, "ok/sensors/0/saving_permyriad")) >
	       500, "%s", text_at(o, "ok/sensors/0/saving_permyriad"));
	EXPECT(at(o, "ok/sensors/0/temp_mc"), " ");
	EXPECT(at(o, "ok/sensors/0/headroom/permyriad"), " ");
	json_object_put(o);

	/* No temperature is no number. */
	stack[0].sample_state = NST_SAMPLE_BUS_FAULT;
	frames(10);
	o = ask(fd, "{\"id\":1,\"req\":\"status\"}");
	EXPECT(!at(o, "ok/sensors/0/temp_mc") &&
	       !strcmp(text_at(o, "ok/sensors/0/temp_state"), "bus-fault") &&
	       !at(o, "ok/sensors/0/model_mc") &&
	       !at(o, "ok/sensors/0/headroom"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	close(fd);
	end();
}

static void light_of_the_camera(void)
{
	const struct nst_light day = DAYLIGHT;
	s32 high_mc;

	begin(PROFILE);
	frames(10);
	high_mc = stack[0].thr.high_mc;
	nst_plantcam_set(&cam, &day);
	frames(2);
	EXPECT(stack[0].thr.high_mc > high_mc + 10000, "%d -> %d", high_mc,
	       stack[0].thr.high_mc);
	end();
}

static void frame_get(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(20);
	fd = client();
	o = ask(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
		"\"seq\":15}");
	EXPECT(!strcmp(text_at(o, "ok/seq"), "15") &&
	       !strcmp(text_at(o, "ok/deliver"), "true") &&
	       !strcmp(text_at(o, "ok/placement"), "near") &&
	       at(o, "ok/exposure_temp_mc") && at(o, "ok/limit_mc") &&
	       at(o, "ok/reason"), "%s", json_object_to_json_string(o));
	json_object_put(o);
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
			 "\"seq\":20}", "EAGAIN"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
			 "\"seq\":0}", "ENOENT"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"c\","
			 "\"seq\":1}", "ENOENT"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
			 "\"seq\":-1}", "ERANGE"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
			 "\"seq\":\"1\"}", "EINVAL"), " ");

	/* One that waits is answered by the tick that knows. */
	o = ask(fd, "{\"id\":9,\"req\":\"frame.get\",\"sensor\":\"a\","
		"\"seq\":21,\"wait_ms\":5000}");
	EXPECT(!o, "answered too early: %s", json_object_to_json_string(o));
	json_object_put(o);
	frames(2);
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "id"), "9") &&
	       !strcmp(text_at(o, "ok/seq"), "21"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	/* One that waits in vain too. */
	o = ask(fd, "{\"id\":9,\"req\":\"frame.get\",\"sensor\":\"a\","
		"\"seq\":9999,\"wait_ms\":30}");
	EXPECT(!o, " ");
	wall(120);
	o = receive(fd);
	EXPECT(!strcmp(text_at(o, "error/errno"), "EAGAIN"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	for (int i = 0; i < NST_SERVER_WAITS; i++)
		json_object_put(ask(fd, "{\"id\":1,\"req\":\"frame.get\","
				    "\"sensor\":\"a\",\"seq\":9999,"
				    "\"wait_ms\":5000}"));
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"a\","
			 "\"seq\":9999,\"wait_ms\":5000}", "EBUSY"), " ");
	close(fd);
	settle();
	frames(5);
	end();
}

static void bad_requests(void)
{
	static char big[NST_PACKET_LEN + 100];
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(10);
	fd = client();
	EXPECT(ask_error(fd, "nonsense", "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"id\":1}", "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"nothing\"}", "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":7}", "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"status\",\"sensr\":\"a\"}",
			 "EINVAL"), " ");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"stop-recording\"}",
			 "ENOENT"), " ");
	o = ask(fd, "{\"id\":1,\"req\":\"policy.set\",\"sensor\":\"a\","
		"\"policy\":\"full-fat\"}");
	EXPECT(strstr(text_at(o, "error/what"), "full-far") &&
	       strstr(text_at(o, "error/what"), "seasonal-migration"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);

	memset(big, ' ', sizeof(big));
	o = ask_raw(fd, big, sizeof(big));
	EXPECT(!strcmp(text_at(o, "error/errno"), "EMSGSIZE"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	o = ask_raw(fd, big, NST_PACKET_LEN);
	EXPECT(!strcmp(text_at(o, "error/errno"), "EINVAL"), " ");
	json_object_put(o);
	/* A file descriptor that nobody asked for does not stay open. */
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"hello\"}"), " ");
	close(fd);
	end();
}

static uint64_t rng_state = 88172645463325252ull;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

/* Random packets: an answer to each, no change, no end. */
static void abuse(void)
{
	static const char *const words[] = {
		"{", "}", "\"id\":", "1,", "\"req\":", "\"status\"",
		"\"frame.get\"", "\"policy.set\"", ",", "\"sensor\":",
		"\"a\"", "\"seq\":", "18446744073709551615", "\"policy\":",
		"\"full-near \"", "\"stop_frames\":", "-1", "\"dwell_ms\":",
		"1e9", "null", "[", "\\", "\xff", "\"hello\"", "\"reload \"",
		"\"wait_ms\":", "0", "true",
	};
	const struct nst_policy_ops *policy;
	struct nst_thresholds thr;
	unsigned int answers = 0;
	int fd;

	begin(PROFILE);
	frames(10);
	policy = m.sensor[0].gov.policy;
	thr = stack[0].thr;
	fd = client();
	for (int i = 0; i < 5000; i++) {
		struct json_object *o;
		char text[512] = "";
		size_t len = 0;

		for (uint64_t n = 1 + rng() % 12; n; n--)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s", words[rng() %
							    KTAP_COUNT(words)]);
		EXPECT(send(fd, text, len, MSG_NOSIGNAL) == (ssize_t)len, " ");
		EXPECT(!nst_manager_step(&m, 0), " ");
		EXPECT(!nst_manager_step(&m, 0), " ");
		o = receive(fd);
		answers += o != NULL;
		EXPECT(!o || at(o, "ok") || at(o, "error"), "%s", text);
		json_object_put(o);
	}
	/* Some wait for frames; everything else is answered. */
	EXPECT(answers > 4900, "%u answers", answers);
	EXPECT(m.sensor[0].gov.policy == policy &&
	       !memcmp(&thr, &stack[0].thr, sizeof(thr)) &&
	       m.sensor[0].gov.stop_frames == 0, "changed");
	close(fd);
	fd = client();
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"status\"}"), " ");
	frames(10);
	close(fd);
	end();
}

static void bounded_clients(void)
{
	int fd[NST_SERVER_CLIENTS + 4];
	struct json_object *o;
	int refused = 0;

	begin(PROFILE);
	for (int i = 0; i < NST_SERVER_CLIENTS + 4; i++)
		fd[i] = client();
	for (int i = 0; i < NST_SERVER_CLIENTS + 4; i++) {
		o = receive(fd[i]);
		refused += !strcmp(text_at(o, "error/errno"), "EUSERS");
		json_object_put(o);
	}
	EXPECT(refused == 4, "%d refused", refused);
	EXPECT(ask_ok(fd[0], "{\"id\":1,\"req\":\"hello\"}"), " ");
	for (int i = 0; i < NST_SERVER_CLIENTS + 4; i++)
		close(fd[i]);
	settle();
	settle();
	fd[0] = client();
	EXPECT(ask_ok(fd[0], "{\"id\":1,\"req\":\"hello\"}"), " ");

	/* One that never reads is closed, the loop goes on. */
	for (int i = 0; i < 5000; i++) {
		if (send(fd[0], "{\"id\":1,\"req\":\"status\"}", 23,
			 MSG_NOSIGNAL) < 0)
			break;
		EXPECT(!nst_manager_step(&m, 0), " ");
	}
	EXPECT(m.server.client[0].fd < 0, "still there");
	close(fd[0]);
	frames(5);
	end();
}

/* Without root and without nst-admin one may look, not touch. */
static void permissions(void)
{
	struct json_object *o;
	int fd, status;
	pid_t pid;

	if (getuid()) {
		printf("# not root: only what root may do is looked at\n");
		return;
	}
	begin(PROFILE);
	frames(5);
	EXPECT(!chmod(socket_path, 0666), " ");
	pid = fork();
	if (!pid) {
		struct sockaddr_un sun = { .sun_family = AF_UNIX };
		static const char *const asks[] = {
			"{\"id\":1,\"req\":\"policy.set\",\"sensor\":\"a\","
			"\"policy\":\"full-near\"}",
			"{\"id\":1,\"req\":\"reload\"}",
			"{\"id\":1,\"req\":\"stop-recording\"}",
			"{\"id\":1,\"req\":\"status\"}",
		};
		int good = 0;

		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(10);
		fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		strcpy(sun.sun_path, socket_path);
		if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)))
			_exit(11);
		for (int i = 0; i < 4; i++) {
			if (send(fd, asks[i], strlen(asks[i]), 0) < 0)
				_exit(12);
			o = receive(fd);
			good += i < 3 ? !strcmp(text_at(o, "error/errno"),
						"EPERM") : at(o, "ok") != NULL;
		}
		_exit(good);
	}
	while (!waitpid(pid, &status, WNOHANG))
		EXPECT(!nst_manager_step(&m, 5), " ");
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%d", status);
	EXPECT(!strcmp(m.sensor[0].gov.policy->name, "seasonal-migration"),
	       " ");
	fd = client();
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"policy.set\",\"sensor\":\"a\","
		      "\"policy\":\"full-far\",\"stop_frames\":2}"), " ");
	EXPECT(!strcmp(m.sensor[0].gov.policy->name, "full-far"), " ");
	frames(3);
	EXPECT(stack[0].gate == NST_GATE_STANDBY, " ");
	close(fd);
	end();
}

static void reload(void)
{
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(100);
	fd = client();

	/* A broken one changes nothing, and says where it is broken. */
	write_profile("version: 1\nsensors: []\ntsks: []\n");
	o = ask(fd, "{\"id\":1,\"req\":\"reload\"}");
	EXPECT(!strcmp(text_at(o, "error/errno"), "EINVAL") &&
	       strstr(text_at(o, "error/what"), profile_path), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	kill(getpid(), SIGHUP);
	settle();
	EXPECT(m.reloads == 0 && m.sensor[0].used && m.sensor[1].used &&
	       stack[0].leased && stack[1].leased, " ");
	frames(5);

	/* A missing one neither. */
	unlink(profile_path);
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"reload\"}", "ENOENT"), " ");
	close(open(profile_path, O_WRONLY | O_CREAT, 0600));

	/* Other policy for a, b is gone: given back with what was found. */
	write_profile("version: 1\nsensors:\n" SENSOR_YAML("a", CAMERA_YAML)
		      "tasks:\n" VISION_YAML("va", "a", "full-far", "20"));
	kill(getpid(), SIGHUP);
	settle();
	EXPECT(m.reloads == 1, " ");
	EXPECT(!strcmp(m.sensor[0].gov.policy->name, "full-far") &&
	       m.sensor[0].gov.stats.frames > 90, "statistics are kept");
	EXPECT(!m.sensor[1].used && !stack[1].leased &&
	       stack[1].thr.high_mc == 80000 && stack[1].gate == NST_GATE_RUN,
	       "b is not given back");
	frames(5);
	EXPECT(stack[0].gate == NST_GATE_STANDBY, " ");

	/* And back again. */
	write_profile(PROFILE);
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"reload\"}"), " ");
	EXPECT(m.sensor[1].used && stack[1].leased, " ");
	frames(50);
	EXPECT(m.sensor[1].gov.stats.frames > 40, " ");
	close(fd);
	end();
}

/* Whatever way out: gate and limits as found, lease given back. */
static void restores(int sig)
{
	struct nst_thresholds found[STACKS];

	make_stacks();
	EXPECT(!begin_with(PROFILE, false), " ");
	for (int i = 0; i < STACKS; i++)
		found[i] = stack[i].config.thr;
	frames(3000);
	for (int i = 0; i < STACKS; i++)
		EXPECT(memcmp(&found[i], &stack[i].thr, sizeof(found[i])),
		       "limits were never ours");
	/* Go on to a moment when it is gated. */
	for (int i = 0; i < 1000 && stack[0].gate == NST_GATE_RUN; i++)
		frames(1);
	EXPECT(stack[0].gate == NST_GATE_STANDBY, " ");
	if (sig) {
		kill(getpid(), sig);
		EXPECT(!nst_manager_run(&m), " ");
	}
	nst_manager_deinit(&m);
	for (int i = 0; i < STACKS; i++)
		EXPECT(!stack[i].leased && !stack[i].open &&
		       stack[i].gate == NST_GATE_RUN &&
		       !memcmp(&found[i], &stack[i].thr, sizeof(found[i])),
		       "stack %d", i);
	EXPECT(access(socket_path, F_OK) && errno == ENOENT, " ");
	nst_manager_deinit(&m);
	end();
}

static void restores_on_term(void)
{
	restores(SIGTERM);
}

static void restores_on_int(void)
{
	restores(SIGINT);
}

static void restores_on_error(void)
{
	restores(0);
}

static void restores_what_is_the_users(void)
{
	struct nst_thresholds mine = { .high_mc = 50000, .low_mc = 40000,
				       .capture_mc = NST_TEMP_NONE_MC,
				       .max_mc = 90000 };

	make_stacks();
	/* A gate that was closed when we came is closed when we go. */
	stack[0].leased = true;
	EXPECT(!stack[0].dev.ops->set_gate(&stack[0].dev,
			&(struct nst_dev_gate){ .gate = NST_GATE_STANDBY },
			&(struct nst_dev_applied){ 0 }), " ");
	stack[0].leased = false;
	EXPECT(!begin_with(PROFILE, false), " ");
	frames(20);
	EXPECT(stack[0].gate == NST_GATE_RUN, " ");
	/* Thresholds that were set by hand meanwhile are not touched. */
	nst_plantdev_set_policy(&stack[0], &mine);
	frames(5);
	nst_manager_deinit(&m);
	EXPECT(stack[0].gate == NST_GATE_STANDBY, " ");
	EXPECT(!memcmp(&mine, &stack[0].thr, sizeof(mine)), "overwritten");
	end();
}

static void vanishes(void)
{
	u64 frames_b;

	begin(PROFILE);
	frames(100);
	frames_b = m.sensor[1].gov.stats.frames;
	nst_plantdev_vanish(&stack[0], true);
	frames(50);
	EXPECT(m.sensor[0].state == NST_SENSOR_ABSENT, " ");
	EXPECT(m.sensor[1].gov.stats.frames >= frames_b + 49,
	       "the other one stopped too");
	wall(1200);
	EXPECT(m.sensor[0].state == NST_SENSOR_ABSENT, " ");
	/* Back, as after power-on, with frame numbers from the start. */
	stack[0].frame_seq = 0;
	stack[0].frame_start_us = 0;
	stack[0].now_us = 0;
	stack[0].gate_since_us = 0;
	nst_plantdev_vanish(&stack[0], false);
	wall(1200);
	EXPECT(m.sensor[0].state == NST_SENSOR_GOVERNED && stack[0].leased,
	       "not found again");
	frames(200);
	EXPECT(m.sensor[0].gov.state.frame_seq <= 210, " ");
	EXPECT(stack[0].thr.high_mc != 80000, "limits were not set again");
	EXPECT(nst_gov_trusted(&m.sensor[0].gov) &&
	       m.sensor[0].gov.why != NST_WHY_NO_SENSOR &&
	       stack[0].gates > 0, " ");
	end();
}

static void held_by_another(void)
{
	make_stacks();
	/* All of them: the start fails. One of them: it goes on. */
	stack[0].foreign_lease = true;
	stack[1].foreign_lease = true;
	EXPECT(begin_with(PROFILE, false) == -EBUSY, " ");
	nst_manager_deinit(&m);
	unlink(profile_path);
	free(profile_path);

	stack[1].foreign_lease = false;
	EXPECT(begin_with(PROFILE, false) == 0, " ");
	frames(20);
	EXPECT(m.sensor[0].state == NST_SENSOR_HELD && stack[0].gates == 0 &&
	       stack[0].limits == 0, "touched");
	EXPECT(m.sensor[1].state == NST_SENSOR_GOVERNED, " ");
	stack[0].foreign_lease = false;
	wall(1200);
	EXPECT(m.sensor[0].state == NST_SENSOR_GOVERNED, "not taken over");

	/* Lost while we govern: said, and taken back. */
	stack[0].leased = false;
	stack[0].event[stack[0].event_head++ % NST_PLANTDEV_EVENTS] =
		(struct nst_dev_event){ .type = NST_DEV_LEASE_LOST };
	frames(1);
	EXPECT(m.sensor[0].state == NST_SENSOR_HELD, " ");
	wall(300);
	EXPECT(m.sensor[0].state == NST_SENSOR_GOVERNED && stack[0].leased,
	       " ");
	frames(20);
	end();
}

static void no_device(void)
{
	make_stacks();
	nst_plantdev_vanish(&stack[0], true);
	nst_plantdev_vanish(&stack[1], true);
	EXPECT(begin_with(PROFILE, false) == -ENODEV, " ");
	nst_manager_deinit(&m);
	unlink(profile_path);
	free(profile_path);
	EXPECT(begin_with("version: 1\nsensors: 7\n", false) == -EBADMSG, " ");
	end();
}

static void heartbeat(void)
{
	unsigned int before;

	make_stacks();
	stack[0].config.lease_ms = 150;
	EXPECT(!begin_with(PROFILE, false), " ");
	before = stack[0].renewals;
	wall(1000);
	/* At most a third of 150 ms apart, whatever frames do. */
	EXPECT(stack[0].renewals - before >= 20, "%u in a second",
	       stack[0].renewals - before);
	end();
}

static void dry_run(void)
{
	make_stacks();
	env.dry_run = true;
	EXPECT(!begin_with(PROFILE, false), " ");
	frames(1000);
	EXPECT(stack[0].gates == 0 && stack[0].limits == 0 &&
	       !stack[0].leased && m.sensor[0].gov.stats.frames > 990, " ");
	EXPECT(m.sensor[0].gov.why != NST_WHY_NO_SENSOR, " ");
	env.dry_run = false;
	end();
}

static void recording(void)
{
	struct nst_rec_reader *r = NULL;
	struct nst_rec_frame f;
	u64 next[STACKS] = { 0 };
	unsigned int count = 0;
	FILE *in;
	int res;

	make_stacks();
	EXPECT(!begin_with(PROFILE, true), " ");
	for (int i = 0; i < 30; i++) {
		frames(100);
		wall(60);
	}
	nst_manager_deinit(&m);
	in = fopen(record_path, "r");
	EXPECT(in && !nst_rec_reader_new(&r, in, "rec", stdout), " ");
	EXPECT(strstr(nst_rec_reader_meta(r, 0), "sensor a") &&
	       strstr(nst_rec_reader_meta(r, 0), "near_mw=2500"), " ");
	while ((res = nst_rec_reader_next(r, &f)) == 1) {
		int i = f.sensor[0] == 'b';

		EXPECT(!next[i] || f.seq == next[i], "gap");
		next[i] = f.seq + 1;
		count++;
	}
	EXPECT(res == 0, " ");
	EXPECT(count == 2 * 2999 || count == 2 * 3000, "%u", count);
	nst_rec_reader_free(r);
	fclose(in);
	end();
}

static void subscribers(void)
{
	struct json_object *o;
	unsigned int got = 0;
	int fd, slow;

	begin(PROFILE);
	frames(5);
	fd = client();
	slow = client();
	o = ask(fd, "{\"id\":1,\"req\":\"subscribe\"}");
	EXPECT(strstr(text_at(o, "ok/meta/0"), "sensor a"), " ");
	json_object_put(o);
	json_object_put(ask(slow, "{\"id\":1,\"req\":\"subscribe\"}"));
	for (int i = 0; i < 25; i++) {
		frames(150);
		wall(60);
		while ((o = receive(fd))) {
			struct json_object *list = at(o, "frames");

			got += (unsigned int)json_object_array_length(list);
			EXPECT(json_object_get_int(at(o, "lost")) == 0, " ");
			json_object_put(o);
		}
	}
	EXPECT(got >= 2 * 25 * 150 - 4, "%u", got);
	/* The one that slept learns how many it lost, once it reads. */
	got = 0;
	for (int i = 0; i < 20; i++) {
		while ((o = receive(slow))) {
			got = (unsigned int)json_object_get_int(at(o, "lost"));
			json_object_put(o);
		}
		frames(10);
		wall(60);
	}
	printf("# the slow subscriber lost %u frames\n", got);
	EXPECT(got > 100 && got < 2 * 25 * 150, "%u", got);
	close(fd);
	close(slow);
	settle();
	end();
}

/* ---------------------------------------------------------- allocations */

static volatile bool counting;
static volatile unsigned int allocations;

#ifdef NST_SAN
/* Of the sanitizers' runtime; not every compiler brings its header. */
int __sanitizer_install_malloc_and_free_hooks(
	void (*on_malloc)(const volatile void *p, size_t size),
	void (*on_free)(const volatile void *p));

static void on_malloc(const volatile void *p, size_t size)
{
	(void)p;
	(void)size;
	if (counting)
		allocations = allocations + 1;
}

static void on_free(const volatile void *p)
{
	(void)p;
}

static void watch_malloc(void)
{
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);

static void counted(void)
{
	if (counting)
		allocations = allocations + 1;
}

void *malloc(size_t size)
{
	counted();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	counted();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	counted();
	return __libc_realloc(p, size);
}

static void watch_malloc(void)
{
}
#endif

/*
 * Two sensors, a recording, a subscriber, requests good and bad, a change of
 * light, a sensor that fails, a device that vanishes and comes back.
 */
static void loop_allocates_nothing(void)
{
	static const char *const asks[] = {
		"{\"id\":1,\"req\":\"status\"}",
		"{\"id\":2,\"req\":\"frame.get\",\"sensor\":\"a\",\"seq\":77}",
		"{\"id\":2,\"req\":\"frame.get\",\"sensor\":\"a\",\"seq\":99999,"
		"\"wait_ms\":1}",
		"{\"id\":3,\"req\":\"hello\"}",
		"{\"id\":4,\"req\":\"policy.set\",\"sensor\":\"b\","
		"\"policy\":\"seasonal-migration\"}",
		"{\"id\":5,\"req\":\"policy.set\",\"sensor\":\"b\","
		"\"policy\":\"stop-capture-go\"}",
		"{\"broken\":",
		"{\"id\":6,\"req\":\"status\",\"bad\":1}",
	};
	static char buf[NST_PACKET_LEN];
	const struct nst_light lights[] = { DIM, OFFICE, DAYLIGHT };
	void *volatile probe;
	int fd, sub;

	watch_malloc();
	make_stacks();
	EXPECT(!begin_with(PROFILE, true), " ");
	fd = client();
	sub = client();
	EXPECT(ask_ok(sub, "{\"id\":1,\"req\":\"subscribe\"}"), " ");

	/* The count counts. */
	counting = true;
	probe = malloc(10);
	free(probe);
	counting = false;
	EXPECT(allocations > 0, "malloc is not seen");
	allocations = 0;

	counting = true;
	for (unsigned int i = 0; i < 20000; i++) {
		const char *text = asks[i % KTAP_COUNT(asks)];

		for (int s = 0; s < STACKS; s++)
			if (!stack[s].gone)
				nst_plantdev_advance(&stack[s], 1 + i % 97 / 96);
		if (i % 1000 == 0)
			nst_plantcam_set(&cam, &lights[i / 1000 % 3]);
		stack[1].sample_state = i % 5000 < 40 ? NST_SAMPLE_BUS_FAULT
						      : NST_SAMPLE_VALID;
		if (i == 10000)
			nst_plantdev_vanish(&stack[1], true);
		if (i == 10100)
			nst_plantdev_vanish(&stack[1], false);
		if (i % 5 == 0)
			(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
		if (nst_manager_step(&m, 0))
			break;
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
		while (recv(sub, buf, sizeof(buf), 0) > 0)
			;
	}
	wall(1100);
	counting = false;
	EXPECT(allocations == 0, "%u allocations", allocations);
	EXPECT(m.sensor[0].gov.stats.frames > 20000, "%llu",
	       (unsigned long long)m.sensor[0].gov.stats.frames);
	EXPECT(m.sensor[1].state == NST_SENSOR_GOVERNED, " ");
	close(fd);
	close(sub);
	end();
}

static const struct ktap_test tests[] = {
	{ "governs", governs },
	{ "light_of_the_camera", light_of_the_camera },
	{ "frame_get", frame_get },
	{ "bad_requests", bad_requests },
	{ "abuse", abuse },
	{ "bounded_clients", bounded_clients },
	{ "permissions", permissions },
	{ "reload", reload },
	{ "restores_on_term", restores_on_term },
	{ "restores_on_int", restores_on_int },
	{ "restores_on_error", restores_on_error },
	{ "restores_what_is_the_users", restores_what_is_the_users },
	{ "vanishes", vanishes },
	{ "held_by_another", held_by_another },
	{ "no_device", no_device },
	{ "heartbeat", heartbeat },
	{ "dry_run", dry_run },
	{ "recording", recording },
	{ "subscribers", subscribers },
	{ "loop_allocates_nothing", loop_allocates_nothing },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
