// SPDX-License-Identifier: GPL-2.0-only
/*
 * gpio_line SELECTOR [low] [VALUE|get|hold]...
 *
 * Takes a line by userspace/backends/gpio.h, active-low with "low", not
 * active as its safe value. Prints "taken WHAT VALUE", then does what it is
 * told: sets a value, prints the one there is, or prints "holding" and waits
 * to be ended, setting what it reads. Prints the errno's name and what was
 * said when a call fails, and ends with 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpio.h"

static int fail(int r, const char *why)
{
	printf("%s %s\n", strerrorname_np(-r), why);
	return 1;
}

int main(int argc, char **argv)
{
	struct nst_gpio g;
	char why[256], line[8];
	bool low;
	int r, i = 2;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2) {
		fprintf(stderr, "usage: gpio_line SELECTOR [low] "
			"[0|1|get|hold]...\n");
		return 2;
	}
	low = argc > 2 && !strcmp(argv[2], "low");
	r = nst_gpio_open(&g, "", argv[1], low, false, why, sizeof(why));
	if (r)
		return fail(r, why);
	printf("taken %s %d\n", g.what, nst_gpio_get(&g));
	for (i += low; i < argc && r >= 0; i++) {
		if (!strcmp(argv[i], "get")) {
			r = nst_gpio_get(&g);
			if (r >= 0)
				printf("%d\n", r);
		} else if (!strcmp(argv[i], "hold")) {
			puts("holding");
			while (r >= 0 && fgets(line, sizeof(line), stdin))
				r = nst_gpio_set(&g, line[0] == '1');
		} else {
			r = nst_gpio_set(&g, argv[i][0] == '1');
		}
	}
	if (r < 0)
		fail(r, "in use");
	nst_gpio_close(&g);
	return r < 0;
}
