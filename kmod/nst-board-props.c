// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-board-props.c - properties of a device to struct nst_desc
 *
 * Device trees and software nodes are read alike. Every number is checked
 * against its range before it is taken, one property after the other and then
 * what several of them say together; the first that is impossible ends it
 * with its name, its value and what would have been possible.
 */
#include <linux/ctype.h>
#include <linux/of.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-board-priv.h"
#include "nst-rank.h"

/* The stack without a word about it: that of physics and emulation. */
#define REFERENCE_AMBIENT_MC	26400
#define REFERENCE_MAX_MC	75000

static const u32 reference_power_mw[NST_GATE_COUNT] = { 2500, 100, 100, 0 };

/* Uploading a network over a slow bridge takes minutes. */
#define COST_MAX_US		600000000u

/* A number, and the u32 or s32 of struct nst_desc that it goes to. */
struct prop_u32 {
	const char *name;
	size_t offset;
	s64 min;
	s64 max;
};

#define PROP(prop, field, lowest, highest) {				\
	.name = (prop),							\
	.offset = offsetof(struct nst_desc, field),			\
	.min = (lowest),						\
	.max = (highest),						\
}

static const struct prop_u32 numbers[] = {
	PROP("nst,die-package-mk-per-w", params.r_jp_mk_per_w,
	     NST_R_MIN_MK_PER_W, NST_R_MAX_MK_PER_W),
	PROP("nst,package-ambient-mk-per-w", params.r_pa_mk_per_w,
	     NST_R_MIN_MK_PER_W, NST_R_MAX_MK_PER_W),
	PROP("nst,die-capacity-uj-per-k", params.c_j_uj_per_k,
	     NST_C_MIN_UJ_PER_K, NST_C_MAX_UJ_PER_K),
	PROP("nst,package-capacity-uj-per-k", params.c_p_uj_per_k,
	     NST_C_MIN_UJ_PER_K, NST_C_MAX_UJ_PER_K),
	PROP("nst,ambient-millicelsius", ambient_mc,
	     NST_TEMP_MIN_MC, NST_TEMP_MAX_MC),
	PROP("nst,max-millicelsius", max_temp_mc,
	     NST_TEMP_MIN_MC, NST_TEMP_MAX_MC),
	PROP("nst,frame-period-us", timing.frame_period_us,
	     NST_FRAME_PERIOD_MIN_US, NST_FRAME_PERIOD_MAX_US),
	PROP("nst,exposure-us", timing.exposure_us,
	     0, NST_FRAME_PERIOD_MAX_US),
	PROP("nst,readout-us", timing.readout_us,
	     0, NST_FRAME_PERIOD_MAX_US),
};

/* One number per gate, run first. */
struct prop_gates {
	const char *name;
	size_t offset;
	u32 max;
};

#define PROP_GATES(prop, field, highest) {				\
	.name = (prop),							\
	.offset = offsetof(struct nst_desc, field),			\
	.max = (highest),						\
}

static const struct prop_gates gate_arrays[] = {
	PROP_GATES("nst,gate-milliwatt", gate_power_mw, NST_POWER_MAX_MW),
	PROP_GATES("nst,gate-enter-us", gate_enter_us, COST_MAX_US),
	PROP_GATES("nst,gate-exit-us", gate_exit_us, COST_MAX_US),
	PROP_GATES("nst,gate-budget", gate_budget, U32_MAX),
};

static u32 *field_u32(struct nst_desc *desc, size_t offset)
{
	return (u32 *)((char *)desc + offset);
}

/*
 * A temperature below zero is the same cell in two's complement, and every
 * range has its lowest value in an s32.
 */
static int number_read(struct device *dev, const struct prop_u32 *prop,
		       struct nst_desc *desc)
{
	s64 value;
	u32 cell;

	if (!device_property_present(dev, prop->name))
		return 0;
	if (device_property_count_u32(dev, prop->name) != 1 ||
	    device_property_read_u32(dev, prop->name, &cell))
		return dev_err_probe(dev, -EINVAL, "%s: not one number\n",
				     prop->name);
	value = prop->min < 0 ? (s64)(s32)cell : (s64)cell;
	if (value < prop->min || value > prop->max)
		return dev_err_probe(dev, -EINVAL,
				     "%s %lld: not in %lld to %lld\n",
				     prop->name, value, prop->min, prop->max);
	*field_u32(desc, prop->offset) = cell;
	return 0;
}

static int gates_read(struct device *dev, const struct prop_gates *prop,
		      struct nst_desc *desc)
{
	u32 cell[NST_GATE_COUNT];
	int count, i;

	if (!device_property_present(dev, prop->name))
		return 0;
	count = device_property_count_u32(dev, prop->name);
	if (count != NST_GATE_COUNT ||
	    device_property_read_u32_array(dev, prop->name, cell,
					   NST_GATE_COUNT))
		return dev_err_probe(dev, -EINVAL,
				     "%s: %d numbers, not %d (run standby cleared off)\n",
				     prop->name, max(count, 0),
				     NST_GATE_COUNT);
	for (i = 0; i < NST_GATE_COUNT; i++) {
		if (cell[i] > prop->max)
			return dev_err_probe(dev, -EINVAL,
					     "%s %u (%s): not in 0 to %u\n",
					     prop->name, cell[i],
					     nst_gate_name(i), prop->max);
	}
	memcpy(field_u32(desc, prop->offset), cell, sizeof(cell));
	return 0;
}

/*
 * nst_board_prop_depth() - a gate by its name
 * @standard: without the property
 */
int nst_board_prop_depth(struct device *dev, const char *prop,
			 enum nst_gate standard, enum nst_gate *ret)
{
	const char *text;
	int gate;

	*ret = standard;
	if (!device_property_present(dev, prop))
		return 0;
	if (device_property_read_string(dev, prop, &text))
		return dev_err_probe(dev, -EINVAL, "%s: not a string\n", prop);
	for (gate = NST_GATE_STANDBY; gate < NST_GATE_COUNT; gate++) {
		if (!strcmp(text, nst_gate_name(gate))) {
			*ret = gate;
			return 0;
		}
	}
	return dev_err_probe(dev, -EINVAL,
			     "%s \"%s\": not standby, cleared or off\n", prop,
			     text);
}

/* One line of sysfs, and room for its end. */
static bool label_valid(const char *label)
{
	size_t len = strlen(label);
	size_t i;

	if (!len || len >= NST_NAME_LEN)
		return false;
	for (i = 0; i < len; i++) {
		if (!isprint(label[i]))
			return false;
	}
	return true;
}

/*
 * Stable across reboots: the label, what the caller knows, the path in the
 * device tree. Numbers of buses are the last resort.
 */
static int name_read(struct device *dev, struct nst_desc *desc)
{
	const char *label;
	char *name = NULL;

	if (device_property_present(dev, "label")) {
		if (device_property_read_string(dev, "label", &label) ||
		    !label_valid(label))
			return dev_err_probe(dev, -EINVAL,
					     "label: not 1 to %d printable characters\n",
					     NST_NAME_LEN - 1);
		name = devm_kstrdup(dev, label, GFP_KERNEL);
	} else if (desc->name) {
		return 0;
	} else if (dev->of_node) {
		name = devm_kasprintf(dev, GFP_KERNEL, "%pOF", dev->of_node);
		/* Cut short it would not tell one device from another. */
		if (name && strlen(name) >= NST_NAME_LEN)
			name = devm_kstrdup(dev, dev_name(dev), GFP_KERNEL);
	} else {
		name = devm_kstrdup(dev, dev_name(dev), GFP_KERNEL);
	}
	if (!name)
		return -ENOMEM;
	desc->name = name;
	return 0;
}

static bool all_zero(const u32 *cell)
{
	return !memchr_inv(cell, 0, NST_GATE_COUNT * sizeof(*cell));
}

static bool param_fill(u32 *param, u32 reference)
{
	if (*param)
		return false;
	*param = reference;
	return true;
}

/*
 * What neither the caller nor the board says is the reference stack's, and
 * the core is told that it is a guess.
 */
static void reference_fill(struct nst_desc *desc, bool ambient_given,
			   bool max_given)
{
	const struct nst_plant_params *reference = &nst_plant_reference;
	struct nst_plant_params *params = &desc->params;

	if (!ambient_given && !desc->ambient_mc) {
		desc->ambient_mc = REFERENCE_AMBIENT_MC;
		desc->plant_guessed = true;
	}
	if (!max_given && !desc->max_temp_mc)
		desc->max_temp_mc = REFERENCE_MAX_MC;
	if (all_zero(desc->gate_power_mw)) {
		memcpy(desc->gate_power_mw, reference_power_mw,
		       sizeof(reference_power_mw));
		desc->plant_guessed = true;
	}
	if (param_fill(&params->r_jp_mk_per_w, reference->r_jp_mk_per_w) |
	    param_fill(&params->r_pa_mk_per_w, reference->r_pa_mk_per_w) |
	    param_fill(&params->c_j_uj_per_k, reference->c_j_uj_per_k) |
	    param_fill(&params->c_p_uj_per_k, reference->c_p_uj_per_k))
		desc->plant_guessed = true;
}

static int powers_check(struct device *dev, const struct nst_desc *desc)
{
	const u32 *mw = desc->gate_power_mw;
	int i;

	for (i = 1; i < NST_GATE_COUNT; i++) {
		if (mw[i] > mw[i - 1])
			return dev_err_probe(dev, -EINVAL,
					     "nst,gate-milliwatt %u (%s): not in 0 to %u, that of the gate before\n",
					     mw[i], nst_gate_name(i),
					     mw[i - 1]);
	}
	/* The guard closes to standby whatever it costs. */
	for (i = NST_GATE_RUN; i <= NST_GATE_STANDBY; i++) {
		if (desc->gate_budget[i])
			return dev_err_probe(dev, -EINVAL,
					     "nst,gate-budget %u (%s): not 0, only cleared and off have one\n",
					     desc->gate_budget[i],
					     nst_gate_name(i));
	}
	return 0;
}

/* The core closes at the maximum and opens a whole jump of the die below. */
static int thresholds_check(struct device *dev, const struct nst_desc *desc)
{
	u32 run_mw = desc->gate_power_mw[NST_GATE_RUN];
	u32 standby_mw = desc->gate_power_mw[NST_GATE_STANDBY];
	struct nst_thresholds thr;

	if (!nst_rank_thresholds(&thr, &desc->params, run_mw, standby_mw,
				 desc->max_temp_mc))
		return 0;
	return dev_err_probe(dev, -EINVAL,
			     "nst,gate-milliwatt %u and %u with nst,die-package-mk-per-w %u: the die jumps too far to have a threshold between %d and nst,max-millicelsius %d\n",
			     run_mw, standby_mw, desc->params.r_jp_mk_per_w,
			     NST_TEMP_MIN_MC, desc->max_temp_mc);
}

static int together_check(struct device *dev, const struct nst_desc *desc)
{
	const struct nst_plant_params *params = &desc->params;
	const struct nst_timing *timing = &desc->timing;
	int err;

	err = powers_check(dev, desc);
	if (err)
		return err;
	/* Each in its range by now: what is left is how they go together. */
	if (nst_plant_params_check(params))
		return dev_err_probe(dev, -EINVAL,
				     "nst,die-package-mk-per-w %u, nst,die-capacity-uj-per-k %u, nst,package-ambient-mk-per-w %u, nst,package-capacity-uj-per-k %u: no small die in a slow package (capacity of the package over 20 times that of the die, R*C of the package at least 4 times and that of the die at least 2 us)\n",
				     params->r_jp_mk_per_w,
				     params->c_j_uj_per_k,
				     params->r_pa_mk_per_w,
				     params->c_p_uj_per_k);
	if (desc->max_temp_mc <= desc->ambient_mc)
		return dev_err_probe(dev, -EINVAL,
				     "nst,max-millicelsius %d: not in %d (above nst,ambient-millicelsius) to %d\n",
				     desc->max_temp_mc, desc->ambient_mc + 1,
				     NST_TEMP_MAX_MC);
	if (timing->frame_period_us &&
	    (u64)timing->exposure_us + timing->readout_us >
	    timing->frame_period_us)
		return dev_err_probe(dev, -EINVAL,
				     "nst,exposure-us %u and nst,readout-us %u: together not in 0 to %u, the frame period\n",
				     timing->exposure_us, timing->readout_us,
				     timing->frame_period_us);
	return thresholds_check(dev, desc);
}

/* nst_board_props_read() - see devm_nst_board() */
int nst_board_props_read(struct device *dev, struct nst_desc *desc)
{
	unsigned int i;
	int err;

	err = name_read(dev, desc);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		err = number_read(dev, &numbers[i], desc);
		if (err)
			return err;
	}
	for (i = 0; i < ARRAY_SIZE(gate_arrays); i++) {
		err = gates_read(dev, &gate_arrays[i], desc);
		if (err)
			return err;
	}
	reference_fill(desc,
		       device_property_present(dev, "nst,ambient-millicelsius"),
		       device_property_present(dev, "nst,max-millicelsius"));
	return together_check(dev, desc);
}
