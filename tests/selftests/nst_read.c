// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_read.c - nst_read FILE...: read each in one call
 *
 * Prints a line for each: the name of the errno that read() gave, or 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *read_errno(const char *file)
{
	const char *name = "0";
	char text[4096];
	int fd;

	fd = open(file, O_RDONLY);
	if (fd < 0)
		return strerrorname_np(errno);
	if (read(fd, text, sizeof(text)) < 0)
		name = strerrorname_np(errno);
	close(fd);
	return name;
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: nst_read FILE...\n");
		return 2;
	}
	for (i = 1; i < argc; i++)
		puts(read_errno(argv[i]));
	return 0;
}
