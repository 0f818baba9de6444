// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-main.c - companion of an image sensor that another driver owns
 *
 * Gives the nst core the die temperature of a sensor (or an estimate of it)
 * and the gate that the board has, if any. The sensor stays its driver's: the
 * companion binds no address, wakes nothing, starts and stops nothing, and
 * writes what nst-cci-table.c lists.
 *
 * Its device of class nst comes and goes with the sensor's driver.
 */
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/string.h>

#include "nst-cci.h"

/*
 * The bus is the owner's: whoever reads a temperature as fast as it can does
 * not get more of it than the guard without frames.
 */
#define READ_MIN_US 10000

u64 nst_cci_now_us(void)
{
	return (u64)ktime_to_us(ktime_get());
}

/* ---------------------------------------------------------------- faults */

/* nst_cci_fault() - from a callback: the core is told as soon as it can be */
void nst_cci_fault(struct nst_cci *cci, u32 code, s64 value)
{
	WRITE_ONCE(cci->fault_value, value);
	set_bit(0, code == NST_FAULT_BRIDGE ? &cci->fault_bridge :
					      &cci->fault_network);
	schedule_work(&cci->fault_work);
}

static void fault_work(struct work_struct *work)
{
	struct nst_cci *cci = container_of(work, struct nst_cci, fault_work);
	s64 value = READ_ONCE(cci->fault_value);

	mutex_lock(&cci->fault_lock);
	if (cci->nst) {
		if (test_and_clear_bit(0, &cci->fault_bridge))
			nst_fault(cci->nst, NST_FAULT_BRIDGE, value);
		if (test_and_clear_bit(0, &cci->fault_network))
			nst_fault(cci->nst, NST_FAULT_NETWORK, value);
	}
	mutex_unlock(&cci->fault_lock);
}

/* ------------------------------------------------------------- callbacks */

static int cci_read_temp(void *priv, unsigned int ch, struct nst_sample *ret)
{
	struct nst_cci *cci = priv;

	if (cci->board_sensor)
		return nst_cci_estimate_read(cci, ch, ret);
	return nst_cci_sensor_read(cci, ch, ret);
}

static int cci_set_gate(void *priv, enum nst_gate gate, u64 at_us)
{
	struct nst_cci *cci = priv;

	nst_cci_estimate_settle(cci);
	if (cci->imx500.pause)
		return nst_cci_imx500_set_gate(cci, gate);
	return nst_board_set_gate(cci->board, gate);
}

static int cci_get_gate(void *priv, enum nst_gate *ret)
{
	struct nst_cci *cci = priv;

	if (cci->imx500.pause)
		return nst_cci_imx500_get_gate(cci, ret);
	return nst_board_get_gate(cci->board, ret);
}

static const struct nst_ops gated_ops = {
	.read_temp = cci_read_temp,
	.set_gate = cci_set_gate,
	.get_gate = cci_get_gate,
};

static const struct nst_ops ungated_ops = {
	.read_temp = cci_read_temp,
};

/* ------------------------------------------------------------ properties */

static void list_models(struct device *dev)
{
	const struct nst_cci_model *model;
	char line[96];
	size_t at = 0;

	for (model = nst_cci_models; model->name; model++) {
		if (model->why_off)
			continue;
		if (at + strlen(model->name) + 2 > sizeof(line)) {
			dev_err(dev, "nst,model may be%s\n", line);
			at = 0;
		}
		at += (size_t)scnprintf(line + at, sizeof(line) - at, " %s",
					model->name);
	}
	dev_err(dev, "nst,model may be%s\n", line);
}

/* By name, or by the part that the owner's device says it is. */
static int find_model(struct device *dev, struct nst_cci *cci)
{
	const struct nst_cci_model *model;
	const char *name;
	bool by_name;
	int err;

	by_name = !device_property_read_string(dev, "nst,model", &name);
	if (!by_name) {
		if (!cci->owner.client)
			return dev_err_probe(dev, -EINVAL,
					     "nst,model is missing, and no sensor to ask\n");
		name = cci->owner.client->name;
	}
	err = nst_cci_model_find(name, by_name, &model);
	switch (err) {
	case 0:
		cci->model = model;
		return 0;
	case -EACCES:
		return dev_err_probe(dev, -EINVAL,
				     "what is known of %s has one weak source (%s): set nst,model = \"%s\" to use it\n",
				     model->name, model->source, model->name);
	case -EOPNOTSUPP:
		return dev_err_probe(dev, -EINVAL, "%s is not supported: %s\n",
				     model->name, model->why_off);
	default:
		dev_err(dev, "%s \"%s\" is not a model that is known\n",
			by_name ? "nst,model" : "the sensor", name);
		list_models(dev);
		return -EINVAL;
	}
}

static int find_board_sensor(struct device *dev, struct nst_cci *cci)
{
	struct nst_cci_board_spec spec;
	const char *text;

	if (device_property_read_string(dev, "nst,board-sensor", &text)) {
		if (cci->model->channels)
			return 0;
		return dev_err_probe(dev, -EINVAL,
				     "%s has no thermometer: nst,board-sensor has to name one (%s)\n",
				     cci->model->name, NST_CCI_SPEC_FORMS);
	}
	if (cci->model->channels)
		return dev_err_probe(dev, -EINVAL,
				     "nst,board-sensor is for models without a thermometer, %s has one\n",
				     cci->model->name);
	if (nst_cci_board_spec_parse(text, &spec))
		return dev_err_probe(dev, -EINVAL,
				     "nst,board-sensor \"%s\" is none of %s\n",
				     text, NST_CCI_SPEC_FORMS);
	/* The core's own chips: an estimate of itself. */
	if (spec.kind == NST_CCI_BOARD_HWMON && !strcmp(spec.name, "nst"))
		return dev_err_probe(dev, -EINVAL,
				     "nst,board-sensor \"%s\" is what it is to be made from\n",
				     text);
	if (spec.kind == NST_CCI_BOARD_IIO && !IS_REACHABLE(CONFIG_IIO))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "nst,board-sensor \"%s\": this kernel has no IIO\n",
				     text);
	cci->board_sensor = devm_nst_cci_board_sensor(dev, &spec);
	return PTR_ERR_OR_ZERO(cci->board_sensor);
}

static int find_pause(struct device *dev, struct nst_cci *cci)
{
	if (!device_property_read_bool(dev, "nst,imx500-dnn-pause"))
		return 0;
	if (!(cci->model->flags & NST_CCI_IMX500))
		return dev_err_probe(dev, -EINVAL,
				     "nst,imx500-dnn-pause is for imx500 and imx501, this is %s\n",
				     cci->model->name);
	cci->imx500.pause = true;
	return 0;
}

/* ----------------------------------------------------------------- probe */

static void describe(struct nst_cci *cci, struct nst_desc *desc)
{
	const struct nst_cci_model *model = cci->model;
	unsigned int i;

	desc->provider = "nst-cci";
	desc->model = model->name;
	if (cci->board_sensor) {
		desc->channels = 2;
		desc->labels[0] = "die";
		desc->labels[1] = "board";
		desc->channels_estimated = BIT(0);
		return;
	}
	desc->channels = model->channels;
	for (i = 0; i < model->channels; i++)
		desc->labels[i] = model->channel[i].label;
	desc->sensor_lsb_mc = model->step_mc;
	/* A conversion takes as long when it is not the first one. */
	desc->conversion_us = model->settle_us;
	desc->sample_min_us = max_t(u32, model->settle_us, READ_MIN_US);
	if (cci->imx500.pause)
		desc->caps |= NST_CAP_GATE_STANDBY;
}

static void cci_unregister(void *data)
{
	struct nst_cci *cci = data;
	bool leaves = nst_cci_owner_leaves(&cci->owner);
	struct nst *nst = cci->nst;

	if (leaves)
		nst_fault(nst, NST_FAULT_OWNER, 0);
	mutex_lock(&cci->fault_lock);
	cci->nst = NULL;
	mutex_unlock(&cci->fault_lock);
	nst_board_stop(cci->board);
	if (cci->board_sensor)
		nst_cci_board_sensor_stop(cci->board_sensor);
	nst_unregister(nst);
	cancel_work_sync(&cci->fault_work);
	if (leaves)
		nst_cci_owner_wait(cci->dev);
}

static int cci_register(struct nst_cci *cci)
{
	struct nst_desc desc = { 0 };
	struct nst *nst;
	bool gated;
	int err;

	describe(cci, &desc);
	cci->board = devm_nst_board(cci->dev, &desc);
	if (IS_ERR(cci->board))
		return PTR_ERR(cci->board);
	gated = nst_board_has_gate(cci->board);
	if (gated && cci->imx500.pause)
		return dev_err_probe(cci->dev, -EINVAL,
				     "nst,imx500-dnn-pause is one gate, run-gpios or vpu-supply another: choose\n");
	memcpy(cci->gate_power_mw, desc.gate_power_mw,
	       sizeof(cci->gate_power_mw));
	cci->ambient_mc = desc.ambient_mc;
	if (cci->board_sensor) {
		err = nst_plant_init(&cci->estimate.plant, &desc.params,
				     desc.ambient_mc);
		if (err)
			return err;
	}

	nst = nst_register(cci->dev, &desc,
			   gated || cci->imx500.pause ? &gated_ops :
							&ungated_ops, cci);
	if (IS_ERR(nst)) {
		cancel_work_sync(&cci->fault_work);
		return PTR_ERR(nst);
	}
	mutex_lock(&cci->fault_lock);
	cci->nst = nst;
	mutex_unlock(&cci->fault_lock);
	/* What callbacks found before there was somebody to tell. */
	schedule_work(&cci->fault_work);
	err = devm_add_action_or_reset(cci->dev, cci_unregister, cci);
	if (err)
		return err;
	if (cci->imx500.pause)
		dev_notice(cci->dev,
			   "the gate is a pause of the DNN, which is unproven on silicon\n");
	if (cci->board_sensor) {
		err = nst_cci_board_sensor_start(cci->board_sensor);
		if (err)
			return err;
		if (desc.plant_guessed)
			dev_warn(cci->dev,
				 "nst,gate-milliwatt or the thermal constants are not given: the estimate is that of the reference stack (%u mW)\n",
				 desc.gate_power_mw[NST_GATE_RUN]);
	}
	return nst_board_start(cci->board, nst);
}

static int cci_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct nst_cci *cci;
	int err;

	cci = devm_kzalloc(dev, sizeof(*cci), GFP_KERNEL);
	if (!cci)
		return -ENOMEM;
	cci->dev = dev;
	platform_set_drvdata(pdev, cci);
	mutex_init(&cci->fault_lock);
	INIT_WORK(&cci->fault_work, fault_work);
	if (nst_cci_owner_named(dev)) {
		err = nst_cci_owner_find(dev, &cci->owner);
		if (err)
			return err;
	}
	err = find_model(dev, cci);
	if (err)
		return err;
	if (cci->model->channels && !cci->owner.client)
		return dev_err_probe(dev, -EINVAL,
				     "where is the %s? give nst,sensor, or nst,sensor-bus or nst,bus-number with nst,sensor-addr\n",
				     cci->model->name);
	err = find_board_sensor(dev, cci);
	if (err)
		return err;
	err = find_pause(dev, cci);
	if (err)
		return err;
	if (cci->owner.client) {
		err = nst_cci_owner_link(dev, &cci->owner);
		if (err)
			return err;
	}
	return cci_register(cci);
}

/*
 * Callbacks are still shut out: the core's device wakes after this one. The
 * owner has had the power off, and one that was given up may be back.
 */
static int __maybe_unused cci_resume(struct device *dev)
{
	struct nst_cci *cci = dev_get_drvdata(dev);

	nst_cci_sensor_forget(cci);
	nst_cci_health_wake(&cci->health);
	cci->estimate.primed = false;
	return 0;
}

static SIMPLE_DEV_PM_OPS(cci_pm, NULL, cci_resume);

static const struct of_device_id cci_of_ids[] = {
	{ .compatible = "nst,companion" },
	{ }
};
MODULE_DEVICE_TABLE(of, cci_of_ids);

static const struct platform_device_id cci_ids[] = {
	{ "nst-companion" },
	{ }
};
MODULE_DEVICE_TABLE(platform, cci_ids);

static struct platform_driver cci_driver = {
	.driver = {
		.name = "nst-companion",
		.of_match_table = cci_of_ids,
		.pm = &cci_pm,
	},
	.probe = cci_probe,
	.id_table = cci_ids,
};

static int __init cci_init(void)
{
	int err;

	err = nst_cci_owner_init();
	if (err)
		return err;
	err = platform_driver_register(&cci_driver);
	if (err)
		nst_cci_owner_exit();
	return err;
}

static void __exit cci_exit(void)
{
	platform_driver_unregister(&cci_driver);
	nst_cci_owner_exit();
}

module_init(cci_init);
module_exit(cci_exit);

MODULE_DESCRIPTION("Die temperature of image sensors that another driver owns");
MODULE_LICENSE("GPL");
