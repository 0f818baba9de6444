// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-board-iio.c - read a temperature from an IIO channel
 *
 * The companion is a consumer as any other: io-channels and io-channel-names
 * in its node, or a map of the board. nst-cci.h has the same functions for
 * kernels without IIO.
 */
#include <linux/err.h>
#include <linux/kconfig.h>

#if IS_REACHABLE(CONFIG_IIO)

#include <linux/iio/consumer.h>
#include <linux/iio/iio.h>
#include <linux/iio/types.h>
#include <linux/module.h>
#include <linux/string.h>

#include "nst-cci.h"

static bool labelled(const struct iio_dev *iio, const char *label)
{
	return !label[0] || (iio->label && !strcmp(iio->label, label)) ||
	       (iio->name && !strcmp(iio->name, label));
}

static int channel_get(struct device *dev,
		       const struct nst_cci_board_spec *spec,
		       struct iio_channel **ret)
{
	struct iio_channel *chan;
	enum iio_chan_type type;
	int err;

	chan = iio_channel_get(dev, spec->channel);
	if (IS_ERR(chan))
		return PTR_ERR(chan) == -EPROBE_DEFER ? -ENODEV :
							PTR_ERR(chan);
	err = iio_get_channel_type(chan, &type);
	/* Wired to something else than the user thinks. */
	if (!err && (type != IIO_TEMP ||
		     !labelled(chan->indio_dev, spec->name)))
		err = -ENOENT;
	if (err)
		iio_channel_release(chan);
	else
		*ret = chan;
	return err;
}

/*
 * nst_cci_board_iio_read() - a temperature by channel name
 * @chan: NULL at first; kept from one call to the next
 *
 * Return: 0, -ENODEV no such channel (yet), -ENOENT it is no temperature or
 * of another device than named, or the device's own error.
 */
int nst_cci_board_iio_read(struct device *dev,
			   const struct nst_cci_board_spec *spec,
			   struct iio_channel **chan, s32 *ret_mc)
{
	int err, mc;

	if (!*chan) {
		err = channel_get(dev, spec, chan);
		if (err)
			return err;
	}
	/* IIO has temperatures in millidegrees. */
	err = iio_read_channel_processed(*chan, &mc);
	if (err < 0) {
		/* Its driver may have left: look for it again. */
		nst_cci_board_iio_release(chan);
		return err;
	}
	*ret_mc = mc;
	return 0;
}

void nst_cci_board_iio_release(struct iio_channel **chan)
{
	if (*chan)
		iio_channel_release(*chan);
	*chan = NULL;
}

#ifdef NST_IIO_CONSUMER_NS
MODULE_IMPORT_NS(NST_IIO_CONSUMER_NS);
#endif

#endif
