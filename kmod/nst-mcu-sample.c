// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-sample.c - samples, gate and limits: the callbacks of the core
 *
 * A sample of all channels is one block, read when the die is asked for; the
 * other channels and the power are of the same block while that is younger
 * than the MCU's own sampling period, for until then it would be the same
 * one. The sequence number tells a sample that was read before: it keeps the
 * time that it had, and when no other comes the MCU has stopped sampling,
 * which is a fault however well the bus works.
 *
 * Each sample also shows whether the MCU still knows what it was told. It
 * does not after a reset, or when the host was silent too long.
 */
#include <linux/ktime.h>

#include "nst-mcu.h"
#include "uapi/nst.h"

static u64 now_us(void)
{
	return (u64)ktime_to_us(ktime_get());
}

/* -------------------------------------------- what the MCU has to know */

static int limits_write(struct nst_mcu *mcu)
{
	u16 words[NST_MCU_BLK_LIMITS_WORDS];
	int err;

	if (!mcu->limits_known)
		return 0;
	nst_mcu_limits_to_regs(words, &mcu->limits);
	err = nst_mcu_block_write(mcu, NST_MCU_BLK_LIMITS, words,
				  NST_MCU_BLK_LIMITS_WORDS);
	if (err)
		set_bit(NST_MCU_LIMITS_DIRTY, &mcu->flags);
	else
		clear_bit(NST_MCU_LIMITS_DIRTY, &mcu->flags);
	return err;
}

/* The request last: it makes the host govern, by rules that are known. */
int nst_mcu_configure(struct nst_mcu *mcu)
{
	int err;

	set_bit(NST_MCU_UNCONFIGURED, &mcu->flags);
	/* Dwell is the core's: one of the MCU on top would break short stops. */
	err = nst_mcu_word_write(mcu, NST_MCU_REG_DWELL_MS, 0);
	if (err)
		return err;
	err = nst_mcu_word_write(mcu, NST_MCU_REG_WATCHDOG_MS,
				 mcu->watchdog_ms);
	if (err)
		return err;
	err = limits_write(mcu);
	if (err)
		return err;
	if (mcu->requested) {
		err = nst_mcu_word_write(mcu, NST_MCU_REG_GATE_REQUEST,
					 (u16)mcu->request);
		if (err)
			return err;
	}
	err = nst_mcu_word_write(mcu, NST_MCU_REG_ALERT_MASK,
				 mcu->irq ? NST_MCU_STATUS_TOLD : 0);
	if (err)
		return err;
	clear_bit(NST_MCU_UNCONFIGURED, &mcu->flags);
	return 0;
}

/* After each sample. An error is met again with the next one. */
static void keep_told(struct nst_mcu *mcu)
{
	const struct nst_mcu_sample *sample = &mcu->sample;

	bool unheard = mcu->requested && !(sample->state & NST_MCU_STATE_HOST);

	/* Not heard in time: somebody may have made that time a short one. */
	if (sample->status & NST_MCU_STATUS_POWER_ON || unheard ||
	    test_bit(NST_MCU_UNCONFIGURED, &mcu->flags))
		nst_mcu_configure(mcu);
	else if (test_bit(NST_MCU_LIMITS_DIRTY, &mcu->flags))
		limits_write(mcu);
	/* Without a line, or when it was overheard. */
	if (sample->status & NST_MCU_STATUS_TOLD &&
	    (!mcu->irq || sample->status == mcu->status_seen))
		nst_mcu_status_kick(mcu);
	mcu->status_seen = sample->status;
}

/* ------------------------------------------------------------- samples */

/* Return: 0 with mcu->sample new or the same as before; or the errno. */
static int sample_read(struct nst_mcu *mcu)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_sample sample;
	u64 t_us = now_us();
	bool fresh;
	int count;

	count = nst_mcu_block_read(mcu, NST_MCU_BLK_SAMPLE, words);
	if (count < 0)
		return count;
	if (nst_mcu_sample_from_regs(&sample, mcu->id.channels, mcu->id.caps,
				     words, (u32)count))
		return -EIO;
	fresh = !mcu->sampled || sample.seq != mcu->sample.seq;
	mcu->sample = sample;
	mcu->sampled = true;
	mcu->read_us = t_us;
	if (fresh)
		mcu->sample_us = t_us > sample.age_us ? t_us - sample.age_us :
							 0;
	keep_told(mcu);
	return 0;
}

/* The last one while it is the present one, else another. */
static int sample_get(struct nst_mcu *mcu)
{
	u64 t_us = now_us();

	if (mcu->sampled && t_us - mcu->read_us < mcu->sample_period_us)
		return 0;
	return sample_read(mcu);
}

static int read_temp(void *priv, unsigned int ch, struct nst_sample *ret)
{
	struct nst_mcu *mcu = priv;
	const struct nst_mcu_channel *channel;
	int err;

	if (ch >= mcu->id.channels)
		return -ENODATA;
	err = ch ? sample_get(mcu) : sample_read(mcu);
	if (err)
		return err;
	channel = &mcu->sample.channel[ch];
	/* Read well, and of long ago. */
	if (channel->state == NST_SAMPLE_VALID &&
	    now_us() - mcu->sample_us > mcu->stale_us)
		return -EIO;
	ret->t_us = mcu->sample_us;
	ret->value_mc = channel->value_mc;
	ret->state = channel->state;
	ret->bound = channel->bound;
	/* Read and not believed by the MCU: the core has a word for it. */
	if (ret->state == NST_SAMPLE_IMPLAUSIBLE)
		return 0;
	return nst_sample_errno(ret);
}

static int read_power(void *priv, u32 *ret_mw)
{
	struct nst_mcu *mcu = priv;
	int err = sample_get(mcu);

	if (!err)
		*ret_mw = mcu->sample.power_mw;
	return err;
}

/* ---------------------------------------------------------------- gate */

/*
 * One retry at once: a transfer that lost the arbitration or was disturbed
 * would else cost the frame. After an error the core stays with the gate that
 * it had. So an opening is not made up for later, when the MCU is told again
 * what it has to know: the core may want it closed by then. A closing is.
 */
static int set_gate(void *priv, enum nst_gate gate, u64 at_us)
{
	struct nst_mcu *mcu = priv;
	enum nst_gate before = mcu->request;
	bool any_before = mcu->requested;
	int err;

	mcu->request = gate;
	mcu->requested = true;
	err = nst_mcu_word_write(mcu, NST_MCU_REG_GATE_REQUEST, (u16)gate);
	if (err)
		err = nst_mcu_word_write(mcu, NST_MCU_REG_GATE_REQUEST,
					 (u16)gate);
	if (err && (gate == NST_GATE_RUN || gate < before)) {
		mcu->request = before;
		mcu->requested = any_before;
	}
	return err;
}

/*
 * A word of zeros is a gate too: run. Without a PEC the block is asked, which
 * shows that it is one.
 */
static int get_gate(void *priv, enum nst_gate *ret)
{
	struct nst_mcu *mcu = priv;
	u16 word;
	u8 gate;
	int err;

	if (!mcu->pec) {
		err = sample_read(mcu);
		if (!err)
			*ret = (enum nst_gate)mcu->sample.gate;
		return err;
	}
	err = nst_mcu_word_read(mcu, NST_MCU_REG_GATE_ACTUAL, &word);
	if (err)
		return err;
	if (nst_mcu_gate_from_reg(&gate, mcu->id.caps, word))
		return -EIO;
	*ret = (enum nst_gate)gate;
	return 0;
}

static int board_set_gate(void *priv, enum nst_gate gate, u64 at_us)
{
	struct nst_mcu *mcu = priv;

	return nst_board_set_gate(mcu->board, gate);
}

static int board_get_gate(void *priv, enum nst_gate *ret)
{
	struct nst_mcu *mcu = priv;

	return nst_board_get_gate(mcu->board, ret);
}

static void set_limits(void *priv, const struct nst_thresholds *thr)
{
	struct nst_mcu *mcu = priv;

	mcu->limits = *thr;
	mcu->limits_known = true;
	limits_write(mcu);
}

void nst_mcu_ops_init(struct nst_mcu *mcu)
{
	mcu->ops.read_temp = read_temp;
	mcu->ops.set_limits = set_limits;
	if (mcu->id.caps & NST_MCU_CAPS_POWER)
		mcu->ops.read_power = read_power;
	if (mcu->id.caps & NST_MCU_CAPS_STANDBY) {
		mcu->ops.set_gate = set_gate;
		mcu->ops.get_gate = get_gate;
	} else if (nst_board_has_gate(mcu->board)) {
		mcu->ops.set_gate = board_set_gate;
		mcu->ops.get_gate = board_get_gate;
	}
}
