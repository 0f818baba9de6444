// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-debugfs.c - what of the MCU has no other place, for bring-up
 *
 * /sys/kernel/debug/nst-mcu/<device>/
 *
 *	frames	r	the MCU's own frame counter: count, period_us, age_us
 *	faults	r	its last fault and the last transfer that it refused
 *	capture	rw	a capture by the MCU itself: write "TEMP_MC DEADLINE_US
 *			FRAMES", 0 frames cancel; read what became of it
 *
 * The registers themselves are in the debugfs of regmap. A capture from here
 * closes the gate behind the back of the core, which finds that it differs.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "nst-mcu.h"

static int frames_show(struct seq_file *s, void *unused)
{
	struct nst_mcu *mcu = s->private;
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_frames frames;
	int count;

	if (!(mcu->id.caps & NST_MCU_CAPS_FRAMES))
		return -EOPNOTSUPP;
	count = nst_mcu_block_read(mcu, NST_MCU_BLK_FRAME, words);
	if (count < 0)
		return count;
	if (nst_mcu_frames_from_regs(&frames, words, (u32)count))
		return -EIO;
	seq_printf(s, "count %u\nperiod_us %u\nage_us %u\n", frames.count,
		   frames.period_us, frames.age_us);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(frames);

static int faults_show(struct seq_file *s, void *unused)
{
	struct nst_mcu *mcu = s->private;
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_fault fault;
	int count;

	count = nst_mcu_block_read(mcu, NST_MCU_BLK_FAULTS, words);
	if (count < 0)
		return count;
	if (nst_mcu_fault_from_regs(&fault, words, (u32)count))
		return -EIO;
	seq_printf(s, "fault %#x\nvalue %u\nrefused_command %#04x\nrefused_why %u\n",
		   fault.code, fault.value, fault.refused_command,
		   fault.refused_why);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(faults);

static int capture_show(struct seq_file *s, void *unused)
{
	static const char * const states[] = {
		[NST_MCU_CAPTURE_STATE_IDLE] = "idle",
		[NST_MCU_CAPTURE_STATE_COOLING] = "cooling",
		[NST_MCU_CAPTURE_STATE_EXPOSING] = "exposing",
		[NST_MCU_CAPTURE_STATE_DONE] = "done",
		[NST_MCU_CAPTURE_STATE_MISSED] = "missed",
		[NST_MCU_CAPTURE_STATE_CANCELLED] = "cancelled",
	};
	struct nst_mcu *mcu = s->private;
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_result result;
	int count;

	if (!(mcu->id.caps & NST_MCU_CAPS_CAPTURE))
		return -EOPNOTSUPP;
	count = nst_mcu_block_read(mcu, NST_MCU_BLK_CAPTURE_RESULT, words);
	if (count < 0)
		return count;
	if (nst_mcu_result_from_regs(&result, words, (u32)count))
		return -EIO;
	seq_printf(s, "state %s\nframe %u\n", states[result.state],
		   result.frame);
	if (result.reached)
		seq_printf(s, "reached_mc %d\n", result.reached_mc);
	return 0;
}

static int capture_open(struct inode *inode, struct file *file)
{
	return single_open(file, capture_show, inode->i_private);
}

static ssize_t capture_write(struct file *file, const char __user *user,
			     size_t len, loff_t *pos)
{
	struct nst_mcu *mcu = ((struct seq_file *)file->private_data)->private;
	u16 words[NST_MCU_BLK_CAPTURE_WORDS];
	struct nst_mcu_request request;
	char text[64], rest;
	int err;

	if (!(mcu->id.caps & NST_MCU_CAPS_CAPTURE))
		return -EOPNOTSUPP;
	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, len))
		return -EFAULT;
	text[len] = '\0';
	if (sscanf(text, "%d %u %u %c", &request.temp_mc, &request.deadline_us,
		   &request.frames, &rest) != 3)
		return -EINVAL;
	err = nst_mcu_request_to_regs(words, &request);
	if (!err)
		err = nst_mcu_block_write(mcu, NST_MCU_BLK_CAPTURE, words,
					  NST_MCU_BLK_CAPTURE_WORDS);
	return err ? err : (ssize_t)len;
}

static const struct file_operations capture_fops = {
	.owner = THIS_MODULE,
	.open = capture_open,
	.read = seq_read,
	.write = capture_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* All of them below one folder, which the first makes and the last removes. */
static DEFINE_MUTEX(root_lock);
static struct dentry *root;
static unsigned int root_users;

void nst_mcu_debugfs_init(struct nst_mcu *mcu)
{
	struct dentry *dir;

	mutex_lock(&root_lock);
	if (!root_users++)
		root = debugfs_create_dir("nst-mcu", NULL);
	dir = debugfs_create_dir(dev_name(&mcu->client->dev), root);
	mutex_unlock(&root_lock);
	mcu->debugfs = dir;
	debugfs_create_file("frames", 0444, dir, mcu, &frames_fops);
	debugfs_create_file("faults", 0444, dir, mcu, &faults_fops);
	debugfs_create_file("capture", 0644, dir, mcu, &capture_fops);
}

void nst_mcu_debugfs_exit(struct nst_mcu *mcu)
{
	if (!mcu->debugfs)
		return;
	debugfs_remove_recursive(mcu->debugfs);
	mutex_lock(&root_lock);
	if (!--root_users)
		debugfs_remove_recursive(root);
	mutex_unlock(&root_lock);
}
