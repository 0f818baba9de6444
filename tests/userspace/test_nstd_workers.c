// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_workers.c - the daemon, a stack that gets hot, and two workers
 * that speak its protocol
 */
#include <stdarg.h>
#include <sys/mman.h>

#include "nstd_loop.h"

#define ONE_SENSOR "version: 1\nsensors:\n" SENSOR_YAML("a", CAMERA_YAML)
#define ONE ONE_SENSOR "tasks:\n" TASK_A

#define FRAMES_MAX 4096

struct fake {
	int fd;			/* -1: not there */
	bool near;
	bool on;
	bool mute;
	bool give;
	u32 give_epoch;
	u64 last, until;
	u64 hash;		/* the state */
	u64 ring_hash[64];
	u64 ring_seq[64];
	unsigned int events[8];	/* by first letter: see do_of() */
};

static struct fake near, far;
static u8 done[FRAMES_MAX];
static unsigned int twice, refused;

static struct json_object *call(struct fake *w, const char *text, int fd);
static void on_event(struct fake *w, struct json_object *e, int fd);

static u64 next_hash(u64 hash, u64 seq)
{
	return (hash ^ (seq * 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull;
}

/* A packet, and what comes with it. */
static struct json_object *take(struct fake *w, int *ret_fd)
{
	static char buf[4096];
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) - 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg;
	ssize_t len = recvmsg(w->fd, &msg, MSG_DONTWAIT);

	*ret_fd = -1;
	if (len <= 0)
		return NULL;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg)
		memcpy(ret_fd, CMSG_DATA(cmsg), sizeof(int));
	buf[len] = '\0';
	return json_tokener_parse(buf);
}

/* The reply to a request; events that come before it are carried out. */
static struct json_object *call(struct fake *w, const char *text, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = (char *)text,
			     .iov_len = strlen(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct json_object *o;

	if (fd >= 0) {
		struct cmsghdr *cmsg = (struct cmsghdr *)control;

		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	}
	EXPECT(sendmsg(w->fd, &msg, MSG_NOSIGNAL) > 0, "%d", errno);
	EXPECT(!nst_manager_step(&m, 0), " ");
	for (;;) {
		int got;

		o = take(w, &got);
		EXPECT(o, "no answer to %s", text);
		if (!o || !at(o, "event"))
			return o;
		on_event(w, o, got);
		json_object_put(o);
	}
}

static bool tell(struct fake *w, int fd, const char *format, ...)
{
	struct json_object *o;
	char text[256];
	va_list ap;
	bool ok;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	o = call(w, text, fd);
	ok = at(o, "ok");
	if (!ok)
		refused++;
	json_object_put(o);
	return ok;
}

static void hand_in(struct fake *w, u64 seq, u64 hash)
{
	struct json_object *o;
	char text[128];

	snprintf(text, sizeof(text), "{\"id\":1,\"req\":\"worker.done\","
		 "\"seq\":%llu,\"checksum\":%u}", (unsigned long long)seq,
		 (u32)hash);
	o = call(w, text, -1);
	if (json_object_get_boolean(at(o, "ok/owner"))) {
		twice += done[seq];
		done[seq] = 1 + w->near;
	} else if (at(o, "error")) {
		refused++;
	}
	json_object_put(o);
}

static void give_state(struct fake *w)
{
	int fd = memfd_create("state", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	w->give = false;
	EXPECT(write(fd, &w->hash, sizeof(w->hash)) == sizeof(w->hash), " ");
	EXPECT(!fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK |
		      F_SEAL_GROW), " ");
	tell(w, fd, "{\"id\":1,\"req\":\"worker.state\",\"epoch\":%u,"
	     "\"seq\":%llu}", w->give_epoch, (unsigned long long)w->last);
	close(fd);
}

static void on_event(struct fake *w, struct json_object *e, int fd)
{
	const char *what = text_at(e, "do");
	u32 epoch = (u32)json_object_get_int64(at(e, "epoch"));
	u64 seq = (u64)json_object_get_int64(at(e, "seq"));

	if (w->mute)
		return;
	if (!strcmp(what, "prepare")) {
		w->events[0]++;
		tell(w, -1, "{\"id\":1,\"req\":\"worker.ready\",\"epoch\":%u}",
		     epoch);
	} else if (!strcmp(what, "copy")) {
		w->events[1]++;
		w->give = true;
		w->give_epoch = epoch;
	} else if (!strcmp(what, "load")) {
		w->events[2]++;
		EXPECT(fd >= 0 && pread(fd, &w->hash, sizeof(w->hash), 0) ==
		       sizeof(w->hash), "state");
		w->last = seq;
		w->on = true;
		w->until = UINT64_MAX;
		tell(w, -1, "{\"id\":1,\"req\":\"worker.copied\",\"epoch\":%u,"
		     "\"seq\":%llu}", epoch, (unsigned long long)seq);
	} else if (!strcmp(what, "commit")) {
		w->events[3]++;
		w->on = true;
		w->until = UINT64_MAX;
		tell(w, -1, "{\"id\":1,\"req\":\"worker.ack\",\"epoch\":%u,"
		     "\"seq\":%llu}", epoch, (unsigned long long)seq);
		for (int i = 0; i < 64; i++)
			if (w->ring_seq[i] >= seq)
				hand_in(w, w->ring_seq[i], w->ring_hash[i]);
	} else if (!strcmp(what, "release")) {
		w->events[4]++;
		w->until = seq;
		if (w->last + 1 >= seq)
			w->on = false;
	} else {
		EXPECT(false, "event %s", what);
	}
	if (fd >= 0)
		close(fd);
}

static void work(struct fake *w, u64 seq)
{
	struct json_object *e;
	int fd;

	if (w->fd < 0)
		return;
	while ((e = take(w, &fd))) {
		on_event(w, e, fd);
		json_object_put(e);
	}
	if (w->on && seq > w->last && seq < w->until &&
	    (!w->near || stack[0].gate_at_start == NST_GATE_RUN)) {
		w->hash = next_hash(w->hash, seq);
		w->last = seq;
		w->ring_seq[seq % 64] = seq;
		w->ring_hash[seq % 64] = w->hash;
		hand_in(w, seq, w->hash);
		if (w->last + 1 >= w->until)
			w->on = false;
	}
	if (w->give)
		give_state(w);
}

/* The frame that was exposed in the period before is processed in this one. */
static void work_frames(unsigned int count)
{
	while (count--) {
		u64 seq;

		frames(1);
		seq = stack[0].frame_seq;
		for (int i = 0; i < 3; i++) {
			work(&near, seq - 1);
			work(&far, seq - 1);
			EXPECT(!nst_manager_step(&m, 0), " ");
		}
	}
}

static void join(struct fake *w, bool is_near)
{
	memset(w, 0, sizeof(*w));
	w->near = is_near;
	w->fd = client();
	EXPECT(tell(w, -1, "{\"id\":1,\"req\":\"worker.register\",\"task\":"
		    "\"va\",\"home\":\"%s\"}", is_near ? "near" : "far"),
	       "register");
}

static void leave(struct fake *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	settle();
}

static const struct nst_handover *hand(void)
{
	return &m.sensor[0].moves.h;
}

static void start(const char *profile)
{
	begin(profile);
	memset(done, 0, sizeof(done));
	twice = refused = 0;
	near.fd = far.fd = -1;
	frames(3);
}

static void stop(void)
{
	EXPECT(!twice, "%u twice", twice);
	leave(&near);
	leave(&far);
	end();
}

static s32 hottest(u64 from, u64 to)
{
	s32 max_mc = NST_TEMP_MIN_MC;

	for (u64 seq = from; seq < to; seq++)
		if (stack[0].truth_mc[seq % NST_PLANTDEV_TRUTH] > max_mc)
			max_mc = stack[0].truth_mc[seq % NST_PLANTDEV_TRUTH];
	return max_mc;
}

/* Seasons of the dim room: the task goes where the governor wants it. */
static void seasons(void)
{
	const struct nst_handover *h = hand();
	const struct nst_handover_stats *st = &h->stats;
	struct json_object *o;
	u64 first, missing = 0, hot = 0;

	start(ONE);
	join(&near, true);
	join(&far, false);
	first = stack[0].frame_seq;
	work_frames(900);
	EXPECT(st->moved >= 8, "%llu", (unsigned long long)st->moved);
	EXPECT(!st->inexact && !h->ledger.diverged, "exact");
	EXPECT(!h->ledger.lost && !st->rolled_back[NST_HANDOVER_COPY] &&
	       !st->rolled_back[NST_HANDOVER_LOAD] &&
	       !st->rolled_back[NST_HANDOVER_COMMIT], "smooth");
	/* One message of the switch each way. */
	EXPECT(st->commits == st->moved + 1, "%llu",
	       (unsigned long long)st->commits);
	EXPECT(st->acks == st->moved + 1, "%llu",
	       (unsigned long long)st->acks);
	EXPECT(!refused, "%u", refused);
	for (u64 seq = first + 1; seq + 2 < stack[0].frame_seq; seq++) {
		int err;
		const struct nst_verdict *v =
			nst_gov_verdict(&m.sensor[0].gov, seq, &err);

		if (!v)
			continue;
		missing += !done[seq] && v->placement != NST_PAUSED;
		/* What is said of a frame is what became of it. */
		if (done[seq])
			EXPECT(v->placement == (done[seq] == 2 ? NST_NEAR
							       : NST_FAR),
			       "frame %llu", (unsigned long long)seq);
		hot += v->outcome == NST_DELIVERED &&
		       v->exposure_temp_mc > v->limit_mc;
	}
	EXPECT(!missing, "%llu", (unsigned long long)missing);
	EXPECT(!hot, "%llu", (unsigned long long)hot);
	EXPECT(hottest(first, stack[0].frame_seq) <
	       m.sensor[0].gov.pc.thr.high_mc, "%d",
	       hottest(first, stack[0].frame_seq));
	printf("# %llu moves in 900 frames, both on for %llu, dropped %llu, "
	       "hottest %d, T_high %d\n", (unsigned long long)st->moved,
	       (unsigned long long)h->ledger.overlap,
	       (unsigned long long)h->ledger.dropped,
	       hottest(first, stack[0].frame_seq),
	       m.sensor[0].gov.pc.thr.high_mc);
	o = ask(near.fd, "{\"id\":1,\"req\":\"status\"}");
	EXPECT(json_object_get_int64(at(o, "ok/sensors/0/workers/moved")) ==
	       (int64_t)st->moved, "%s", json_object_to_json_string(o));
	json_object_put(o);
	stop();
}

/* Far never answers: near works as far as the temperature lets it. */
static void far_is_mute(void)
{
	u64 from;

	start(ONE);
	join(&near, true);
	join(&far, false);
	far.mute = true;
	work_frames(400);
	from = stack[0].frame_seq;
	work_frames(400);
	EXPECT(hand()->owner == NST_HOME_NEAR && !hand()->stats.moved, "near");
	EXPECT(hottest(from, stack[0].frame_seq) <
	       m.sensor[0].gov.pc.thr.high_mc, "%d",
	       hottest(from, stack[0].frame_seq));
	EXPECT(hand()->ledger.dropped > 50, "%llu",
	       (unsigned long long)hand()->ledger.dropped);
	EXPECT(!hand()->ledger.lost, "lost");
	/* But for those that began before there were workers. */
	EXPECT(m.sensor[0].gov.stats.dropped + 3 >= hand()->ledger.dropped,
	       "both say so: %llu, %llu",
	       (unsigned long long)m.sensor[0].gov.stats.dropped,
	       (unsigned long long)hand()->ledger.dropped);
	stop();
}

static void only_near(void)
{
	start(ONE);
	join(&near, true);
	work_frames(500);
	EXPECT(hand()->owner == NST_HOME_NEAR && !hand()->ledger.lost, "near");
	EXPECT(hottest(0, stack[0].frame_seq) <
	       m.sensor[0].gov.pc.thr.high_mc, "cool");
	/* The far one comes while the stack is hot. */
	join(&far, false);
	work_frames(60);
	EXPECT(hand()->stats.moved >= 1, "moved");
	stop();
}

static void near_dies_far_dies(void)
{
	u64 gated;

	start(ONE);
	join(&near, true);
	join(&far, false);
	work_frames(100);
	EXPECT(hand()->owner == NST_HOME_NEAR, "owner");
	leave(&near);
	work_frames(20);
	EXPECT(hand()->owner == NST_HOME_FAR, "far has it");
	EXPECT(stack[0].gate != NST_GATE_RUN, "nobody needs the near one");
	gated = hand()->ledger.dropped;
	leave(&far);
	work_frames(20);
	EXPECT(hand()->owner == NST_HOME_NONE, "nobody");
	EXPECT(stack[0].gate != NST_GATE_RUN, "cool");
	join(&far, false);
	work_frames(100);
	/* Nobody was there: gated, and said to be dropped. */
	EXPECT(hand()->ledger.dropped >= gated + 18 &&
	       hand()->ledger.lost <= 4, "%llu, lost %llu",
	       (unsigned long long)(hand()->ledger.dropped - gated),
	       (unsigned long long)hand()->ledger.lost);
	join(&near, true);
	work_frames(60);
	EXPECT(hand()->owner == NST_HOME_NEAR, "and back");
	stop();
}

/* Without workers nothing is different; the last one that leaves ends it. */
static void leaves_on_purpose(void)
{
	start(ONE);
	join(&near, true);
	work_frames(50);
	EXPECT(tell(&near, -1, "{\"id\":1,\"req\":\"worker.leave\"}"), " ");
	EXPECT(!hand()->had, "had");
	work_frames(600);
	EXPECT(m.sensor[0].gov.stats.switches >= 2, "as without");
	EXPECT(!hand()->ledger.lost, "lost");
	stop();
}

static void bad_requests(void)
{
	char text[256];
	int fd;

	start(PROFILE);
	fd = client();
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"worker.ready\",\"epoch\":1}",
			 "EPERM"), "no worker");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"worker.register\","
			 "\"task\":\"nobody\",\"home\":\"near\"}", "ENOENT"),
	       "task");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"worker.register\","
			 "\"task\":\"va\",\"home\":\"there\"}", "EINVAL"),
	       "home");
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"worker.register\","
			 "\"task\":\"va\"}", "EINVAL"), "home missing");
	join(&near, true);
	EXPECT(ask_error(fd, "{\"id\":1,\"req\":\"worker.register\","
			 "\"task\":\"va\",\"home\":\"near\"}", "EEXIST"),
	       "two");
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.register\","
			 "\"task\":\"vb\",\"home\":\"far\"}", "EALREADY"),
	       "two on one connection");
	work_frames(10);
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.done\",\"seq\":"
			 "999999,\"checksum\":0}", "ERANGE"), "future");
	snprintf(text, sizeof(text), "{\"id\":1,\"req\":\"worker.done\","
		 "\"seq\":%llu,\"checksum\":0}", (unsigned long long)near.last);
	EXPECT(ask_error(near.fd, text, "EALREADY"), "again");
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.done\",\"seq\":-1,"
			 "\"checksum\":0}", "ERANGE"), "negative");
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.done\",\"seq\":1,"
			 "\"checksum\":\"x\"}", "EINVAL"), "text");
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.state\","
			 "\"epoch\":1,\"seq\":1}", "EBADF"), "no descriptor");
	EXPECT(ask_error(near.fd, "{\"id\":1,\"req\":\"worker.ack\","
			 "\"epoch\":77,\"seq\":1}", "ESTALE"), "stale");
	EXPECT(hand()->owner == NST_HOME_NEAR && !hand()->ledger.lost, "owner");
	/* Its task is gone: so is the connection. */
	write_profile(TWO_SENSORS "tasks:\n"
		      VISION_YAML("other", "a", "full-near", "20") TASK_B);
	EXPECT(ask_ok(fd, "{\"id\":1,\"req\":\"reload\"}"), "reload");
	settle();
	EXPECT(!recv(near.fd, text, sizeof(text), MSG_DONTWAIT), "closed");
	close(fd);
	stop();
}

static const struct ktap_test tests[] = {
	{ "a hot room: the task moves with the seasons", seasons },
	{ "far never answers: paused, cool, said", far_is_mute },
	{ "only a near worker, then both", only_near },
	{ "near dies, far dies, both come back", near_dies_far_dies },
	{ "the last worker leaves on purpose", leaves_on_purpose },
	{ "bad requests of workers", bad_requests },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
