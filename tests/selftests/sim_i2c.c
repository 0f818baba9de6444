// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_i2c BUS ADDRESS [w BYTE...] [r COUNT]...: one combined transfer
 *
 * Prints the bytes read, as two hexadecimal digits each, and nothing when none
 * was asked for. A transfer that fails prints the name of its errno and ends
 * with 1. BYTEs are hexadecimal; BUS is the number of the adapter.
 *
 *	sim_i2c BUS ADDRESS smbus COMMAND [pec]		read a word
 *	sim_i2c BUS ADDRESS block COMMAND [pec]		read a block
 *	sim_i2c BUS ADDRESS put COMMAND WORD [pec]	write a word
 *
 * are SMBus calls: a word's high byte comes first on this bus.
 *
 *	sim_i2c BUS ADDRESS hammer			"begun", read until it fails
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/i2c.h>
#include <linux/i2c-dev.h>

#define MESSAGES_MAX	8
#define BYTES_MAX	256

static int fail(void)
{
	const char *name = strerrorname_np(errno);

	printf("%s\n", name ? name : "?");
	return 1;
}

static unsigned long number(const char *text, int base, unsigned long max)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, base);
	if (errno || end == text || *end || n > max) {
		fprintf(stderr, "sim_i2c: '%s' is no number up to %lu\n", text,
			max);
		exit(2);
	}
	return n;
}

static int transfer(int fd, __u16 addr, int argc, char **argv)
{
	static __u8 bytes[MESSAGES_MAX][BYTES_MAX];
	struct i2c_msg msgs[MESSAGES_MAX];
	struct i2c_rdwr_ioctl_data data = { .msgs = msgs };
	int i = 0;
	__u32 n = 0, m, b;

	memset(msgs, 0, sizeof(msgs));
	while (i < argc) {
		struct i2c_msg *msg = &msgs[n];

		if (n == MESSAGES_MAX)
			return 2;
		msg->addr = addr;
		msg->buf = bytes[n];
		if (!strcmp(argv[i], "r") && i + 1 < argc) {
			msg->flags = I2C_M_RD;
			msg->len = (__u16)number(argv[i + 1], 10, BYTES_MAX);
			i += 2;
		} else if (!strcmp(argv[i], "w")) {
			for (i++; i < argc && strcmp(argv[i], "r") &&
			     strcmp(argv[i], "w"); i++)
				msg->buf[msg->len++] =
					(__u8)number(argv[i], 16, 0xff);
		} else {
			return 2;
		}
		n++;
	}
	data.nmsgs = n;
	if (ioctl(fd, I2C_RDWR, &data) < 0)
		return fail();
	for (m = 0; m < n; m++) {
		if (!(msgs[m].flags & I2C_M_RD))
			continue;
		for (b = 0; b < msgs[m].len; b++)
			printf("%s%02x", b ? " " : "", bytes[m][b]);
		printf("\n");
	}
	return 0;
}

static int smbus(int fd, __u16 addr, char rw, __u8 command, int size,
		 union i2c_smbus_data *data, bool pec)
{
	struct i2c_smbus_ioctl_data args = {
		.read_write = (__u8)rw,
		.command = command,
		.size = (__u32)size,
		.data = data,
	};

	/* FORCE: the address may be a driver's. */
	if (ioctl(fd, I2C_SLAVE_FORCE, (long)addr) < 0 ||
	    ioctl(fd, I2C_PEC, (long)pec) < 0)
		return -1;
	return ioctl(fd, I2C_SMBUS, &args);
}

static int smbus_read(int fd, __u16 addr, __u8 command, bool block, bool pec)
{
	union i2c_smbus_data data;
	int i;

	memset(&data, 0, sizeof(data));
	if (smbus(fd, addr, I2C_SMBUS_READ, command,
		  block ? I2C_SMBUS_BLOCK_DATA : I2C_SMBUS_WORD_DATA, &data,
		  pec) < 0)
		return fail();
	if (!block) {
		printf("%02x%02x\n", data.word & 0xff, data.word >> 8);
		return 0;
	}
	for (i = 1; i <= data.block[0]; i++)
		printf("%s%02x", i > 1 ? " " : "", data.block[i]);
	printf("\n");
	return 0;
}

static int smbus_put(int fd, __u16 addr, __u8 command, __u16 word, bool pec)
{
	union i2c_smbus_data data;

	memset(&data, 0, sizeof(data));
	data.word = (__u16)(word >> 8 | word << 8);
	if (smbus(fd, addr, I2C_SMBUS_WRITE, command, I2C_SMBUS_WORD_DATA,
		  &data, pec) < 0)
		return fail();
	return 0;
}

static int hammer(int fd, __u16 addr)
{
	__u8 reg[2] = { 0, 0 }, value[2];
	struct i2c_msg msgs[2] = {
		{ .addr = addr, .len = 2, .buf = reg },
		{ .addr = addr, .flags = I2C_M_RD, .len = 2, .buf = value },
	};
	struct i2c_rdwr_ioctl_data data = { .msgs = msgs, .nmsgs = 2 };
	unsigned long n = 0;

	puts("begun");
	fflush(stdout);
	while (ioctl(fd, I2C_RDWR, &data) == 2 || errno == ENXIO)
		n++;
	printf("%lu then ", n);
	return fail();
}

int main(int argc, char **argv)
{
	bool pec = argc > 4 && !strcmp(argv[argc - 1], "pec");
	char path[32];
	__u16 addr;
	int fd, rc = 2;

	if (argc < 4)
		goto usage;
	snprintf(path, sizeof(path), "/dev/i2c-%lu",
		 number(argv[1], 10, 1000000));
	addr = (__u16)number(argv[2], 0, 0x7f);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail();
	if (!strcmp(argv[3], "hammer"))
		rc = hammer(fd, addr);
	else if (argc > 4 && (!strcmp(argv[3], "smbus") ||
			      !strcmp(argv[3], "block")))
		rc = smbus_read(fd, addr, (__u8)number(argv[4], 16, 0xff),
				argv[3][0] == 'b', pec);
	else if (argc > 5 && !strcmp(argv[3], "put"))
		rc = smbus_put(fd, addr, (__u8)number(argv[4], 16, 0xff),
			       (__u16)number(argv[5], 16, 0xffff), pec);
	else
		rc = transfer(fd, addr, argc - 3, argv + 3);
	close(fd);
	if (rc != 2)
		return rc;
usage:
	fprintf(stderr, "usage: sim_i2c BUS ADDRESS [w BYTE...] [r COUNT]...\n");
	return 2;
}
