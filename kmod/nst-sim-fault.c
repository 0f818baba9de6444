// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-fault.c - debugfs "fault": what can be made to go wrong
 *
 * A line is a name and a value. Faults that come and go are a number of
 * readings, transfers or times: the next N, -1 for all that follow, 0 for
 * none. Those of the wire need a wire, the others hit the stack itself.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "nst-sim.h"

/* Longest delays that make sense: what a late reading has history for. */
#define LATE_MAX_US	1000000
#define UPLOAD_MAX_MS	600000
#define CYCLES_MAX	1000000

static const char *const rail_names[] = {
	[NST_SIM_RAIL_OFF] = "off",
	[NST_SIM_RAIL_LOW] = "low",
	[NST_SIM_RAIL_HIGH] = "high",
};

/*
 * One of them.
 * @name, @values: what is written, and may be
 * @wire: needs a bus
 * @offset: of an s32 of struct nst_sim_faults that counts, when @set is NULL
 * @set: parses a value and brings it about
 */
struct fault {
	const char *name;
	const char *values;
	bool wire;
	size_t offset;
	int (*set)(struct nst_sim *sim, const char *value);
};

/* -------------------------------------------------------------- setters */

static int set_count(struct nst_sim *sim, size_t offset, const char *value)
{
	s32 *count = (s32 *)((char *)&sim->faults + offset), n;
	int err = kstrtos32(value, 0, &n);

	if (err)
		return err;
	if (n < -1)
		return -ERANGE;
	mutex_lock(&sim->lock);
	*count = n;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_flag(struct nst_sim *sim, bool *flag, const char *value)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (err)
		return err;
	mutex_lock(&sim->lock);
	*flag = on;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_time(struct nst_sim *sim, u32 *time, u32 max,
		    const char *value)
{
	u32 us;
	int err = kstrtou32(value, 0, &us);

	if (err)
		return err;
	if (us > max)
		return -ERANGE;
	mutex_lock(&sim->lock);
	*time = us;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_stuck(struct nst_sim *sim, const char *value)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (!err)
		nst_sim_set_stuck(sim, on);
	return err;
}

static int set_rail(struct nst_sim *sim, const char *value)
{
	int i = match_string(rail_names, ARRAY_SIZE(rail_names), value);

	if (i < 0)
		return -EINVAL;
	mutex_lock(&sim->lock);
	sim->faults.rail = i;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_slow_gate(struct nst_sim *sim, const char *value)
{
	return set_time(sim, &sim->faults.slow_gate_us,
			NST_FRAME_PERIOD_MAX_US, value);
}

static int set_gate_ignored(struct nst_sim *sim, const char *value)
{
	return set_flag(sim, &sim->faults.gate_ignored, value);
}

static int set_mcu_restart(struct nst_sim *sim, const char *value)
{
	bool now;
	int err = kstrtobool(value, &now);

	if (err || !now)
		return err;
	err = nst_sim_mcu_restart(sim);
	if (err == -EOPNOTSUPP)
		pr_err("nst-sim: %s: mcu_restart needs attach mcu\n",
		       sim->config.name);
	return err;
}

static int set_idle_code(struct nst_sim *sim, const char *value)
{
	return set_flag(sim, &sim->faults.idle_code, value);
}

static int set_late(struct nst_sim *sim, const char *value)
{
	return set_time(sim, &sim->faults.late_us, LATE_MAX_US, value);
}

static int set_hot(struct nst_sim *sim, const char *value)
{
	s32 mc;
	int err = kstrtos32(value, 0, &mc);

	return err ? err : nst_sim_set_hot(sim, mc);
}

static int set_owner_gone(struct nst_sim *sim, const char *value)
{
	bool gone;
	int err = kstrtobool(value, &gone);

	return err ? err : nst_sim_owner_bind(sim, !gone);
}

static int set_upload(struct nst_sim *sim, const char *value)
{
	u32 ms;
	int err = kstrtou32(value, 0, &ms);

	if (err)
		return err;
	if (ms > UPLOAD_MAX_MS)
		return -ERANGE;
	return nst_sim_bus_upload(sim, ms);
}

static int set_bridge_dead_after(struct nst_sim *sim, const char *value)
{
	s32 cycles;
	int err = kstrtos32(value, 0, &cycles);

	if (err)
		return err;
	if (cycles < -1 || cycles > CYCLES_MAX)
		return -ERANGE;
	return nst_sim_bus_bridge_life(sim, cycles);
}

#define COUNT(_name, _field, _wire) {					\
	.name = _name,							\
	.values = "-1 to 2147483647",					\
	.wire = _wire,							\
	.offset = offsetof(struct nst_sim_faults, _field),		\
}

static const struct fault faults[] = {
	COUNT("read_error", read_error, false),
	COUNT("not_ready", not_ready, false),
	{ "stuck", "0 or 1", false, 0, set_stuck },
	{ "frozen", "0 or 1", false, 0, set_stuck },
	{ "rail", "low, high or off", false, 0, set_rail },
	{ "slow_gate", "0 to 10000000 us", false, 0, set_slow_gate },
	{ "hot", "a temperature in mC", false, 0, set_hot },
	{ "gate_ignored", "0 or 1", false, 0, set_gate_ignored },
	COUNT("gate_refused", gate_refused, false),
	COUNT("nack", nack, true),
	COUNT("arb_lost", arb_lost, true),
	COUNT("torn", torn, true),
	COUNT("pec_error", pec_error, true),
	COUNT("all_ones", all_ones, true),
	COUNT("all_zeros", all_zeros, true),
	COUNT("spike", spike, true),
	{ "power_on_default", "0 or 1", true, 0, set_idle_code },
	{ "late_conversion", "0 to 1000000 us", true, 0, set_late },
	{ "mcu_restart", "0 or 1", true, 0, set_mcu_restart },
	{ "owner_gone", "0 or 1", true, 0, set_owner_gone },
	{ "upload", "0 to 600000 ms", true, 0, set_upload },
	{ "bridge_dead_after", "-1 to 1000000 power cycles", true, 0,
	  set_bridge_dead_after },
};

/* ----------------------------------------------------------------- file */

static int fault_show(struct seq_file *s, void *unused)
{
	struct nst_sim *sim = s->private;
	struct nst_sim_faults f;

	mutex_lock(&sim->lock);
	f = sim->faults;
	mutex_unlock(&sim->lock);
	seq_printf(s, "read_error=%d\n", f.read_error);
	seq_printf(s, "not_ready=%d\n", f.not_ready);
	seq_printf(s, "stuck=%d\n", f.stuck);
	seq_printf(s, "rail=%s\n", rail_names[f.rail]);
	seq_printf(s, "slow_gate=%u\n", f.slow_gate_us);
	seq_printf(s, "gate_ignored=%d\n", f.gate_ignored);
	seq_printf(s, "gate_refused=%d\n", f.gate_refused);
	if (!sim->bus)
		return 0;
	seq_printf(s, "nack=%d\n", f.nack);
	seq_printf(s, "arb_lost=%d\n", f.arb_lost);
	seq_printf(s, "torn=%d\n", f.torn);
	seq_printf(s, "pec_error=%d\n", f.pec_error);
	seq_printf(s, "all_ones=%d\n", f.all_ones);
	seq_printf(s, "all_zeros=%d\n", f.all_zeros);
	seq_printf(s, "spike=%d\n", f.spike);
	seq_printf(s, "power_on_default=%d\n", f.idle_code);
	seq_printf(s, "late_conversion=%u\n", f.late_us);
	return 0;
}

static int fault_open(struct inode *inode, struct file *file)
{
	return single_open(file, fault_show, inode->i_private);
}

static int fault_set(struct nst_sim *sim, const struct fault *fault,
		     const char *value)
{
	int err;

	if (fault->wire && !sim->bus) {
		pr_err("nst-sim: %s: %s needs attach cci or mcu\n",
		       sim->config.name, fault->name);
		return -EOPNOTSUPP;
	}
	err = fault->set ? fault->set(sim, value) :
			   set_count(sim, fault->offset, value);
	if (err == -EINVAL || err == -ERANGE)
		pr_err("nst-sim: %s: fault %s is %s, not '%s'\n",
		       sim->config.name, fault->name, fault->values, value);
	return err;
}

static ssize_t fault_write(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	struct seq_file *s = file->private_data;
	struct nst_sim *sim = s->private;
	char line[NST_SIM_WRITE_MAX], *text, *name;
	unsigned int i;
	int err;

	err = nst_sim_get_line(from, len, line, &text);
	if (err)
		return err;
	name = strsep(&text, " \t");
	if (!text)
		return -EINVAL;
	text = skip_spaces(text);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(name, faults[i].name))
			continue;
		err = fault_set(sim, &faults[i], text);
		return err ? err : (ssize_t)len;
	}
	pr_err("nst-sim: %s: no fault '%s'\n", sim->config.name, name);
	return -EINVAL;
}

const struct file_operations nst_sim_fault_fops = {
	.owner = THIS_MODULE,
	.open = fault_open,
	.read = seq_read,
	.write = fault_write,
	.llseek = seq_lseek,
	.release = single_release,
};
