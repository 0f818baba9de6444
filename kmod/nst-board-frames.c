// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-board-frames.c - the frame-sync line: edges to frame boundaries
 *
 * The hard handler stamps the edge, so that the time of a boundary does not
 * hang on the scheduler; the threaded handler counts it and tells the core,
 * which may then talk on a bus. On a line behind a bus (an expander) there is
 * no hard handler, and the thread stamps what it is woken for.
 *
 * The numbers are of edges. Which of them is a frame, and how many frames had
 * no edge, the core decides for every line alike.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpio/consumer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/property.h>

#include "nst-board-priv.h"

static u64 now_us(void)
{
	return (u64)ktime_to_us(ktime_get());
}

/*
 * A line that chatters wakes the thread a thousand times a second at most: the
 * core takes no frames that are shorter than a millisecond.
 */
static irqreturn_t frame_edge(int irq, void *data)
{
	struct nst_board *board = data;
	u64 t_us = now_us();
	irqreturn_t ret = IRQ_HANDLED;

	spin_lock(&board->stamp_lock);
	if (t_us >= board->stamp_last_us + NST_FRAME_PERIOD_MIN_US ||
	    !board->stamp_last_us) {
		board->stamp_last_us = t_us;
		/* Full: the thread hangs; it is one edge that was missed. */
		if (board->stamps < NST_BOARD_STAMPS)
			board->stamp_us[board->stamps++] = t_us;
		ret = IRQ_WAKE_THREAD;
	}
	spin_unlock(&board->stamp_lock);
	return ret;
}

/* The stamps so far, oldest first, to @ret; their number. */
static unsigned int take_stamps(struct nst_board *board,
				u64 ret[NST_BOARD_STAMPS])
{
	unsigned int stamps;

	spin_lock_irq(&board->stamp_lock);
	stamps = board->stamps;
	memcpy(ret, board->stamp_us, stamps * sizeof(ret[0]));
	board->stamps = 0;
	/* Never stamped at all: woken without the hard handler. */
	if (!board->stamp_last_us) {
		ret[0] = now_us();
		stamps = 1;
	}
	spin_unlock_irq(&board->stamp_lock);
	return stamps;
}

static irqreturn_t frame_thread(int irq, void *data)
{
	struct nst_board *board = data;
	u64 stamp_us[NST_BOARD_STAMPS];
	unsigned int stamps = take_stamps(board, stamp_us);
	unsigned int i;

	for (i = 0; i < stamps; i++) {
		board->edges++;
		nst_frame_boundary(board->nst, board->edges, stamp_us[i]);
	}
	return IRQ_HANDLED;
}

/* nst_board_frames_init() - is there a line? */
int nst_board_frames_init(struct nst_board *board)
{
	struct device *dev = board->dev;

	spin_lock_init(&board->stamp_lock);
	board->frame_sync = devm_gpiod_get_optional(dev, "frame-sync",
						    GPIOD_IN);
	if (IS_ERR(board->frame_sync))
		return dev_err_probe(dev, PTR_ERR(board->frame_sync),
				     "frame-sync-gpios\n");
	if (!board->frame_sync &&
	    device_property_present(dev, "frame-sync-gpios"))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "frame-sync-gpios: this kernel cannot read it\n");
	return 0;
}

int nst_board_start(struct nst_board *board, struct nst *nst)
{
	unsigned long edge;
	int irq, err;

	if (!board->frame_sync)
		return 0;
	irq = gpiod_to_irq(board->frame_sync);
	if (irq < 0)
		return dev_err_probe(board->dev, irq,
				     "frame-sync-gpios: no interrupt\n");
	edge = gpiod_is_active_low(board->frame_sync) ?
		IRQF_TRIGGER_FALLING : IRQF_TRIGGER_RISING;
	board->nst = nst;
	err = request_threaded_irq((unsigned int)irq, frame_edge, frame_thread,
				   edge, dev_name(board->dev), board);
	if (err)
		return dev_err_probe(board->dev, err,
				     "frame-sync-gpios: interrupt %d\n", irq);
	board->frame_irq = irq;
	return 0;
}
EXPORT_SYMBOL_GPL(nst_board_start);

void nst_board_stop(struct nst_board *board)
{
	if (!board->frame_irq)
		return;
	free_irq((unsigned int)board->frame_irq, board);
	board->frame_irq = 0;
}
EXPORT_SYMBOL_GPL(nst_board_stop);
