// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcu_stub.c - mcu_stub BUS ADDRESS word|block COMMAND VALUE...
 *
 * Fills a chip of i2c-stub: a word, or the words of a block, each high byte
 * first. All numbers but BUS are hexadecimal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/i2c.h>
#include <linux/i2c-dev.h>

int main(int argc, char **argv)
{
	struct i2c_smbus_ioctl_data call = { .read_write = I2C_SMBUS_WRITE };
	union i2c_smbus_data data;
	char path[32];
	int fd, i;

	if (argc < 6 || argc - 5 > I2C_SMBUS_BLOCK_MAX / 2) {
		fprintf(stderr,
			"usage: mcu_stub BUS ADDRESS word|block COMMAND VALUE...\n");
		return 2;
	}
	snprintf(path, sizeof(path), "/dev/i2c-%lu", strtoul(argv[1], NULL, 10));
	fd = open(path, O_RDWR);
	if (fd < 0 || ioctl(fd, I2C_SLAVE_FORCE, strtoul(argv[2], NULL, 16))) {
		perror(path);
		return 1;
	}
	call.command = (__u8)strtoul(argv[4], NULL, 16);
	call.data = &data;
	for (i = 5; i < argc; i++) {
		unsigned long value = strtoul(argv[i], NULL, 16);

		data.block[1 + 2 * (i - 5)] = (__u8)(value >> 8);
		data.block[2 + 2 * (i - 5)] = (__u8)value;
		/* the low byte travels first */
		if (argv[3][0] == 'w')
			data.word = (__u16)((value & 0xff) << 8 |
					    (value >> 8 & 0xff));
	}
	call.size = I2C_SMBUS_WORD_DATA;
	if (argv[3][0] == 'b') {
		call.size = I2C_SMBUS_BLOCK_DATA;
		data.block[0] = (__u8)(2 * (argc - 5));
	}
	if (ioctl(fd, I2C_SMBUS, &call)) {
		perror("mcu_stub");
		return 1;
	}
	close(fd);
	return 0;
}
