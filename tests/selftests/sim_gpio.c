// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_gpio LABEL get LINE		level of a line, 0 or 1
 * sim_gpio LABEL set LINE VALUE	drive it, then let go
 * sim_gpio LABEL watch LINE		"ready", then r for each rising edge, till killed
 *
 * LABEL is that of the GPIO chip. A call that fails prints the name of its
 * errno and ends with 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/gpio.h>

static int fail(void)
{
	const char *name = strerrorname_np(errno);

	printf("%s\n", name ? name : "?");
	return 1;
}

static int chip_open(const char *label)
{
	struct gpiochip_info info;
	glob_t found;
	size_t i;
	int fd = -1;

	if (glob("/dev/gpiochip*", 0, NULL, &found)) {
		errno = ENODEV;
		return -1;
	}
	for (i = 0; i < found.gl_pathc; i++) {
		fd = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &info) &&
		    !strcmp(info.label, label))
			break;
		close(fd);
		fd = -1;
	}
	globfree(&found);
	if (fd < 0)
		errno = ENODEV;
	return fd;
}

static int line_open(int chip, unsigned int line, __u64 flags, int value)
{
	struct gpio_v2_line_request req;

	memset(&req, 0, sizeof(req));
	req.offsets[0] = line;
	req.num_lines = 1;
	req.config.flags = flags;
	snprintf(req.consumer, sizeof(req.consumer), "sim_gpio");
	if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
		req.config.num_attrs = 1;
		req.config.attrs[0].mask = 1;
		req.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
		req.config.attrs[0].attr.values = value ? 1 : 0;
	}
	if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &req) < 0)
		return -1;
	return req.fd;
}

/* As it is: a look changes nothing. */
static int get(int chip, unsigned int line)
{
	struct gpio_v2_line_values values = { .mask = 1 };
	int fd = line_open(chip, line, 0, 0);

	if (fd < 0 || ioctl(fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0)
		return fail();
	printf("%d\n", (int)(values.bits & 1));
	return 0;
}

static int set(int chip, unsigned int line, int value)
{
	if (line_open(chip, line, GPIO_V2_LINE_FLAG_OUTPUT, value) < 0)
		return fail();
	return 0;
}

static int watch(int chip, unsigned int line)
{
	struct gpio_v2_line_event event;
	int fd = line_open(chip, line, GPIO_V2_LINE_FLAG_INPUT |
				       GPIO_V2_LINE_FLAG_EDGE_RISING, 0);

	if (fd < 0)
		return fail();
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (read(fd, &event, sizeof(event)) == (ssize_t)sizeof(event))
		puts("r");
	return fail();
}

int main(int argc, char **argv)
{
	unsigned int line;
	int chip;

	if (argc < 4)
		goto usage;
	line = (unsigned int)strtoul(argv[3], NULL, 10);
	chip = chip_open(argv[1]);
	if (chip < 0)
		return fail();
	if (!strcmp(argv[2], "get"))
		return get(chip, line);
	if (!strcmp(argv[2], "set") && argc == 5)
		return set(chip, line, atoi(argv[4]));
	if (!strcmp(argv[2], "watch"))
		return watch(chip, line);
usage:
	fprintf(stderr,
		"usage: sim_gpio LABEL get|watch LINE | set LINE VALUE\n");
	return 2;
}
