// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-debugfs.c - ground truth, the hand on the clock, what the wire saw
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

#define STEP_MAX_US	3600000000ull

static struct dentry *root;

int nst_sim_get_line(const char __user *from, size_t len,
		     char line[NST_SIM_WRITE_MAX], char **ret)
{
	if (len >= NST_SIM_WRITE_MAX)
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
	u64 delivered, missed, render_ns, records, taken, underruns;

	nst_sim_truth(sim, &t);
	mutex_lock(&camera->log_lock);
	delivered = camera->delivered;
	render_ns = camera->render_ns;
	mutex_unlock(&camera->log_lock);
	spin_lock(&camera->slock);
	missed = camera->missed;
	records = sim->metadata.missed;
	taken = sim->input.taken;
	underruns = sim->input.underruns;
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
	seq_printf(s, "records_missed %llu\n", records);
	seq_printf(s, "input_taken %llu\n", taken);
	seq_printf(s, "input_underruns %llu\n", underruns);
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
	char line[NST_SIM_WRITE_MAX], *text;
	u64 us;
	int err;

	err = nst_sim_get_line(from, len, line, &text);
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
	char line[NST_SIM_WRITE_MAX], *text;
	s32 mc;
	int err;

	err = nst_sim_get_line(from, len, line, &text);
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

/* ------------------------------------------------------------------ bus */

static int bus_show(struct seq_file *s, void *unused)
{
	nst_sim_bus_show(s->private, s);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bus);

static int owner_active_show(struct seq_file *s, void *unused)
{
	struct nst_sim *sim = s->private;

	seq_printf(s, "%d\n", READ_ONCE(sim->owner_active));
	return 0;
}

static int owner_active_open(struct inode *inode, struct file *file)
{
	return single_open(file, owner_active_show, inode->i_private);
}

static ssize_t owner_active_write(struct file *file, const char __user *from,
				  size_t len, loff_t *pos)
{
	struct seq_file *s = file->private_data;
	struct nst_sim *sim = s->private;
	char line[NST_SIM_WRITE_MAX], *text;
	bool on;
	int err;

	err = nst_sim_get_line(from, len, line, &text);
	if (!err)
		err = kstrtobool(text, &on);
	if (err)
		return err;
	nst_sim_set_owner_active(sim, on);
	return (ssize_t)len;
}

static const struct file_operations owner_active_fops = {
	.owner = THIS_MODULE,
	.open = owner_active_open,
	.read = seq_read,
	.write = owner_active_write,
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
	debugfs_create_file("fault", 0644, dir, sim, &nst_sim_fault_fops);
	if (!sim->bus)
		return;
	debugfs_create_file("bus", 0444, dir, sim, &bus_fops);
	debugfs_create_file("owner_active", 0644, dir, sim,
			    &owner_active_fops);
}

/* Waits for those who are inside; nobody comes in afterwards. */
void nst_sim_debugfs_remove(struct nst_sim *sim)
{
	debugfs_remove_recursive(sim->debugfs);
	sim->debugfs = NULL;
}
