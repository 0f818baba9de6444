/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nstd_loop.h - the daemon's loop, two emulated stacks and clients, in one
 * process: a test moves the clock of the stacks, lets the loop run and looks
 * at all three sides.
 */
#ifndef NST_TESTS_NSTD_LOOP_H
#define NST_TESTS_NSTD_LOOP_H

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "nstd/manager.h"
#include "ktap.h"
#include "nstd_fixture.h"

#define STACKS 2

#define TWO_SENSORS "version: 1\nsensors:\n" SENSOR_YAML("a", CAMERA_YAML) \
	SENSOR_YAML("b", "")
#define TASK_A VISION_YAML("va", "a", "seasonal-migration", "20")
#define TASK_B VISION_YAML("vb", "b", "stop-capture-go", "20")
#define PROFILE TWO_SENSORS "tasks:\n" TASK_A TASK_B

static struct nst_manager m;
static struct nst_plantdev stack[STACKS];
static struct nst_plantcam cam;
static const char *const stack_name[STACKS] = { "plant-a", "plant-b" };
static char *profile_path;
static char socket_path[64];
static char record_path[64];

/* --------------------------------------------------------- environment */

static inline int open_device(void *arg, unsigned int slot, const char *selector,
		       struct nst_dev **ret)
{
	(void)arg;
	(void)slot;
	for (int i = 0; i < STACKS; i++)
		if (!strcmp(selector, stack_name[i]))
			return nst_plantdev_open(&stack[i], ret);
	return -ENODEV;
}

static inline int open_camera(void *arg, unsigned int slot, const char *selector,
		       struct nst_cam **ret)
{
	(void)arg;
	(void)slot;
	(void)selector;
	*ret = &cam.cam;
	return 0;
}

static inline void list_devices(void *arg, char *buf, size_t size)
{
	(void)arg;
	snprintf(buf, size, "plant-a, plant-b");
}

static struct nst_env env = {
	.open_device = open_device,
	.open_camera = open_camera,
	.list_devices = list_devices,
};

static inline void make_stacks(void)
{
	const struct nst_light dim = DIM;

	for (int i = 0; i < STACKS; i++) {
		struct nst_plantdev_config config =
			fixture_stack(stack_name[i]);

		EXPECT(!nst_plantdev_init(&stack[i], &config), " ");
	}
	EXPECT(!nst_plantcam_init(&cam, &stack[0], &dim), " ");
}

static inline void write_profile(const char *text)
{
	int fd = open(profile_path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

static inline int begin_with(const char *text, bool record)
{
	struct nst_manager_config config = {
		.socket_path = socket_path,
		.record_path = record ? record_path : NULL,
		.env = &env,
	};

	profile_path = fixture_file(text);
	config.profile_path = profile_path;
	snprintf(socket_path, sizeof(socket_path), "%s.sock", profile_path);
	snprintf(record_path, sizeof(record_path), "%s.rec", profile_path);
	memset(&m, 0, sizeof(m));
	return nst_manager_init(&m, &config);
}

static inline void begin(const char *text)
{
	make_stacks();
	EXPECT(!begin_with(text, false), "does not start");
}

static inline void end(void)
{
	nst_manager_deinit(&m);
	for (int i = 0; i < STACKS; i++)
		nst_plantdev_deinit(&stack[i]);
	nst_plantcam_deinit(&cam);
	unlink(profile_path);
	unlink(record_path);
	free(profile_path);
}

/* All that is ready, until nothing is; the timer runs in real time. */
static inline void settle(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT(!nst_manager_step(&m, 0), " ");
}

static inline void frames(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		for (int s = 0; s < STACKS; s++)
			if (!stack[s].gone)
				nst_plantdev_advance(&stack[s], 1);
		EXPECT(!nst_manager_step(&m, 0), " ");
	}
}

static inline void wall(unsigned int ms)
{
	u64 end_ms = nst_now_ms() + ms;

	while (nst_now_ms() < end_ms)
		EXPECT(!nst_manager_step(&m, 5), " ");
}

/* -------------------------------------------------------------- clients */

static inline int client(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
			0);

	strcpy(sun.sun_path, socket_path);
	EXPECT(!connect(fd, (struct sockaddr *)&sun, sizeof(sun)), "%d",
	       errno);
	settle();
	return fd;
}

static inline struct json_object *receive(int fd)
{
	static char buf[NST_PACKET_LEN + 1];
	ssize_t len = recv(fd, buf, NST_PACKET_LEN, 0);
	struct json_object *o;

	if (len <= 0)
		return NULL;
	buf[len] = '\0';
	o = json_tokener_parse(buf);
	EXPECT(o, "no JSON: %s", buf);
	return o;
}

static inline struct json_object *ask_raw(int fd, const char *text, size_t len)
{
	EXPECT(send(fd, text, len, MSG_NOSIGNAL) == (ssize_t)len, "%d", errno);
	settle();
	return receive(fd);
}

static inline struct json_object *ask(int fd, const char *text)
{
	return ask_raw(fd, text, strlen(text));
}

/* json-pointer for tests: "ok/sensors/0/name" */
static inline struct json_object *at(struct json_object *o, const char *path)
{
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *part = strtok_r(copy, "/", &save); part;
	     part = strtok_r(NULL, "/", &save)) {
		if (json_object_is_type(o, json_type_array))
			o = json_object_array_get_idx(o, (size_t)atoi(part));
		else if (!json_object_object_get_ex(o, part, &o))
			return NULL;
	}
	return o;
}

static inline const char *text_at(struct json_object *o, const char *path)
{
	struct json_object *v = at(o, path);

	return v ? json_object_get_string(v) : "(none)";
}

static inline bool ask_error(int fd, const char *text, const char *err)
{
	struct json_object *o = ask(fd, text);
	bool same = !strcmp(text_at(o, "error/errno"), err);

	if (!same)
		printf("# %s: %s\n", text, json_object_to_json_string(o));
	json_object_put(o);
	return same;
}

static inline bool ask_ok(int fd, const char *text)
{
	struct json_object *o = ask(fd, text);
	bool ok = at(o, "ok");

	if (!ok)
		printf("# %s: %s\n", text, json_object_to_json_string(o));
	json_object_put(o);
	return ok;
}

#endif /* NST_TESTS_NSTD_LOOP_H */
