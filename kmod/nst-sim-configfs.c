// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-configfs.c - /sys/kernel/config/nst-sim/<name>/
 *
 * An item is a description of a stack. Writing 1 to "live" makes the stack,
 * 0 or removing the directory unmakes it. While it lives the description is
 * read-only (-EBUSY), but for the ambient temperature.
 *
 * Every attribute is a number with a range; a table of macros makes them.
 */
#include <linux/configfs.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim.h"

/**
 * struct sim_item - one directory
 * @item: its place in configfs
 * @lock: guards the rest
 * @config: the description
 * @pdev: the stack, NULL while not live
 */
struct sim_item {
	struct config_item item;
	struct mutex lock;	/* guards @config and @pdev */
	struct nst_sim_config config;
	struct platform_device *pdev;
};

static struct sim_item *to_sim_item(struct config_item *item)
{
	return container_of(item, struct sim_item, item);
}

/* ----------------------------------------------------------- attributes */

/* A field of the configuration, u32 or s32, and what it may be. */
struct number {
	size_t offset;
	s32 min;
	u32 max;
	u32 step;	/* 0 for any */
};

/* A u32 of the configuration, by its offset. */
static u32 field_get(struct sim_item *sim, size_t offset)
{
	u32 value;

	mutex_lock(&sim->lock);
	value = *(u32 *)((char *)&sim->config + offset);
	mutex_unlock(&sim->lock);
	return value;
}

/* Return: 0, or -EBUSY while the stack lives. */
static int field_set(struct sim_item *sim, size_t offset, u32 value)
{
	int err = 0;

	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else
		*(u32 *)((char *)&sim->config + offset) = value;
	mutex_unlock(&sim->lock);
	return err;
}

static ssize_t number_show(struct config_item *item,
			   const struct number *number, char *page)
{
	u32 value = field_get(to_sim_item(item), number->offset);

	if (number->min < 0)
		return sprintf(page, "%d\n", (s32)value);
	return sprintf(page, "%u\n", value);
}

static ssize_t number_store(struct config_item *item,
			    const struct number *number, const char *page,
			    size_t len)
{
	s64 value;
	int err;

	err = kstrtos64(page, 0, &value);
	if (err)
		return err;
	if (value < number->min || value > number->max)
		return -ERANGE;
	if (number->step && (u32)value % number->step)
		return -EINVAL;
	err = field_set(to_sim_item(item), number->offset, (u32)value);
	return err ? err : (ssize_t)len;
}

#define NST_SIM_NUMBER(_name, _field, _min, _max, _step)		\
static const struct number number_##_name = {				\
	.offset = offsetof(struct nst_sim_config, _field),		\
	.min = _min,							\
	.max = _max,							\
	.step = _step,							\
};									\
static ssize_t sim_##_name##_show(struct config_item *item, char *page)	\
{									\
	return number_show(item, &number_##_name, page);		\
}									\
static ssize_t sim_##_name##_store(struct config_item *item,		\
				   const char *page, size_t len)	\
{									\
	return number_store(item, &number_##_name, page, len);		\
}									\
CONFIGFS_ATTR(sim_, _name)

#define POWER_MAX NST_POWER_MAX_MW

NST_SIM_NUMBER(clock_scale, clock_scale, 1, 64, 0);
NST_SIM_NUMBER(frame_period_us, frame_period_us, NST_FRAME_PERIOD_MIN_US,
	       NST_FRAME_PERIOD_MAX_US, 0);
NST_SIM_NUMBER(readout_us, readout_us, 0, 1000000, 0);
NST_SIM_NUMBER(power_run_mw, power_mw[NST_GATE_RUN], 0, POWER_MAX, 0);
NST_SIM_NUMBER(power_standby_mw, power_mw[NST_GATE_STANDBY], 0, POWER_MAX, 0);
NST_SIM_NUMBER(power_cleared_mw, power_mw[NST_GATE_CLEARED], 0, POWER_MAX, 0);
NST_SIM_NUMBER(power_off_mw, power_mw[NST_GATE_OFF], 0, POWER_MAX, 0);
NST_SIM_NUMBER(r_jp_mk_per_w, params.r_jp_mk_per_w, NST_R_MIN_MK_PER_W,
	       NST_R_MAX_MK_PER_W, 0);
NST_SIM_NUMBER(r_pa_mk_per_w, params.r_pa_mk_per_w, NST_R_MIN_MK_PER_W,
	       NST_R_MAX_MK_PER_W, 0);
NST_SIM_NUMBER(c_j_uj_per_k, params.c_j_uj_per_k, NST_C_MIN_UJ_PER_K,
	       NST_C_MAX_UJ_PER_K, 0);
NST_SIM_NUMBER(c_p_uj_per_k, params.c_p_uj_per_k, NST_C_MIN_UJ_PER_K,
	       NST_C_MAX_UJ_PER_K, 0);
NST_SIM_NUMBER(max_temp_mc, max_temp_mc, NST_TEMP_MIN_MC, NST_TEMP_MAX_MC, 0);
NST_SIM_NUMBER(rail_low_mc, rail_low_mc, NST_TEMP_MIN_MC, NST_TEMP_MAX_MC, 0);
NST_SIM_NUMBER(rail_high_mc, rail_high_mc, NST_TEMP_MIN_MC, NST_TEMP_MAX_MC, 0);
NST_SIM_NUMBER(sensor_lsb_mc, sensor_lsb_mc, 0, 10000, 0);
NST_SIM_NUMBER(sensor_noise_mc, sensor_noise_mc, 0, 10000, 0);
NST_SIM_NUMBER(gate_enter_us, gate_enter_us, 0, 1000000, 0);
NST_SIM_NUMBER(gate_exit_us, gate_exit_us, 0, 1000000, 0);
NST_SIM_NUMBER(tell_frames, tell_frames, 0, 1, 0);
NST_SIM_NUMBER(gate_at_time, gate_at_time, 0, 1, 0);
NST_SIM_NUMBER(vpu, vpu, 0, 1, 0);
NST_SIM_NUMBER(vpu_busy_us, vpu_busy_us, 1, 1000000, 0);
NST_SIM_NUMBER(metadata, metadata, 0, 1, 0);
NST_SIM_NUMBER(scene_input, scene_input, 0, 1, 0);
NST_SIM_NUMBER(noise, noise, 0, 1, 0);
NST_SIM_NUMBER(scene_objects, scene.objects, 0, NST_SIM_OBJECTS_MAX, 0);
NST_SIM_NUMBER(scene_speed_mpx, scene.speed_mpx, 0, 100000, 0);
NST_SIM_NUMBER(scene_contrast_permille, scene.contrast_permille, 0, 500, 0);
NST_SIM_NUMBER(scene_card, scene.card, 0, 1, 0);
NST_SIM_NUMBER(doubling_mc, sensor.doubling_mc, 1000, 50000, 0);
NST_SIM_NUMBER(dark_e_per_s_60c, sensor.dark_e_per_s_60c, 0, 100000, 0);
NST_SIM_NUMBER(read_noise_me, sensor.read_noise_me, 0, 100000, 0);
NST_SIM_NUMBER(full_well_e, sensor.full_well_e, 2000, 1000000, 0);
NST_SIM_NUMBER(prnu_permyriad, sensor.prnu_permyriad, 0, 1000, 0);
NST_SIM_NUMBER(dsnu_permyriad, sensor.dsnu_permyriad, 0, 3000, 0);
NST_SIM_NUMBER(hot_ppm, sensor.hot_ppm, 0, 100000, 0);

/* Words of sixteen pixels keep every line of a picture aligned. */
NST_SIM_NUMBER(width, width, NST_SIM_WIDTH_MIN, NST_SIM_WIDTH_MAX, 16);
NST_SIM_NUMBER(height, height, NST_SIM_HEIGHT_MIN, NST_SIM_HEIGHT_MAX, 2);

/* ------------------------------------------------------------ the board */

NST_SIM_NUMBER(bus_hz, bus_hz, 0, 3400000, 0);
NST_SIM_NUMBER(bus_blocks, bus_blocks, 0, 1, 0);
/* 7-bit addresses that are nobody's by the I2C specification. */
NST_SIM_NUMBER(sensor_addr, sensor_addr, 0x08, 0x77, 0);
NST_SIM_NUMBER(supply, supply, 0, 1, 0);
NST_SIM_NUMBER(owner_runtime_pm, owner_pm, 0, 1, 0);
NST_SIM_NUMBER(owner_autosuspend_ms, owner_delay_ms, 0, 600000, 0);
NST_SIM_NUMBER(owner_temp_enable, owner_enables, 0, 1, 0);
NST_SIM_NUMBER(bridge_life, bridge_life, 0, 1000000, 0);
NST_SIM_NUMBER(upload_ms, upload_ms, 0, 600000, 0);
NST_SIM_NUMBER(upload_lock_ms, upload_lock_ms, 0, 10000, 0);

/* A word out of a list, kept as its index in a u32. */
struct choice {
	size_t offset;
	const char *const *names;
	unsigned int count;
	const char *attr;
};

static ssize_t choice_show(struct config_item *item,
			   const struct choice *choice, char *page)
{
	u32 value = field_get(to_sim_item(item), choice->offset);

	return sprintf(page, "%s\n", choice->names[value]);
}

static void choice_refused(struct sim_item *sim, const struct choice *choice,
			   const char *page)
{
	char valid[64];
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < choice->count; i++)
		if (choice->names[i])
			at += scnprintf(valid + at, sizeof(valid) - at, " %s",
					choice->names[i]);
	pr_err("nst-sim: %s: %s is one of%s, not '%.*s'\n", sim->config.name,
	       choice->attr, valid, (int)strcspn(page, "\n"), page);
}

static ssize_t choice_store(struct config_item *item,
			    const struct choice *choice, const char *page,
			    size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	unsigned int i;
	int err;

	for (i = 0; i < choice->count; i++)
		if (choice->names[i] && sysfs_streq(page, choice->names[i]))
			break;
	if (i == choice->count) {
		choice_refused(sim, choice, page);
		return -EINVAL;
	}
	err = field_set(sim, choice->offset, i);
	return err ? err : (ssize_t)len;
}

#define NST_SIM_CHOICE(_name, _field, _names)				\
static const struct choice choice_##_name = {				\
	.offset = offsetof(struct nst_sim_config, _field),		\
	.names = _names,						\
	.count = ARRAY_SIZE(_names),					\
	.attr = #_name,							\
};									\
static ssize_t sim_##_name##_show(struct config_item *item, char *page)	\
{									\
	return choice_show(item, &choice_##_name, page);		\
}									\
static ssize_t sim_##_name##_store(struct config_item *item,		\
				   const char *page, size_t len)	\
{									\
	return choice_store(item, &choice_##_name, page, len);		\
}									\
CONFIGFS_ATTR(sim_, _name)

/* Depths that a line can stand for: all but the shallowest. */
static const char *const depth_names[NST_GATE_COUNT] = {
	[NST_GATE_STANDBY] = "standby",
	[NST_GATE_CLEARED] = "cleared",
	[NST_GATE_OFF] = "off",
};

NST_SIM_CHOICE(attach, attach, nst_sim_attach_names);
NST_SIM_CHOICE(gate, gate_by, nst_sim_gate_by_names);
NST_SIM_CHOICE(run_depth, run_depth, depth_names);

static ssize_t sim_sensor_model_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	ssize_t len;

	mutex_lock(&sim->lock);
	len = sprintf(page, "%s\n", nst_sim_bus_model_name(sim->config.model));
	mutex_unlock(&sim->lock);
	return len;
}

static ssize_t sim_sensor_model_store(struct config_item *item,
				      const char *page, size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	char name[NST_SIM_PROPERTY_LEN], valid[256] = "";
	int model, err = 0;

	if (len >= sizeof(name))
		return -EINVAL;
	strscpy(name, page, sizeof(name));
	model = nst_sim_bus_model(strim(name));
	if (model < 0) {
		nst_sim_bus_model_list(valid, sizeof(valid));
		pr_err("nst-sim: %s: sensor_model is one of %s, not '%s'\n",
		       sim->config.name, valid, strim(name));
		return -EINVAL;
	}
	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else
		sim->config.model = (u32)model;
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, sensor_model);

/* ----------------------------------------------------------- properties */

static ssize_t sim_property_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	ssize_t at = 0;
	unsigned int i, w;

	mutex_lock(&sim->lock);
	for (i = 0; i < sim->config.properties; i++) {
		const struct nst_sim_property *p = &sim->config.property[i];

		at += sprintf(page + at, "%s", p->name);
		if (p->is_text)
			at += sprintf(page + at, " \"%s\"", p->text);
		for (w = 0; w < p->words; w++)
			at += sprintf(page + at, " %d", (s32)p->value[w]);
		at += sprintf(page + at, "\n");
	}
	mutex_unlock(&sim->lock);
	return at;
}

/* A name, then nothing, "text" or up to four numbers. */
static int property_parse(char *line, struct nst_sim_property *ret)
{
	char *name = strsep(&line, " \t"), *word, *end;
	s64 value;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (!*name || strscpy(ret->name, name, sizeof(ret->name)) < 0)
		return -EINVAL;
	line = line ? strim(line) : NULL;
	if (!line || !*line)
		return 0;
	if (*line == '"') {
		end = strchr(line + 1, '"');
		if (!end || end[1])
			return -EINVAL;
		*end = '\0';
		ret->is_text = true;
		return strscpy(ret->text, line + 1, sizeof(ret->text)) < 0 ?
		       -EINVAL : 0;
	}
	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (ret->words == NST_SIM_PROPERTY_WORDS)
			return -EINVAL;
		err = kstrtos64(word, 0, &value);
		if (err)
			return err;
		if (value < S32_MIN || value > U32_MAX)
			return -ERANGE;
		ret->value[ret->words++] = (u32)value;
	}
	return 0;
}

static int property_put(struct nst_sim_config *config,
			const struct nst_sim_property *property)
{
	unsigned int i;

	for (i = 0; i < config->properties; i++)
		if (!strcmp(config->property[i].name, property->name))
			break;
	if (i == NST_SIM_PROPERTIES_MAX)
		return -ENOSPC;
	config->property[i] = *property;
	if (i == config->properties)
		config->properties++;
	return 0;
}

/* Adds one, or replaces that of the name; an empty line removes all. */
static ssize_t sim_property_store(struct config_item *item, const char *page,
				  size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	char line[2 * NST_SIM_PROPERTY_LEN + 4], *text;
	struct nst_sim_property property;
	int err = 0;

	if (len >= sizeof(line))
		return -EINVAL;
	strscpy(line, page, sizeof(line));
	text = strim(line);
	if (*text)
		err = property_parse(text, &property);
	if (err) {
		pr_err("nst-sim: %s: property is a name, then nothing, \"text\" or up to %d numbers of 32 bits\n",
		       sim->config.name, NST_SIM_PROPERTY_WORDS);
		return err;
	}
	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else if (*text)
		err = property_put(&sim->config, &property);
	else
		sim->config.properties = 0;
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, property);

/* ---------------------------------------------------------------- clock */

static ssize_t sim_clock_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	ssize_t len;

	mutex_lock(&sim->lock);
	len = sprintf(page, "%s\n", nst_sim_clock_names[sim->config.clock]);
	mutex_unlock(&sim->lock);
	return len;
}

static ssize_t sim_clock_store(struct config_item *item, const char *page,
			       size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	int kind = sysfs_match_string(nst_sim_clock_names, page);
	int err = 0;

	if (kind < 0)
		return -EINVAL;
	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else
		sim->config.clock = kind;
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, clock);

static ssize_t sim_seed_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	u64 seed;

	mutex_lock(&sim->lock);
	seed = sim->config.seed;
	mutex_unlock(&sim->lock);
	return sprintf(page, "%llu\n", seed);
}

static ssize_t sim_seed_store(struct config_item *item, const char *page,
			      size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	u64 seed;
	int err;

	err = kstrtou64(page, 0, &seed);
	if (err)
		return err;
	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else
		sim->config.seed = seed;
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, seed);

static const struct number number_hot_start = {
	.offset = offsetof(struct nst_sim_config, hot_start_mc),
	.min = NST_TEMP_MIN_MC,
	.max = NST_TEMP_MAX_MC,
};

static ssize_t sim_hot_start_mc_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	ssize_t len;

	mutex_lock(&sim->lock);
	if (sim->config.hot_start_mc == NST_TEMP_NONE_MC)
		len = sprintf(page, "none\n");
	else
		len = sprintf(page, "%d\n", sim->config.hot_start_mc);
	mutex_unlock(&sim->lock);
	return len;
}

static ssize_t sim_hot_start_mc_store(struct config_item *item,
				      const char *page, size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	int err = 0;

	if (!sysfs_streq(page, "none"))
		return number_store(item, &number_hot_start, page, len);
	mutex_lock(&sim->lock);
	if (sim->pdev)
		err = -EBUSY;
	else
		sim->config.hot_start_mc = NST_TEMP_NONE_MC;
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, hot_start_mc);

/* The stack behind a live item, with its device held; NULL while unbound. */
static struct nst_sim *live_sim(struct sim_item *item)
{
	struct nst_sim *sim;

	device_lock(&item->pdev->dev);
	sim = item->pdev->dev.driver ? platform_get_drvdata(item->pdev) : NULL;
	if (!sim)
		device_unlock(&item->pdev->dev);
	return sim;
}

static ssize_t sim_ambient_mc_show(struct config_item *item, char *page)
{
	struct sim_item *si = to_sim_item(item);
	struct nst_sim *sim = NULL;
	struct nst_sim_truth truth;
	s32 mc;

	mutex_lock(&si->lock);
	mc = si->config.ambient_mc;
	if (si->pdev)
		sim = live_sim(si);
	if (sim) {
		nst_sim_truth(sim, &truth);
		device_unlock(&si->pdev->dev);
		mc = truth.ambient_mc;
	}
	mutex_unlock(&si->lock);
	return sprintf(page, "%d\n", mc);
}

static ssize_t sim_ambient_mc_store(struct config_item *item,
				    const char *page, size_t len)
{
	struct sim_item *si = to_sim_item(item);
	struct nst_sim *sim = NULL;
	s32 mc;
	int err;

	err = kstrtos32(page, 0, &mc);
	if (err)
		return err;
	if (!nst_temp_in_range(mc))
		return -ERANGE;
	mutex_lock(&si->lock);
	if (si->pdev) {
		sim = live_sim(si);
		if (!sim)
			err = -ENODEV;
	}
	if (sim) {
		err = nst_sim_set_ambient(sim, mc);
		device_unlock(&si->pdev->dev);
	}
	if (!err)
		si->config.ambient_mc = mc;
	mutex_unlock(&si->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, ambient_mc);

/* ----------------------------------------------------------------- live */

static void item_unmake(struct sim_item *sim)
{
	if (sim->pdev)
		nst_sim_destroy(sim->pdev);
	sim->pdev = NULL;
}

static ssize_t sim_live_show(struct config_item *item, char *page)
{
	struct sim_item *sim = to_sim_item(item);
	bool live;

	mutex_lock(&sim->lock);
	live = sim->pdev;
	mutex_unlock(&sim->lock);
	return sprintf(page, "%d\n", live);
}

static ssize_t sim_live_store(struct config_item *item, const char *page,
			      size_t len)
{
	struct sim_item *sim = to_sim_item(item);
	struct platform_device *pdev;
	bool live;
	int err;

	err = kstrtobool(page, &live);
	if (err)
		return err;
	mutex_lock(&sim->lock);
	if (!live) {
		item_unmake(sim);
	} else if (!sim->pdev) {
		pdev = nst_sim_create(&sim->config);
		if (IS_ERR(pdev))
			err = PTR_ERR(pdev);
		else
			sim->pdev = pdev;
	}
	mutex_unlock(&sim->lock);
	return err ? err : (ssize_t)len;
}
CONFIGFS_ATTR(sim_, live);

static struct configfs_attribute *sim_attrs[] = {
	&sim_attr_live,
	&sim_attr_clock,
	&sim_attr_clock_scale,
	&sim_attr_seed,
	&sim_attr_frame_period_us,
	&sim_attr_readout_us,
	&sim_attr_width,
	&sim_attr_height,
	&sim_attr_ambient_mc,
	&sim_attr_hot_start_mc,
	&sim_attr_power_run_mw,
	&sim_attr_power_standby_mw,
	&sim_attr_power_cleared_mw,
	&sim_attr_power_off_mw,
	&sim_attr_r_jp_mk_per_w,
	&sim_attr_r_pa_mk_per_w,
	&sim_attr_c_j_uj_per_k,
	&sim_attr_c_p_uj_per_k,
	&sim_attr_max_temp_mc,
	&sim_attr_rail_low_mc,
	&sim_attr_rail_high_mc,
	&sim_attr_sensor_lsb_mc,
	&sim_attr_sensor_noise_mc,
	&sim_attr_gate_enter_us,
	&sim_attr_gate_exit_us,
	&sim_attr_tell_frames,
	&sim_attr_gate_at_time,
	&sim_attr_vpu,
	&sim_attr_vpu_busy_us,
	&sim_attr_metadata,
	&sim_attr_scene_input,
	&sim_attr_noise,
	&sim_attr_scene_objects,
	&sim_attr_scene_speed_mpx,
	&sim_attr_scene_contrast_permille,
	&sim_attr_scene_card,
	&sim_attr_doubling_mc,
	&sim_attr_dark_e_per_s_60c,
	&sim_attr_read_noise_me,
	&sim_attr_full_well_e,
	&sim_attr_prnu_permyriad,
	&sim_attr_dsnu_permyriad,
	&sim_attr_hot_ppm,
	&sim_attr_attach,
	&sim_attr_bus_hz,
	&sim_attr_bus_blocks,
	&sim_attr_sensor_model,
	&sim_attr_sensor_addr,
	&sim_attr_gate,
	&sim_attr_run_depth,
	&sim_attr_supply,
	&sim_attr_owner_runtime_pm,
	&sim_attr_owner_autosuspend_ms,
	&sim_attr_owner_temp_enable,
	&sim_attr_bridge_life,
	&sim_attr_upload_ms,
	&sim_attr_upload_lock_ms,
	&sim_attr_property,
	NULL
};

/* ---------------------------------------------------------------- items */

static void sim_item_release(struct config_item *item)
{
	kfree(to_sim_item(item));
}

static struct configfs_item_operations sim_item_ops = {
	.release = sim_item_release,
};

static const struct config_item_type sim_item_type = {
	.ct_item_ops = &sim_item_ops,
	.ct_attrs = sim_attrs,
	.ct_owner = THIS_MODULE,
};

static bool name_valid(const char *name)
{
	size_t i, len = strlen(name);

	if (!len || len >= NST_SIM_NAME_LEN || name[0] == '.')
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum(name[i]) && !strchr("._-", name[i]))
			return false;
	return true;
}

static struct config_item *sim_make_item(struct config_group *group,
					 const char *name)
{
	struct sim_item *sim;

	if (!name_valid(name))
		return ERR_PTR(-EINVAL);
	sim = kzalloc(sizeof(*sim), GFP_KERNEL);
	if (!sim)
		return ERR_PTR(-ENOMEM);
	mutex_init(&sim->lock);
	sim->config = nst_sim_config_default;
	strscpy(sim->config.name, name, sizeof(sim->config.name));
	config_item_init_type_name(&sim->item, name, &sim_item_type);
	return &sim->item;
}

/* The directory is gone from the tree; a file of it may still be open. */
static void sim_drop_item(struct config_group *group, struct config_item *item)
{
	struct sim_item *sim = to_sim_item(item);

	mutex_lock(&sim->lock);
	item_unmake(sim);
	mutex_unlock(&sim->lock);
	config_item_put(item);
}

static struct configfs_group_operations sim_group_ops = {
	.make_item = sim_make_item,
	.drop_item = sim_drop_item,
};

static const struct config_item_type sim_group_type = {
	.ct_group_ops = &sim_group_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem sim_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "nst-sim",
			.ci_type = &sim_group_type,
		},
	},
};

int nst_sim_configfs_register(void)
{
	config_group_init(&sim_subsys.su_group);
	mutex_init(&sim_subsys.su_mutex);
	return configfs_register_subsystem(&sim_subsys);
}

void nst_sim_configfs_unregister(void)
{
	configfs_unregister_subsystem(&sim_subsys);
}
