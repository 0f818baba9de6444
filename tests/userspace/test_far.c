// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_far.c - far devices: what is there and how busy it is
 *
 * The fdinfo texts are ours, in the formats that drivers of Linux 6.18 print
 * (Documentation/gpu/drm-usage-stats.rst and the drivers' show_fdinfo). Trees
 * of /sys and /proc are made in a directory of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "farload.h"
#include "ktap.h"

/* ----------------------------------------------------------------- tree */

static char root[] = "/tmp/nst-far-XXXXXX";

static void make_dirs(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)mkdir(path, 0755);
		*at = '/';
	}
}

static void put(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put_link(const char *target, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void full(char *path, size_t size, const char *format, va_list args)
{
	size_t len = (size_t)snprintf(path, size, "%s", root);

	vsnprintf(path + len, size - len, format, args);
	make_dirs(path);
}

static void put(const char *text, const char *format, ...)
{
	char path[512];
	va_list args;
	FILE *f;

	va_start(args, format);
	full(path, sizeof(path), format, args);
	va_end(args);
	f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void put_link(const char *target, const char *format, ...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	full(path, sizeof(path), format, args);
	va_end(args);
	unlink(path);
	if (symlink(target, path))
		abort();
}

static void drop(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", root, name);
	if (remove(path))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void tree_remove(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void tree_begin(void)
{
	strcpy(root, "/tmp/nst-far-XXXXXX");
	if (!mkdtemp(root))
		abort();
}

/* A device of a bus with its DRM nodes, as sysfs shows it. */
static void put_device(const char *dir, const char *bus, const char *driver,
		       const char *class, const char *node, const char *card)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/devices/%s", dir);
	put("", "%s/uevent", path);
	put_link(bus, "%s/subsystem", path);
	if (driver)
		put_link(driver, "%s/driver", path);
	put_link("../..", "%s/%s/%s/device", path, class, node);
	snprintf(path, sizeof(path), "../../devices/%s/%s/%s", dir, class,
		 node);
	put_link(path, "/sys/class/%s/%s", class, node);
	if (!card)
		return;
	put_link("../..", "/sys/devices/%s/%s/%s/device", dir, class, card);
	put_link("../../..", "/sys/devices/%s/%s/%s-HDMI-A-1/device", dir,
		 class, card);
	snprintf(path, sizeof(path), "../../devices/%s/%s/%s", dir, class,
		 card);
	put_link(path, "/sys/class/%s/%s", class, card);
}

#define PCI "../../bus/pci"

static void put_board(void)
{
	put_device("pci0000:00/0000:03:00.0", PCI, PCI "/drivers/amdgpu",
		   "drm", "renderD128", "card1");
	put_device("platform/vgem", "../../bus/platform", NULL, "drm",
		   "renderD130", "card0");
	put_device("pci0000:00/0000:04:00.0", PCI, PCI "/drivers/amdgpu",
		   "drm", "renderD129", NULL);
	put_device("pci0000:00/0000:00:0b.0", PCI, PCI "/drivers/intel_vpu",
		   "accel", "accel0", NULL);
	put("", "/sys/class/drm/version");
	put_link("/dev/null", "/proc/1/fd/0");
}

/* --------------------------------------------------------------- fdinfo */

static void formats(void)
{
	struct nst_fdinfo info;

	/* time, and cycles that have no total; as panfrost and msm print */
	EXPECT(!nst_fdinfo_parse("pos:\t0\nflags:\t02400002\nmnt_id:\t24\n"
		"ino:\t1042\ndrm-driver:\tmsm\ndrm-client-id:\t31\n"
		"drm-engine-gpu:\t77001200 ns\ndrm-cycles-gpu:\t61600960\n"
		"drm-maxfreq-gpu:\t800000000 Hz\n"
		"drm-total-memory:\t12 MiB\n", &info), " ");
	EXPECT(!strcmp(info.driver, "msm") && info.client == 31 &&
	       !info.pdev[0], "%s", info.driver);
	EXPECT(info.engines == 1 && info.engine[0].busy == 77001200 &&
	       !info.engine[0].total_cycles && info.engine[0].capacity == 1 &&
	       !strcmp(info.engine[0].name, "gpu"), " ");

	/* a blank between colon and tab: v3d */
	EXPECT(!nst_fdinfo_parse("drm-driver:\tv3d\ndrm-client-id:\t2\n"
		"drm-engine-bin: \t4000 ns\ndrm-engine-render: \t9000 ns\n",
		&info), " ");
	EXPECT(info.engines == 2 && info.engine[1].busy == 9000, " ");

	/* cycles against their total, and several of a kind: xe */
	EXPECT(!nst_fdinfo_parse("drm-driver:\txe\ndrm-client-id:\t9\n"
		"drm-pdev:\t0000:03:00.0\ndrm-total-vram0:\t16 MiB\n"
		"drm-cycles-rcs:\t500\ndrm-total-cycles-rcs:\t10000\n"
		"drm-cycles-vcs:\t700\ndrm-total-cycles-vcs:\t10000\n"
		"drm-engine-capacity-vcs:\t2\n", &info), " ");
	EXPECT(!strcmp(info.pdev, "0000:03:00.0"), "%s", info.pdev);
	EXPECT(info.engines == 2 && info.engine[1].busy == 700 &&
	       info.engine[1].total_cycles == 10000 &&
	       info.engine[1].capacity == 2, " ");

	/* capacity before or without its engine */
	EXPECT(!nst_fdinfo_parse("drm-driver:\ti915\ndrm-client-id:\t1\n"
		"drm-engine-capacity-video:\t4\ndrm-engine-capacity-x:\t3\n"
		"drm-engine-video:\t8 ns\n", &info), " ");
	EXPECT(info.engines == 1 && info.engine[0].capacity == 4, "%u",
	       info.engines);

	/* memory alone: etnaviv */
	EXPECT(!nst_fdinfo_parse("drm-driver:\tetnaviv\ndrm-client-id:\t1\n"
		"drm-total-memory:\t4 KiB\n", &info) && !info.engines, " ");
}

static void not_a_client(void)
{
	static const char *const texts[] = {
		"", "\n\n", "pos:\t0\nflags:\t02\n", "drm-driver\n",
		"drm-driver:\n", "drm-driver:\tamdgpu\n",
		"drm-client-id:\t5\n",
		"drm-driver:\tamdgpu\ndrm-client-id:\tfive\n",
		"drm-driver:\tamdgpu\ndrm-client-id:\t-1\n",
		"drm-driver:\tamdgpu\ndrm-client-id:\t99999999999999999999\n",
	};
	struct nst_fdinfo info;

	for (unsigned int i = 0; i < KTAP_COUNT(texts); i++)
		EXPECT(nst_fdinfo_parse(texts[i], &info) == -ENOENT, "%u", i);
}

#define CLIENT "drm-driver:\tamdgpu\ndrm-client-id:\t5\n"

static void odd_lines(void)
{
	static const char *const lines[] = {
		"drm-engine-gfx:\t12", "drm-engine-gfx:\t12 us",
		"drm-engine-gfx:\t-12 ns", "drm-engine-gfx:\t0x12 ns",
		"drm-engine-gfx:\t12ns", "drm-engine-gfx:", "drm-engine-gfx",
		"drm-engine-:\t12 ns", "drm-engine-gfx:\t18446744073709551616 ns",
		"drm-engine-abcdefghijklmnopqrstuvwxyz0123456789:\t12 ns",
		"drm-cycles-gfx:\t12", "drm-total-cycles-gfx:\t12",
		"drm-cycles-gfx:\t12\ndrm-total-cycles-rcs:\t12",
		"drm-engine-capacity-gfx:\t0",
	};
	char text[8192];
	struct nst_fdinfo info;
	size_t len;

	for (unsigned int i = 0; i < KTAP_COUNT(lines); i++) {
		snprintf(text, sizeof(text), CLIENT "%s", lines[i]);
		EXPECT(!nst_fdinfo_parse(text, &info) && !info.engines,
		       "'%s'", lines[i]);
	}

	/* more engines than fit, and a line without end */
	len = (size_t)snprintf(text, sizeof(text), CLIENT);
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"drm-engine-e%d:\t%d ns\n", i, i);
	EXPECT(!nst_fdinfo_parse(text, &info) &&
	       info.engines == NST_FDINFO_ENGINES, "%u", info.engines);
	len = (size_t)snprintf(text, sizeof(text), CLIENT);
	memset(text + len, 'x', sizeof(text) - len - 1);
	text[sizeof(text) - 1] = '\0';
	EXPECT(!nst_fdinfo_parse(text, &info) && !info.engines, " ");
}

static void shares(void)
{
	const struct nst_fdinfo_engine ns = { "a", 1000, 0, 1 };
	const struct nst_fdinfo_engine ns2 = { "a", 251000, 0, 1 };
	const struct nst_fdinfo_engine cy = { "a", 1000, 50000, 1 };
	const struct nst_fdinfo_engine cy2 = { "a", 3000, 58000, 1 };
	uint32_t share = 0;

	EXPECT(!nst_fdinfo_share(&ns, &ns2, 1000000, &share) && share == 2500,
	       "%u", share);
	EXPECT(!nst_fdinfo_share(&cy, &cy2, 0, &share) && share == 2500, "%u",
	       share);
	EXPECT(nst_fdinfo_share(&ns2, &ns, 1000000, &share) == -ENODATA, " ");
	EXPECT(nst_fdinfo_share(&cy2, &cy, 1000000, &share) == -ENODATA, " ");
	EXPECT(nst_fdinfo_share(&ns, &cy2, 1000000, &share) == -ENODATA, " ");
	EXPECT(nst_fdinfo_share(&cy, &cy, 1000000, &share) == -ENODATA, " ");
	EXPECT(nst_fdinfo_share(&ns, &ns2, 0, &share) == -ENODATA, " ");
}

/* ---------------------------------------------------------------- nodes */

static void nodes(void)
{
	struct nst_farnode node[NST_FARNODE_MAX], one;
	char names[512];
	size_t count;

	tree_begin();
	nst_farnode_names(root, names, sizeof(names));
	EXPECT(!nst_farnode_list(root, node, NST_FARNODE_MAX) &&
	       !strcmp(names, "none"), "%s", names);
	put_board();
	count = nst_farnode_list(root, node, NST_FARNODE_MAX);
	EXPECT(count == 4, "%zu", count);
	nst_farnode_names(root, names, sizeof(names));
	EXPECT(!strcmp(names, "renderD128 (amdgpu, pci-0000:03:00.0), "
		       "renderD129 (amdgpu, pci-0000:04:00.0), "
		       "renderD130 (vgem, platform-vgem), "
		       "accel0 (intel_vpu, pci-0000:00:0b.0)"), "%s", names);
	EXPECT(!strcmp(node[3].path, "/dev/accel/accel0") && node[3].accel,
	       "%s", node[3].path);

	EXPECT(!nst_farnode_find(root, "/dev/dri/renderD129", &one) &&
	       !strcmp(one.bus, "pci-0000:04:00.0"), "%s", one.bus);
	EXPECT(!nst_farnode_find(root, "bus:platform-vgem", &one) &&
	       !strcmp(one.path, "/dev/dri/renderD130"), "%s", one.path);
	EXPECT(!nst_farnode_find(root, "driver:intel_vpu", &one), " ");
	EXPECT(nst_farnode_find(root, "driver:amdgpu", &one) == -ENOTUNIQ,
	       " ");
	EXPECT(nst_farnode_find(root, "driver:nouveau", &one) == -ENODEV, " ");
	EXPECT(nst_farnode_find(root, "/dev/dri/card0", &one) == -EINVAL, " ");
	EXPECT(nst_farnode_find(root, "driver:", &one) == -EINVAL, " ");
	EXPECT(nst_farnode_find(root, "", &one) == -EINVAL, " ");

	/* A list that is too short is filled, not overrun. */
	EXPECT(nst_farnode_list(root, node, 2) == 2, " ");
	nst_farnode_names(root, names, 20);
	EXPECT(strlen(names) == 19, "%s", names);
	tree_remove();
}

/* ----------------------------------------------------------------- load */

static struct nst_farload load;

static void watch(const char *selector)
{
	struct nst_farnode node;

	EXPECT(!nst_farnode_find(root, selector, &node), "%s", selector);
	EXPECT(nst_farload_add(&load, &node) >= 0, " ");
}

static void put_client(int pid, int fd, const char *node, const char *fdinfo)
{
	put_link(node, "/proc/%d/fd/%d", pid, fd);
	put(fdinfo, "/proc/%d/fdinfo/%d", pid, fd);
}

#define GFX(id, ns, dec) \
	"drm-driver:\tamdgpu\ndrm-client-id:\t" id "\n" \
	"drm-engine-gfx:\t" ns " ns\ndrm-engine-dec:\t" dec " ns\n"

static void load_fdinfo(void)
{
	const struct nst_farload_node *n = &load.node[0];

	tree_begin();
	put_board();
	put("", "/proc/meminfo");
	put_link("/dev/null", "/proc/7/fd/0");
	put_link("socket:[1234]", "/proc/7/fd/1");
	nst_farload_init(&load, root);
	watch("bus:pci-0000:03:00.0");

	nst_farload_round(&load, 1000000);
	EXPECT(n->source == NST_FARLOAD_NONE, "nobody has it open: not known");

	/* One client by two descriptors, through either node; and another. */
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "1000000", "0"));
	put_client(7, 5, "/dev/dri/card1", GFX("1", "1000000", "0"));
	put_client(8, 3, "/dev/dri/renderD128", GFX("2", "5000000", "10"));
	/* of another device */
	put_client(8, 4, "/dev/dri/renderD129", GFX("3", "1000000", "0"));
	nst_farload_round(&load, 2000000);
	EXPECT(n->source == NST_FARLOAD_NONE, "one look is no figure");

	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "301000000", "0"));
	put_client(7, 5, "/dev/dri/card1", GFX("1", "301000000", "0"));
	put_client(8, 3, "/dev/dri/renderD128",
		   GFX("2", "105000000", "600000010"));
	put_client(8, 4, "/dev/dri/renderD129", GFX("3", "901000000", "0"));
	nst_farload_round(&load, 3000000);
	EXPECT(n->source == NST_FARLOAD_FDINFO && n->busy_permyriad == 6000,
	       "gfx 30 %% + 10 %%, dec 60 %%: %u", n->busy_permyriad);

	/* The second one ends: what it used counts no more. */
	put_link("/dev/null", "/proc/8/fd/3");
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "401000000", "0"));
	put_client(7, 5, "/dev/dri/card1", GFX("1", "401000000", "0"));
	nst_farload_round(&load, 4000000);
	EXPECT(n->source == NST_FARLOAD_FDINFO && n->busy_permyriad == 1000,
	       "%u", n->busy_permyriad);
	put_link("/dev/null", "/proc/7/fd/4");
	put_link("/dev/null", "/proc/7/fd/5");
	nst_farload_round(&load, 5000000);
	EXPECT(n->source == NST_FARLOAD_FDINFO && !n->busy_permyriad,
	       "nobody uses it, and it is known to count");
	tree_remove();
}

static void put_pm(const char *dir, const char *control, const char *status,
		   const char *active, const char *suspended)
{
	put(control, "/sys/devices/%s/power/control", dir);
	put(status, "/sys/devices/%s/power/runtime_status", dir);
	put(active, "/sys/devices/%s/power/runtime_active_time", dir);
	put(suspended, "/sys/devices/%s/power/runtime_suspended_time", dir);
}

/* Others' processes are hidden: what fdinfo tells is not all. */
static void load_sandbox(void)
{
	const struct nst_farload_node *n = &load.node[0];
	const char *gpu = "pci0000:00/0000:03:00.0";

	tree_begin();
	put_board();
	nst_farload_init(&load, root);
	watch("bus:pci-0000:03:00.0");
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "1000000", "0"));
	put_pm(gpu, "auto\n", "active\n", "1000\n", "5000\n");
	nst_farload_round(&load, 1000000);
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "101000000", "0"));
	put_pm(gpu, "auto\n", "active\n", "1700\n", "5300\n");
	nst_farload_round(&load, 2000000);
	EXPECT(n->source == NST_FARLOAD_FDINFO && n->busy_permyriad == 1000,
	       "%u", n->busy_permyriad);

	drop("/proc/1/fd/0");
	drop("/proc/1/fd");
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "201000000", "0"));
	put_pm(gpu, "auto\n", "active\n", "2400\n", "5600\n");
	nst_farload_round(&load, 3000000);
	EXPECT(n->source == NST_FARLOAD_PM && n->busy_permyriad == 7000, "%u",
	       n->busy_permyriad);
	/* Nothing else tells: at least that much. */
	put_pm(gpu, "on\n", "active\n", "3400\n", "5600\n");
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "301000000", "0"));
	nst_farload_round(&load, 4000000);
	EXPECT(n->source == NST_FARLOAD_FDINFO && n->busy_permyriad == 1000,
	       "%u", n->busy_permyriad);
	/* and nobody that is seen is not nobody */
	put_link("/dev/null", "/proc/7/fd/4");
	nst_farload_round(&load, 5000000);
	EXPECT(n->source == NST_FARLOAD_NONE, " ");
	tree_remove();
}

/* As a driver that prints a counter which never moves. */
static void load_stuck_at_zero(void)
{
	const struct nst_farload_node *n = &load.node[0];

	tree_begin();
	put_board();
	nst_farload_init(&load, root);
	watch("bus:pci-0000:03:00.0");
	put_client(7, 4, "/dev/dri/renderD128", GFX("1", "0", "0"));
	for (uint64_t t = 1; t < 4; t++) {
		nst_farload_round(&load, t * 1000000);
		EXPECT(n->source == NST_FARLOAD_NONE, "taken for idle");
	}
	tree_remove();
}

static void load_sysfs(void)
{
	const char *gpu = "pci0000:00/0000:03:00.0";
	const char *npu = "pci0000:00/0000:00:0b.0";

	tree_begin();
	put_board();
	nst_farload_init(&load, root);
	watch("bus:pci-0000:03:00.0");
	watch("driver:intel_vpu");
	put_pm(gpu, "auto\n", "active\n", "1000\n", "5000\n");
	put("4000000\n", "/sys/devices/%s/npu_busy_time_us", npu);
	put_pm(npu, "auto\n", "active\n", "1000\n", "0\n");
	nst_farload_round(&load, 1000000);
	EXPECT(load.node[0].source == NST_FARLOAD_NONE, "one look");

	put_pm(gpu, "auto\n", "suspended\n", "1250\n", "5750\n");
	put("4100000\n", "/sys/devices/%s/npu_busy_time_us", npu);
	put_pm(npu, "auto\n", "active\n", "2000\n", "0\n");
	nst_farload_round(&load, 2000000);
	EXPECT(load.node[0].source == NST_FARLOAD_PM &&
	       load.node[0].busy_permyriad == 2500, "%u",
	       load.node[0].busy_permyriad);
	EXPECT(load.node[1].source == NST_FARLOAD_COUNTER &&
	       load.node[1].busy_permyriad == 1000, "the counter first: %u",
	       load.node[1].busy_permyriad);

	/* Held awake by hand: always active, and that says nothing. */
	put_pm(gpu, "on\n", "active\n", "2250\n", "5750\n");
	nst_farload_round(&load, 3000000);
	EXPECT(load.node[0].source == NST_FARLOAD_NONE, " ");
	put_pm(gpu, "auto\n", "unsupported\n", "0\n", "0\n");
	nst_farload_round(&load, 4000000);
	EXPECT(load.node[0].source == NST_FARLOAD_NONE, " ");
	/* A counter that begins again gives no figure, then one. */
	put("100000\n", "/sys/devices/%s/npu_busy_time_us", npu);
	put_pm(npu, "on\n", "active\n", "3000\n", "0\n");
	nst_farload_round(&load, 5000000);
	EXPECT(load.node[1].source == NST_FARLOAD_NONE, " ");
	put("600000\n", "/sys/devices/%s/npu_busy_time_us", npu);
	nst_farload_round(&load, 6000000);
	EXPECT(load.node[1].busy_permyriad == 5000, "%u",
	       load.node[1].busy_permyriad);
	tree_remove();
}

static void load_many_clients(void)
{
	tree_begin();
	put_board();
	nst_farload_init(&load, root);
	watch("bus:pci-0000:03:00.0");
	for (int round = 1; round <= 2; round++) {
		for (int i = 0; i < NST_FARLOAD_CLIENTS + 5; i++) {
			char text[256];

			snprintf(text, sizeof(text), "drm-driver:\tamdgpu\n"
				 "drm-client-id:\t%d\n"
				 "drm-engine-gfx:\t%d ns\n", i,
				 round * 1000000);
			put_client(100 + i, 3, "/dev/dri/renderD128", text);
		}
		nst_farload_round(&load, (uint64_t)round * 1000000);
		EXPECT(load.left_out == 5, "%u", load.left_out);
	}
	EXPECT(load.node[0].busy_permyriad == NST_FARLOAD_CLIENTS * 10, "%u",
	       load.node[0].busy_permyriad);
	tree_remove();
}

/* This very machine: whatever is there, no fault and sums within range. */
static void load_real(void)
{
	struct nst_farnode node[NST_FARNODE_MAX];
	size_t count = nst_farnode_list("", node, NST_FARNODE_MAX);

	nst_farload_init(&load, "");
	for (size_t i = 0; i < count; i++)
		(void)nst_farload_add(&load, &node[i]);
	if (!count) {
		/* what no process can have open: the walk is the same */
		node[0] = (struct nst_farnode){ .sibling = { "renderD999" } };
		(void)nst_farload_add(&load, &node[0]);
	}
	nst_farload_round(&load, 1000000);
	nst_farload_round(&load, 2000000);
	for (unsigned int i = 0; i < load.nodes; i++)
		EXPECT(load.node[i].busy_permyriad <= 10000, " ");
}

static const struct ktap_test tests[] = {
	{ "fdinfo_formats", formats },
	{ "fdinfo_not_a_client", not_a_client },
	{ "fdinfo_odd_lines", odd_lines },
	{ "fdinfo_shares", shares },
	{ "nodes", nodes },
	{ "load_fdinfo", load_fdinfo },
	{ "load_sandbox", load_sandbox },
	{ "load_stuck_at_zero", load_stuck_at_zero },
	{ "load_sysfs", load_sysfs },
	{ "load_many_clients", load_many_clients },
	{ "load_real", load_real },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
