// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-board-gate.c - the line and the supply that gate the VPU
 *
 * A supply is a vote: ours is cast while the gate is less deep than the
 * supply's, and whoever else uses the same regulator may keep it on. So the
 * gate is read from the regulator itself and not from what we asked for; the
 * core says when the two differ for long.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpio/consumer.h>
#include <linux/property.h>
#include <linux/regulator/consumer.h>

#include "nst-board-priv.h"

bool nst_board_has_gate(const struct nst_board *board)
{
	return board->run || board->supply;
}
EXPORT_SYMBOL_GPL(nst_board_has_gate);

static int supply_set(struct nst_board *board, bool on)
{
	int err;

	if (!board->supply || on == board->supply_held)
		return 0;
	if (on)
		err = regulator_enable(board->supply);
	else
		err = regulator_disable(board->supply);
	if (!err)
		board->supply_held = on;
	return err;
}

/*
 * Driven as an output anew, which on every kernel tells whether it got there;
 * setting the level alone does not before 6.15.
 */
static int line_set(struct nst_board *board, bool on)
{
	int err;

	if (!board->run)
		return 0;
	err = gpiod_direction_output(board->run, on);
	if (!err)
		board->run_level = on;
	return err;
}

int nst_board_set_gate(struct nst_board *board, enum nst_gate gate)
{
	struct nst_board_levels levels;
	int err;

	err = nst_board_depths_levels(&board->depths, gate, &levels);
	if (err)
		return err;
	if (!levels.line) {
		err = line_set(board, false);
		/* The supply, where it goes too, does without the line. */
		if (err && levels.supply)
			return err;
	}
	err = supply_set(board, levels.supply);
	if (err)
		return err;
	return levels.line ? line_set(board, true) : 0;
}
EXPORT_SYMBOL_GPL(nst_board_set_gate);

/*
 * A chip that cannot read an output back is believed. One that could when it
 * was taken and cannot now has failed, with the same errno on some.
 */
static int line_get(struct nst_board *board, bool *ret)
{
	int level;

	*ret = true;
	if (!board->run)
		return 0;
	if (board->run_blind) {
		*ret = board->run_level;
		return 0;
	}
	level = gpiod_get_value_cansleep(board->run);
	if (level < 0)
		return level;
	*ret = level;
	return 0;
}

static int supply_get(struct nst_board *board, bool *ret)
{
	int on;

	*ret = true;
	if (!board->supply)
		return 0;
	on = regulator_is_enabled(board->supply);
	if (on < 0)
		return on;
	*ret = on;
	return 0;
}

int nst_board_get_gate(struct nst_board *board, enum nst_gate *ret)
{
	struct nst_board_levels levels;
	int err;

	err = line_get(board, &levels.line);
	if (err)
		return err;
	err = supply_get(board, &levels.supply);
	if (err)
		return err;
	*ret = nst_board_depths_gate(&board->depths, &levels);
	return 0;
}
EXPORT_SYMBOL_GPL(nst_board_get_gate);

/* --------------------------------------------------------------- probing */

/* A property that names something says more than a missing something. */
static int named_but_missing(struct device *dev, const char *prop)
{
	if (!device_property_present(dev, prop))
		return 0;
	return dev_err_probe(dev, -EOPNOTSUPP,
			     "%s: this kernel cannot drive it\n", prop);
}

static int run_line_get(struct nst_board *board)
{
	struct device *dev = board->dev;
	int err;

	/* As is: nothing may change before everything is known. */
	board->run = devm_gpiod_get_optional(dev, "run", GPIOD_ASIS);
	if (IS_ERR(board->run))
		return dev_err_probe(dev, PTR_ERR(board->run), "run-gpios\n");
	if (!board->run) {
		err = named_but_missing(dev, "run-gpios");
		if (err)
			return err;
	}
	return 0;
}

/*
 * Asked for only where the board names it: a look-up that finds nothing ends
 * with any regulator whose own name is "vpu", and that may be anybody's.
 */
static int supply_line_get(struct nst_board *board)
{
	struct device *dev = board->dev;

	if (!device_property_present(dev, "vpu-supply"))
		return 0;
	board->supply = devm_regulator_get_optional(dev, "vpu");
	if (!IS_ERR(board->supply))
		return 0;
	if (PTR_ERR(board->supply) != -ENODEV)
		return dev_err_probe(dev, PTR_ERR(board->supply),
				     "vpu-supply\n");
	board->supply = NULL;
	return named_but_missing(dev, "vpu-supply");
}

static int depths_read(struct nst_board *board)
{
	struct nst_board_depths *depths = &board->depths;
	struct device *dev = board->dev;
	int err;

	err = nst_board_prop_depth(dev, "nst,run-gpio-depth",
				   NST_GATE_STANDBY, &depths->line);
	if (err)
		return err;
	err = nst_board_prop_depth(dev, "nst,supply-depth", NST_GATE_OFF,
				   &depths->supply);
	if (err)
		return err;
	if (!board->run)
		depths->line = NST_GATE_RUN;
	if (!board->supply)
		depths->supply = NST_GATE_RUN;
	if (!nst_board_depths_valid(depths))
		return dev_err_probe(dev, -EINVAL,
				     "nst,supply-depth \"%s\": not less deep than nst,run-gpio-depth \"%s\"\n",
				     nst_gate_name(depths->supply),
				     nst_gate_name(depths->line));
	/* Guard and policies stop and go with standby alone. */
	if (nst_board_has_gate(board) &&
	    !(nst_board_depths_caps(depths) & NST_CAP_GATE_STANDBY))
		return dev_err_probe(dev, -EINVAL,
				     "no gate of depth \"standby\": one of nst,run-gpio-depth and nst,supply-depth has to be\n");
	return 0;
}

/* From here on the line is ours, with the level that it has. */
static int run_line_take(struct nst_board *board)
{
	int level, err;

	if (!board->run)
		return 0;
	level = gpiod_get_value_cansleep(board->run);
	/* One that cannot be read is taken for what a camera needs. */
	board->run_blind = level < 0;
	if (level < 0)
		level = 1;
	err = gpiod_direction_output(board->run, level);
	if (err)
		return dev_err_probe(board->dev, err, "run-gpios\n");
	board->run_level = level;
	return 0;
}

static void supply_let_go(void *data)
{
	struct nst_board *board = data;

	supply_set(board, false);
}

/* A supply that is on gets our vote, so that nobody takes it from us. */
static int supply_take(struct nst_board *board)
{
	int on, err;

	if (!board->supply)
		return 0;
	on = regulator_is_enabled(board->supply);
	if (on < 0)
		return dev_err_probe(board->dev, on, "vpu-supply\n");
	err = supply_set(board, on);
	if (err)
		return dev_err_probe(board->dev, err, "vpu-supply\n");
	return devm_add_action_or_reset(board->dev, supply_let_go, board);
}

/* nst_board_gate_init() - line and supply, as they are found */
int nst_board_gate_init(struct nst_board *board)
{
	int err;

	err = run_line_get(board);
	if (err)
		return err;
	err = supply_line_get(board);
	if (err)
		return err;
	err = depths_read(board);
	if (err)
		return err;
	err = run_line_take(board);
	if (err)
		return err;
	return supply_take(board);
}
