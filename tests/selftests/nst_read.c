// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_read.c - nst_read FILE: read it in one call
 *
 * Prints the name of the errno that read() gave, or 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[4096];
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: nst_read FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	puts(fd < 0 || read(fd, text, sizeof(text)) < 0 ?
		     strerrorname_np(errno) : "0");
	if (fd >= 0)
		close(fd);
	return 0;
}
