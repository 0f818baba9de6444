// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_refuse.c - nst_refuse DIRECTORY FILE...: texts that must be refused
 *
 * Reads lines "FILE|TEXT|ERRNO" from standard input and writes TEXT to
 * DIRECTORY/FILE in one call. The write has to give that errno, and all the
 * FILEs of the command line have to read as before. Prints KTAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *dir;
static char before[65536], after[65536];

static void snapshot(char *buf, size_t size, char **files, int n)
{
	char path[512];
	ssize_t len;
	int i, fd;

	memset(buf, 0, size);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fd = open(path, O_RDONLY);
		len = fd < 0 ? -1 : read(fd, buf, size - 1);
		if (fd >= 0)
			close(fd);
		if (len < 0) {
			printf("Bail out! %s: %s\n", path, strerror(errno));
			exit(1);
		}
		buf += len;
		size -= (size_t)len;
	}
}

static const char *write_errno(const char *file, const char *text)
{
	char path[512];
	const char *name = "0";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return strerrorname_np(errno);
	if (write(fd, text, strlen(text)) < 0)
		name = strerrorname_np(errno);
	close(fd);
	return name;
}

int main(int argc, char **argv)
{
	char line[256];
	int tests = 0, failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: nst_refuse DIRECTORY FILE...\n");
		return 2;
	}
	dir = argv[1];
	puts("KTAP version 1");
	snapshot(before, sizeof(before), argv + 2, argc - 2);
	while (fgets(line, sizeof(line), stdin)) {
		char *text = strchr(line, '|');
		char *want = text ? strchr(text + 1, '|') : NULL;
		const char *got;
		bool same;

		if (!want)
			continue;
		*text++ = 0;
		*want++ = 0;
		want[strcspn(want, "\n")] = 0;
		got = write_errno(line, text);
		snapshot(after, sizeof(after), argv + 2, argc - 2);
		same = !memcmp(before, after, sizeof(before));
		tests++;
		if (strcmp(got, want))
			printf("# got %s, want %s\n", got, want);
		if (!same)
			printf("# and something changed\n");
		if (strcmp(got, want) || !same)
			failed++;
		printf("%sok %d %s refuses '%s'\n",
		       strcmp(got, want) || !same ? "not " : "", tests, line,
		       text);
	}
	printf("1..%d\n", tests);
	return failed || !tests;
}
