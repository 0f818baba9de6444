// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_fuzz.c - a crowd of clients that send what comes to mind
 *
 * Requests that are put together from the protocol's own words with values
 * that are right, nearly right and wrong; the same cut short, with bytes
 * changed, or made of nothing; file descriptors where none are wanted; clients
 * that come and go at once. None of them is an administrator. The daemon must
 * answer every packet with JSON, keep nothing of who is gone, go on governing,
 * and the stacks must stay below their ceiling. Seeds are fixed: a failure
 * comes again.
 */
#include <fcntl.h>

#include "nstd_loop.h"

#define CLIENTS 12
#define ROUNDS 12000

static uint64_t rng_state;

static uint32_t rnd(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)(rng_state >> 16) % below;
}

#define PICK(a) ((a)[rnd(KTAP_COUNT(a))])

static const char *const requests[] = {
	"hello", "status", "snapshot", "frame.get", "subscribe", "task.add",
	"task.add", "task.add", "task.update", "task.remove", "capture.ask",
	"capture.trigger", "frame.report", "frame.report", "policy.set",
	"reload", "stop-recording", "worker.register", "worker.ready",
	"worker.state", "worker.copied", "worker.ack", "worker.done",
	"worker.failed", "worker.leave", "no.such",
};

static const char *const members[] = {
	"sensor", "sensor", "name", "name", "kind", "kind", "task", "home",
	"seq", "epoch", "checksum", "wait_ms", "frames", "events", "temp_mc",
	"in_ms", "deadline_ms", "exposure_us", "iso", "lux_milli", "frame_us",
	"measured", "snr_cdb", "snr_low_cdb", "dark_measured", "dark_snr_cdb",
	"dark_snr_low_cdb", "policy", "stop_frames", "dwell_ms", "gap_mc",
	"fps", "min_snr_db", "max_temp_mc", "max_accuracy_drop_percent",
	"accuracy_curve", "what", "fidelity", "id", "req", "",
};

static const char *const values[] = {
	"\"a\"", "\"a\"", "\"b\"", "\"b\"", "\"vision\"", "\"vision\"",
	"\"imaging\"", "\"near\"", "\"far\"", "\"t1\"", "\"t2\"", "\"t3\"",
	"\"va\"", "\"vb\"", "\"measured\"", "\"clipped\"",
	"\"seasonal-migration\"", "\"../../etc/passwd\"", "\"/dev/zero\"",
	"\"retinanet-r50-coco\"", "\"a: b, c: [d]\"", "\"}\"", "\"\\u0000\"",
	"\"\\ud800\"", "\"\"", "0", "1", "2", "22", "22.5", "-1", "30", "100",
	"1000", "33333", "64000", "70000", "-60000", "1e3", "1e400",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"4294967296", "0.000001", "true", "false", "null", "[]", "{}",
	"[[[[[[[[", "nan", "0x10", "01", "-", "\"",
};

/* A value that suits a member, more often than not. */
static const char *value_for(const char *member)
{
	static const char *const sensors[] = { "\"a\"", "\"b\"" };
	static const char *const kinds[] = { "\"vision\"", "\"imaging\"" };
	static const char *const names[] = { "\"t1\"", "\"t2\"", "\"t3\"" };
	static const char *const tasks[] = { "\"va\"", "\"vb\"", "\"t1\"" };
	static const char *const homes[] = { "\"near\"", "\"far\"" };
	static const char *const numbers[] = { "1", "22", "300", "33333",
					       "60000" };

	if (rnd(4) == 0)
		return PICK(values);
	if (!strcmp(member, "sensor"))
		return PICK(sensors);
	if (!strcmp(member, "kind"))
		return PICK(kinds);
	if (!strcmp(member, "name"))
		return PICK(names);
	if (!strcmp(member, "task"))
		return PICK(tasks);
	if (!strcmp(member, "home"))
		return PICK(homes);
	return PICK(numbers);
}

/* Requests as they should be; one thing more in every third spoils some. */
static size_t in_order(char *buf, size_t size)
{
	static const char *const shapes[] = {
		"\"req\":\"task.add\",\"name\":\"t%u\",\"sensor\":\"a\","
		"\"kind\":\"vision\",\"min_snr_db\":2%u",
		"\"req\":\"task.add\",\"name\":\"t%u\",\"sensor\":\"b\","
		"\"kind\":\"imaging\",\"min_snr_db\":2%u",
		"\"req\":\"task.update\",\"name\":\"t%u\","
		"\"min_snr_db\":1%u",
		"\"req\":\"task.remove\",\"name\":\"t%u\"",
		"\"req\":\"capture.trigger\",\"sensor\":\"a\","
		"\"temp_mc\":%u0000,\"deadline_ms\":%u00",
		"\"req\":\"capture.ask\",\"sensor\":\"b\","
		"\"temp_mc\":%u0000,\"in_ms\":%u00",
		"\"req\":\"capture.ask\",\"task\":\"t%u\",\"in_ms\":%u00",
		"\"req\":\"frame.report\",\"sensor\":\"a\",\"iso\":%u00,"
		"\"exposure_us\":%u000",
		"\"req\":\"frame.report\",\"sensor\":\"a\","
		"\"temp_mc\":%u0000,\"snr_cdb\":2%u00,\"snr_low_cdb\":1900",
		"\"req\":\"frame.get\",\"sensor\":\"a\",\"seq\":%u%u",
		"\"req\":\"worker.register\",\"task\":\"va\","
		"\"home\":\"near\",\"id\":%u%u",
	};
	int len = snprintf(buf, size, "{");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	len += snprintf(buf + len, size - (size_t)len, PICK(shapes),
			1 + rnd(9), 1 + rnd(9));
#pragma GCC diagnostic pop
	if (rnd(3) == 0) {
		const char *member = PICK(members);

		len += snprintf(buf + len, size - (size_t)len, ",\"%s\":%s",
				member, value_for(member));
	}
	len += snprintf(buf + len, size - (size_t)len, "}");
	return (size_t)len;
}

static size_t structured(char *buf, size_t size)
{
	const char *req = PICK(requests);
	int len = snprintf(buf, size, "{\"id\":%u,\"req\":\"%s\"", rnd(1000),
			   req);
	unsigned int count = rnd(7);

	/* Mostly with what it cannot do without. */
	if (!strncmp(req, "task.", 5) && rnd(4))
		len += snprintf(buf + len, size - (size_t)len,
				",\"name\":%s,\"sensor\":%s,\"kind\":%s",
				value_for("name"), value_for("sensor"),
				value_for("kind"));
	else if (rnd(4))
		len += snprintf(buf + len, size - (size_t)len,
				",\"sensor\":%s", value_for("sensor"));
	for (unsigned int i = 0; i < count; i++) {
		const char *member = PICK(members);

		len += snprintf(buf + len, size - (size_t)len, ",\"%s\":%s",
				member, value_for(member));
	}
	len += snprintf(buf + len, size - (size_t)len, "}");
	return (size_t)len;
}

static size_t packet(char *buf, size_t size)
{
	size_t len = rnd(2) ? structured(buf, size) : in_order(buf, size);

	switch (rnd(8)) {
	case 0:			/* half of it */
		return 1 + rnd((uint32_t)len);
	case 1:			/* with bytes changed */
		for (unsigned int i = 0; i < 1 + rnd(6); i++)
			buf[rnd((uint32_t)len)] = (char)rnd(256);
		return len;
	case 2:			/* nothing to do with it */
		len = 1 + rnd(rnd(20) ? 200 : 8000);
		for (size_t i = 0; i < len; i++)
			buf[i] = rnd(3) ? "{}[]\",:\\u0e-9tfn "[rnd(17)]
					: (char)rnd(256);
		return len;
	default:
		return len;
	}
}

static void send_packet(int fd, const char *buf, size_t len, int fds)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * 16)];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)buf,
			     .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg = &control.align;
	int null_fd = -1;

	if (fds) {
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)fds);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)fds);
		for (int i = 0; i < fds; i++)
			memcpy(CMSG_DATA(cmsg) + sizeof(int) * (size_t)i,
			       &null_fd, sizeof(null_fd));
	}
	(void)sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (null_fd >= 0)
		close(null_fd);
}

/* Nobody here may set policies, whoever runs the test. */
static void demote(void)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		m.server.client[i].admin = false;
}

static int join(void)
{
	int fd = client();

	demote();
	return fd;
}

/* What is there to read is JSON, each of it; most of it is not looked at. */
static unsigned int drain(int fd)
{
	static char buf[NST_PACKET_LEN + 1];
	unsigned int count = 0;
	ssize_t len;

	while ((len = recv(fd, buf, NST_PACKET_LEN, MSG_DONTWAIT)) > 0) {
		struct json_object *o;

		count++;
		if (count % 4)
			continue;
		buf[len] = '\0';
		o = json_tokener_parse(buf);
		EXPECT(json_object_is_type(o, json_type_object), "%.200s",
		       buf);
		json_object_put(o);
	}
	return count;
}

static unsigned int open_fds(void)
{
	unsigned int count = 0;

	for (int i = 0; i < 1024; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

static void check_idle(unsigned int fds_before)
{
	settle();
	EXPECT(m.profile[m.in_use].task_count == 2, "%u",
	       m.profile[m.in_use].task_count);
	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++)
		EXPECT(!m.tasks.task[i].owner, "task %d", i);
	for (int i = 0; i < NST_CAPTURES_MAX; i++)
		EXPECT(!m.captures.capture[i].owner, "ticket %d", i);
	for (int s = 0; s < STACKS; s++)
		for (int i = 0; i < NST_PLANTDEV_TICKETS; i++)
			EXPECT(!stack[s].ticket[i].id, "ticket of device %d",
			       s);
	EXPECT(open_fds() == fds_before, "%u, before %u", open_fds(),
	       fds_before);
}

static void crowd(uint64_t seed)
{
	static char buf[16384];
	unsigned int answers = 0, before;
	s32 hottest_mc = 0;
	int fds[CLIENTS];

	rng_state = seed;
	begin(PROFILE);
	frames(50);
	before = open_fds();
	for (int i = 0; i < CLIENTS; i++)
		fds[i] = join();
	for (int round = 0; round < ROUNDS; round++) {
		unsigned int i = rnd(CLIENTS);
		size_t len;

		if (rnd(150) == 0) {
			close(fds[i]);	/* with answers unread, tasks held */
			fds[i] = join();
		}
		len = packet(buf, sizeof(buf));
		send_packet(fds[i], buf, len, rnd(40) ? 0 : 1 + (int)rnd(12));
		EXPECT(!nst_manager_step(&m, 0), " ");
		if (rnd(3) == 0)
			answers += drain(fds[rnd(CLIENTS)]);
		if (rnd(4))
			continue;
		/* Lights, faults and a device that comes and goes. */
		if (rnd(500) == 0)
			nst_plantdev_vanish(&stack[1], !stack[1].gone);
		stack[0].sample_state = rnd(300) ? NST_SAMPLE_VALID
						 : NST_SAMPLE_BUS_FAULT;
		frames(1);
		for (int s = 0; s < STACKS; s++)
			if (nst_plant_die_mc(&stack[s].plant) > hottest_mc)
				hottest_mc =
					nst_plant_die_mc(&stack[s].plant);
	}
	for (int i = 0; i < CLIENTS; i++) {
		answers += drain(fds[i]);
		close(fds[i]);
	}
	nst_plantdev_vanish(&stack[1], false);
	stack[0].sample_state = NST_SAMPLE_VALID;
	wall(1100);
	frames(200);
	check_idle(before);
	/* It got behind the first checks, too. */
	EXPECT(answers > ROUNDS / 20 && m.events.profiles > 50 &&
	       m.captures.next_id > 5 && m.sensor[0].reported.count > 20,
	       "%u answers, %llu profiles, %llu tickets, %llu reports", answers,
	       (unsigned long long)m.events.profiles,
	       (unsigned long long)m.captures.next_id,
	       (unsigned long long)m.sensor[0].reported.count);
	EXPECT(hottest_mc <= 105000, "%d", hottest_mc);
	for (int s = 0; s < STACKS; s++)
		EXPECT(m.sensor[s].state == NST_SENSOR_GOVERNED &&
		       m.sensor[s].gov.stats.delivered > 0, "%d", s);
	end();
}

static void crowd_one(void)
{
	crowd(0x9e3779b97f4a7c15);
}

static void crowd_two(void)
{
	crowd(0xd1342543de82ef95);
}

/* Clients that are gone before they were seen. */
static void comes_and_goes(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	unsigned int before;

	rng_state = 12345;
	begin(PROFILE);
	frames(50);
	before = open_fds();
	strcpy(sun.sun_path, socket_path);
	for (int i = 0; i < 3000; i++) {
		static const char task[] = "{\"req\":\"task.add\",\"name\":"
			"\"t1\",\"sensor\":\"a\",\"kind\":\"vision\"}";
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
				SOCK_CLOEXEC, 0);

		if (!connect(fd, (struct sockaddr *)&sun, sizeof(sun)) &&
		    rnd(2))
			(void)send(fd, task, sizeof(task) - 1, MSG_NOSIGNAL);
		if (rnd(2))
			EXPECT(!nst_manager_step(&m, 0), " ");
		close(fd);
		if (rnd(8) == 0)
			EXPECT(!nst_manager_step(&m, 0), " ");
	}
	frames(20);
	check_idle(before);
	EXPECT(m.sensor[0].state == NST_SENSOR_GOVERNED, " ");
	end();
}

/* One asks without end and reads nothing; the others and the stack go on. */
static void flood(void)
{
	static const char text[] = "{\"req\":\"status\"}";
	struct json_object *o;
	int loud, quiet;

	begin(PROFILE);
	loud = join();
	quiet = join();
	for (int i = 0; i < 2000; i++) {
		for (int j = 0; j < 20; j++)
			(void)send(loud, text, sizeof(text) - 1,
				   MSG_NOSIGNAL | MSG_DONTWAIT);
		frames(1);
		if (i % 100)
			continue;
		o = ask(quiet, "{\"req\":\"snapshot\",\"sensor\":\"a\"}");
		EXPECT(at(o, "ok"), "%s", json_object_to_json_string(o));
		json_object_put(o);
	}
	EXPECT(m.sensor[0].gov.stats.late == 0, "%llu late decisions",
	       (unsigned long long)m.sensor[0].gov.stats.late);
	EXPECT(m.sensor[0].gov.stats.frames > 1900, " ");
	close(loud);
	close(quiet);
	end();
}

static const struct ktap_test tests[] = {
	{ "crowd_one", crowd_one },
	{ "crowd_two", crowd_two },
	{ "comes_and_goes", comes_and_goes },
	{ "flood", flood },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
