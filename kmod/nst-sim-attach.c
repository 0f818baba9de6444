// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-attach.c - a board around an emulated stack
 *
 * Makes what a board has, in the order in which one comes up: adapter, lines
 * and chips; then the devices, to which drivers bind as they find them:
 *
 *	cci	the sensor, an I2C client by the name of the part; and the
 *		platform device "nst-companion.N", N being the number of the
 *		I2C adapter
 *	mcu	the I2C client "nst-mcu"
 *
 * Their properties are those of the device-tree schema, as software nodes, and
 * lines are found by a lookup table. When the stack comes from a device tree
 * all of that is in the tree, and nothing is made here but the hardware.
 *
 * It comes down in the reverse order, whoever is bound and whatever is on the
 * wire: first the devices, which unbinds their drivers and waits for them.
 */
#include <linux/err.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

/* ----------------------------------------------------------------- gate */

int nst_sim_bus_gate(struct nst_sim *sim, u8 gate, u64 now_us)
{
	struct nst_sim_bus *bus = sim->bus;

	bus->count.gate_writes++;
	bus->count.gate_at_us = now_us;
	if (gate == NST_GATE_RUN && bus->asked != NST_GATE_RUN)
		bus->count.gate_cycles++;
	bus->asked = gate;
	return nst_sim_gate_locked(sim, gate, now_us);
}

/* ----------------------------------------------------------------- time */

void nst_sim_bus_tick(struct nst_sim *sim, u64 t_us)
{
	nst_sim_imx500_tick(sim, t_us);
	if (sim->bus->mcu)
		nst_sim_mcu_tick(sim, t_us);
}

void nst_sim_bus_frame(struct nst_sim *sim)
{
	if (!sim->config.tell_frames)
		return;
	sim->bus->count.frame_edges++;
	if (sim->bus->mcu)
		nst_sim_mcu_frame(sim, sim->start_us);
}

/*
 * On the step clock the handlers of the edge are through before time goes on,
 * and the wire takes its time out of this period.
 */
void nst_sim_bus_boundary(struct nst_sim *sim)
{
	bool step = sim->config.clock == NST_SIM_CLOCK_STEP;

	mutex_lock(&sim->lock);
	sim->in_boundary = step;
	mutex_unlock(&sim->lock);

	if (sim->config.tell_frames)
		nst_sim_lines_pulse(sim, step);
	if (!step)
		return;
	nst_sim_lines_alert_wait(sim);
	mutex_lock(&sim->lock);
	sim->in_boundary = false;
	mutex_unlock(&sim->lock);
}

/* ----------------------------------------------------------- properties */

static bool prop_is_set(const struct nst_sim_config *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->properties; i++)
		if (!strcmp(c->property[i].name, name))
			return true;
	return false;
}

static struct property_entry *prop_next(struct nst_sim *sim,
					const char *name)
{
	struct nst_sim_bus *bus = sim->bus;
	unsigned int i = 0;

	if (prop_is_set(&sim->config, name))
		return NULL;
	while (i < NST_SIM_PROPERTIES_ALL && bus->props[i].name)
		i++;
	return WARN_ON(i == NST_SIM_PROPERTIES_ALL) ? NULL : &bus->props[i];
}

static void prop_u32(struct nst_sim *sim, const char *name, u32 value)
{
	struct property_entry *entry = prop_next(sim, name);

	if (entry)
		*entry = PROPERTY_ENTRY_U32(name, value);
}

static void prop_gates(struct nst_sim *sim, const char *name,
		       const u32 value[NST_GATE_COUNT])
{
	struct property_entry *entry = prop_next(sim, name);

	if (entry)
		*entry = PROPERTY_ENTRY_U32_ARRAY_LEN(name, value,
						      NST_GATE_COUNT);
}

static void prop_text(struct nst_sim *sim, const char *name,
		      const char *value)
{
	struct property_entry *entry = prop_next(sim, name);

	if (entry)
		*entry = PROPERTY_ENTRY_STRING(name, value);
}

static void prop_flag(struct nst_sim *sim, const char *name)
{
	struct property_entry *entry = prop_next(sim, name);

	if (entry)
		*entry = PROPERTY_ENTRY_BOOL(name);
}

/* Those of the configuration, which win. */
static void props_configured(struct nst_sim *sim)
{
	struct nst_sim_config *c = &sim->config;
	struct property_entry *entry = sim->bus->props;
	unsigned int i;

	for (i = 0; i < c->properties; i++, entry++) {
		const struct nst_sim_property *p = &c->property[i];

		if (p->is_text)
			*entry = PROPERTY_ENTRY_STRING(p->name, p->text);
		else if (p->words)
			*entry = PROPERTY_ENTRY_U32_ARRAY_LEN(p->name,
							      p->value,
							      p->words);
		else
			*entry = PROPERTY_ENTRY_BOOL(p->name);
	}
}

static void props_fill(struct nst_sim *sim)
{
	static const char *const depths[NST_GATE_COUNT] = {
		[NST_GATE_STANDBY] = "standby",
		[NST_GATE_CLEARED] = "cleared",
		[NST_GATE_OFF] = "off",
	};
	struct nst_sim_config *c = &sim->config;
	struct nst_sim_bus *bus = sim->bus;

	props_configured(sim);
	prop_text(sim, "label", c->name);
	prop_gates(sim, "nst,gate-milliwatt", c->power_mw);
	prop_u32(sim, "nst,die-package-mk-per-w", c->params.r_jp_mk_per_w);
	prop_u32(sim, "nst,package-ambient-mk-per-w", c->params.r_pa_mk_per_w);
	prop_u32(sim, "nst,die-capacity-uj-per-k", c->params.c_j_uj_per_k);
	prop_u32(sim, "nst,package-capacity-uj-per-k", c->params.c_p_uj_per_k);
	prop_u32(sim, "nst,ambient-millicelsius", (u32)c->ambient_mc);
	prop_u32(sim, "nst,max-millicelsius", (u32)c->max_temp_mc);
	prop_u32(sim, "nst,frame-period-us", sim->period_us);
	prop_u32(sim, "nst,exposure-us", sim->setting.exposure_us);
	prop_u32(sim, "nst,readout-us", c->readout_us);
	if (c->attach == NST_SIM_ATTACH_MCU)
		return;
	prop_u32(sim, "nst,bus-number", (u32)bus->wire->adapter.nr);
	prop_u32(sim, "nst,sensor-addr", c->sensor_addr);
	if (c->gate_by == NST_SIM_GATE_BY_GPIO)
		prop_text(sim, "nst,run-gpio-depth", depths[c->run_depth]);
	if (c->gate_by == NST_SIM_GATE_BY_DNN)
		prop_flag(sim, "nst,imx500-dnn-pause");
	/* That there is one; which, says the regulator's map. */
	if (c->supply)
		prop_flag(sim, "vpu-supply");
}

/* --------------------------------------------------------------- lookup */

static int lookup_add(struct nst_sim *sim, const char *dev_name, bool run)
{
	struct nst_sim_bus *bus = sim->bus;
	struct gpiod_lookup_table *table;
	unsigned int n = 0;

	/* Two lines and the end. */
	table = kzalloc(struct_size(table, table, 3), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->dev_id = kstrdup(dev_name, GFP_KERNEL);
	if (!table->dev_id) {
		kfree(table);
		return -ENOMEM;
	}
	if (run)
		table->table[n++] = GPIO_LOOKUP(bus->lines->label,
						NST_SIM_LINE_RUN, "run",
						GPIO_ACTIVE_HIGH);
	if (sim->config.tell_frames)
		table->table[n++] = GPIO_LOOKUP(bus->lines->label,
						NST_SIM_LINE_FRAME_SYNC,
						"frame-sync",
						GPIO_ACTIVE_HIGH);
	gpiod_add_lookup_table(table);
	bus->lookup = table;
	return 0;
}

static void lookup_remove(struct nst_sim *sim)
{
	struct gpiod_lookup_table *table = sim->bus->lookup;

	if (!table)
		return;
	sim->bus->lookup = NULL;
	gpiod_remove_lookup_table(table);
	kfree(table->dev_id);
	kfree(table);
}

/* -------------------------------------------------------------- devices */

static int populate_cci(struct nst_sim *sim)
{
	struct nst_sim_config *c = &sim->config;
	struct nst_sim_bus *bus = sim->bus;
	struct i2c_board_info sensor = { .addr = (u16)c->sensor_addr };
	struct platform_device_info info = {
		.name = "nst-companion",
		.id = bus->wire->adapter.nr,
		.properties = bus->props,
	};
	char name[32];
	int err;

	strscpy(sensor.type, bus->chip.model->name, sizeof(sensor.type));
	bus->owner.client = i2c_new_client_device(&bus->wire->adapter,
						  &sensor);
	if (IS_ERR(bus->owner.client)) {
		err = PTR_ERR(bus->owner.client);
		bus->owner.client = NULL;
		return err;
	}
	snprintf(name, sizeof(name), "nst-companion.%d", info.id);
	err = lookup_add(sim, name, c->gate_by == NST_SIM_GATE_BY_GPIO);
	if (!err && c->supply)
		err = nst_sim_supply_make(sim, name);
	if (err)
		return err;
	bus->companion = platform_device_register_full(&info);
	if (IS_ERR(bus->companion)) {
		err = PTR_ERR(bus->companion);
		bus->companion = NULL;
		return err;
	}
	return 0;
}

static int populate_mcu(struct nst_sim *sim)
{
	struct nst_sim_bus *bus = sim->bus;
	struct i2c_board_info info = {
		.type = "nst-mcu",
		.addr = nst_sim_mcu_address(),
		.swnode = &bus->node,
	};
	char name[32];
	int err;

	bus->node.properties = bus->props;
	info.irq = nst_sim_lines_irq(sim, NST_SIM_LINE_ALERT);
	if (info.irq < 0)
		return info.irq;
	err = irq_set_irq_type((unsigned int)info.irq, IRQ_TYPE_LEVEL_LOW);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%d-%04x", bus->wire->adapter.nr,
		 info.addr);
	err = lookup_add(sim, name, false);
	if (err)
		return err;
	bus->mcu_client = i2c_new_client_device(&bus->wire->adapter, &info);
	if (IS_ERR(bus->mcu_client)) {
		err = PTR_ERR(bus->mcu_client);
		bus->mcu_client = NULL;
		return err;
	}
	return 0;
}

int nst_sim_bus_populate(struct nst_sim *sim)
{
	int err;

	if (!sim->bus || sim->dev->of_node)
		return 0;
	props_fill(sim);
	err = sim->config.attach == NST_SIM_ATTACH_MCU ? populate_mcu(sim) :
							 populate_cci(sim);
	if (err)
		nst_sim_bus_depopulate(sim);
	return err;
}

/* Those of a device tree. The ones made by hand in sysfs go with the adapter. */
static int unregister_of_client(struct device *dev, void *unused)
{
	struct i2c_client *client = i2c_verify_client(dev);

	if (client && dev->of_node)
		i2c_unregister_device(client);
	return 0;
}

void nst_sim_bus_depopulate(struct nst_sim *sim)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!bus)
		return;
	/* The tree's, then. */
	if (sim->dev->of_node)
		bus->owner.client = NULL;
	if (bus->wire)
		device_for_each_child(&bus->wire->adapter.dev, NULL,
				      unregister_of_client);
	platform_device_unregister(bus->companion);
	bus->companion = NULL;
	i2c_unregister_device(bus->mcu_client);
	bus->mcu_client = NULL;
	lookup_remove(sim);
	i2c_unregister_device(bus->owner.client);
	bus->owner.client = NULL;
}

/* ------------------------------------------------------------- hardware */

int nst_sim_bus_make(struct nst_sim *sim)
{
	struct nst_sim_config *c = &sim->config;
	struct nst_sim_bus *bus;
	int err;

	bus = kzalloc(sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return -ENOMEM;
	mutex_init(&bus->owner.lock);
	bus->owner.sim = sim;
	INIT_DELAYED_WORK(&bus->owner.upload_work, nst_sim_upload_work);
	sim->bus = bus;
	bus->asked = NST_GATE_RUN;
	bus->imx500.life = c->bridge_life ? (s32)c->bridge_life : -1;
	err = nst_sim_chip_init(sim);
	if (err)
		goto err_free;
	if (c->attach == NST_SIM_ATTACH_MCU) {
		err = nst_sim_mcu_init(sim);
		if (err)
			goto err_free;
		bus->target[nst_sim_mcu_address()] = &nst_sim_mcu_target;
	} else {
		bus->target[c->sensor_addr] = &nst_sim_chip_target;
		if (!strcmp(bus->chip.model->name, "imx500"))
			bus->target[NST_SIM_BRIDGE_ADDR] =
				&nst_sim_bridge_target;
		if (c->thermometer)
			bus->target[NST_SIM_THERMOMETER_ADDR] =
				&nst_sim_thermometer_target;
	}
	err = nst_sim_lines_make(sim);
	if (!err)
		err = nst_sim_wire_make(sim);
	if (err)
		goto err_free;
	return 0;

err_free:
	nst_sim_bus_free(sim);
	return err;
}

/* The devices are gone, the worker has ended: nobody is left to be heard. */
void nst_sim_bus_free(struct nst_sim *sim)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!bus)
		return;
	nst_sim_bus_depopulate(sim);
	nst_sim_supply_drop(sim);
	nst_sim_wire_drop(sim);
	nst_sim_lines_drop(sim);
	nst_sim_mcu_free(sim);
	nst_sim_chip_free(sim);
	sim->bus = NULL;
	kfree(bus);
}

int nst_sim_buses_init(void)
{
	int err;

	err = nst_sim_wires_init();
	if (err)
		return err;
	err = nst_sim_owner_register();
	if (err)
		nst_sim_wires_exit();
	return err;
}

void nst_sim_buses_exit(void)
{
	nst_sim_owner_unregister();
	nst_sim_wires_exit();
	nst_sim_lines_exit();
}

/* -------------------------------------------------------- configuration */

int nst_sim_bus_model(const char *name)
{
	return nst_sim_model_find(name);
}

const char *nst_sim_bus_model_name(u32 model)
{
	return nst_sim_models[model].name;
}

void nst_sim_bus_model_list(char *text, size_t size)
{
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < nst_sim_model_count && at < size; i++)
		at += scnprintf(text + at, size - at, "%s%s", i ? " " : "",
				nst_sim_models[i].name);
}

/* -------------------------------------------------------------- debugfs */

static bool has_bridge(const struct nst_sim *sim)
{
	return sim->bus->target[NST_SIM_BRIDGE_ADDR] == &nst_sim_bridge_target;
}

int nst_sim_bus_upload(struct nst_sim *sim, u32 ms)
{
	struct nst_sim_owner *owner = &sim->bus->owner;

	if (!has_bridge(sim))
		return -EOPNOTSUPP;
	mutex_lock(&owner->lock);
	mutex_lock(&sim->lock);
	nst_sim_imx500_upload(sim, ms);
	mutex_unlock(&sim->lock);
	if (owner->dev)
		nst_sim_upload_begin(sim);
	mutex_unlock(&owner->lock);
	return 0;
}

int nst_sim_bus_bridge_life(struct nst_sim *sim, s32 cycles)
{
	if (!has_bridge(sim))
		return -EOPNOTSUPP;
	mutex_lock(&sim->lock);
	sim->bus->imx500.life = cycles;
	mutex_unlock(&sim->lock);
	return 0;
}

void nst_sim_bus_show(struct nst_sim *sim, struct seq_file *s)
{
	struct nst_sim_bus_counters c, owner;
	struct nst_sim_bus *bus = sim->bus;
	bool powered, streaming, network;
	s32 life;
	u64 now;

	mutex_lock(&sim->lock);
	now = nst_sim_now_locked(sim);
	c = bus->count;
	owner = bus->owner_count;
	powered = bus->chip.powered;
	streaming = bus->chip.streaming_us != U64_MAX;
	network = bus->imx500.network;
	life = bus->imx500.life;
	mutex_unlock(&sim->lock);

	seq_printf(s, "now_us %llu\n", now);
	seq_printf(s, "adapter %d\n", bus->wire->adapter.nr);
	seq_printf(s, "model %s\n", bus->chip.model->name);
	seq_printf(s, "transfers %llu\n", c.transfers);
	seq_printf(s, "address_bytes %llu\n", c.address_bytes);
	seq_printf(s, "bytes_written %llu\n", c.bytes_written);
	seq_printf(s, "bytes_read %llu\n", c.bytes_read);
	seq_printf(s, "nacks %llu\n", c.nacks);
	seq_printf(s, "arbitration_lost %llu\n", c.arbitration_lost);
	seq_printf(s, "readings %llu\n", c.readings);
	seq_printf(s, "faulted %llu\n", c.faulted);
	seq_printf(s, "foreign_enable %llu\n", c.foreign_enable);
	seq_printf(s, "foreign_stream %llu\n", c.foreign_stream);
	seq_printf(s, "powered %d\n", powered);
	seq_printf(s, "streaming %d\n", streaming);
	seq_printf(s, "owner_resumes %llu\n", c.owner_resumes);
	seq_printf(s, "owner_suspends %llu\n", c.owner_suspends);
	seq_printf(s, "network %d\n", network);
	seq_printf(s, "uploads %llu\n", c.uploads);
	seq_printf(s, "upload_failures %llu\n", c.upload_failures);
	seq_printf(s, "owner_transfers %llu\n", owner.transfers);
	seq_printf(s, "lock_waits %d\n", atomic_read(&bus->wire->waits));
	seq_printf(s, "bridge_power_cycles %llu\n", c.bridge_power_cycles);
	seq_printf(s, "bridge_life %d\n", life);
	seq_printf(s, "gate_writes %llu\n", c.gate_writes);
	seq_printf(s, "gate_cycles %llu\n", c.gate_cycles);
	seq_printf(s, "gate_at_us %llu\n", c.gate_at_us);
	seq_printf(s, "frame_edges %llu\n", c.frame_edges);
	seq_printf(s, "alert_edges %llu\n", c.alert_edges);
}

#endif /* NST_SIM_HAS_BUS */
