// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-status.c - what the MCU has to say by itself
 *
 * STATUS collects what has happened until it is cleared. It is read when the
 * alert line says so, or when a sample shows that nobody did; cleared first
 * and then told, so that what happens again meanwhile is seen again. Each
 * occurrence is told once, and the core takes a sample after it.
 *
 * Here and not in the callbacks of the core, which may not call it back.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>

#include "nst-mcu.h"
#include "uapi/nst.h"

/* A line that nothing can clear must not take the processor. */
#define STUCK_WAIT_MS 100

/* How often something new is looked for before that is called stuck. */
#define ROUNDS_MAX 4

/* What is worth a sample at once. One that was refused may have been its own. */
#define STATUS_URGENT (NST_MCU_STATUS_TOLD & ~NST_MCU_STATUS_REFUSED)

static void tell_gate(struct nst_mcu *mcu)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_fault fault;
	s64 wanted = -1;
	int count;

	count = nst_mcu_block_read(mcu, NST_MCU_BLK_FAULTS, words);
	if (count > 0 &&
	    !nst_mcu_fault_from_regs(&fault, words, (u32)count) &&
	    fault.code == NST_MCU_FAULT_GATE)
		wanted = fault.value;
	nst_fault(mcu->nst, NST_FAULT_GATE, wanted);
}

static void tell_refused(struct nst_mcu *mcu)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_fault fault;
	int count;

	count = nst_mcu_block_read(mcu, NST_MCU_BLK_FAULTS, words);
	if (count > 0 && !nst_mcu_fault_from_regs(&fault, words, (u32)count))
		dev_warn_ratelimited(&mcu->client->dev,
				     "the MCU refused command %#04x, reason %u\n",
				     fault.refused_command, fault.refused_why);
}

static void tell(struct nst_mcu *mcu, u16 status)
{
	struct device *dev = &mcu->client->dev;

	if (status & NST_MCU_STATUS_POWER_ON) {
		set_bit(NST_MCU_UNCONFIGURED, &mcu->flags);
		dev_warn_ratelimited(dev, "the MCU has restarted\n");
	}
	if (status & NST_MCU_STATUS_WATCHDOG)
		dev_warn_ratelimited(dev,
				     "not heard for %u ms, the MCU governed\n",
				     mcu->watchdog_ms);
	if (status & NST_MCU_STATUS_CEILING)
		dev_warn_ratelimited(dev,
				     "the MCU closed the gate at its ceiling\n");
	if (status & NST_MCU_STATUS_SENSOR)
		dev_warn_ratelimited(dev, "the MCU lost the die sensor\n");
	if (status & NST_MCU_STATUS_GATE)
		tell_gate(mcu);
	if (status & NST_MCU_STATUS_REFUSED)
		tell_refused(mcu);
	if (status & NST_MCU_STATUS_NETWORK)
		nst_fault(mcu->nst, NST_FAULT_NETWORK, 0);
	if (status & STATUS_URGENT)
		nst_notify(mcu->nst);
}

/* Return: 0, the errno of the bus, or -EBUSY when there is ever more. */
static int status_handle(struct nst_mcu *mcu)
{
	int rounds = ROUNDS_MAX;
	int err = 0;
	u16 status;

	mutex_lock(&mcu->status_lock);
	while (test_bit(NST_MCU_TELLING, &mcu->flags)) {
		err = -EBUSY;
		if (!rounds--)
			break;
		err = nst_mcu_word_read(mcu, NST_MCU_REG_STATUS, &status);
		/* A bus that idles has no status. */
		if (!err && status == 0xffff)
			err = -EIO;
		if (err || !(status & NST_MCU_STATUS_TOLD))
			break;
		err = nst_mcu_word_write(mcu, NST_MCU_REG_STATUS, status);
		if (err)
			break;
		tell(mcu, status);
	}
	mutex_unlock(&mcu->status_lock);
	return err;
}

static void status_work(struct work_struct *work)
{
	if (status_handle(container_of(work, struct nst_mcu, status_work)))
		msleep(STUCK_WAIT_MS);
}

void nst_mcu_status_kick(struct nst_mcu *mcu)
{
	if (test_bit(NST_MCU_TELLING, &mcu->flags))
		schedule_work(&mcu->status_work);
}

static irqreturn_t alert_thread(int irq, void *data)
{
	if (status_handle(data))
		msleep(STUCK_WAIT_MS);
	return IRQ_HANDLED;
}

void nst_mcu_status_init(struct nst_mcu *mcu)
{
	mutex_init(&mcu->status_lock);
	INIT_WORK(&mcu->status_work, status_work);
}

int nst_mcu_status_start(struct nst_mcu *mcu)
{
	struct device *dev = &mcu->client->dev;
	int err;

	set_bit(NST_MCU_TELLING, &mcu->flags);
	nst_mcu_status_kick(mcu);
	if (!mcu->irq)
		return 0;
	/* Level or edge is the board's to say. */
	err = request_threaded_irq((unsigned int)mcu->irq, NULL, alert_thread,
				   IRQF_ONESHOT, dev_name(dev), mcu);
	if (err) {
		mcu->irq = 0;
		return dev_err_probe(dev, err, "interrupt of the alert line\n");
	}
	return 0;
}

void nst_mcu_status_stop(struct nst_mcu *mcu)
{
	/* Whoever holds the lock has the core; nobody gets it any more. */
	mutex_lock(&mcu->status_lock);
	clear_bit(NST_MCU_TELLING, &mcu->flags);
	mutex_unlock(&mcu->status_lock);
	if (mcu->irq)
		free_irq((unsigned int)mcu->irq, mcu);
	mcu->irq = 0;
	cancel_work_sync(&mcu->status_work);
}

void nst_mcu_status_pause(struct nst_mcu *mcu)
{
	if (mcu->irq)
		disable_irq((unsigned int)mcu->irq);
	cancel_work_sync(&mcu->status_work);
}

void nst_mcu_status_resume(struct nst_mcu *mcu)
{
	if (mcu->irq)
		enable_irq((unsigned int)mcu->irq);
}
