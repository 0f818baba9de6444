// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_meta.c - sim_meta TEST VIDEO META DEBUGFS
 *
 * The records beside the frames against what is known of them. VIDEO and META
 * are the nodes of a stack on the step clock, DEBUGFS its folder. Prints a
 * line "ok ..." or "not ok ..." for each check.
 */
#include "sim_nodes.h"

#define PERIOD_US 33333

static struct {
	const char *video, *meta, *debugfs;
	struct node v, m;
} t;

/* The next exposure, which nobody but this node gets. */
static struct nst_sim_meta record(void)
{
	struct nst_sim_meta meta;
	int m;

	advance_us(t.debugfs, PERIOD_US);
	m = node_take(&t.m, NULL);
	if (m < 0)
		fatal("record");
	memcpy(&meta, t.m.map[m], sizeof(meta));
	if (node_queue(&t.m, (unsigned int)m) < 0)
		fatal("QBUF");
	return meta;
}

static void open_meta(void)
{
	node_open(&t.m, t.meta, V4L2_BUF_TYPE_META_CAPTURE);
	node_map(&t.m, 3);
	node_queue_all(&t.m);
	node_start(&t.m);
	/* Period 0 is no frame. */
	advance_us(t.debugfs, PERIOD_US);
}

static void close_meta(void)
{
	node_stop(&t.m);
	node_close(&t.m);
}

static int tell(uint32_t flags, uint32_t placement, int32_t snr,
		uint32_t periods, uint64_t *from)
{
	struct nst_sim_tell told = {
		.flags = flags, .placement = placement, .snr_cdb = snr,
		.periods = periods, .from_seq = *from,
	};
	int r = ioctl(t.m.fd, NST_SIM_IOC_TELL, &told);

	*from = told.from_seq;
	return r;
}

/* Exposure temperature and gate of @seq in debugfs. */
static bool truth(uint64_t seq, int32_t *ret_hot_mc)
{
	char path[256], line[256];
	unsigned long long n, start;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/frames", t.debugfs);
	f = fopen(path, "re");
	if (!f)
		fatal(path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llu %llu %d", &n, &start, ret_hot_mc) == 3 &&
		    n == seq)
			found = true;
	fclose(f);
	return found;
}

static void test_record(void)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_META_CAPTURE };
	struct v4l2_capability cap;
	struct nst_sim_meta meta;
	bool good = true;
	uint32_t vseq, mseq;
	int32_t hot;

	node_open(&t.m, t.meta, V4L2_BUF_TYPE_META_CAPTURE);
	judge(!ioctl(t.m.fd, VIDIOC_G_FMT, &f) &&
	      f.fmt.meta.dataformat == NST_SIM_META_FOURCC &&
	      f.fmt.meta.buffersize == sizeof(meta), "format");
	judge(!ioctl(t.m.fd, VIDIOC_QUERYCAP, &cap) &&
	      cap.device_caps & V4L2_CAP_META_CAPTURE, "capability");
	node_open(&t.v, t.video, V4L2_BUF_TYPE_VIDEO_CAPTURE);
	if (node_format(&t.v, 640, 480, V4L2_PIX_FMT_Y10))
		fatal("S_FMT");
	node_map(&t.v, 1);
	node_map(&t.m, 1);
	node_start(&t.m);
	node_start(&t.v);
	for (int i = 0; i < 8; i++) {
		node_queue(&t.m, 0);
		node_queue(&t.v, 0);
		if (node_wait(&t.v, &vseq) < 0 || node_wait(&t.m, &mseq) < 0)
			fatal("frame");
		memcpy(&meta, t.m.map[0], sizeof(meta));
		good &= vseq == mseq && meta.seq == vseq &&
			meta.version == NST_SIM_META_VERSION &&
			meta.magic == NST_SIM_META_FOURCC &&
			meta.size == sizeof(meta) &&
			meta.flags == NST_SIM_META_PIXELS &&
			meta.period_us == PERIOD_US &&
			meta.exposure_us == 32000 && meta.iso == 400 &&
			meta.width == 640 && meta.height == 480 &&
			meta.bits == 10 && !meta.owner && !meta.result &&
			meta.gate == NST_UGATE_RUN &&
			meta.gate_next == NST_UGATE_RUN;
		good &= truth(meta.seq, &hot) && meta.temp_mc == hot &&
			meta.temp_state == NST_USAMPLE_VALID &&
			!meta.temp_bound;
	}
	judge(good, "eight records are those of their frames");
	node_stop(&t.v);
	node_close(&t.v);
	close_meta();
}

static void test_sensor(void)
{
	struct nst_sim_meta meta, again;

	open_meta();
	meta = record();
	judge(!(meta.flags & NST_SIM_META_PIXELS) &&
	      meta.temp_state == NST_USAMPLE_VALID && meta.temp_mc > 20000 &&
	      meta.temp_mc % 500 == 0, "resolution of the sensor");
	put(t.debugfs, "fault", "read_error -1");
	meta = record();
	judge(meta.temp_state == NST_USAMPLE_BUS_FAULT && !meta.temp_mc,
	      "a dead sensor has no value");
	put(t.debugfs, "fault", "read_error 0");
	put(t.debugfs, "fault", "not_ready -1");
	judge(record().temp_state == NST_USAMPLE_NOT_READY,
	      "nor has one that is not ready");
	put(t.debugfs, "fault", "not_ready 0");
	put(t.debugfs, "fault", "rail high");
	meta = record();
	judge(meta.temp_bound == NST_UBOUND_AT_LEAST &&
	      meta.temp_mc == 150000, "a rail is a bound");
	put(t.debugfs, "fault", "rail low");
	meta = record();
	judge(meta.temp_bound == NST_UBOUND_AT_MOST &&
	      meta.temp_mc == -40000, "and so is the other");
	put(t.debugfs, "fault", "rail off");
	put(t.debugfs, "fault", "stuck 1");
	meta = record();
	put(t.debugfs, "fault", "hot 100000");
	again = record();
	judge(meta.temp_mc == again.temp_mc, "a stuck one stays");
	put(t.debugfs, "fault", "stuck 0");
	record();
	judge(record().temp_mc > 80000, "a healthy one does not");
	put(t.debugfs, "fault", "hot 160000");
	record();
	meta = record();
	judge(meta.temp_bound == NST_UBOUND_AT_LEAST &&
	      meta.temp_mc == 150000, "beyond its range it is a bound");
	close_meta();
}

static bool says(const struct nst_sim_meta *meta, int32_t snr, int placement)
{
	bool good = !!(meta->flags & NST_SIM_META_SNR) == (snr >= 0) &&
		    !!(meta->flags & NST_SIM_META_PLACEMENT) ==
		    (placement >= 0);

	good &= meta->snr_cdb == (snr < 0 ? 0 : snr) &&
		meta->placement == (placement < 0 ? 0 : placement);
	if (!good)
		printf("# frame %llu: flags %x, %d cdB, placement %u\n",
		       (unsigned long long)meta->seq, meta->flags,
		       meta->snr_cdb, meta->placement);
	return good;
}

static void test_tell(void)
{
	const uint32_t both = NST_SIM_TELL_SNR | NST_SIM_TELL_PLACEMENT;
	struct nst_sim_meta meta;
	uint64_t from = 0, later;
	bool good;

	open_meta();
	meta = record();
	judge(says(&meta, -1, -1), "nobody told");
	judge(!tell(both, NST_UPLACE_FAR, 2345, 3, &from) &&
	      from == meta.seq + 1, "told from the next frame on");
	good = true;
	for (int i = 0; i < 3; i++) {
		meta = record();
		good &= says(&meta, 2345, NST_UPLACE_FAR);
	}
	judge(good, "for three frames");
	meta = record();
	judge(says(&meta, -1, -1), "and no longer");

	from = 0;
	tell(NST_SIM_TELL_SNR, 0, 2000, NST_SIM_TELL_FOREVER, &from);
	later = from + 3;
	judge(!tell(NST_SIM_TELL_PLACEMENT, NST_UPLACE_PAUSED, 0, 2, &later),
	      "something else for later");
	good = true;
	for (int i = 0; i < 3; i++) {
		meta = record();
		good &= says(&meta, 2000, -1);
	}
	for (int i = 0; i < 2; i++) {
		meta = record();
		good &= says(&meta, -1, NST_UPLACE_PAUSED);
	}
	judge(good, "each at its time");
	meta = record();
	judge(says(&meta, -1, -1), "what came later holds, also its end");
	from = 0;
	tell(both, NST_UPLACE_NEAR, -50, NST_SIM_TELL_FOREVER, &from);
	for (int i = 0; i < 10; i++)
		meta = record();
	judge(meta.snr_cdb == -50 && meta.flags & NST_SIM_META_PLACEMENT,
	      "for ever");
	from = 0;
	judge(!tell(0, 0, 0, 0, &from), "taken back");
	meta = record();
	judge(says(&meta, -1, -1), "it is");

	from = meta.seq;
	is_errno(tell(both, 0, 0, 1, &from), ESTALE, "of a frame that is over");
	from = 0;
	is_errno(tell(0x10, 0, 0, 1, &from), EINVAL, "an unknown flag");
	is_errno(tell(both, 3, 0, 1, &from), EINVAL, "an unknown placement");
	is_errno(tell(NST_SIM_TELL_PLACEMENT, 0, 5, 1, &from), EINVAL,
		 "a value without its flag");
	is_errno(ioctl(t.m.fd, _IOWR('V', 0xe1, struct nst_sim_tell), &from),
		 ENOTTY, "another ioctl");
	meta = record();
	judge(says(&meta, -1, -1), "nothing of it was taken");
	close_meta();
}

/* Buffers come too late; and read() instead of them. */
static void test_late(void)
{
	struct nst_sim_meta meta, r[2];
	uint32_t seq;
	int i;

	open_meta();
	advance_us(t.debugfs, 5 * PERIOD_US);
	i = node_take(&t.m, &seq);
	judge(i >= 0 && seq == 1, "the first of five");
	judge(node_take(&t.m, &seq) >= 0 && node_take(&t.m, &seq) >= 0 &&
	      seq == 3 && node_take(&t.m, &seq) < 0 && errno == EAGAIN,
	      "as many as there were buffers");
	node_queue_all(&t.m);
	meta = record();
	judge(meta.seq == 6, "the present one again");
	close_meta();

	t.m.fd = xopen(t.meta, O_RDWR | O_NONBLOCK);
	is_errno((int)read(t.m.fd, r, sizeof(r[0])), EAGAIN, "nothing yet");
	advance_us(t.debugfs, 2 * PERIOD_US);
	judge(read(t.m.fd, &r[0], sizeof(r[0])) == sizeof(r[0]) &&
	      read(t.m.fd, &r[1], sizeof(r[1])) == sizeof(r[1]) &&
	      r[0].magic == NST_SIM_META_FOURCC && r[0].seq == 7 &&
	      r[1].seq == 8, "two records by read()");
	close(t.m.fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc != 5) {
		fprintf(stderr, "usage: sim_meta TEST VIDEO META DEBUGFS\n");
		return 2;
	}
	t.video = argv[2];
	t.meta = argv[3];
	t.debugfs = argv[4];
	if (!strcmp(what, "record"))
		test_record();
	else if (!strcmp(what, "sensor"))
		test_sensor();
	else if (!strcmp(what, "tell"))
		test_tell();
	else if (!strcmp(what, "late"))
		test_late();
	else
		return 2;
	return failures ? 1 : 0;
}
