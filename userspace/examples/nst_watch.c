// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nst_watch.c - bring a task, follow its frames
 *
 *	cc nst_watch.c $(pkg-config --cflags --libs libnst) -o nst_watch
 *	./nst_watch cam0 22 300
 *
 * asks for 22 dB on sensor cam0 and prints every change in 300 frames: where
 * they are processed, whether they may be used, and what they are worth.
 */
#include <nst/libnst.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *place(enum nst_place p)
{
	switch (p) {
	case NST_PLACE_NEAR:
		return "near";
	case NST_PLACE_FAR:
		return "far";
	case NST_PLACE_PAUSED:
		return "paused";
	default:
		return "?";
	}
}

static void print_frame(const struct nst_frame *f)
{
	printf("frame %llu: %s", (unsigned long long)f->seq,
	       place(f->placement));
	if (f->valid)
		printf(", exposed at %.2f degC", f->exposure_temp_mc / 1000.0);
	if (f->has_snr)
		printf(", %.2f dB", f->snr_cdb / 100.0);
	printf("%s (%s)\n", f->deliver ? "" : ", not to be used", f->reason);
}

static int follow(struct nst_conn *conn, const char *sensor, long frames)
{
	struct pollfd p = { .fd = nst_fd(conn), .events = POLLIN };
	struct nst_frame last = { .seq = 0 };
	struct nst_event e;
	int r;

	r = nst_subscribe(conn, NST_SUBSCRIBE_FRAMES);
	while (!r && frames > 0) {
		poll(&p, 1, -1);
		for (r = 1; r > 0 && frames > 0;) {
			r = nst_next_event(conn, &e);
			if (r <= 0 || e.type != NST_EVENT_FRAME_DONE ||
			    strcmp(e.frame.sensor, sensor))
				continue;
			frames--;
			if (!last.seq || e.frame.placement != last.placement ||
			    e.frame.deliver != last.deliver)
				print_frame(&e.frame);
			last = e.frame;
		}
		if (r > 0)
			r = 0;
	}
	if (last.seq)
		print_frame(&last);
	return r;
}

int main(int argc, char **argv)
{
	struct nst_conn *conn = NULL;
	struct nst_task task;
	int32_t limit_mc;
	int r;

	if (argc < 3) {
		fprintf(stderr, "usage: %s SENSOR SNR_DB [FRAMES]\n", argv[0]);
		return 3;
	}
	r = nst_connect(&conn, NULL);
	if (r) {
		fprintf(stderr, "nstd does not answer: error %d\n", -r);
		return 2;
	}
	nst_task_init(&task, "watch", argv[1], NST_KIND_VISION);
	task.min_snr_db = atof(argv[2]);
	r = nst_task_set(conn, &task, &limit_mc);
	if (!r) {
		printf("%s dB allow %.2f degC at the present light\n", argv[2],
		       limit_mc / 1000.0);
		r = follow(conn, argv[1], argc > 3 ? atol(argv[3]) : 100);
	}
	if (r)
		fprintf(stderr, "%s\n", nst_error(conn));
	nst_close(conn);
	return r ? 1 : 0;
}
