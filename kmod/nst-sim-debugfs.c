// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-debugfs.c - ground truth, the hand on the clock, faults
 *
 * /sys/kernel/debug/nst-sim/<name>/: what no driver of real hardware could
 * tell, so nothing but tests and the demonstration may look here. A read is
 * of one instant.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "nst-sim.h"

#define WRITE_MAX	64
#define STEP_MAX_US	3600000000ull

static struct dentry *root;

/* A line from user space, without the blanks around it. */
static int get_line(const char __user *from, size_t len,
		    char line[WRITE_MAX], char **ret)
{
	if (len >= WRITE_MAX)
		return -EINVAL;
	if (copy_from_user(line, from, len))
		return -EFAULT;
	line[len] = '\0';
	*ret = strim(line);
	return 0;
}

/* ---------------------------------------------------------------- truth */

static int truth_show(struct seq_file *s, void *unused)
{
	struct nst_sim *sim = s->private;
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_truth t;
	u64 delivered, missed, render_ns;

	nst_sim_truth(sim, &t);
	mutex_lock(&camera->log_lock);
	delivered = camera->delivered;
	render_ns = camera->render_ns;
	mutex_unlock(&camera->log_lock);
	spin_lock(&camera->slock);
	missed = camera->missed;
	spin_unlock(&camera->slock);

	seq_printf(s, "now_us %llu\n", t.now_us);
	seq_printf(s, "die_mc %d\n", t.die_mc);
	seq_printf(s, "package_mc %d\n", t.package_mc);
	seq_printf(s, "power_mw %u\n", t.power_mw);
	seq_printf(s, "gate %s\n", nst_gate_name(t.gate));
	seq_printf(s, "ambient_mc %d\n", t.ambient_mc);
	seq_printf(s, "frame_seq %llu\n", t.frame_seq);
	seq_printf(s, "frame_period_us %u\n", t.frame_period_us);
	seq_printf(s, "exposure_us %u\n", t.exposure_us);
	seq_printf(s, "energy_uj %llu\n", t.energy_uj);
	seq_printf(s, "time_run_us %llu\n", t.time_run_us);
	seq_printf(s, "slipped_us %llu\n", t.slipped_us);
	seq_printf(s, "max_die_mc %d\n", t.max_die_mc);
	seq_printf(s, "frames_delivered %llu\n", delivered);
	/* Exposures that found no buffer while somebody was streaming. */
	seq_printf(s, "frames_missed %llu\n", missed);
	seq_printf(s, "render_us %llu\n", div_u64(render_ns, NSEC_PER_USEC));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

/* --------------------------------------------------------------- frames */

static void show_frame(struct seq_file *s, const struct nst_sim_frame *f)
{
	unsigned int i;

	seq_printf(s, "%llu %llu %d %d %s %u", f->seq, f->start_us, f->hot_mc,
		   f->cold_mc, nst_gate_name(f->gate), f->boxes);
	for (i = 0; i < f->boxes; i++)
		seq_printf(s, " %u,%u,%u,%u", f->box[i].x, f->box[i].y,
			   f->box[i].w, f->box[i].h);
	seq_putc(s, '\n');
}

static int frames_show(struct seq_file *s, void *unused)
{
	struct nst_sim *sim = s->private;
	struct nst_sim_camera *camera = &sim->camera;
	u64 i, end;

	mutex_lock(&camera->log_lock);
	end = camera->delivered;
	i = end > NST_SIM_FRAMES_LOGGED ? end - NST_SIM_FRAMES_LOGGED : 0;
	for (; i < end; i++)
		show_frame(s, &camera->log[i % NST_SIM_FRAMES_LOGGED]);
	mutex_unlock(&camera->log_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(frames);

/* ---------------------------------------------------------------- clock */

static ssize_t advance_us_write(struct file *file, const char __user *from,
				size_t len, loff_t *pos)
{
	struct nst_sim *sim = file->private_data;
	char line[WRITE_MAX], *text;
	u64 us;
	int err;

	err = get_line(from, len, line, &text);
	if (!err)
		err = kstrtou64(text, 0, &us);
	if (err)
		return err;
	if (us > STEP_MAX_US)
		return -ERANGE;
	err = nst_sim_step(sim, us);
	return err ? err : (ssize_t)len;
}

static const struct file_operations advance_us_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = advance_us_write,
	.llseek = noop_llseek,
};

/* -------------------------------------------------------------- ambient */

static int ambient_mc_show(struct seq_file *s, void *unused)
{
	struct nst_sim_truth t;

	nst_sim_truth(s->private, &t);
	seq_printf(s, "%d\n", t.ambient_mc);
	return 0;
}

static int ambient_mc_open(struct inode *inode, struct file *file)
{
	return single_open(file, ambient_mc_show, inode->i_private);
}

static ssize_t ambient_mc_write(struct file *file, const char __user *from,
				size_t len, loff_t *pos)
{
	struct seq_file *s = file->private_data;
	char line[WRITE_MAX], *text;
	s32 mc;
	int err;

	err = get_line(from, len, line, &text);
	if (!err)
		err = kstrtos32(text, 0, &mc);
	if (!err)
		err = nst_sim_set_ambient(s->private, mc);
	return err ? err : (ssize_t)len;
}

static const struct file_operations ambient_mc_fops = {
	.owner = THIS_MODULE,
	.open = ambient_mc_open,
	.read = seq_read,
	.write = ambient_mc_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* --------------------------------------------------------------- faults */

static const char *const rail_names[] = {
	[NST_SIM_RAIL_OFF] = "off",
	[NST_SIM_RAIL_LOW] = "low",
	[NST_SIM_RAIL_HIGH] = "high",
};

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
	return 0;
}

static int fault_open(struct inode *inode, struct file *file)
{
	return single_open(file, fault_show, inode->i_private);
}

/* A number of reads: -1 for all that follow. */
static int set_reads(struct nst_sim *sim, s32 *reads, const char *value)
{
	s32 n;
	int err = kstrtos32(value, 0, &n);

	if (err)
		return err;
	if (n < -1)
		return -ERANGE;
	mutex_lock(&sim->lock);
	*reads = n;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_read_error(struct nst_sim *sim, const char *value)
{
	return set_reads(sim, &sim->faults.read_error, value);
}

static int set_not_ready(struct nst_sim *sim, const char *value)
{
	return set_reads(sim, &sim->faults.not_ready, value);
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
	u32 us;
	int err = kstrtou32(value, 0, &us);

	if (err)
		return err;
	if (us > NST_FRAME_PERIOD_MAX_US)
		return -ERANGE;
	mutex_lock(&sim->lock);
	sim->faults.slow_gate_us = us;
	mutex_unlock(&sim->lock);
	return 0;
}

static int set_hot(struct nst_sim *sim, const char *value)
{
	s32 mc;
	int err = kstrtos32(value, 0, &mc);

	return err ? err : nst_sim_set_hot(sim, mc);
}

static const struct {
	const char *name;
	int (*set)(struct nst_sim *sim, const char *value);
} faults[] = {
	{ "read_error", set_read_error },
	{ "not_ready", set_not_ready },
	{ "stuck", set_stuck },
	{ "rail", set_rail },
	{ "slow_gate", set_slow_gate },
	{ "hot", set_hot },
};

static ssize_t fault_write(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	struct seq_file *s = file->private_data;
	char line[WRITE_MAX], *text, *name;
	unsigned int i;
	int err;

	err = get_line(from, len, line, &text);
	if (err)
		return err;
	name = strsep(&text, " \t");
	if (!text)
		return -EINVAL;
	text = skip_spaces(text);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(name, faults[i].name))
			continue;
		err = faults[i].set(s->private, text);
		return err ? err : (ssize_t)len;
	}
	return -EINVAL;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = fault_open,
	.read = seq_read,
	.write = fault_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ------------------------------------------------------------- lifetime */

void nst_sim_debugfs_root(bool make)
{
	if (make) {
		root = debugfs_create_dir("nst-sim", NULL);
	} else {
		debugfs_remove_recursive(root);
		root = NULL;
	}
}

void nst_sim_debugfs_add(struct nst_sim *sim)
{
	struct dentry *dir = debugfs_create_dir(sim->config.name, root);

	sim->debugfs = dir;
	debugfs_create_file("truth", 0444, dir, sim, &truth_fops);
	debugfs_create_file("frames", 0444, dir, sim, &frames_fops);
	debugfs_create_file("advance_us", 0200, dir, sim, &advance_us_fops);
	debugfs_create_file("ambient_mc", 0644, dir, sim, &ambient_mc_fops);
	debugfs_create_file("fault", 0644, dir, sim, &fault_fops);
}

/* Waits for those who are inside; nobody comes in afterwards. */
void nst_sim_debugfs_remove(struct nst_sim *sim)
{
	debugfs_remove_recursive(sim->debugfs);
	sim->debugfs = NULL;
}
