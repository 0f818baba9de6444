// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_vpu.c - sim_vpu TEST VIDEO META VPU DEBUGFS SYSFS
 *
 * The emulated VPU against the same task on the host, frame for frame, on the
 * pixels that the capture node gives. VIDEO and META are the nodes, VPU is
 * /dev/nst-vpu-*, DEBUGFS and SYSFS the folders of the stack, which is on the
 * step clock. Prints a line "ok ..." or "not ok ..." for each check.
 */
#include <poll.h>

#include "sim_nodes.h"
#include "vpu.h"

#define PERIOD_US 33333

static struct {
	const char *video, *meta, *vpu, *debugfs, *sysfs;
	struct node v, m;
	int fd;
	uint64_t seq;			/* of the last frame that came */
	struct vpu_state state;		/* of the host */
	struct vpu_work work;
} t;

static struct vpu_state other;
/* The compiler would know NULL. */
static const void *volatile nowhere;

/* ---------------------------------------------------------------- pieces */

static int vpu_start(int fd, uint64_t *seq, uint32_t flags)
{
	struct nst_vpu_start start = { .first_seq = *seq, .flags = flags };
	int r = ioctl(fd, NST_VPU_IOC_START, &start);

	*seq = start.first_seq;
	return r;
}

static int vpu_stop(int fd, uint64_t *seq)
{
	struct nst_vpu_stop stop = { .last_seq = *seq };
	int r = ioctl(fd, NST_VPU_IOC_STOP, &stop);

	*seq = stop.last_seq;
	return r;
}

static struct nst_vpu_status vpu_status(int fd)
{
	struct nst_vpu_status status;

	if (ioctl(fd, NST_VPU_IOC_STATUS, &status))
		fatal("STATUS");
	return status;
}

static bool read_state(struct vpu_state *ret)
{
	return pread(t.fd, ret, sizeof(*ret), 0) == sizeof(*ret);
}

static void open_all(uint32_t fourcc)
{
	node_open(&t.v, t.video, V4L2_BUF_TYPE_VIDEO_CAPTURE);
	node_open(&t.m, t.meta, V4L2_BUF_TYPE_META_CAPTURE);
	t.fd = xopen(t.vpu, O_RDWR);
	if (node_format(&t.v, 640, 480, fourcc))
		fatal("S_FMT");
}

static void stream(void)
{
	node_map(&t.v, 4);
	node_map(&t.m, 4);
	node_queue_all(&t.m);
	node_start(&t.m);
	node_queue_all(&t.v);
	node_start(&t.v);
}

static void close_all(void)
{
	node_stop(&t.v);
	node_stop(&t.m);
	node_close(&t.v);
	node_close(&t.m);
	close(t.fd);
}

/* A frame and its record; the record is copied, both buffers are kept. */
static bool next(int *ret_video, struct nst_sim_meta *ret)
{
	uint32_t vseq = 0, mseq = 0;
	int v = node_wait(&t.v, &vseq), m = node_wait(&t.m, &mseq);

	if (v < 0 || m < 0) {
		printf("# no frame: %s\n", strerror(errno));
		return false;
	}
	memcpy(ret, t.m.map[m], sizeof(*ret));
	node_queue(&t.m, (unsigned int)m);
	*ret_video = v;
	t.seq = ret->seq;
	if (vseq != mseq || ret->seq != vseq || ret->size != sizeof(*ret) ||
	    ret->magic != NST_SIM_META_FOURCC) {
		printf("# frame %u, record %u of %llu\n", vseq, mseq,
		       (unsigned long long)ret->seq);
		return false;
	}
	return true;
}

static int host(int video, uint64_t seq, struct vpu_result *ret)
{
	struct vpu_frame frame = {
		.seq = seq, .pixels = t.v.map[video],
		.width = t.v.pix.width, .height = t.v.pix.height,
		.stride = t.v.pix.bytesperline,
		.bits = t.v.pix.pixelformat == V4L2_PIX_FMT_GREY ? 8 : 10,
	};
	int r = vpu_process(&t.state, &t.work, &frame, ret);

	vpu_seal(&t.state);
	return r;
}

static bool equal(const struct nst_sim_meta *meta,
		  const struct vpu_result *result)
{
	bool same = meta->result == NST_SIM_RESULT_DONE &&
		    meta->state_checksum == t.state.checksum &&
		    meta->vpu_flags == result->flags &&
		    meta->noise_q8 == result->noise_q8 &&
		    meta->pedestal_q8 == result->pedestal_q8 &&
		    meta->masked_permyriad == result->masked_permyriad &&
		    meta->blobs == result->blobs &&
		    meta->detections == result->detections;

	for (uint32_t i = 0; same && i < result->detections; i++) {
		const struct vpu_detection *a = &result->detection[i];
		const struct nst_sim_detection *b = &meta->detection[i];

		same = a->x == b->x && a->y == b->y && a->w == b->w &&
		       a->h == b->h && a->id == b->id && a->age == b->age &&
		       a->seen == (bool)b->seen;
	}
	if (!same)
		printf("# frame %llu: result %u, checksum %08x, host's %08x\n",
		       (unsigned long long)meta->seq, meta->result,
		       meta->state_checksum, t.state.checksum);
	return same;
}

/* @frames of the task at work, each as on the host; the last one's number. */
static bool follow(unsigned int frames, uint64_t *seq)
{
	struct nst_sim_meta meta;
	struct vpu_result result;
	int v;

	while (frames--) {
		if (!next(&v, &meta) || host(v, meta.seq, &result) ||
		    !equal(&meta, &result) ||
		    meta.owner != NST_SIM_OWNER_VPU)
			return false;
		*seq = meta.seq;
		node_queue(&t.v, (unsigned int)v);
	}
	return true;
}

/* One frame, nothing but its record. */
static struct nst_sim_meta skip(void)
{
	struct nst_sim_meta meta;
	int v;

	if (!next(&v, &meta))
		fatal("frame");
	node_queue(&t.v, (unsigned int)v);
	return meta;
}

/* Up to the frame before @first. */
static void skip_until(uint64_t first)
{
	while (t.seq + 1 < first)
		skip();
}

/* ----------------------------------------------------------------- tests */

static void test_equal(uint32_t fourcc, const char *name)
{
	struct vpu_state saved;
	uint64_t first = 0, last = 0, seq = 0;
	struct nst_sim_meta meta;
	char text[80];

	open_all(fourcc);
	vpu_init(&t.state, 640, 480, fourcc == V4L2_PIX_FMT_GREY ? 8 : 10);
	judge(!vpu_start(t.fd, &first, NST_VPU_START_FRESH) && first,
	      "started");
	stream();
	snprintf(text, sizeof(text), "%s: 40 frames are the host's", name);
	judge(follow(40, &seq), text);

	/* Stop ahead, go elsewhere, come back. */
	last = seq + 6;
	judge(!vpu_stop(t.fd, &last), "stop ahead");
	judge(follow(6, &seq) && seq == last, "up to the stop");
	meta = skip();
	judge(meta.owner == NST_SIM_OWNER_NONE &&
	      meta.result == NST_SIM_RESULT_NONE, "and not beyond");
	judge(read_state(&saved) && !vpu_check(&saved) &&
	      !memcmp(&saved, &t.state, sizeof(saved)),
	      "the state is the host's, byte for byte");
	first = 0;
	judge(!vpu_start(t.fd, &first, NST_VPU_START_FRESH), "another run");
	skip_until(first + 4);
	last = 0;
	judge(!vpu_stop(t.fd, &last), "stopped at once");
	judge(pwrite(t.fd, &saved, sizeof(saved), 0) == sizeof(saved),
	      "the state comes back");
	first = 0;
	judge(!vpu_start(t.fd, &first, 0), "and goes on");
	skip_until(first);
	judge(follow(30, &seq), "as the host does over the same gap");
	close_all();
}

static void test_schedule(void)
{
	uint64_t seq, first;
	struct nst_sim_meta meta;
	struct nst_vpu_status s;
	struct pollfd p;
	bool good;
	int peer;

	open_all(V4L2_PIX_FMT_GREY);
	peer = xopen(t.vpu, O_RDWR);
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, 0), ENODATA, "no state, no start");
	s = vpu_status(t.fd);
	judge(s.version == NST_VPU_ABI_VERSION && s.width == 640 &&
	      s.bits == 8 && s.state_size == sizeof(struct vpu_state) &&
	      s.flags == NST_VPU_POWERED, "status of an idle VPU");
	stream();
	while (skip().seq < 5)
		;
	seq = 3;
	is_errno(vpu_start(t.fd, &seq, NST_VPU_START_FRESH), ESTALE,
		 "a start in the past");
	seq = NST_VPU_NEVER;
	is_errno(vpu_start(t.fd, &seq, NST_VPU_START_FRESH), EINVAL,
		 "a start that never comes");
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, 0x80), EINVAL, "unknown flags");
	first = vpu_status(t.fd).seen_seq + 8;
	seq = first;
	judge(!vpu_start(t.fd, &seq, NST_VPU_START_FRESH), "a start ahead");
	judge(!vpu_start(t.fd, &seq, 0), "the same again");
	seq++;
	is_errno(vpu_start(t.fd, &seq, 0), EBUSY, "another one");
	seq = first;
	is_errno(vpu_start(peer, &seq, 0), EBUSY, "by another file");
	is_errno(vpu_stop(peer, &seq), EBUSY, "nor does it stop it");
	s = vpu_status(t.fd);
	judge(s.flags == (NST_VPU_STARTED | NST_VPU_LOADED |
			  NST_VPU_POWERED | NST_VPU_MINE) &&
	      s.owner_pid == getpid(), "waiting for its frame");
	is_errno(node_format(&t.v, 640, 480, V4L2_PIX_FMT_Y10), EBUSY,
		 "the format stays");
	p.fd = t.fd;
	p.events = POLLIN;
	judge(!poll(&p, 1, 0), "nothing new");
	seq = first + 4;
	judge(!vpu_stop(t.fd, &seq), "a stop ahead");
	seq = first + 9;
	judge(!vpu_stop(t.fd, &seq), "a later one");
	seq = NST_VPU_NEVER;
	judge(!vpu_stop(t.fd, &seq), "taken back");
	seq = first + 6;
	judge(!vpu_stop(t.fd, &seq) && poll(&p, 1, 0) == 1,
	      "another one; poll tells");
	good = true;
	do {
		bool own;

		meta = skip();
		own = meta.seq >= first && meta.seq <= first + 6;
		good &= meta.owner == (own ? NST_SIM_OWNER_VPU :
				       NST_SIM_OWNER_NONE);
		good &= meta.result == (own ? NST_SIM_RESULT_DONE :
					NST_SIM_RESULT_NONE);
	} while (meta.seq < first + 9);
	judge(good, "frames are its own from start to stop");
	s = vpu_status(t.fd);
	judge(s.flags == (NST_VPU_LOADED | NST_VPU_POWERED) &&
	      s.first_seq == first && s.stop_seq == first + 6 &&
	      s.last_seq == first + 6 && s.frames == 7 && !s.gated,
	      "status of a run that is over");
	seq = first + 6;
	judge(!vpu_stop(t.fd, &seq) && seq == first + 6, "stopped twice");
	seq = first + 2;
	is_errno(vpu_stop(t.fd, &seq), ESTALE, "a stop in the past");

	seq = s.seen_seq + 20;
	judge(!vpu_start(t.fd, &seq, 0), "a start far ahead");
	seq = 0;
	judge(!vpu_stop(t.fd, &seq) &&
	      !(vpu_status(t.fd).flags & NST_VPU_STARTED), "is called off");
	seq = 0;
	judge(!vpu_start(peer, &seq, 0), "the other file may now");
	while (skip().seq < seq + 3)
		;
	close(peer);
	s = vpu_status(t.fd);
	judge(!(s.flags & NST_VPU_STARTED) && s.flags & NST_VPU_LOADED &&
	      s.stop_seq >= seq + 3, "its close stops the task");
	judge(read_state(&other) && !vpu_check(&other) &&
	      other.last_seq == s.last_seq, "and leaves the state");
	close_all();
}

static void test_gate(void)
{
	uint64_t seq = 0, first = 0;
	struct nst_sim_meta meta;
	struct vpu_result result;
	struct nst_vpu_status s;
	unsigned int gated = 0, done = 0;
	uint32_t checksum;
	bool good = true;
	int v;

	open_all(V4L2_PIX_FMT_GREY);
	vpu_init(&t.state, 640, 480, 8);
	vpu_start(t.fd, &first, NST_VPU_START_FRESH);
	stream();
	judge(follow(5, &seq), "gate run");
	if (put(t.sysfs, "gate", "standby"))
		fatal("gate");
	checksum = t.state.checksum;
	/* What was under way is done, then none is. */
	while (gated < 5 && done < 20) {
		if (!next(&v, &meta))
			fatal("frame");
		if (meta.result == NST_SIM_RESULT_GATED)
			gated++;
		else if (gated || host(v, meta.seq, &result) ||
			 !equal(&meta, &result))
			good = false;
		else
			done++;
		checksum = t.state.checksum;
		node_queue(&t.v, (unsigned int)v);
	}
	judge(good && gated == 5, "standby drops frames");
	s = vpu_status(t.fd);
	judge(s.flags & NST_VPU_LOADED && s.checksum == checksum &&
	      s.gated >= 5, "and keeps the state");
	judge(read_state(&other), "which can be read");
	if (put(t.sysfs, "gate", "run"))
		fatal("gate");
	gated = 0;
	do {
		if (!next(&v, &meta))
			fatal("frame");
		if (meta.result != NST_SIM_RESULT_DONE) {
			node_queue(&t.v, (unsigned int)v);
			continue;
		}
		good = !host(v, meta.seq, &result) && equal(&meta, &result);
		node_queue(&t.v, (unsigned int)v);
		break;
	} while (gated++ < 20);
	judge(good && follow(5, &seq), "run goes on with it");

	if (put(t.sysfs, "gate", "cleared"))
		fatal("gate");
	for (gated = 0; gated < 20; gated++) {
		meta = skip();
		if (meta.result == NST_SIM_RESULT_LOST)
			break;
	}
	judge(meta.result == NST_SIM_RESULT_LOST &&
	      meta.owner == NST_SIM_OWNER_NONE, "cleared ends the task");
	s = vpu_status(t.fd);
	judge(s.flags == NST_VPU_LOST && s.losses == 1 && !s.checksum,
	      "and the status says so");
	is_errno((int)pread(t.fd, &other, sizeof(other), 0), ENXIO,
		 "no memory to read");
	is_errno((int)pwrite(t.fd, &other, sizeof(other), 0), ENXIO,
		 "nor to write");
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, NST_VPU_START_FRESH), ENXIO,
		 "nor a start");
	if (put(t.sysfs, "gate", "run"))
		fatal("gate");
	for (gated = 0; gated < 10; gated++)
		skip();
	is_errno((int)pread(t.fd, &other, sizeof(other), 0), ENODATA,
		 "it does not come back");
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, 0), ENODATA, "nor goes on");
	judge(pwrite(t.fd, &t.state, sizeof(t.state), 0) ==
	      sizeof(t.state), "a copy does");
	first = 0;
	judge(!vpu_start(t.fd, &first, 0), "and starts");
	skip_until(first);
	judge(follow(5, &seq), "with the host's results");
	close_all();
}

/* Every frame has one record and one fate, whatever the gate does. */
static void test_faults(void)
{
	static const struct {
		const char *fault, *name;
	} round[] = {
		{ "gate_ignored 1", "a gate that is ignored" },
		{ "slow_gate 20000", "a slow gate" },
		{ "slow_gate 45000", "one slower than a frame" },
	};
	uint64_t first = 0;

	open_all(V4L2_PIX_FMT_GREY);
	vpu_init(&t.state, 640, 480, 8);
	vpu_start(t.fd, &first, NST_VPU_START_FRESH);
	stream();
	for (unsigned int r = 0; r < 3; r++) {
		unsigned int fates[5] = { 0 };
		struct nst_vpu_status before, s;
		struct nst_sim_meta meta;
		struct vpu_result result;
		uint64_t last = 0, begin = 0;
		bool good = true;
		int v;

		if (put(t.debugfs, "fault", round[r].fault))
			fatal("fault");
		before = vpu_status(t.fd);
		for (unsigned int i = 0; i < 24 && good; i++) {
			if (i % 8 == 0 && put(t.sysfs, "gate", "standby"))
				fatal("gate");
			if (i % 8 == 3 && put(t.sysfs, "gate", "run"))
				fatal("gate");
			if (!next(&v, &meta))
				fatal("frame");
			good = !last || meta.seq == last + 1;
			last = meta.seq;
			begin = begin ? begin : last;
			fates[meta.result]++;
			if (meta.result == NST_SIM_RESULT_DONE)
				good &= !host(v, meta.seq, &result) &&
					equal(&meta, &result);
			node_queue(&t.v, (unsigned int)v);
		}
		good &= fates[NST_SIM_RESULT_DONE] +
			fates[NST_SIM_RESULT_GATED] == 24;
		good &= (r == 0) == !fates[NST_SIM_RESULT_GATED];
		/* Frames that wait in the queues have their fate already. */
		s = vpu_status(t.fd);
		good &= s.frames + s.gated - before.frames - before.gated >=
			20 && !s.refused;
		printf("# %s: %u done, %u dropped\n", round[r].name,
		       fates[NST_SIM_RESULT_DONE],
		       fates[NST_SIM_RESULT_GATED]);
		judge(good, round[r].name);
		put(t.debugfs, "fault", r ? "slow_gate 0" : "gate_ignored 0");
		put(t.sysfs, "gate", "run");
		/* Until all that was asked for has happened. */
		for (unsigned int i = 0; i < 8; i++) {
			if (!next(&v, &meta))
				fatal("frame");
			if (meta.result == NST_SIM_RESULT_DONE)
				host(v, meta.seq, &result);
			node_queue(&t.v, (unsigned int)v);
		}
	}
	close_all();
}

static void try_state(struct vpu_state *state, int want, const char *name)
{
	is_errno((int)pwrite(t.fd, state, sizeof(*state), 0), want, name);
}

static void test_bad(void)
{
	struct nst_vpu_start start = { .reserved = 1 };
	struct nst_vpu_stop stop = { .flags = 1 };
	uint64_t seq = 0;
	char byte = 0;
	int fd;

	open_all(V4L2_PIX_FMT_GREY);
	vpu_init(&t.state, 640, 480, 8);
	t.state.frames = 3;
	t.state.last_seq = 1000000;
	vpu_seal(&t.state);
	is_errno((int)pread(t.fd, &other, sizeof(other), 0), ENODATA,
		 "nothing to read");
	is_errno((int)pwrite(t.fd, &t.state, 100, 0), EINVAL,
		 "a part of a state");
	is_errno((int)pwrite(t.fd, &t.state, sizeof(t.state), 4), EINVAL,
		 "beside its place");
	is_errno((int)write(t.fd, nowhere, sizeof(t.state)), EFAULT,
		 "from nowhere");
	other = t.state;
	other.magic ^= 1;
	try_state(&other, EPROTO, "another magic");
	other = t.state;
	other.version++;
	try_state(&other, EPROTO, "another version");
	other = t.state;
	other.mean_q8[77] ^= 0x10;
	try_state(&other, EIO, "a bit that fell over");
	other = t.state;
	other.cols = 9000;
	vpu_seal(&other);
	try_state(&other, ERANGE, "an impossible size");
	other = t.state;
	other.track[3].phase = 200;
	vpu_seal(&other);
	try_state(&other, ERANGE, "an impossible track");
	is_errno((int)pread(t.fd, &other, sizeof(other), 0), ENODATA,
		 "none of them was taken");

	try_state(&t.state, 0, "a good one");
	is_errno(vpu_start(t.fd, &seq, 0), EINVAL,
		 "has seen more than there was");
	vpu_init(&other, 1280, 720, 8);
	vpu_seal(&other);
	try_state(&other, 0, "a good one of another size");
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, 0), EINVAL, "is not for these frames");
	vpu_init(&other, 640, 480, 10);
	vpu_seal(&other);
	try_state(&other, 0, "a good one of another depth");
	seq = 0;
	is_errno(vpu_start(t.fd, &seq, 0), EINVAL, "is not, either");
	seq = 0;
	judge(!vpu_start(t.fd, &seq, NST_VPU_START_FRESH), "an empty one is");
	try_state(&t.state, EBUSY, "not while it runs");
	is_errno(ioctl(t.fd, NST_VPU_IOC_START, &start), EINVAL,
		 "a reserved field of START");
	is_errno(ioctl(t.fd, NST_VPU_IOC_STOP, &stop), EINVAL,
		 "a flag of STOP");
	is_errno(ioctl(t.fd, NST_VPU_IOC_STATUS, NULL), EFAULT,
		 "a status for nobody");
	is_errno(ioctl(t.fd, _IOR(NST_VPU_IOC, 0x40, char)), ENOTTY,
		 "a status of another size");
	fd = xopen(t.vpu, O_RDONLY);
	is_errno(vpu_stop(fd, &seq), EPERM, "a stop by a reader");
	judge(pread(fd, &byte, 1, sizeof(t.state)) == 0 &&
	      pread(fd, &byte, 1, 1 << 20) == 0, "nothing behind the end");
	judge(lseek(fd, 0, SEEK_END) == sizeof(t.state), "where that is");
	close(fd);
	close(t.fd);
	node_close(&t.v);
	node_close(&t.m);
}

/* It sits under the pixels: nobody has to look. */
static void test_alone(void)
{
	struct nst_vpu_status s;
	struct nst_sim_meta meta;
	uint64_t first = 0;
	uint32_t checksum;
	int m;

	open_all(V4L2_PIX_FMT_GREY);
	judge(!vpu_start(t.fd, &first, NST_VPU_START_FRESH) && first == 1,
	      "started before the first frame");
	advance_us(t.debugfs, 30 * PERIOD_US + 1000);
	s = vpu_status(t.fd);
	judge(s.frames == 29 && s.last_seq == 29 && s.seen_seq == 29,
	      "29 frames that nobody got");
	judge(read_state(&other) && !vpu_check(&other) &&
	      other.last_seq == 29, "are in the state");
	node_map(&t.m, 4);
	node_queue_all(&t.m);
	node_start(&t.m);
	advance_us(t.debugfs, PERIOD_US);
	m = node_take(&t.m, NULL);
	memcpy(&meta, t.m.map[m < 0 ? 0 : m], sizeof(meta));
	checksum = vpu_status(t.fd).checksum;
	judge(m >= 0 && meta.seq == 30 && meta.state_checksum == checksum &&
	      !(meta.flags & NST_SIM_META_PIXELS), "a record without pixels");
	/* Says to the shell what another run has to come to. */
	printf("# checksum %08x\n", checksum);
	node_stop(&t.m);
	node_close(&t.m);
	node_close(&t.v);
	close(t.fd);
}

/* The stack goes while all is open; the shell unbinds it meanwhile. */
static void test_gone(void)
{
	struct pollfd p = { .events = POLLIN };
	uint64_t seq = 0;
	char *map;

	open_all(V4L2_PIX_FMT_GREY);
	vpu_start(t.fd, &seq, NST_VPU_START_FRESH);
	stream();
	/*
	 * With the clock of the machine: frames come by themselves, so a record
	 * may come before the first picture does.
	 */
	for (int i = 0; i < 3; i++) {
		int v = node_wait(&t.v, NULL), m = node_wait(&t.m, NULL);

		if (v < 0 || m < 0)
			fatal("frame");
		node_queue(&t.v, (unsigned int)v);
		node_queue(&t.m, (unsigned int)m);
	}
	read_state(&other);
	puts("# ready");
	fflush(stdout);
	p.fd = t.fd;
	/* A guest that is emulated takes its time to unbind. */
	for (int i = 0; i < 100 && !(p.revents & POLLHUP); i++) {
		struct nst_vpu_status status;

		poll(&p, 1, 1000);
		/* Takes note of what is no news. */
		if (p.revents == POLLIN)
			ioctl(t.fd, NST_VPU_IOC_STATUS, &status);
	}
	judge(p.revents & POLLHUP, "poll says that it is gone");
	is_errno((int)pread(t.fd, &other, sizeof(other), 0), ENODEV,
		 "no reading");
	is_errno((int)pwrite(t.fd, &other, sizeof(other), 0), ENODEV,
		 "no writing");
	is_errno(vpu_start(t.fd, &seq, 0), ENODEV, "no start");
	is_errno(vpu_stop(t.fd, &seq), ENODEV, "no stop");
	is_errno(node_queue(&t.m, 0), ENODEV, "no metadata");
	is_errno(node_queue(&t.v, 0), ENODEV, "no frames");
	map = t.m.map[0];
	judge(map[0] || !map[0], "what is mapped stays");
	node_close(&t.v);
	node_close(&t.m);
	close(t.fd);
}

/* Copies while it runs, as a hand-over makes them: each is of one moment. */
static void test_copies(void)
{
	unsigned int copies, good = 0, new = 0;
	uint64_t first = 0, seen = 0;

	t.fd = xopen(t.vpu, O_RDWR);
	vpu_start(t.fd, &first, NST_VPU_START_FRESH);
	/* How many frames go by meanwhile is the machine's affair. */
	for (copies = 0; copies < 40 || (new <= 3 && copies < 1000); copies++) {
		char *to = (char *)&other;
		size_t at = 0;
		ssize_t n;

		lseek(t.fd, 0, SEEK_SET);
		/* In pieces, with frames going by in between. */
		while (at < sizeof(other)) {
			size_t rest = sizeof(other) - at;

			n = read(t.fd, to + at, rest > 9000 ? 9000 : rest);
			if (n <= 0)
				break;
			at += (size_t)n;
			usleep(3000);
		}
		good += at == sizeof(other) && !vpu_check(&other);
		new += other.last_seq > seen;
		seen = other.last_seq;
	}
	judge(good == copies, "every copy is whole");
	judge(new > 3, "and they are of different frames");
	close(t.fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc != 7) {
		fprintf(stderr,
			"usage: sim_vpu TEST VIDEO META VPU DEBUGFS SYSFS\n");
		return 2;
	}
	t.video = argv[2];
	t.meta = argv[3];
	t.vpu = argv[4];
	t.debugfs = argv[5];
	t.sysfs = argv[6];
	if (!strcmp(what, "equal"))
		test_equal(V4L2_PIX_FMT_GREY, "GREY");
	else if (!strcmp(what, "equal10"))
		test_equal(V4L2_PIX_FMT_Y10, "Y10");
	else if (!strcmp(what, "schedule"))
		test_schedule();
	else if (!strcmp(what, "gate"))
		test_gate();
	else if (!strcmp(what, "faults"))
		test_faults();
	else if (!strcmp(what, "bad"))
		test_bad();
	else if (!strcmp(what, "alone"))
		test_alone();
	else if (!strcmp(what, "gone"))
		test_gone();
	else if (!strcmp(what, "copies"))
		test_copies();
	else
		return 2;
	return failures ? 1 : 0;
}
