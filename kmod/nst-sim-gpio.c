// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-gpio.c - the lines between an emulated stack and its host
 *
 *	0 run		from the host; asserted, or left alone: the VPU works
 *	1 frame-sync	to the host; a pulse when an exposure begins
 *	2 alert		to the host; low while the MCU has something to say
 *	3 supply	from the host; deasserted: the VPU has no power
 *
 * A chip of a bus expander's kind: its lines are accessed from process
 * context only. Every line that goes to the host is an interrupt too, for
 * edges and levels, by an interrupt domain of our own: nothing is needed of
 * GPIO_SIM, IRQ_SIM or a device tree, and a device tree can refer to both.
 *
 * The chip is an object of its own: programs may have its lines open when the
 * stack goes. They are told -ENODEV from then on. A program that waits in
 * read() for an edge keeps a chip from going (from 6.9 on it waits inside of an
 * SRCU section), so it is given edges until it has noticed; and one keeps its
 * interrupt requested: the chip then joins a list of the dead, who keep this
 * module, until somebody finds that it is let go.
 *
 * No line keeps this module otherwise: gpiolib forgets to let go of the owner
 * of a chip that went before its lines were closed.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

/* How long the frame-sync line is high. */
#define PULSE_US	10

#define LINES_TO_HOST	(BIT(NST_SIM_LINE_FRAME_SYNC) | BIT(NST_SIM_LINE_ALERT))

#define REAP_MS		100
#define FAREWELL_MS	20

static DEFINE_MUTEX(dead_lock);		/* guards dead_lines */
static LIST_HEAD(dead_lines);
static void lines_reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(reap_work, lines_reap);

/* ----------------------------------------------------------- interrupts */

static bool level_asserted(const struct nst_sim_lines *lines,
			   unsigned int line)
{
	bool high = lines->level & BIT(line);

	if (lines->type[line] & IRQ_TYPE_LEVEL_HIGH)
		return high;
	if (lines->type[line] & IRQ_TYPE_LEVEL_LOW)
		return !high;
	return false;
}

static void fire(struct nst_sim_lines *lines, unsigned int line)
{
	unsigned int irq = irq_find_mapping(lines->domain, line);
	unsigned long flags;

	if (!irq)
		return;
	local_irq_save(flags);
	generic_handle_irq(irq);
	local_irq_restore(flags);
}

/* A level that was there while the line was masked. */
static void lines_work(struct work_struct *work)
{
	struct nst_sim_lines *lines =
		container_of(work, struct nst_sim_lines, work);
	unsigned int line;
	bool due;

	for (line = 0; line < NST_SIM_LINE_COUNT; line++) {
		raw_spin_lock_irq(&lines->slock);
		due = level_asserted(lines, line) &&
		      !(lines->masked & BIT(line));
		raw_spin_unlock_irq(&lines->slock);
		if (due)
			fire(lines, line);
	}
}

/* Any context that may take a mutex or not: handlers do not sleep. */
static void set_level(struct nst_sim_lines *lines, unsigned int line,
		      bool high)
{
	unsigned long flags;
	u32 wanted;
	bool due;

	raw_spin_lock_irqsave(&lines->slock, flags);
	wanted = high ? IRQ_TYPE_EDGE_RISING : IRQ_TYPE_EDGE_FALLING;
	due = !(lines->level & BIT(line)) == high &&
	      (lines->type[line] & wanted);
	if (high)
		lines->level |= BIT(line);
	else
		lines->level &= ~BIT(line);
	due = due || (level_asserted(lines, line) &&
		      !(lines->masked & BIT(line)));
	raw_spin_unlock_irqrestore(&lines->slock, flags);
	if (due)
		fire(lines, line);
}

static void irq_set_masked(struct irq_data *d, bool masked)
{
	struct nst_sim_lines *lines = irq_data_get_irq_chip_data(d);
	unsigned int line = (unsigned int)irqd_to_hwirq(d);
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(&lines->slock, flags);
	if (masked)
		lines->masked |= BIT(line);
	else
		lines->masked &= ~BIT(line);
	due = !masked && level_asserted(lines, line);
	raw_spin_unlock_irqrestore(&lines->slock, flags);
	if (due && !lines->dead)
		schedule_work(&lines->work);
}

static void lines_irq_mask(struct irq_data *d)
{
	irq_set_masked(d, true);
}

static void lines_irq_unmask(struct irq_data *d)
{
	irq_set_masked(d, false);
}

static void lines_irq_ack(struct irq_data *d)
{
}

static int lines_irq_set_type(struct irq_data *d, unsigned int type)
{
	struct nst_sim_lines *lines = irq_data_get_irq_chip_data(d);
	unsigned int line = (unsigned int)irqd_to_hwirq(d);
	unsigned long flags;

	if (!(BIT(line) & LINES_TO_HOST))
		return -EINVAL;
	raw_spin_lock_irqsave(&lines->slock, flags);
	lines->type[line] = type & IRQ_TYPE_SENSE_MASK;
	raw_spin_unlock_irqrestore(&lines->slock, flags);
	if (type & IRQ_TYPE_LEVEL_MASK)
		irq_set_handler_locked(d, handle_level_irq);
	else
		irq_set_handler_locked(d, handle_edge_irq);
	return 0;
}

/*
 * The lines are not locked as interrupts: those to the host have one direction
 * anyway, and gpiolib frees the interrupts of locked lines when their chip
 * goes, which those who requested them do again (6.12).
 */
static struct irq_chip lines_irq_chip = {
	.name = "nst-sim-gpio",
	.irq_mask = lines_irq_mask,
	.irq_unmask = lines_irq_unmask,
	.irq_ack = lines_irq_ack,
	.irq_set_type = lines_irq_set_type,
	.flags = IRQCHIP_SKIP_SET_WAKE,
};

static int domain_map(struct irq_domain *domain, unsigned int irq,
		      irq_hw_number_t line)
{
	irq_set_chip_data(irq, domain->host_data);
	irq_set_chip_and_handler(irq, &lines_irq_chip, handle_edge_irq);
	irq_set_noprobe(irq);
	return 0;
}

static void domain_unmap(struct irq_domain *domain, unsigned int irq)
{
	irq_set_chip_and_handler(irq, NULL, NULL);
	irq_set_chip_data(irq, NULL);
}

static const struct irq_domain_ops domain_ops = {
	.map = domain_map,
	.unmap = domain_unmap,
	.xlate = irq_domain_xlate_twocell,
};

/* ---------------------------------------------------------------- lines */

/* What run and supply ask for. */
static void update_gate(struct nst_sim *sim, const struct nst_sim_lines *lines)
{
	u64 now = nst_sim_now_locked(sim);
	u8 gate = NST_GATE_RUN;

	if (!(lines->level & BIT(NST_SIM_LINE_SUPPLY)))
		gate = NST_GATE_OFF;
	else if (!(lines->level & BIT(NST_SIM_LINE_RUN)))
		gate = (u8)sim->config.run_depth;
	nst_sim_bus_gate(sim, gate, now);
}

static int line_get_direction(struct gpio_chip *chip, unsigned int line)
{
	struct nst_sim_lines *lines = gpiochip_get_data(chip);

	return lines->output & BIT(line) ? GPIO_LINE_DIRECTION_OUT :
					   GPIO_LINE_DIRECTION_IN;
}

static void lines_set_output(struct nst_sim_lines *lines, unsigned int line,
			     bool output)
{
	raw_spin_lock_irq(&lines->slock);
	if (output)
		lines->output |= BIT(line);
	else
		lines->output &= ~BIT(line);
	raw_spin_unlock_irq(&lines->slock);
}

/* It stays at the level it has. */
static int line_direction_input(struct gpio_chip *chip, unsigned int line)
{
	struct nst_sim_lines *lines = gpiochip_get_data(chip);

	lines_set_output(lines, line, false);
	return 0;
}

/* The stack behind the lines, kept until lines_unlock(); NULL when gone. */
static struct nst_sim *lines_lock(struct nst_sim_lines *lines)
{
	struct nst_sim *sim;

	mutex_lock(&lines->lock);
	sim = lines->sim;
	if (!sim)
		mutex_unlock(&lines->lock);
	return sim;
}

static void lines_unlock(struct nst_sim_lines *lines)
{
	mutex_unlock(&lines->lock);
}

static void line_drive(struct nst_sim_lines *lines, unsigned int line,
		       int value)
{
	struct nst_sim *sim;

	if (BIT(line) & LINES_TO_HOST)
		return;
	sim = lines_lock(lines);
	if (!sim)
		return;
	mutex_lock(&sim->lock);
	raw_spin_lock_irq(&lines->slock);
	if (value)
		lines->level |= BIT(line);
	else
		lines->level &= ~BIT(line);
	raw_spin_unlock_irq(&lines->slock);
	update_gate(sim, lines);
	mutex_unlock(&sim->lock);
	lines_unlock(lines);
}

/* As of an expander whose bus fails; where an error can be told. */
static bool line_refused(struct nst_sim_lines *lines, unsigned int line)
{
	struct nst_sim *sim;
	bool refused;

	if (line != NST_SIM_LINE_RUN)
		return false;
	sim = lines_lock(lines);
	if (!sim)
		return false;
	mutex_lock(&sim->lock);
	refused = nst_sim_fault_due(&sim->faults.gate_refused);
	mutex_unlock(&sim->lock);
	lines_unlock(lines);
	return refused;
}

static int line_direction_output(struct gpio_chip *chip, unsigned int line,
				 int value)
{
	struct nst_sim_lines *lines = gpiochip_get_data(chip);

	/* The stack drives these itself. */
	if (BIT(line) & LINES_TO_HOST || line_refused(lines, line))
		return -EIO;
	lines_set_output(lines, line, true);
	line_drive(lines, line, value);
	return 0;
}

static nst_gpio_set_ret line_set(struct gpio_chip *chip, unsigned int line,
				 int value)
{
	line_drive(gpiochip_get_data(chip), line, value);
	return NST_GPIO_SET_DONE;
}

/* The pulse is computed, not timed. */
static bool in_pulse(struct nst_sim *sim)
{
	bool high;

	mutex_lock(&sim->lock);
	high = sim->config.tell_frames && sim->seq &&
	       nst_sim_now_locked(sim) < sim->start_us + PULSE_US;
	mutex_unlock(&sim->lock);
	return high;
}

static int line_get(struct gpio_chip *chip, unsigned int line)
{
	struct nst_sim_lines *lines = gpiochip_get_data(chip);
	struct nst_sim *sim;
	int level;

	if (line != NST_SIM_LINE_FRAME_SYNC)
		return !!(lines->level & BIT(line));
	sim = lines_lock(lines);
	if (!sim)
		return -ENODEV;
	level = in_pulse(sim);
	lines_unlock(lines);
	return level;
}

static int line_to_irq(struct gpio_chip *chip, unsigned int line)
{
	struct nst_sim_lines *lines = gpiochip_get_data(chip);
	unsigned int irq;

	if (!(BIT(line) & LINES_TO_HOST))
		return -ENXIO;
	irq = irq_create_mapping(lines->domain, line);
	return irq ? (int)irq : -ENXIO;
}

/* --------------------------------------------------------------- edges */

/* Waits for the threads of the line's interrupt, with nothing locked. */
static void line_wait(struct nst_sim_lines *lines, unsigned int line)
{
	unsigned int irq = irq_find_mapping(lines->domain, line);

	if (irq)
		synchronize_irq(irq);
}

void nst_sim_lines_pulse(struct nst_sim *sim, bool wait)
{
	struct nst_sim_lines *lines = sim->bus->lines;

	set_level(lines, NST_SIM_LINE_FRAME_SYNC, true);
	set_level(lines, NST_SIM_LINE_FRAME_SYNC, false);
	if (wait)
		line_wait(lines, NST_SIM_LINE_FRAME_SYNC);
}

void nst_sim_lines_alert(struct nst_sim *sim, bool on)
{
	set_level(sim->bus->lines, NST_SIM_LINE_ALERT, !on);
}

void nst_sim_lines_alert_wait(struct nst_sim *sim)
{
	line_wait(sim->bus->lines, NST_SIM_LINE_ALERT);
}

void nst_sim_lines_drive(struct nst_sim *sim, enum nst_sim_line line,
			 bool high)
{
	line_drive(sim->bus->lines, line, high);
}

bool nst_sim_lines_level(struct nst_sim *sim, enum nst_sim_line line)
{
	return READ_ONCE(sim->bus->lines->level) & BIT(line);
}

int nst_sim_lines_irq(struct nst_sim *sim, enum nst_sim_line line)
{
	return line_to_irq(&sim->bus->lines->chip, line);
}

/* ------------------------------------------------------------- lifetime */

static void lines_free(struct nst_sim_lines *lines)
{
	unsigned int line, irq;

	cancel_work_sync(&lines->work);
	for (line = 0; line < NST_SIM_LINE_COUNT; line++) {
		irq = irq_find_mapping(lines->domain, line);
		if (irq)
			irq_dispose_mapping(irq);
	}
	irq_domain_remove(lines->domain);
	kfree(lines);
}

static bool lines_held(struct nst_sim_lines *lines)
{
	unsigned int line, irq;

	for (line = 0; line < NST_SIM_LINE_COUNT; line++) {
		irq = irq_find_mapping(lines->domain, line);
		if (irq && irq_has_action(irq))
			return true;
	}
	return false;
}

static void lines_farewell(struct work_struct *work)
{
	struct nst_sim_lines *lines =
		container_of(work, struct nst_sim_lines, farewell.work);

	fire(lines, NST_SIM_LINE_FRAME_SYNC);
	fire(lines, NST_SIM_LINE_ALERT);
	schedule_delayed_work(&lines->farewell, msecs_to_jiffies(FAREWELL_MS));
}

static void lines_gone(struct work_struct *work)
{
	struct nst_sim_lines *lines =
		container_of(work, struct nst_sim_lines, gone_work);

	schedule_delayed_work(&lines->farewell, msecs_to_jiffies(FAREWELL_MS));
	gpiochip_remove(&lines->chip);
	cancel_delayed_work_sync(&lines->farewell);
	cancel_work_sync(&lines->work);
	mutex_lock(&dead_lock);
	list_add(&lines->node, &dead_lines);
	schedule_delayed_work(&reap_work, msecs_to_jiffies(REAP_MS));
	/* Who waits for this hastens the work: nothing to it from here on. */
	complete(&lines->gone);
	mutex_unlock(&dead_lock);
}

int nst_sim_lines_make(struct nst_sim *sim)
{
	struct nst_sim_lines *lines;
	struct gpio_chip *chip;
	int err = -ENOMEM;

	lines = kzalloc(sizeof(*lines), GFP_KERNEL);
	if (!lines)
		return -ENOMEM;
	lines->sim = sim;
	raw_spin_lock_init(&lines->slock);
	INIT_WORK(&lines->work, lines_work);
	INIT_WORK(&lines->gone_work, lines_gone);
	INIT_DELAYED_WORK(&lines->farewell, lines_farewell);
	mutex_init(&lines->lock);
	init_completion(&lines->gone);
	refcount_set(&lines->refs, 1);
	lines->level = BIT(NST_SIM_LINE_RUN) | BIT(NST_SIM_LINE_SUPPLY) |
		       BIT(NST_SIM_LINE_ALERT);
	lines->masked = U32_MAX;
	snprintf(lines->label, sizeof(lines->label), "nst-sim-%s",
		 sim->config.name);

	lines->domain = irq_domain_create_linear(dev_fwnode(sim->dev),
						 NST_SIM_LINE_COUNT,
						 &domain_ops, lines);
	if (!lines->domain)
		goto err_free;
	chip = &lines->chip;
	chip->label = lines->label;
	/*
	 * No parent: the stack may go before it. No names of lines: 6.1 looks
	 * for one in every chip, and falls over one that went while a program
	 * had it open.
	 */
	nst_gpio_chip_set_fwnode(chip, dev_fwnode(sim->dev));
	chip->base = -1;
	chip->ngpio = NST_SIM_LINE_COUNT;
	/*
	 * No names: 6.1 looks for each in all chips, also in one that is gone
	 * and still open, which is a null pointer there.
	 */
	chip->can_sleep = true;
	chip->get_direction = line_get_direction;
	chip->direction_input = line_direction_input;
	chip->direction_output = line_direction_output;
	chip->get = line_get;
	chip->set = line_set;
	chip->to_irq = line_to_irq;
	sim->bus->lines = lines;
	err = gpiochip_add_data(chip, lines);
	if (err)
		goto err_remove_domain;
	return 0;

err_remove_domain:
	sim->bus->lines = NULL;
	irq_domain_remove(lines->domain);
err_free:
	kfree(lines);
	return err;
}

void nst_sim_lines_drop(struct nst_sim *sim)
{
	struct nst_sim_lines *lines = sim->bus->lines;

	if (!lines)
		return;
	sim->bus->lines = NULL;
	lines->dead = true;
	/* Waits for callbacks that are under way. */
	mutex_lock(&lines->lock);
	lines->sim = NULL;
	mutex_unlock(&lines->lock);
	refcount_inc(&lines->refs);
	__module_get(THIS_MODULE);
	queue_work(nst_sim_gone_wq, &lines->gone_work);
	if (!wait_for_completion_timeout(&lines->gone,
					 msecs_to_jiffies(NST_SIM_GONE_MS)))
		pr_info("nst-sim: %s: somebody waits for a line of %s, it stays until then\n",
			sim->config.name, lines->label);
	refcount_dec(&lines->refs);
	mod_delayed_work(system_wq, &reap_work, 0);
	/* As a rule it is alone, and gone when we return. */
	flush_delayed_work(&reap_work);
}

/* Those that nobody holds any more. */
static void lines_reap(struct work_struct *unused)
{
	struct nst_sim_lines *lines, *next;

	mutex_lock(&dead_lock);
	list_for_each_entry_safe(lines, next, &dead_lines, node) {
		if (lines_held(lines) || refcount_read(&lines->refs) > 1)
			continue;
		list_del(&lines->node);
		lines_free(lines);
		module_put(THIS_MODULE);
	}
	if (!list_empty(&dead_lines))
		schedule_delayed_work(&reap_work, msecs_to_jiffies(REAP_MS));
	mutex_unlock(&dead_lock);
}

static bool any_dead(void)
{
	bool any;

	mutex_lock(&dead_lock);
	any = !list_empty(&dead_lines);
	mutex_unlock(&dead_lock);
	return any;
}

/*
 * Stacks of a device tree go with the module, whatever their lines keep: who
 * has an interrupt of one frees it by code of ours, and is waited for.
 */
void nst_sim_lines_exit(void)
{
	while (any_dead())
		msleep(REAP_MS);
	cancel_delayed_work_sync(&reap_work);
}

#endif /* NST_SIM_HAS_BUS */
