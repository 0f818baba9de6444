/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-cci-board-spec.h - the string that names a board's thermometer
 *
 *	hwmon:<name>:<tempN>	hwmon:tmp102:temp1, hwmon:tmp102@1-0048:temp1
 *	zone:<type>		zone:soc-thermal
 *	iio:<channel>		of the companion's own io-channel-names
 *	iio:<label>:<channel>	the same, of the device with that label or name
 *
 * Never a number that depends on the order of probing. Pure.
 */
#ifndef NST_CCI_BOARD_SPEC_H
#define NST_CCI_BOARD_SPEC_H

#include "units.h"

#define NST_CCI_SPEC_FORMS \
	"hwmon:<name>[@<device>]:temp<N>, zone:<type>, iio:[<label>:]<channel>"

enum nst_cci_board_kind {
	NST_CCI_BOARD_HWMON = 0,
	NST_CCI_BOARD_ZONE,
	NST_CCI_BOARD_IIO,
};

/**
 * struct nst_cci_board_spec
 * @name: of the chip, type of the zone, label of the IIO device ("" for any)
 * @device: of hwmon, what the chip hangs on ("" for any)
 * @channel: "temp1"; name of the IIO channel
 */
struct nst_cci_board_spec {
	u8 kind;
	char name[40];
	char device[40];
	char channel[40];
};

/**
 * nst_cci_board_spec_parse() - Return: 0, or -EINVAL with @ret untouched
 */
int nst_cci_board_spec_parse(const char *text,
			     struct nst_cci_board_spec *ret);

#endif /* NST_CCI_BOARD_SPEC_H */
