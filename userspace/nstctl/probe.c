// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* probe.c - what a machine has for nst, and what it lacks: see probe.h */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "farnode.h"
#include "path.h"
#include "places.h"
#include "probe.h"
#include "profile.h"

#define PATH_LEN 512
#define LINE_LEN 128

struct probe {
	const struct nst_probe_where *where;
	struct json_object *all;
	struct json_object *missing;
};

/* Those of kmod/nst-cci-table.c; tests/userspace/probe.sh compares. */
static const char *const with_thermometer[] = {
	"imx477", "imx378", "imx708", "imx500", "imx501", "imx214", "imx258",
	"imx519", "imx582", "imx586", "imx481", "imx709", "imx412", "imx577",
	"imx800", "ccs", "imx219", "imx296", "ar0331", "ar0234", "ar0822",
	"ar0144", "ar0231", "ov48b", "ov20b", "ov13b10", "ox03c10", "ox08b40",
	"ox02c1b", "s5kjn1", "s5k3p9", "vd55g1", "vd56g3", "ov8858",
};

bool nst_probe_has_thermometer(const char *part)
{
	for (size_t i = 0; i < NST_ARRAY_SIZE(with_thermometer); i++)
		if (!strcmp(part, with_thermometer[i]))
			return true;
	return false;
}

/* ---------------------------------------------------------------- output */

static void put_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void lacks(struct probe *p, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void lacks(struct probe *p, const char *what, const char *format, ...)
{
	struct json_object *m = json_object_new_object();
	char why[400];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	put_text(m, "what", what);
	put_text(m, "why", why);
	json_object_array_add(p->missing, m);
}

/* ----------------------------------------------------------------- files */

static int path_of(const struct probe *p, char *buf, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int path_of(const struct probe *p, char *buf, const char *format, ...)
{
	char path[PATH_LEN];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (n < 0 || n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return nst_path_join(buf, PATH_LEN, p->where->root, path);
}

/* "" when there is none */
static void attribute(const struct probe *p, char ret[LINE_LEN],
		      const char *dir, const char *entry, const char *name)
{
	char path[PATH_LEN];

	if (path_of(p, path, "%s/%s/%s", dir, entry, name) ||
	    nst_path_read_line(path, ret, LINE_LEN) < 0)
		ret[0] = '\0';
}

/* In order; 0 where there is no such directory. */
static int entries(const struct probe *p, const char *dir,
		   struct dirent ***ret)
{
	char path[PATH_LEN];
	int n;

	*ret = NULL;
	if (path_of(p, path, "%s", dir))
		return 0;
	n = scandir(path, ret, NULL, versionsort);
	return n < 0 ? 0 : n;
}

static void free_entries(struct dirent **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

/* Calls @each with every entry of @dir that begins with @prefix. */
static void each_of(struct probe *p, const char *dir, const char *prefix,
		    struct json_object *list,
		    void (*each)(struct probe *p, const char *dir,
				 const char *entry, struct json_object *list))
{
	struct dirent **found;
	int n = entries(p, dir, &found);

	for (int i = 0; i < n; i++)
		if (!strncmp(found[i]->d_name, prefix, strlen(prefix)))
			each(p, dir, found[i]->d_name, list);
	free_entries(found, n);
}

static struct json_object *section(struct probe *p, const char *name)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(p->all, name, list);
	return list;
}

/* ---------------------------------------------------------------- kernel */

static void look_kernel(struct probe *p)
{
	static const char *const modules[] = { "nst", "nst_cci", "nst_mcu",
					       "nst_sim" };
	struct json_object *kernel = json_object_new_object();
	struct json_object *list = json_object_new_array();
	char release[LINE_LEN], path[PATH_LEN];
	bool loaded;

	attribute(p, release, "/proc/sys", "kernel", "osrelease");
	put_text(kernel, "release", *release ? release : "unknown");
	for (size_t i = 0; i < NST_ARRAY_SIZE(modules); i++)
		if (!path_of(p, path, "/sys/module/%s", modules[i]) &&
		    !access(path, F_OK))
			json_object_array_add(list, json_object_new_string(
						      modules[i]));
	loaded = !path_of(p, path, "/sys/class/nst") && !access(path, F_OK);
	put_text(kernel, "nst", loaded ? "loaded" : "not loaded");
	json_object_object_add(kernel, "modules", list);
	json_object_object_add(p->all, "kernel", kernel);
	if (!loaded)
		lacks(p, "module nst", "it is not loaded: 'modprobe nst', after 'make dkms-install' has built it for this kernel");
}

/* --------------------------------------------------------------- devices */

static const char *state_of(int err)
{
	switch (err) {
	case -EAGAIN:
		return "not ready";
	case -ENODATA:
		return "never read";
	case -EIO:
		return "does not answer";
	case -ENOENT:
		return "not told: no hwmon device";
	default:
		return strerror(-err);
	}
}

/* What to look at; @label is the channel's, "" where none is told. */
static const char *hint_of(int err, const char *label)
{
	if (strstr(label, "(estimated)"))
		return ": it is estimated from nst,board-sensor, and 'dmesg | grep \"board sensor\"' says what that lacks";
	if (err == -EAGAIN)
		return ": nobody streams, or the sensor has just begun to measure";
	return "";
}

/* @label: of the channel, also where its temperature is not to be had */
static int hwmon_temp(const struct probe *p, const char *owner,
		      long long *ret_mc, char label[LINE_LEN])
{
	struct dirent **found;
	int n = entries(p, "/sys/class/hwmon", &found), r = -ENOENT;

	for (int i = 0; i < n && r == -ENOENT; i++) {
		char name[LINE_LEN], path[PATH_LEN], real[PATH_MAX];
		const char *entry = found[i]->d_name;

		attribute(p, name, "/sys/class/hwmon", entry, "name");
		if (strcmp(name, "nst") ||
		    path_of(p, path, "/sys/class/hwmon/%s/device", entry) ||
		    !realpath(path, real) || strcmp(real, owner))
			continue;
		attribute(p, label, "/sys/class/hwmon", entry, "temp1_label");
		if (!path_of(p, path, "/sys/class/hwmon/%s/temp1_input", entry))
			r = nst_path_read_int(path, ret_mc);
	}
	free_entries(found, n);
	return r;
}

static void put_die(struct probe *p, const char *dir, const char *entry,
		    struct json_object *device)
{
	char path[PATH_LEN], owner[PATH_MAX], label[LINE_LEN] = "";
	long long mc = 0;
	int r = -ENOENT;

	if (!path_of(p, path, "%s/%s/device", dir, entry) &&
	    realpath(path, owner))
		r = hwmon_temp(p, owner, &mc, label);
	if (!r)
		json_object_object_add(device, "temp_mc",
				       json_object_new_int64(mc));
	else
		put_text(device, "temp_state", state_of(r));
	if (r)
		lacks(p, entry, "its temperature is %s%s; a die that is not known is never taken for a cold one",
		      state_of(r), hint_of(r, label));
}

static void look_device(struct probe *p, const char *dir, const char *entry,
			struct json_object *list)
{
	static const char *const names[] = { "name", "provider", "model",
					     "gate", "owner", "frame_source" };
	struct json_object *d = json_object_new_object();
	char text[LINE_LEN], node[PATH_LEN];

	put_text(d, "node", entry);
	for (size_t i = 0; i < NST_ARRAY_SIZE(names); i++) {
		attribute(p, text, dir, entry, names[i]);
		put_text(d, names[i], *text ? text : "unknown");
	}
	if (!strcmp(text, "none"))
		lacks(p, entry, "nobody says when its frames begin: gates change at once, not between frames; see frame sources in kmod/doc/attach.rst");
	put_die(p, dir, entry, d);
	json_object_array_add(list, d);
	if (path_of(p, node, "/dev/%s", entry))
		return;
	if (access(node, F_OK))
		lacks(p, entry, "there is no /dev/%s: is devtmpfs mounted, does udev run?", entry);
	else if (access(node, R_OK | W_OK))
		lacks(p, entry, "/dev/%s may not be opened by this user: group nst may", entry);
}

/* --------------------------------------------------------------- cameras */

static void look_camera(struct probe *p, const char *dir, const char *entry,
			struct json_object *list)
{
	struct json_object *o = json_object_new_object();
	char name[LINE_LEN];

	attribute(p, name, dir, entry, "name");
	put_text(o, "node", entry);
	put_text(o, "name", name);
	json_object_array_add(list, o);
}

/* A device of that model governs the part already. */
static bool governed(const struct probe *p, const char *part)
{
	struct json_object *list = json_object_object_get(p->all, "devices");

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *d = json_object_array_get_idx(list, i);

		if (!strcmp(part, json_object_get_string(
				    json_object_object_get(d, "model"))))
			return true;
	}
	return false;
}

/* Sub-devices are named "imx477 10-001a". */
static void look_subdev(struct probe *p, const char *dir, const char *entry,
			struct json_object *list)
{
	struct json_object *o;
	char name[LINE_LEN], part[LINE_LEN];
	char *space;
	bool known;

	attribute(p, name, dir, entry, "name");
	strcpy(part, name);
	space = strchr(part, ' ');
	if (!space)
		return;		/* a bridge, not a part on a bus */
	*space = '\0';
	known = nst_probe_has_thermometer(part);
	o = json_object_new_object();
	put_text(o, "node", entry);
	put_text(o, "name", name);
	put_text(o, "thermometer", known ? "nst-cci reads its thermometer" :
					   "no thermometer that nst-cci knows");
	json_object_array_add(list, o);
	if (known && !governed(p, part))
		lacks(p, name, "nothing attaches nst to it: kmod/doc/attach.rst says what to write for nst-cci");
}

static void look_cameras(struct probe *p)
{
	struct json_object *cameras = section(p, "cameras");

	each_of(p, "/sys/class/video4linux", "video", cameras, look_camera);
	each_of(p, "/sys/class/video4linux", "v4l-subdev",
		section(p, "sensors"), look_subdev);
	if (!json_object_array_length(cameras))
		lacks(p, "a camera", "no V4L2 node: exposure and gain are those of the profile ('light'), or what an application tells");
}

/* ---------------------------------------------------------------- around */

static void look_hwmon(struct probe *p, const char *dir, const char *entry,
		       struct json_object *list)
{
	char name[LINE_LEN];

	attribute(p, name, dir, entry, "name");
	if (strcmp(name, "nst"))
		look_camera(p, dir, entry, list);
}

static void look_gpio(struct probe *p, const char *dir, const char *entry,
		      struct json_object *list)
{
	struct json_object *o = json_object_new_object();
	char label[LINE_LEN];

	/* its label is told to those who open it; its parent is known here */
	attribute(p, label, dir, entry, "device/name");
	put_text(o, "node", entry);
	put_text(o, "name", label);
	json_object_array_add(list, o);
}

static void look_far(struct probe *p)
{
	static struct nst_farnode nodes[NST_FARNODE_MAX];	/* large */
	struct json_object *list = section(p, "far");
	size_t n = nst_farnode_list(p->where->root, nodes, NST_FARNODE_MAX);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		put_text(o, "node", nodes[i].path);
		put_text(o, "name", nodes[i].driver);
		put_text(o, "bus", nodes[i].bus);
		json_object_array_add(list, o);
	}
	if (!n)
		lacks(p, "a far device", "no render or accel node: a far task runs on this processor, and there is nothing to be busy or hot");
}

/* ---------------------------------------------------------------- daemon */

static const char *listens(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = -1;

	if (strlen(path) >= sizeof(sun.sun_path))
		return "not found";
	strcpy(sun.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return "not known";
	if (!connect(fd, (struct sockaddr *)&sun, sizeof(sun)))
		return "listens";
	return errno == EACCES || errno == EPERM ? "not permitted"
						 : "not running";
}

static void look_daemon(struct probe *p)
{
	struct json_object *o = json_object_new_object();
	const char *state = listens(p->where->socket);

	put_text(o, "socket", p->where->socket);
	put_text(o, "state", state);
	json_object_object_add(p->all, "daemon", o);
	if (!strcmp(state, "not permitted"))
		lacks(p, "nstd", "this user may not talk to it: group nst may");
	else if (strcmp(state, "listens"))
		lacks(p, "nstd", "it does not run, so the kernel's own guard holds each sensor between its two thresholds: 'systemctl start nstd', or 'nstd --foreground'");
}

static void look_profile(struct probe *p)
{
	_cleanup_free_ struct nst_profile *profile = calloc(1,
							    sizeof(*profile));
	_cleanup_fclose_ FILE *err = NULL;
	struct json_object *o = json_object_new_object();
	const char *path = p->where->profile, *places = NULL;
	char first[300] = "";
	int r = -ENOMEM;

	if (!path)
		path = nst_places_profile("");
	if (!path) {
		path = NST_PLACES_ETC;
		places = NST_PLACES_PROFILES;
	}
	/* readable again, unlike a stream into a buffer that is full */
	err = tmpfile();
	if (profile && err)
		r = nst_profile_load(profile, path, err);
	put_text(o, "path", path);
	put_text(o, "state", !r ? "good" : r == -ENOENT ? "missing" :
			     r == -EINVAL ? "wrong" : "not readable");
	json_object_object_add(p->all, "profile", o);
	if (!r)
		return;
	if (r == -EINVAL && !fseek(err, 0, SEEK_SET) &&
	    fgets(first, sizeof(first), err))
		first[strcspn(first, "\n")] = '\0';
	if (r == -ENOENT)
		lacks(p, "a profile", "there is no %s: nstd does not know what to govern ('make install' brings an example)",
		      places ? places : path);
	else
		lacks(p, "a profile", "%s", *first ? first : strerror(-r));
}

/* ------------------------------------------------------------------- all */

struct json_object *nst_probe(const struct nst_probe_where *where)
{
	struct probe p = {
		.where = where,
		.all = json_object_new_object(),
		.missing = json_object_new_array(),
	};
	struct json_object *devices;

	if (!p.all || !p.missing) {
		json_object_put(p.all);
		json_object_put(p.missing);
		return NULL;
	}
	look_kernel(&p);
	devices = section(&p, "devices");
	each_of(&p, "/sys/class/nst", "nst", devices, look_device);
	if (!json_object_array_length(devices))
		lacks(&p, "a sensor", "no provider has registered one: kmod/doc/attach.rst for a board, 'modprobe nst-sim' for an emulated stack");
	look_cameras(&p);
	look_far(&p);
	each_of(&p, "/sys/class/hwmon", "hwmon", section(&p, "hwmon"),
		look_hwmon);
	each_of(&p, "/sys/bus/gpio/devices", "gpiochip", section(&p, "gpio"),
		look_gpio);
	if (!*where->root) {
		look_daemon(&p);
		look_profile(&p);
	}
	json_object_object_add(p.all, "missing", p.missing);
	return p.all;
}
