// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cameras.c - nstd looks for a missing camera and leaves others alone
 *
 * A tree with one node that is no camera; inotify tells whether it was opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ktap.h"
#include "nstd/hardware.h"
#include "v4l2.h"

static char root[64];
static char node[96];
static int watch;

static void make(void)
{
	char path[160];
	int fd;

	strcpy(root, "/tmp/nst-cameras-XXXXXX");
	if (!mkdtemp(root))
		exit(1);
	for (const char *dir = "/sys\0/sys/class\0/sys/class/video4linux\0"
			       "/sys/class/video4linux/video7\0/dev\0";
	     *dir; dir += strlen(dir) + 1) {
		snprintf(path, sizeof(path), "%s%s", root, dir);
		if (mkdir(path, 0755))
			exit(1);
	}
	snprintf(node, sizeof(node), "%s/dev/video7", root);
	fd = open(node, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		exit(1);
	close(fd);
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (inotify_add_watch(watch, node, IN_OPEN) < 0)
		exit(1);
}

static void clean(void)
{
	char command[128];

	close(watch);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command))
		printf("# %s stays\n", root);
}

static unsigned int opened(void)
{
	_Alignas(struct inotify_event) char buf[1024];
	unsigned int count = 0;
	ssize_t len;

	while ((len = read(watch, buf, sizeof(buf))) > 0)
		count += (unsigned int)len / sizeof(struct inotify_event);
	return count;
}

static void others_are_opened_once(void)
{
	struct nst_env env;
	struct nst_cam *cam;

	make();
	env = nst_hardware_env(root, false);
	EXPECT(env.open_camera(NULL, 0, "card:mine", &cam) == -ENODEV);
	EXPECT(opened() == 1);
	for (int i = 0; i < 5; i++)
		EXPECT(env.open_camera(NULL, 0, "card:mine", &cam) == -ENODEV);
	EXPECT(opened() == 0);
	clean();
}

static void what_changes_is_looked_at(void)
{
	struct nst_env env;
	struct nst_cam *cam;

	make();
	env = nst_hardware_env(root, false);
	EXPECT(env.open_camera(NULL, 1, "card:mine", &cam) == -ENODEV);
	EXPECT(opened() == 1);
	/* another owner or mode, as udev sets a moment later */
	usleep(20000);
	EXPECT(!chmod(node, 0600));
	EXPECT(env.open_camera(NULL, 1, "card:mine", &cam) == -ENODEV);
	EXPECT(opened() == 1);
	/* another camera is wanted, by a reload */
	EXPECT(env.open_camera(NULL, 1, "card:other", &cam) == -ENODEV);
	EXPECT(opened() == 1);
	clean();
}

static void a_number_for_every_set(void)
{
	u64 with, without;

	make();
	with = nst_v4l2_nodes(root, "card:x");
	EXPECT(with && with == nst_v4l2_nodes(root, "card:x"));
	EXPECT(with != nst_v4l2_nodes(root, "card:y"));
	EXPECT(!unlink(node));
	without = nst_v4l2_nodes(root, "card:x");
	EXPECT(without && without != with);
	clean();
}

static void names_are_listed(void)
{
	char path[160], list[64];
	FILE *f;

	nst_v4l2_list("/nowhere", list, sizeof(list));
	EXPECT(!strcmp(list, "none"), "%s", list);
	make();
	snprintf(path, sizeof(path), "%s/sys/class/video4linux/video7/name",
		 root);
	f = fopen(path, "we");
	EXPECT(f && fputs("nst-sim one\n", f) >= 0 && !fclose(f));
	nst_v4l2_list(root, list, sizeof(list));
	EXPECT(!strcmp(list, "/dev/video7 (nst-sim one)"), "%s", list);
	nst_v4l2_list(root, list, 12);
	EXPECT(!strcmp(list, "/dev/video7"), "cut off: %s", list);
	EXPECT(opened() == 0);
	clean();
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "others_are_opened_once", others_are_opened_once },
		{ "what_changes_is_looked_at", what_changes_is_looked_at },
		{ "a_number_for_every_set", a_number_for_every_set },
		{ "names_are_listed", names_are_listed },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
