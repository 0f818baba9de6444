// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * handover_ref.c - a run of a task in the emulated processor, alone
 *
 * usage: handover_ref VPU RECORDS FIRST COUNT
 *
 * Starts with an empty state at frame FIRST, which is still to come, and
 * prints the results of COUNT frames as nst-worker does. What a task that
 * moved should have given, to compare with.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "worker/results.h"

int main(int argc, char **argv)
{
	static struct nst_results results = { .home = "near" };
	struct nst_work work;
	struct nst_home *h;
	long count;
	int r;

	if (argc != 5) {
		fputs("usage: handover_ref VPU RECORDS FIRST COUNT\n", stderr);
		return 2;
	}
	count = atol(argv[4]);
	results.out = stdout;
	h = nst_near_new(argv[1], argv[2]);
	if (!h)
		return 1;
	r = h->ops->prepare(h);
	if (!r)
		r = h->ops->begin(h, strtoull(argv[3], NULL, 10));
	while (!r && count > 0) {
		struct pollfd p = { .fd = h->ops->fd(h), .events = POLLIN };

		if (poll(&p, 1, 10000) <= 0)
			break;
		while (count > 0 && !(r = h->ops->next(h, &work))) {
			nst_results_publish(&results,
					    nst_results_add(&results, &work),
					    -1, "");
			count--;
		}
		r = r == -EAGAIN ? 0 : r;
	}
	if (r || count)
		fprintf(stderr, "%ld frames missing, %d, %s\n", count, r,
			h->why);
	h->ops->close(h);
	free(h);
	return r || count;
}
