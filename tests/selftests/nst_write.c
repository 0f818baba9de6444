// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_write.c - nst_write FILE TEXT: write TEXT in one call
 *
 * Prints the name of the errno that write() gave, or 0. A shell's own
 * message for a failed write differs from shell to shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	ssize_t len;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: nst_write FILE TEXT\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		puts(strerrorname_np(errno));
		return 0;
	}
	len = write(fd, argv[2], strlen(argv[2]));
	puts(len < 0 ? strerrorname_np(errno) : "0");
	close(fd);
	return 0;
}
