/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * nst-sim.h - what a program may know of the camera of the emulated stack
 *
 *	capture node	pixels; the controls below
 *	metadata node	a record beside each frame; attribute "metadata"
 *	output node	clean frames instead of the scene; "scene_input"
 *	/dev/nst-vpu-*	the vision processor under the pixels; "vpu"
 *
 * Structs have a fixed size and the same layout on every ABI, pads and
 * reserved fields are zero, unknown flags give -EINVAL.
 *
 * Pixels: DN = black + K * electrons, ten bits; GREY is the same value
 * shifted right by two. K is (white - black) over the full scale in
 * electrons, which is full_well_e * 100 / ISO. The first rows are optically
 * dark: they carry everything but light, so their mean above the black level
 * is the dark charge of the top of the frame.
 */
#ifndef _UAPI_NST_SIM_H
#define _UAPI_NST_SIM_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/v4l2-controls.h>

#define NST_SIM_BLACK_DN	64	/* of Y10 */
#define NST_SIM_WHITE_DN	1023
#define NST_SIM_DARK_ROWS	8

/*
 * Controls beside V4L2_CID_EXPOSURE_ABSOLUTE (100 us), V4L2_CID_TEST_PATTERN
 * (scene, lens cap, flat field) and V4L2_CID_ANALOGUE_GAIN, which is an ISO
 * number. They take effect with the next frame.
 */
#define NST_SIM_CID_BASE	(V4L2_CID_USER_BASE + 0x1f00)
/* Illuminance, millilux. Only with the iris fixed does it change pictures. */
#define NST_SIM_CID_LIGHT	(NST_SIM_CID_BASE + 0)
/*
 * 1: white stays at 70 % of the full scale of the present gain, whatever the
 * light and the exposure. 0: it is what 32 ms at 320 lux give at ISO 400,
 * in proportion to light, exposure and gain.
 */
#define NST_SIM_CID_AUTO_IRIS	(NST_SIM_CID_BASE + 1)
/* Optically dark rows at the top of every frame; only to be read. */
#define NST_SIM_CID_DARK_ROWS	(NST_SIM_CID_BASE + 2)

/* Entries of V4L2_CID_TEST_PATTERN. */
#define NST_SIM_PATTERN_SCENE	0
#define NST_SIM_PATTERN_DARK	1	/* lens cap */
#define NST_SIM_PATTERN_FLAT	2	/* white everywhere */
#define NST_SIM_PATTERN_COUNT	3

/* ------------------------------------------------------------- metadata */

/* v4l2_meta_format.dataformat of the metadata node: 'N' 'S' 'T' 'M'. */
#define NST_SIM_META_FOURCC	0x4d54534e
#define NST_SIM_META_VERSION	1
#define NST_SIM_DETECTIONS_MAX	32

/* Flags of a record. */
#define NST_SIM_META_SNR	0x0001	/* snr_cdb was told */
#define NST_SIM_META_PLACEMENT	0x0002	/* placement was told */
#define NST_SIM_META_INPUT	0x0004	/* not the scene: the output node's */
#define NST_SIM_META_REPEATED	0x0008	/* its last frame once more */
#define NST_SIM_META_NOISELESS	0x0010	/* attribute "noise" is 0 */
#define NST_SIM_META_PIXELS	0x0020	/* the capture node got the frame */

/* Whose the frame is, as far as the VPU knows. */
#define NST_SIM_OWNER_NONE	0	/* not the VPU's */
#define NST_SIM_OWNER_VPU	1	/* between start and stop of its task */

/* What the VPU did with the frame; anything but DONE has no result. */
#define NST_SIM_RESULT_NONE	0	/* no task runs there */
#define NST_SIM_RESULT_DONE	1
#define NST_SIM_RESULT_GATED	2	/* dropped: the gate was not run */
#define NST_SIM_RESULT_LOST	3	/* the gate took the network away */
#define NST_SIM_RESULT_REFUSED	4	/* the task did not take the frame */

/** struct nst_sim_detection - as struct vpu_detection of firmware/vpu */
struct nst_sim_detection {
	__s32 x;
	__s32 y;
	__s32 w;
	__s32 h;
	__u16 id;
	__u16 age;
	__u8 seen;
	__u8 reserved[3];
};

/**
 * struct nst_sim_meta - one buffer of the metadata node
 * @magic: NST_SIM_META_FOURCC
 * @version: NST_SIM_META_VERSION; @size: of this struct
 * @seq: of the frame; v4l2_buffer.sequence of both nodes is its low half
 * @start_us: start of the exposure on the device's clock, as the timestamp
 * @flags: NST_SIM_META_*
 * @temp_mc: exposure temperature of the hottest row as the sensor tells it:
 *	with its noise, resolution, range and faults; only where
 *	@temp_state is NST_USAMPLE_VALID
 * @temp_state: NST_USAMPLE_*; @temp_bound: NST_UBOUND_* (uapi/nst.h)
 * @gate: NST_UGATE_* at the start of the exposure
 * @gate_next: at the start of the next period, in which the VPU processes
 * @placement: NST_UPLACE_*, with NST_SIM_META_PLACEMENT
 * @owner: NST_SIM_OWNER_*; @result: NST_SIM_RESULT_*
 * @snr_cdb: predicted SNR in 1/100 dB, with NST_SIM_META_SNR
 * @input_seq: frames taken from the output node since it began to stream;
 *	that many are it and its predecessors, 0 for the scene
 * @state_checksum: vpu_state.checksum after this frame, with RESULT_DONE
 * @vpu_flags .. @detection: struct vpu_result, with RESULT_DONE
 */
struct nst_sim_meta {
	__u32 magic;
	__u16 version;
	__u16 size;
	__u64 seq;
	__u64 start_us;
	__u32 flags;
	__u32 period_us;
	__u32 exposure_us;
	__u32 readout_us;
	__u32 iso;
	__u32 light_mlx;
	__s32 temp_mc;
	__u8 temp_state;
	__u8 temp_bound;
	__u8 gate;
	__u8 gate_next;
	__u8 placement;
	__u8 owner;
	__u8 result;
	__u8 reserved0;
	__s32 snr_cdb;
	__u64 input_seq;
	__u32 width;
	__u32 height;
	__u32 bits;
	__u32 state_checksum;
	__u32 vpu_flags;
	__u32 noise_q8;
	__s32 pedestal_q8;
	__u32 masked_permyriad;
	__u32 saturated_permyriad;
	__u32 blobs;
	__u32 detections;
	__u32 reserved[13];
	struct nst_sim_detection detection[NST_SIM_DETECTIONS_MAX];
};

#define NST_SIM_TELL_SNR	0x0001
#define NST_SIM_TELL_PLACEMENT	0x0002
#define NST_SIM_TELL_FOREVER	0xffffffffu

/**
 * struct nst_sim_tell - what the governor knows of the frames to come
 * @flags: NST_SIM_TELL_*, which of the values are given
 * @placement: NST_UPLACE_*
 * @snr_cdb: predicted SNR in 1/100 dB
 * @periods: for so many frames, so that a governor that is gone does not go
 *	on to be quoted; 0 takes back what was told
 * @from_seq: the first of them; 0 for the next one, which is what comes out.
 *	-ESTALE for one that is over
 */
struct nst_sim_tell {
	__u32 flags;
	__u32 placement;
	__s32 snr_cdb;
	__u32 periods;
	__u64 from_seq;
	__u64 reserved;
};

/* On the metadata node; a private ioctl in the sense of V4L2. */
#define NST_SIM_IOC_TELL	_IOWR('V', 0xe0, struct nst_sim_tell)

/* ----------------------------------------------------- /dev/nst-vpu-NAME */

/*
 * The task of firmware/vpu at work on the pixels of the stack, whether the
 * capture node streams or not. Frame n is exposed in period n and dealt with
 * at its end: the VPU takes it when its task is started, n is between start
 * and stop, and the gate is run as period n+1 begins or before it ends by
 * what is known at its beginning. Otherwise the frame is dropped, and never
 * done later.
 *
 * The file is the memory of the VPU: struct vpu_state at offset 0.
 *
 *	read	a copy sealed between two frames, also while the task runs.
 *		What is read at offset 0 comes from the moment of the call,
 *		the rest from the same copy. -ENODATA without a state.
 *	write	a whole state in one call at offset 0, else -EINVAL. Not
 *		while the task runs or is about to (-EBUSY). Refused like by
 *		vpu_check(): -EPROTO, -EIO, -ERANGE. Nothing is changed then.
 *
 * Both give -ENXIO while the gate is cleared or off: there is no memory then,
 * and what was in it is lost. Standby keeps it.
 *
 * poll() has POLLIN when something of the flags of the status changed since
 * STATUS was asked last on this file, and POLLHUP when the stack is gone.
 *
 * A task runs for the file that started it. When that is closed the task
 * stops at once, and its state can be read by others.
 */
#define NST_VPU_ABI_VERSION	1

#define NST_VPU_STARTED		0x0001	/* START holds, see first_seq */
#define NST_VPU_RUNNING		0x0002	/* and frames are its own by now */
#define NST_VPU_STOPPING	0x0004	/* STOP was asked, see stop_seq */
#define NST_VPU_LOADED		0x0008	/* there is a state */
#define NST_VPU_LOST		0x0010	/* there was: the gate took it */
#define NST_VPU_POWERED		0x0020	/* gate run or standby */
#define NST_VPU_MINE		0x0040	/* started by this file */

/**
 * struct nst_vpu_status
 * @flags: NST_VPU_*
 * @state_size, @state_version: sizeof(struct vpu_state) and VPU_VERSION
 * @width, @height, @bits: of the frames as the capture node's format is
 * @checksum: of the state after @last_seq
 * @first_seq, @stop_seq: of the present or last run; stop_seq is
 *	NST_VPU_NEVER while nobody asked
 * @last_seq: last frame that went into the state, 0 for none
 * @seen_seq: last frame that is over: START and STOP name later ones
 * @frames: gone into the state since START; @gated: dropped meanwhile
 * @refused: not taken by vpu_process() since START
 * @losses: states lost to the gate since the stack lives
 * @owner_pid: who started it, 0 for nobody
 */
struct nst_vpu_status {
	__u32 version;
	__u32 flags;
	__u32 state_size;
	__u32 state_version;
	__u32 width;
	__u32 height;
	__u32 bits;
	__u32 checksum;
	__u64 first_seq;
	__u64 stop_seq;
	__u64 last_seq;
	__u64 seen_seq;
	__u64 frames;
	__u64 gated;
	__u64 refused;
	__u64 losses;
	__s32 owner_pid;
	__u32 reserved[7];
};

#define NST_VPU_NEVER		0xffffffffffffffffull

#define NST_VPU_START_FRESH	0x0001	/* with an empty state, vpu_init() */

/**
 * struct nst_vpu_start - the first frame that is the task's
 * @first_seq: 0 for the next one, which is what comes out
 *
 * -ESTALE: that frame is over. -ENODATA: there is no state. -EINVAL: the
 * state is for frames of another size or depth, or has seen @first_seq.
 * -EBUSY: runs already, from another frame or for another file. -ENXIO: no
 * power. The same call again is 0.
 *
 * From here to the stop the format of the capture node stays (-EBUSY).
 */
struct nst_vpu_start {
	__u64 first_seq;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct nst_vpu_stop - the last frame that is the task's
 * @last_seq: 0 for the last one that is over, which is what comes out;
 *	NST_VPU_NEVER takes a stop back that is not due yet
 *
 * -ESTALE: a later one is over and was the task's. Before first_seq there is
 * no run at all. A later call replaces an earlier one that is not due. -EBUSY:
 * another file's. Of a task that does not run: 0, and @last_seq of its last
 * run comes out.
 */
struct nst_vpu_stop {
	__u64 last_seq;
	__u32 flags;
	__u32 reserved;
};

#define NST_VPU_IOC		0xb7
#define NST_VPU_IOC_STATUS	_IOR(NST_VPU_IOC, 0x40, struct nst_vpu_status)
#define NST_VPU_IOC_START	_IOWR(NST_VPU_IOC, 0x41, struct nst_vpu_start)
#define NST_VPU_IOC_STOP	_IOWR(NST_VPU_IOC, 0x42, struct nst_vpu_stop)

#endif /* _UAPI_NST_SIM_H */
