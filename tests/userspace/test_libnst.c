// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_libnst.c - libnst against a daemon in another process
 *
 * The daemon has two emulated stacks on a clock that runs faster than the
 * wall's. What depends on how far it has come is waited for, never timed.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "nst/libnst.h"
#include "nstd/emulated.h"
#include "nstd/manager.h"
#include "ktap.h"
#include "nstd_fixture.h"

#define PROFILE "version: 1\nsensors:\n" SENSOR_YAML("a", "") \
	SENSOR_YAML("b", "") "tasks:\n" \
	VISION_YAML("va", "a", "seasonal-migration", "20") \
	VISION_YAML("vb", "b", "stop-capture-go", "20")
#define SCALE 20
#define PATIENCE_MS 20000

static struct nst_manager manager;
static struct nst_env env;
static char *profile_path;
static char socket_path[64];
static pid_t daemon_pid;

static void serve(void)
{
	struct nst_manager_config config = {
		.profile_path = profile_path,
		.socket_path = socket_path,
		.env = &env,
	};
	int r;

	env = nst_emulated_env(SCALE, false);
	r = nst_manager_init(&manager, &config);
	if (!r)
		r = nst_manager_run(&manager);
	nst_manager_deinit(&manager);
	_exit(r ? 1 : 0);
}

static struct nst_conn *try_connect(void)
{
	struct nst_conn *c = NULL;

	for (int i = 0; i < 1000; i++) {
		if (!nst_connect(&c, socket_path))
			return c;
		usleep(10000);
	}
	return NULL;
}

static struct nst_conn *begin(void)
{
	struct nst_conn *c;

	profile_path = fixture_file(PROFILE);
	snprintf(socket_path, sizeof(socket_path), "%s.sock", profile_path);
	daemon_pid = fork();
	if (!daemon_pid)
		serve();
	c = try_connect();
	if (!c) {
		printf("Bail out! nstd does not start\n");
		exit(1);
	}
	return c;
}

static void end(struct nst_conn *c)
{
	int status = -1;

	nst_close(c);
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", status);
	unlink(profile_path);
	free(profile_path);
}

/* One event of a type; the daemon goes on meanwhile. */
static bool wait_event(struct nst_conn *c, enum nst_event_type type,
		       struct nst_event *ret)
{
	struct pollfd p = { .fd = nst_fd(c), .events = POLLIN };
	u64 until_ms = nst_now_ms() + PATIENCE_MS;
	int r;

	while (nst_now_ms() < until_ms) {
		r = nst_next_event(c, ret);
		if (r < 0)
			return false;
		if (r > 0 && ret->type == type)
			return true;
		if (!r)
			poll(&p, 1, 100);
	}
	return false;
}

static bool wait_frame(struct nst_conn *c, struct nst_snapshot *ret)
{
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		if (!nst_snapshot(c, "a", ret) && ret->has_frame &&
		    ret->frame.valid)
			return true;
		usleep(10000);
	}
	return false;
}

static void nobody_there(void)
{
	struct nst_conn *c = NULL;

	EXPECT(nst_connect(&c, "/tmp/there-is-no-such-socket") == -ENOENT,
	       " ");
	EXPECT(nst_connect(&c, "/tmp/a-name-that-is-far-too-long-for-a-socket-"
			   "address-and-then-some-more-of-it-and-even-more-of-"
			   "it-until-it-is-enough") == -ENAMETOOLONG, " ");
	EXPECT(!c, " ");
	nst_close(NULL);
}

/* The three calls of the publication. */
static void three_calls(void)
{
	struct nst_capture_spec still = { .task = "still" };
	struct nst_conn *c = begin();
	struct nst_snapshot before, after;
	struct nst_forecast f;
	struct nst_event e;
	struct nst_task vision, imaging;
	int32_t limit_mc = 0, later_mc = 0;
	uint64_t ticket = 0;

	EXPECT(wait_frame(c, &before), "%s", nst_error(c));
	nst_task_init(&vision, "mine", "a", NST_KIND_VISION);
	vision.min_snr_db = 24;
	EXPECT(!nst_task_set(c, &vision, &limit_mc), "%s", nst_error(c));
	EXPECT(limit_mc < before.frame.limit_mc && limit_mc > 0, "%d %d",
	       limit_mc, before.frame.limit_mc);
	vision.min_snr_db = 22;
	EXPECT(!nst_task_set(c, &vision, &later_mc), "%s", nst_error(c));
	EXPECT(later_mc > limit_mc, "%d %d", later_mc, limit_mc);
	nst_task_init(&imaging, "still", "a", NST_KIND_IMAGING);
	imaging.min_snr_db = 26;
	imaging.deadline_ms = 800;
	EXPECT(!nst_task_set(c, &imaging, &limit_mc), "%s", nst_error(c));
	EXPECT(!nst_capture_ask(c, &still, &f), "%s", nst_error(c));
	EXPECT(f.reached_mc != NST_NO_TEMP && f.why[0], " ");
	EXPECT(!nst_capture_trigger(c, &still, &ticket), "%s", nst_error(c));
	EXPECT(wait_event(c, NST_EVENT_CAPTURE, &e), " ");
	EXPECT(e.ticket == ticket && e.ready && e.temp_mc <= limit_mc &&
	       e.frame.seq, "%d, limit %d, '%s'", e.temp_mc, limit_mc, e.what);
	EXPECT(wait_frame(c, &after), " ");
	EXPECT(after.frame.limit_mc < before.frame.limit_mc, " ");
	EXPECT(!nst_task_remove(c, "mine") && !nst_task_remove(c, "still"),
	       "%s", nst_error(c));
	end(c);
}

static void refusals(void)
{
	struct nst_capture_spec spec = { 0 };
	struct nst_conn *c = begin(), *other;
	struct nst_report_spec report;
	struct nst_snapshot s;
	struct nst_forecast f;
	struct nst_frame frame;
	struct nst_task t;
	char small[4], big[4096];

	nst_task_init(&t, "x", "nowhere", NST_KIND_VISION);
	EXPECT(nst_task_add(c, &t, NULL) == -EINVAL, " ");
	EXPECT(strstr(nst_error(c), "nowhere"), "%s", nst_error(c));
	t.sensor = "a";
	t.min_snr_db = 44.9999;
	EXPECT(nst_task_add(c, &t, NULL) == -EINVAL ||
	       nst_task_add(c, &t, NULL) == -EDOM, "%s", nst_error(c));
	EXPECT(nst_task_update(c, &t, NULL) == -ENOENT, " ");
	EXPECT(nst_task_remove(c, "va") == -EPERM, "%s", nst_error(c));
	t.name = NULL;
	EXPECT(nst_task_add(c, &t, NULL) == -EINVAL, " ");
	EXPECT(nst_snapshot(c, "nowhere", &s) == -ENOENT, " ");
	EXPECT(nst_snapshot(c, "q\"uo\\te\n", &s) == -ENOENT, "%s",
	       nst_error(c));
	EXPECT(nst_frame_get(c, "a", 1ull << 62, 0, &frame) == -EAGAIN, "%s",
	       nst_error(c));
	EXPECT(nst_capture_ask(c, &spec, &f) == -EINVAL, " ");
	EXPECT(nst_subscribe(c, 1u << 9) == -EINVAL, " ");
	nst_report_init(&report, "a");
	report.exposure_us = 4000000000u;
	EXPECT(nst_frame_report(c, &report) == -ERANGE, "%s", nst_error(c));
	report.exposure_us = 1000;
	report.iso = 100;
	EXPECT(!nst_frame_report(c, &report), "%s", nst_error(c));
	other = try_connect();
	EXPECT(nst_frame_report(other, &report) == -EBUSY, "%s",
	       nst_error(other));
	nst_close(other);
	EXPECT(nst_call(c, "{\"req\":\"status\"}", -1, small,
			sizeof(small)) == -EMSGSIZE, " ");
	EXPECT(nst_call(c, " { \"req\" : \"hello\" } ", -1, big,
			sizeof(big)) > 0, "%s", nst_error(c));
	EXPECT(strstr(big, "\"nstd\""), "%s", big);
	EXPECT(nst_call(c, "no", -1, big, sizeof(big)) == -EINVAL, " ");
	EXPECT(nst_call(c, "{}", -1, big, sizeof(big)) == -EINVAL, "%s",
	       nst_error(c));
	EXPECT(nst_call(c, "{\"req\":\"status\"}", 0, big, sizeof(big)) ==
	       -EINVAL, "%s", nst_error(c));
	EXPECT(nst_policy_set(c, "a", "no-such", -1, -1) == -EINVAL, " ");
	EXPECT(!nst_policy_set(c, "a", "full-far", -1, -1), "%s",
	       nst_error(c));
	EXPECT(!nst_reload(c), "%s", nst_error(c));
	end(c);
}

/* Decimal commas are none of the protocol's business. */
static void other_locale(void)
{
	struct nst_conn *c = begin();
	struct nst_task t;

	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	nst_task_init(&t, "mine", "a", NST_KIND_VISION);
	t.min_snr_db = 21.125;
	EXPECT(!nst_task_add(c, &t, NULL), "%s", nst_error(c));
	(void)setlocale(LC_ALL, "C");
	end(c);
}

static void follows_frames(void)
{
	struct nst_conn *c = begin();
	uint64_t last = 0, frames = 0, changes = 0;
	struct nst_snapshot s;
	struct nst_event e;

	EXPECT(!nst_subscribe(c, NST_SUBSCRIBE_FRAMES |
			      NST_SUBSCRIBE_CHANGES), "%s", nst_error(c));
	while (frames < 600 && wait_event(c, NST_EVENT_FRAME_DONE, &e)) {
		if (strcmp(e.frame.sensor, "a"))
			continue;
		EXPECT(!last || e.lost || e.frame.seq == last + 1,
		       "%llu after %llu", (unsigned long long)e.frame.seq,
		       (unsigned long long)last);
		last = e.frame.seq;
		frames++;
		/* Calls and events go through each other. */
		if (frames % 100 == 0)
			EXPECT(!nst_snapshot(c, "a", &s), "%s", nst_error(c));
	}
	EXPECT(frames == 600, "%llu frames", (unsigned long long)frames);
	EXPECT(!nst_subscribe(c, NST_SUBSCRIBE_CHANGES), "%s", nst_error(c));
	while (changes < 3 && wait_event(c, NST_EVENT_PLACEMENT, &e))
		changes++;
	EXPECT(changes == 3 && e.frame.placement != NST_PLACE_UNKNOWN, " ");
	end(c);
}

/* ------------------------------------------------------------- workers */

/* A task whose state is the sum of the frames it has seen. */
struct toy {
	struct nst_conn *c;
	bool far;
	bool on;		/* processes frames */
	uint64_t next;		/* to be processed */
	uint32_t state;
	uint32_t copy_epoch;	/* asked for, 0 for not */
	unsigned int commits;
	unsigned int counted;	/* results that counted */
};

static int sealed(uint32_t state)
{
	int fd = memfd_create("state", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (write(fd, &state, sizeof(state)) != sizeof(state) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK))
		abort();
	return fd;
}

/* Orders may have been taken back by the time that they are answered. */
static void obey(struct toy *t, const struct nst_event *e)
{
	switch (e->order) {
	case NST_ORDER_PREPARE:
		(void)nst_worker_ready(t->c, e->epoch);
		break;
	case NST_ORDER_COPY:
		t->copy_epoch = e->epoch;
		break;
	case NST_ORDER_LOAD:
		EXPECT(pread(e->fd, &t->state, sizeof(t->state), 0) ==
		       sizeof(t->state), " ");
		t->next = e->frame.seq + 1;
		t->on = true;
		(void)nst_worker_copied(t->c, e->epoch, e->frame.seq);
		break;
	case NST_ORDER_COMMIT:
		t->commits++;
		if (e->fresh)
			t->next = e->frame.seq;
		t->on = true;
		(void)nst_worker_ack(t->c, e->epoch, e->frame.seq);
		break;
	case NST_ORDER_RELEASE:
		t->on = false;
		break;
	default:
		EXPECT(false, "an order of no kind");
	}
	if (e->fd >= 0)
		close(e->fd);
}

static void work(struct toy *t, uint64_t seq)
{
	struct nst_event e;
	bool counts;

	while (nst_next_event(t->c, &e) > 0)
		if (e.type == NST_EVENT_WORKER)
			obey(t, &e);
	while (t->on && t->next <= seq) {
		uint64_t done = t->next++;

		t->state += (uint32_t)done;
		if (!nst_worker_done(t->c, done, t->state, &counts))
			t->counted += counts;
		if (t->copy_epoch) {
			int fd = sealed(t->state);

			(void)nst_worker_state(t->c, t->copy_epoch, done, fd);
			t->copy_epoch = 0;
			close(fd);
		}
	}
}

/* The seasons of the emulated stack move the task to and fro. */
static void moves_between_workers(void)
{
	struct nst_conn *c = begin();
	struct toy toys[2] = { { .c = try_connect() },
			       { .c = try_connect(), .far = true } };
	struct nst_worker w;
	struct nst_snapshot s;
	u64 until_ms = nst_now_ms() + 2 * PATIENCE_MS;

	EXPECT(nst_worker_ready(toys[0].c, 1) == -EPERM, " ");
	EXPECT(nst_worker_register(toys[0].c, "nobody", false, &w) == -ENOENT,
	       " ");
	for (int i = 0; i < 2; i++)
		EXPECT(!nst_worker_register(toys[i].c, "va", toys[i].far, &w) &&
		       !strcmp(w.sensor, "a"), "%s", nst_error(toys[i].c));
	EXPECT(nst_worker_state(toys[0].c, 99, 1, -1) == -EBADF, "%s",
	       nst_error(toys[0].c));
	while (nst_now_ms() < until_ms &&
	       (toys[0].commits < 2 || toys[1].commits < 2)) {
		/* The frame before the one that has a verdict is over. */
		if (!nst_snapshot(c, "a", &s) && s.has_frame)
			for (int i = 0; i < 2; i++)
				work(&toys[i], s.frame.seq);
		usleep(2000);
	}
	EXPECT(toys[0].commits >= 2 && toys[1].commits >= 2, "%u %u",
	       toys[0].commits, toys[1].commits);
	EXPECT(toys[0].counted > 10 && toys[1].counted > 10, "%u %u",
	       toys[0].counted, toys[1].counted);
	EXPECT(!nst_worker_leave(toys[0].c), "%s", nst_error(toys[0].c));
	nst_close(toys[0].c);
	nst_close(toys[1].c);
	end(c);
}

static void survives_the_daemon(void)
{
	struct nst_conn *c = begin();
	struct nst_snapshot s;
	struct nst_event e;
	int status;

	kill(daemon_pid, SIGKILL);
	waitpid(daemon_pid, &status, 0);
	EXPECT(nst_snapshot(c, "a", &s) == -EPIPE, "%s", nst_error(c));
	EXPECT(nst_next_event(c, &e) == -EPIPE, " ");
	nst_close(c);
	unlink(socket_path);
	unlink(profile_path);
	free(profile_path);
}

/* A daemon that is silent, speaks out of turn, or babbles. */
static void bad_daemon(void)
{
	static const char *const babble[] = {
		"", "{", "}", "[]", "{\"id\":", "{\"id\":2}", "{\"id\":2,",
		"{\"id\":2,\"error\":{}}", "{\"id\":2,\"error\":{\"errno\":7}}",
		"{\"id\":2,\"ok\":", "{\"id\":2,\"ok\":[1,2}", "nonsense",
		"{\"id\":2,\"ok\":{\"seq\":99999999999999999999,\"reason\":\"",
		"{\"event\":\"frames\",\"frames\":[{\"seq\":1},{\"seq\"",
		"{\"event\":7}", "{\"event\":\"\\u00\"}", "\"", "{\"\\",
	};
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	static const char hello[] = "{\"id\":1,\"ok\":{\"name\":\"nstd\"}}";
	struct nst_snapshot s;
	struct nst_event e;
	struct nst_conn *c;
	int fd, status, ready[2];

	strcpy(sun.sun_path, "/tmp/nst-test-babble");
	unlink(sun.sun_path);
	EXPECT(!pipe(ready), " ");
	if (!fork()) {
		char buf[8192];

		fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) ||
		    listen(fd, 4) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (unsigned int i = 0; i < KTAP_COUNT(babble); i++) {
			int client = accept(fd, NULL, NULL);

			(void)!recv(client, buf, sizeof(buf), 0);
			(void)!send(client, hello, sizeof(hello) - 1, 0);
			(void)!recv(client, buf, sizeof(buf), 0);
			(void)!send(client, babble[i], strlen(babble[i]), 0);
			(void)!recv(client, buf, sizeof(buf), 0);
			close(client);
		}
		_exit(0);
	}
	EXPECT(read(ready[0], &status, 1) == 1, " ");
	close(ready[0]);
	close(ready[1]);
	for (unsigned int i = 0; i < KTAP_COUNT(babble); i++) {
		EXPECT(!nst_connect(&c, sun.sun_path), " ");
		nst_set_timeout(c, 20);
		EXPECT(nst_snapshot(c, "a", &s) < 0, "%s", babble[i]);
		EXPECT(nst_error(c)[0], "%s", babble[i]);
		while (nst_next_event(c, &e) > 0)
			;
		nst_close(c);
	}
	while (wait(&status) > 0)
		;
	unlink(sun.sun_path);
}

static const struct ktap_test tests[] = {
	{ "nobody_there", nobody_there },
	{ "three_calls", three_calls },
	{ "refusals", refusals },
	{ "other_locale", other_locale },
	{ "follows_frames", follows_frames },
	{ "moves_between_workers", moves_between_workers },
	{ "survives_the_daemon", survives_the_daemon },
	{ "bad_daemon", bad_daemon },
};

int main(void)
{
	/* A daemon that ends is an error of a call. */
	signal(SIGPIPE, SIG_IGN);
	return ktap_main(tests, KTAP_COUNT(tests));
}
