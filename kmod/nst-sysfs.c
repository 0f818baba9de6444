// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sysfs.c - the files of /sys/class/nst/nstN/
 *
 * One value per file, units in the names, doc/ABI/testing/sysfs-class-nst
 * has an entry for each. A group per gate exists only for gates that the
 * hardware has. gate, owner and the files of policy/ wake up poll().
 */
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "nst.h"

/* A file with a number of its own: a parameter, a counter, a field. */
struct nst_attr {
	struct device_attribute attr;
	u32 what;
	u8 gate;
};

static const struct nst_attr *to_nst_attr(struct device_attribute *attr)
{
	return container_of(attr, struct nst_attr, attr);
}

/* Take the device, brought up to now. */
static int sysfs_lock(struct nst *nst)
{
	int err = nst_lock(nst);

	if (!err) {
		nst_settle(nst, nst_now_us(nst));
		/* With frames a new timing comes with its boundary. */
		if (!nst_has_frames(nst))
			nst_guard_timing(nst);
	}
	return err;
}

/* -------------------------------------------------------------- identity */

static ssize_t name_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", nst_from_dev(dev)->name);
}
static DEVICE_ATTR_RO(name);

static ssize_t provider_show(struct device *dev,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", nst_from_dev(dev)->provider);
}
static DEVICE_ATTR_RO(provider);

static ssize_t model_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n", nst_from_dev(dev)->model);
}
static DEVICE_ATTR_RO(model);

static ssize_t owner_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	ssize_t len;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	if (nst->claim.holder)
		len = sysfs_emit(buf, "user %d %s\n", nst->holder_pid,
				 nst->holder_comm);
	else
		len = sysfs_emit(buf, "kernel\n");
	nst_unlock(nst);
	return len;
}
static DEVICE_ATTR_RO(owner);

/* ------------------------------------------------------------------ gate */

static ssize_t gate_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	enum nst_gate gate;
	int err;

	if (!nst_has_gate(nst))
		return sysfs_emit(buf, "none\n");
	err = sysfs_lock(nst);
	if (err)
		return err;
	err = nst->asleep ? -EAGAIN : nst->ops->get_gate(nst->priv, &gate);
	nst_unlock(nst);
	if (err)
		return err;
	return sysfs_emit(buf, "%s\n", nst_gate_name(gate));
}

static int gate_from_text(const struct nst *nst, const char *text)
{
	int gate;

	for (gate = 0; gate < NST_GATE_COUNT; gate++) {
		if (nst_gate_exists(nst, gate) &&
		    sysfs_streq(text, nst_gate_name((enum nst_gate)gate)))
			return gate;
	}
	return -EINVAL;
}

static ssize_t gate_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t len)
{
	struct nst *nst = nst_from_dev(dev);
	int gate, err;

	if (!nst_has_gate(nst))
		return -EOPNOTSUPP;
	gate = gate_from_text(nst, buf);
	if (gate < 0)
		return gate;
	err = sysfs_lock(nst);
	if (err)
		return err;
	if (nst->claim.holder)
		err = -EBUSY;
	else
		err = nst_gate_affordable(nst, (u8)gate, nst->gate);
	if (!err) {
		nst->manual_gate = (u8)gate;
		nst_obey_asked(&nst->obey, (u8)gate);
		nst_guard_replan(nst, nst->settled_us);
	}
	nst_unlock(nst);
	return err ?: len;
}
static DEVICE_ATTR_RW(gate);

enum {
	GATE_ENTER,
	GATE_EXIT,
	GATE_POWER,
	GATE_CYCLES,
	GATE_BUDGET,
	GATE_FILES
};

static ssize_t gate_file_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	const struct nst_attr *file = to_nst_attr(attr);
	struct nst *nst = nst_from_dev(dev);
	u32 value;
	int err;

	err = sysfs_lock(nst);
	if (err)
		return err;
	switch (file->what) {
	case GATE_ENTER:
		value = nst->gate_enter_us[file->gate];
		break;
	case GATE_EXIT:
		value = nst->gate_exit_us[file->gate];
		break;
	case GATE_POWER:
		value = nst->gate_power_mw[file->gate];
		break;
	case GATE_CYCLES:
		value = nst->cycles[file->gate];
		break;
	default:
		value = nst->budget[file->gate];
		break;
	}
	nst_unlock(nst);
	return sysfs_emit(buf, "%u\n", value);
}

static ssize_t gate_file_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t len)
{
	const struct nst_attr *file = to_nst_attr(attr);
	struct nst *nst = nst_from_dev(dev);
	u32 value;
	int err;

	if (kstrtou32(buf, 0, &value))
		return -EINVAL;
	err = nst_lock(nst);
	if (err)
		return err;
	nst->budget[file->gate] = value;
	nst_unlock(nst);
	return len;
}

static struct nst_attr gate_attrs[NST_GATE_COUNT][GATE_FILES];
static struct attribute *gate_attr_list[NST_GATE_COUNT][GATE_FILES + 1];
static struct attribute_group gate_groups[NST_GATE_COUNT];

static const char * const gate_group_names[NST_GATE_COUNT] = {
	[NST_GATE_RUN] = "gate_run",
	[NST_GATE_STANDBY] = "gate_standby",
	[NST_GATE_CLEARED] = "gate_cleared",
	[NST_GATE_OFF] = "gate_off",
};

static const char * const gate_file_names[GATE_FILES] = {
	[GATE_ENTER] = "enter_us",
	[GATE_EXIT] = "exit_us",
	[GATE_POWER] = "power_mw",
	[GATE_CYCLES] = "cycles",
	[GATE_BUDGET] = "budget",
};

/* ---------------------------------------------------------------- frames */

enum { TIMING_PERIOD, TIMING_EXPOSURE, TIMING_READOUT };

static u32 *timing_field(struct nst_timing *timing, u32 what)
{
	switch (what) {
	case TIMING_PERIOD:
		return &timing->frame_period_us;
	case TIMING_EXPOSURE:
		return &timing->exposure_us;
	default:
		return &timing->readout_us;
	}
}

static ssize_t timing_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	u32 value;
	int err;

	err = sysfs_lock(nst);
	if (err)
		return err;
	value = *timing_field(&nst->timing, to_nst_attr(attr)->what);
	nst_unlock(nst);
	return sysfs_emit(buf, "%u\n", value);
}

static ssize_t timing_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t len)
{
	struct nst *nst = nst_from_dev(dev);
	u32 what = to_nst_attr(attr)->what;
	struct nst_timing timing = {};
	u32 value;
	int err;

	/* 0 means as it is to the provider, and nothing to a camera. */
	if (kstrtou32(buf, 0, &value) || !value ||
	    value > NST_FRAME_PERIOD_MAX_US)
		return -EINVAL;
	if (what == TIMING_PERIOD && value < NST_FRAME_PERIOD_MIN_US)
		return -EINVAL;
	*timing_field(&timing, what) = value;
	err = sysfs_lock(nst);
	if (err)
		return err;
	err = nst->ops->set_timing(nst->priv, &timing);
	nst_unlock(nst);
	return err ?: len;
}

static struct nst_attr timing_attrs[] = {
	[TIMING_PERIOD] = {
		__ATTR(frame_period_us, 0644, timing_show, timing_store),
		TIMING_PERIOD,
	},
	[TIMING_EXPOSURE] = {
		__ATTR(exposure_us, 0644, timing_show, timing_store),
		TIMING_EXPOSURE,
	},
	[TIMING_READOUT] = {
		__ATTR(readout_us, 0644, timing_show, timing_store),
		TIMING_READOUT,
	},
};

static ssize_t frame_count_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	u64 count;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	count = nst->frame_count;
	nst_unlock(nst);
	return sysfs_emit(buf, "%llu\n", count);
}
static DEVICE_ATTR_RO(frame_count);

static ssize_t frame_source_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	u32 source;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	source = nst->frame_source;
	nst_unlock(nst);
	return sysfs_emit(buf, "%s\n", nst_frame_source_name(source));
}
static DEVICE_ATTR_RO(frame_source);

static struct attribute *base_attrs[] = {
	&dev_attr_name.attr,
	&dev_attr_provider.attr,
	&dev_attr_model.attr,
	&dev_attr_owner.attr,
	&dev_attr_gate.attr,
	&timing_attrs[TIMING_PERIOD].attr.attr,
	&timing_attrs[TIMING_EXPOSURE].attr.attr,
	&timing_attrs[TIMING_READOUT].attr.attr,
	&dev_attr_frame_count.attr,
	&dev_attr_frame_source.attr,
	NULL
};

/* Timing can be written only where the provider owns it. */
static umode_t base_visible(struct kobject *kobj, struct attribute *attr,
			    int n)
{
	struct nst *nst = nst_from_dev(kobj_to_dev(kobj));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(timing_attrs); i++) {
		if (attr == &timing_attrs[i].attr.attr &&
		    !(nst->caps & NST_CAP_TIMING_RW))
			return 0444;
	}
	return attr->mode;
}

static const struct attribute_group base_group = {
	.attrs = base_attrs,
	.is_visible = base_visible,
};

/* ---------------------------------------------------------------- policy */

static const char * const engine_names[] = {
	[NST_ENGINE_HOLD] = "hold",
	[NST_ENGINE_NONE] = "none",
};

static ssize_t policy_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	u32 param = to_nst_attr(attr)->what;
	struct nst *nst = nst_from_dev(dev);
	s64 value;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	value = nst_policy_get(nst, param);
	nst_unlock(nst);
	if (param == NST_PARAM_ENGINE)
		return sysfs_emit(buf, "%s\n", engine_names[value]);
	if (param == NST_PARAM_CAPTURE && value == NST_TEMP_NONE_MC)
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%lld\n", value);
}

static int policy_from_text(u32 param, const char *text, s64 *ret)
{
	unsigned int i;

	if (param == NST_PARAM_ENGINE) {
		for (i = 0; i < ARRAY_SIZE(engine_names); i++) {
			if (sysfs_streq(text, engine_names[i])) {
				*ret = i;
				return 0;
			}
		}
		return -EINVAL;
	}
	if (param == NST_PARAM_CAPTURE && sysfs_streq(text, "none")) {
		*ret = NST_TEMP_NONE_MC;
		return 0;
	}
	/* An overflow is not more valid than a letter. */
	return kstrtos64(text, 10, ret) ? -EINVAL : 0;
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t len)
{
	u32 param = to_nst_attr(attr)->what;
	struct nst *nst = nst_from_dev(dev);
	s64 value;
	int err;

	err = policy_from_text(param, buf, &value);
	if (err)
		return err;
	err = sysfs_lock(nst);
	if (err)
		return err;
	err = nst_policy_set(nst, param, value);
	nst_unlock(nst);
	if (err)
		return err;
	/* The trips of the zone follow before the writer goes on. */
	flush_work(&nst->thermal_work);
	return len;
}

static struct nst_attr policy_attrs[] = {
	{ __ATTR(engine, 0644, policy_show, policy_store), NST_PARAM_ENGINE },
	{ __ATTR(high_temp, 0644, policy_show, policy_store), NST_PARAM_HIGH },
	{ __ATTR(low_temp, 0644, policy_show, policy_store), NST_PARAM_LOW },
	{ __ATTR(capture_temp, 0644, policy_show, policy_store),
	  NST_PARAM_CAPTURE },
	{ __ATTR(max_temp, 0644, policy_show, policy_store), NST_PARAM_MAX },
	/* Not __ATTR(): "auto" is a keyword, and the kernel's macro. */
	{ { .attr = { .name = "auto", .mode = 0644 },
	    .show = policy_show, .store = policy_store }, NST_PARAM_AUTO },
	{ __ATTR(dwell_ms, 0644, policy_show, policy_store), NST_PARAM_DWELL },
	{ __ATTR(stop_frames, 0644, policy_show, policy_store),
	  NST_PARAM_STOP },
	{ __ATTR(lease_ms, 0644, policy_show, policy_store), NST_PARAM_LEASE },
};

static struct attribute *policy_attr_list[ARRAY_SIZE(policy_attrs) + 1];

static struct attribute_group policy_group = {
	.name = "policy",
	.attrs = policy_attr_list,
};

/* nst_sysfs_notify_policy() - wake up who polls a policy file */
void nst_sysfs_notify_policy(struct nst *nst, u32 param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policy_attrs); i++) {
		if (policy_attrs[i].what == param)
			sysfs_notify(&nst->dev.kobj, policy_group.name,
				     policy_attrs[i].attr.attr.name);
	}
}

/* ----------------------------------------------------------------- stats */

#define STAT(field) offsetof(struct nst_stats, field)

/* Not of struct nst_stats: of the frame-sync line. */
enum {
	STAT_FRAMES_MISSED = sizeof(struct nst_stats),
	STAT_EDGES_DOUBLED,
	STAT_EDGE_JITTER
};

static u64 stat_value(const struct nst *nst, u32 what)
{
	switch (what) {
	case STAT_FRAMES_MISSED:
		return nst->sync.missed;
	case STAT_EDGES_DOUBLED:
		return nst->sync.doubled;
	case STAT_EDGE_JITTER:
		return nst->sync.jitter_us;
	case STAT(time_in_run_us):
		return div_u64(nst->stats.time_in_run_us, 1000);
	default:
		return *(const u64 *)((const char *)&nst->stats + what);
	}
}

static ssize_t stat_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct nst *nst = nst_from_dev(dev);
	u64 value;
	int err;

	err = sysfs_lock(nst);
	if (err)
		return err;
	value = stat_value(nst, to_nst_attr(attr)->what);
	nst_unlock(nst);
	return sysfs_emit(buf, "%llu\n", value);
}

static struct nst_attr stat_attrs[] = {
	{ __ATTR(gate_changes, 0444, stat_show, NULL), STAT(gate_changes) },
	{ __ATTR(gate_retries, 0444, stat_show, NULL), STAT(gate_retries) },
	{ __ATTR(gate_faults, 0444, stat_show, NULL), STAT(gate_faults) },
	{ __ATTR(faults, 0444, stat_show, NULL), STAT(faults) },
	{ __ATTR(frames_missed, 0444, stat_show, NULL), STAT_FRAMES_MISSED },
	{ __ATTR(edges_doubled, 0444, stat_show, NULL), STAT_EDGES_DOUBLED },
	{ __ATTR(edge_jitter_us, 0444, stat_show, NULL), STAT_EDGE_JITTER },
	{ __ATTR(captures, 0444, stat_show, NULL), STAT(captures) },
	{ __ATTR(captures_late, 0444, stat_show, NULL), STAT(captures_late) },
	{ __ATTR(samples, 0444, stat_show, NULL), STAT(samples) },
	{ __ATTR(sample_errors, 0444, stat_show, NULL), STAT(sample_errors) },
	{ __ATTR(failsafe_entries, 0444, stat_show, NULL),
	  STAT(failsafe_entries) },
	{ __ATTR(lease_expiries, 0444, stat_show, NULL),
	  STAT(lease_expiries) },
	{ __ATTR(frames_bound, 0444, stat_show, NULL), STAT(frames_bound) },
	{ __ATTR(windows_late, 0444, stat_show, NULL), STAT(windows_late) },
	{ __ATTR(bound_changes, 0444, stat_show, NULL), STAT(bound_changes) },
	{ __ATTR(time_in_run_ms, 0444, stat_show, NULL),
	  STAT(time_in_run_us) },
};

static struct attribute *stat_attr_list[ARRAY_SIZE(stat_attrs) + 1];

static struct attribute_group stat_group = {
	.name = "stats",
	.attrs = stat_attr_list,
};

/* -------------------------------------------------------------- lifetime */

/* nst_sysfs_init() - the tables, once */
void nst_sysfs_init(void)
{
	unsigned int gate, what;

	for (gate = 0; gate < NST_GATE_COUNT; gate++) {
		for (what = 0; what < GATE_FILES; what++) {
			struct nst_attr *file = &gate_attrs[gate][what];

			file->what = what;
			file->gate = (u8)gate;
			file->attr.attr.name = gate_file_names[what];
			file->attr.attr.mode = 0444;
			file->attr.show = gate_file_show;
			if (what == GATE_BUDGET) {
				file->attr.attr.mode = 0644;
				file->attr.store = gate_file_store;
			}
			gate_attr_list[gate][what] = &file->attr.attr;
		}
		gate_groups[gate].name = gate_group_names[gate];
		gate_groups[gate].attrs = gate_attr_list[gate];
	}
	for (what = 0; what < ARRAY_SIZE(policy_attrs); what++)
		policy_attr_list[what] = &policy_attrs[what].attr.attr;
	for (what = 0; what < ARRAY_SIZE(stat_attrs); what++)
		stat_attr_list[what] = &stat_attrs[what].attr.attr;
}

/* nst_sysfs_groups() - the groups of one device, before it is added */
void nst_sysfs_groups(struct nst *nst)
{
	unsigned int i, n = 0;

	nst->groups[n++] = &base_group;
	nst->groups[n++] = &policy_group;
	nst->groups[n++] = &stat_group;
	for (i = 0; i < NST_GATE_COUNT; i++) {
		if (nst_gate_exists(nst, i))
			nst->groups[n++] = &gate_groups[i];
	}
	nst->groups[n] = NULL;
	nst->dev.groups = nst->groups;
}

/* nst_sysfs_bind() - find the two files that wake up pollers often */
void nst_sysfs_bind(struct nst *nst)
{
	mutex_lock(&nst->lock);
	nst->gate_kn = sysfs_get_dirent(nst->dev.kobj.sd, "gate");
	nst->owner_kn = sysfs_get_dirent(nst->dev.kobj.sd, "owner");
	mutex_unlock(&nst->lock);
}

void nst_sysfs_unbind(struct nst *nst)
{
	mutex_lock(&nst->lock);
	sysfs_put(nst->gate_kn);
	sysfs_put(nst->owner_kn);
	nst->gate_kn = NULL;
	nst->owner_kn = NULL;
	mutex_unlock(&nst->lock);
}
