// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak_binds.c - soak_binds [-n ROUNDS] DRIVER DEVICE NAME: an owner that comes
 * and goes
 *
 * Unbinds DEVICE from the driver at DRIVER (a directory of sysfs) and binds it
 * again, ROUNDS times. After the one the nst device called NAME must be gone
 * and a file that was open on it dead, after the other it must be back and
 * answer. Prints
 *
 *	rounds N gone N dead N back N answered N
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

#define TRIES 1000
#define TRY_US 10000

static int put(const char *dir, const char *file, const char *text)
{
	size_t len = strlen(text);
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	n = write(fd, text, len);
	close(fd);
	return n == (ssize_t)len ? 0 : -1;
}

/* The number of the nst device with that name, or -1. */
static int find(const char *name)
{
	char got[NST_NAME_LEN + 1];
	int number = -1;
	glob_t g;

	if (glob("/sys/class/nst/nst*/name", 0, NULL, &g))
		return -1;
	for (size_t i = 0; i < g.gl_pathc && number < 0; i++) {
		int fd = open(g.gl_pathv[i], O_RDONLY);
		ssize_t n;

		if (fd < 0)
			continue;
		n = read(fd, got, sizeof(got) - 1);
		close(fd);
		if (n <= 0)
			continue;
		got[n] = 0;
		got[strcspn(got, "\n")] = 0;
		if (!strcmp(got, name))
			number = atoi(g.gl_pathv[i] +
				      strlen("/sys/class/nst/nst"));
	}
	globfree(&g);
	return number;
}

/* Wait until the device is there (@there) or not. */
static int await(const char *name, int there)
{
	int number = find(name);

	for (int i = 0; (number >= 0) != there && i < TRIES; i++) {
		usleep(TRY_US);
		number = find(name);
	}
	return number;
}

int main(int argc, char **argv)
{
	unsigned long rounds = 10, done = 0, gone = 0, dead = 0, back = 0;
	unsigned long answered = 0;
	const char *driver, *device, *name;
	struct nst_uapi_state state;
	char node[32];
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return 2;
		rounds = strtoul(optarg, NULL, 10);
	}
	if (optind + 3 != argc) {
		fprintf(stderr,
			"usage: soak_binds [-n ROUNDS] DRIVER DEVICE NAME\n");
		return 2;
	}
	driver = argv[optind];
	device = argv[optind + 1];
	name = argv[optind + 2];

	for (; done < rounds; done++) {
		int number = find(name);
		int fd;

		snprintf(node, sizeof(node), "/dev/nst%d", number);
		fd = open(node, O_RDONLY);
		if (fd < 0) {
			perror(node);
			break;
		}
		if (put(driver, "unbind", device)) {
			perror("unbind");
			break;
		}
		gone += await(name, 0) < 0;
		dead += ioctl(fd, NST_IOC_SAMPLE, &state) < 0 &&
			errno == ENODEV;
		close(fd);
		if (put(driver, "bind", device)) {
			perror("bind");
			break;
		}
		number = await(name, 1);
		back += number >= 0;
		snprintf(node, sizeof(node), "/dev/nst%d", number);
		fd = open(node, O_RDONLY);
		answered += fd >= 0 && !ioctl(fd, NST_IOC_SAMPLE, &state);
		if (fd >= 0)
			close(fd);
	}
	printf("rounds %lu gone %lu dead %lu back %lu answered %lu\n", done,
	       gone, dead, back, answered);
	return !(done == rounds && gone == rounds && dead == rounds &&
		 back == rounds && answered == rounds);
}
