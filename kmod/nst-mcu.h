/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-mcu.h - the management MCU as a provider; what its files share
 *
 * nst-mcu-main.c	finding the MCU, its facts, lifetime
 * nst-mcu-bus.c	transfers: words by regmap, blocks, PEC
 * nst-mcu-sample.c	samples, gate and limits: the callbacks of the core
 * nst-mcu-status.c	what the MCU has to say by itself: alert, faults
 * nst-mcu-debugfs.c	its frame counter, its errors, a capture by hand
 * nst-mcu-regs.c	the register map; pure
 *
 * The MCU guards by itself and the host stands above it for as long as it is
 * heard. Every faultless transfer is a sign of life, and the guard of the
 * core reads the die all the time: there is no heartbeat of its own, so that
 * a guard that hangs is not covered up for.
 *
 * Whatever the MCU has to know, limits, watchdog and the gate asked for, is
 * kept here and written again when it turns out not to know it any more.
 */
#ifndef NST_MCU_H
#define NST_MCU_H

#include <linux/i2c.h>
#include <linux/mutex.h>
#include <linux/regmap.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "nst-board.h"
#include "nst-mcu-regs.h"

struct dentry;

/* Blocks of the version that we know, by command. */
#define NST_MCU_BLOCKS_COUNT \
	(NST_MCU_BLK_GATE_TIMES - NST_MCU_BLOCKS_BEGIN + 1)

/* The MCU governs when the host was silent for so long. */
#define NST_MCU_WATCHDOG_MS	1000

/* Of STATUS, what is told: by the alert line where there is one. */
#define NST_MCU_STATUS_TOLD						\
	(NST_MCU_STATUS_POWER_ON | NST_MCU_STATUS_WATCHDOG |		\
	 NST_MCU_STATUS_CEILING | NST_MCU_STATUS_SENSOR |		\
	 NST_MCU_STATUS_GATE | NST_MCU_STATUS_REFUSED |			\
	 NST_MCU_STATUS_HIGH | NST_MCU_STATUS_NETWORK)

/* nst_mcu.flags, by bit */
#define NST_MCU_UNCONFIGURED	0	/* it does not know what it has to */
#define NST_MCU_LIMITS_DIRTY	1	/* limits of ours are not there */
#define NST_MCU_TELLING		2	/* there is a core to tell */

/**
 * struct nst_mcu - one management MCU
 * @irq: alert line, 0 without
 * @address: as on the wire, the first byte of every transfer
 * @pec: transfers end with a PEC byte
 * @smbus_blocks: the adapter takes the length of a block from the target
 * @block_words: length of each block as the MCU has it
 * @stale_us: a sample that is older is none
 * @found_dwell_ms, @found_watchdog_ms: what the MCU had before us
 * @ops: callbacks of the core, by whose the gate is
 */
struct nst_mcu {
	struct i2c_client *client;
	struct regmap *regmap;
	struct nst_board *board;
	struct nst *nst;
	int irq;
	u8 address;
	bool pec;
	bool smbus_blocks;
	u8 block_words[NST_MCU_BLOCKS_COUNT];
	struct nst_mcu_identity id;
	const char *label[NST_MCU_CHANNELS_MAX];
	u32 sample_period_us;
	u32 stale_us;
	u16 watchdog_ms;
	u16 found_dwell_ms;
	u16 found_watchdog_ms;
	struct nst_ops ops;
	unsigned long flags;

	/*
	 * Callbacks of the core alone, which calls one at a time, and suspend
	 * and resume, when it calls none.
	 */
	struct nst_mcu_sample sample;
	bool sampled;			/* there is one */
	u64 sample_us;			/* when its die was read */
	u64 read_us;			/* when we last read it */
	u16 status_seen;		/* of the sample before */
	struct nst_thresholds limits;
	bool limits_known;
	enum nst_gate request;
	bool requested;			/* the core asked for one */

	struct mutex status_lock;	/* whoever reads and clears STATUS */
	struct work_struct status_work;
	struct dentry *debugfs;
};

/* nst-mcu-bus.c */

/** nst_mcu_bus_init() - what adapter and MCU have in common; the regmap */
int nst_mcu_bus_init(struct nst_mcu *mcu);

/** nst_mcu_bus_pec() - from here on every transfer has a PEC */
int nst_mcu_bus_pec(struct nst_mcu *mcu);

/**
 * nst_mcu_errno() - errno of a transfer as nst_ops has it
 * Bus errors have many names, and arbitration lost is one that reads as "not
 * ready": all are -EIO here, but -ENODEV for an adapter that is gone.
 */
int nst_mcu_errno(int err);

/** nst_mcu_word_read() - Return: 0, -EIO or -ENODEV */
int nst_mcu_word_read(struct nst_mcu *mcu, u32 reg, u16 *ret);
int nst_mcu_word_write(struct nst_mcu *mcu, u32 reg, u16 word);

/**
 * nst_mcu_block_read() - a block, whole
 * @ret: room for NST_MCU_BLOCK_WORDS
 * Return: words, or -EIO or -ENODEV.
 */
int nst_mcu_block_read(struct nst_mcu *mcu, u8 command, u16 *ret);
int nst_mcu_block_write(struct nst_mcu *mcu, u8 command, const u16 *words,
			u32 count);

/* nst-mcu-sample.c */

/** nst_mcu_ops_init() - the gate is the MCU's, else the board's, else none */
void nst_mcu_ops_init(struct nst_mcu *mcu);

/** nst_mcu_configure() - tell the MCU all that it has to know */
int nst_mcu_configure(struct nst_mcu *mcu);

/* nst-mcu-status.c */
void nst_mcu_status_init(struct nst_mcu *mcu);

/** nst_mcu_status_start() - alert line on; whatever has happened is told */
int nst_mcu_status_start(struct nst_mcu *mcu);

/** nst_mcu_status_stop() - nothing is told any more when this returns */
void nst_mcu_status_stop(struct nst_mcu *mcu);

/** nst_mcu_status_pause(), nst_mcu_status_resume() - while the system sleeps */
void nst_mcu_status_pause(struct nst_mcu *mcu);
void nst_mcu_status_resume(struct nst_mcu *mcu);

/** nst_mcu_status_kick() - STATUS has something to say; any context */
void nst_mcu_status_kick(struct nst_mcu *mcu);

/* nst-mcu-debugfs.c */
void nst_mcu_debugfs_init(struct nst_mcu *mcu);
void nst_mcu_debugfs_exit(struct nst_mcu *mcu);

#endif /* NST_MCU_H */
