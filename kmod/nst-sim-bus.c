// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-bus.c - the I2C adapter of an emulated stack
 *
 * Transfers are taken apart into the bytes that go over the wire, and the chip
 * that is addressed sees them one by one. The wire takes its time: nine bits a
 * byte and one for start and stop at config.bus_hz. What a host writes is
 * there when its last bit is, what it reads is of the time when the chip was
 * addressed. Faults are those of a wire: they hit whichever chip is spoken to.
 *
 * The adapter is an object of its own: /dev/i2c-N may stay open when the stack
 * goes. Transfers are -ENODEV from then on, and the adapter goes when its last
 * user does, without anybody waiting.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/rtmutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define SLEEP_MIN_US	10

struct workqueue_struct *nst_sim_gone_wq;

/* ----------------------------------------------------------------- time */

/* The wire is busy for @bits, nothing locked but the adapter. */
static void wire_busy(struct nst_sim *sim, unsigned int bits)
{
	u32 hz = sim->config.bus_hz, us;

	if (!hz)
		return;
	us = (u32)div_u64((u64)bits * USEC_PER_SEC + hz - 1, hz);
	if (us < SLEEP_MIN_US)
		udelay(us);
	else
		usleep_range(us, us + SLEEP_MIN_US);
	nst_sim_wire_time(sim, us);
}

static unsigned int byte_bits(unsigned int bytes)
{
	return 9 * bytes;
}

/* --------------------------------------------------------------- faults */

enum wire_fault {
	WIRE_OK,
	WIRE_NACK,
	WIRE_ARB_LOST,
};

/* How the data of one transfer is spoiled. */
struct spoil {
	bool ones;
	bool zeros;
	bool last_bit;
};

/* What the sensor's own driver does is no business of others. */
static struct nst_sim_bus_counters *counters(const struct nst_sim_wire *wire)
{
	struct nst_sim_bus *bus = wire->sim->bus;

	return READ_ONCE(wire->owner_task) == current ? &bus->owner_count :
							&bus->count;
}

static enum wire_fault faults_take(struct nst_sim *sim,
				   struct nst_sim_bus_counters *count,
				   struct spoil *ret)
{
	struct nst_sim_faults *f = &sim->faults;
	enum wire_fault fault = WIRE_OK;

	mutex_lock(&sim->lock);
	count->transfers++;
	/* Faults are meant for others. */
	if (count == &sim->bus->owner_count)
		goto out;
	if (nst_sim_fault_due(&f->arb_lost)) {
		count->arbitration_lost++;
		fault = WIRE_ARB_LOST;
	} else if (nst_sim_fault_due(&f->nack)) {
		count->nacks++;
		fault = WIRE_NACK;
	} else {
		ret->ones = nst_sim_fault_due(&f->all_ones);
		ret->zeros = nst_sim_fault_due(&f->all_zeros);
		ret->last_bit = nst_sim_fault_due(&f->pec_error);
	}
	if (fault != WIRE_OK || ret->ones || ret->zeros || ret->last_bit)
		count->faulted++;
out:
	mutex_unlock(&sim->lock);
	return fault;
}

/* ------------------------------------------------------------- messages */

static int send(struct nst_sim *sim, struct nst_sim_bus_counters *count,
		const struct nst_sim_target *target,
		const struct i2c_msg *msg, bool flip)
{
	unsigned int i;
	bool ack;
	int err = 0;

	wire_busy(sim, 1 + byte_bits(1 + msg->len));
	mutex_lock(&sim->lock);
	nst_sim_now_locked(sim);
	count->address_bytes++;
	if (!target || !target->start(sim, false)) {
		count->nacks++;
		err = -ENXIO;
		goto out;
	}
	for (i = 0; i < msg->len; i++) {
		u8 byte = msg->buf[i];

		if (flip && i + 1 == msg->len)
			byte ^= 1;
		count->bytes_written++;
		ack = target->write(sim, byte);
		/* The host need not hear of a NACK to its last byte. */
		if (!ack) {
			count->nacks++;
			err = -EIO;
			break;
		}
	}
out:
	mutex_unlock(&sim->lock);
	return err;
}

static u8 spoiled(u8 byte, const struct spoil *spoil, bool last)
{
	if (spoil->ones)
		return 0xff;
	if (spoil->zeros)
		return 0;
	return last && spoil->last_bit ? byte ^ 1 : byte;
}

static int receive(struct nst_sim *sim, struct nst_sim_bus_counters *count,
		   const struct nst_sim_target *target,
		   struct i2c_msg *msg, const struct spoil *spoil)
{
	unsigned int i;
	int err = 0;
	bool head;
	u8 byte;

	mutex_lock(&sim->lock);
	nst_sim_now_locked(sim);
	count->address_bytes++;
	if (!target || !target->start(sim, true)) {
		count->nacks++;
		err = -ENXIO;
		goto out;
	}
	for (i = 0; i < msg->len; i++) {
		byte = target->read(sim);
		/* The first byte of an SMBus block says how many follow. */
		head = !i && (msg->flags & I2C_M_RECV_LEN);
		msg->buf[i] = spoiled(byte, spoil,
				      !head && i + 1 == msg->len);
		count->bytes_read++;
		if (!head)
			continue;
		if (!msg->buf[0] || msg->buf[0] > I2C_SMBUS_BLOCK_MAX) {
			err = -EPROTO;
			break;
		}
		msg->len = (u16)(msg->len + msg->buf[0]);
	}
out:
	mutex_unlock(&sim->lock);
	wire_busy(sim, 1 + byte_bits(1 + (err == -ENXIO ? 0 : msg->len)));
	return err;
}

static void stop(struct nst_sim *sim, const struct nst_sim_target *target)
{
	if (!target || !target->stop)
		return;
	mutex_lock(&sim->lock);
	target->stop(sim);
	mutex_unlock(&sim->lock);
}

/* Flags of a client get through to messages as well; those are no business. */
static bool messages_supported(const struct i2c_msg *msgs, int num)
{
	const u16 never = I2C_M_TEN | I2C_M_NOSTART | I2C_M_REV_DIR_ADDR |
			  I2C_M_IGNORE_NAK | I2C_M_NO_RD_ACK;
	int i;

	for (i = 0; i < num; i++)
		if (msgs[i].flags & never || msgs[i].addr >= 128)
			return false;
	return true;
}

static int wire_xfer(struct i2c_adapter *adapter, struct i2c_msg *msgs,
		     int num)
{
	struct nst_sim_wire *wire = i2c_get_adapdata(adapter);
	const struct nst_sim_target *target = NULL;
	struct nst_sim_bus_counters *count;
	struct nst_sim *sim = wire->sim;
	struct spoil spoil = { 0 };
	int i, err = 0;

	if (!sim)
		return -ENODEV;
	if (!messages_supported(msgs, num))
		return -EOPNOTSUPP;
	count = counters(wire);
	switch (faults_take(sim, count, &spoil)) {
	case WIRE_ARB_LOST:
		wire_busy(sim, 1 + byte_bits(1));
		return -EAGAIN;
	case WIRE_NACK:
		wire_busy(sim, 2 + byte_bits(1));
		return -ENXIO;
	case WIRE_OK:
		break;
	}
	for (i = 0; i < num && !err; i++) {
		if (target && target != sim->bus->target[msgs[i].addr])
			stop(sim, target);
		target = sim->bus->target[msgs[i].addr];
		if (msgs[i].flags & I2C_M_RD)
			err = receive(sim, count, target, &msgs[i], &spoil);
		else
			err = send(sim, count, target, &msgs[i],
				   spoil.last_bit && num == 1);
	}
	stop(sim, target);
	return err ? err : num;
}

static u32 wire_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL |
	       I2C_FUNC_SMBUS_READ_BLOCK_DATA;
}

static const struct i2c_algorithm wire_algorithm = {
	.nst_i2c_xfer = wire_xfer,
	.functionality = wire_functionality,
};

/* As many boards have it: the host says how long a transfer is. */
static u32 plain_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm plain_algorithm = {
	.nst_i2c_xfer = wire_xfer,
	.functionality = plain_functionality,
};

/* --------------------------------------------------------------- locking */

/*
 * As the I2C core's own, which counts nobody. bus_lock is that of an adapter
 * without a multiplexer above it.
 */
static void wire_lock(struct i2c_adapter *adapter, unsigned int flags)
{
	struct nst_sim_wire *wire = i2c_get_adapdata(adapter);

	if (READ_ONCE(wire->taken))
		atomic_inc(&wire->waits);
	rt_mutex_lock_nested(&adapter->bus_lock, i2c_adapter_depth(adapter));
}

static int wire_trylock(struct i2c_adapter *adapter, unsigned int flags)
{
	return rt_mutex_trylock(&adapter->bus_lock);
}

static void wire_unlock(struct i2c_adapter *adapter, unsigned int flags)
{
	rt_mutex_unlock(&adapter->bus_lock);
}

static const struct i2c_lock_operations wire_lock_ops = {
	.lock_bus = wire_lock,
	.trylock_bus = wire_trylock,
	.unlock_bus = wire_unlock,
};

void nst_sim_wire_take(struct nst_sim_wire *wire)
{
	i2c_lock_bus(&wire->adapter, I2C_LOCK_ROOT_ADAPTER);
	WRITE_ONCE(wire->taken, true);
}

void nst_sim_wire_give(struct nst_sim_wire *wire)
{
	WRITE_ONCE(wire->taken, false);
	i2c_unlock_bus(&wire->adapter, I2C_LOCK_ROOT_ADAPTER);
}

int nst_sim_wire_owner_xfer(struct nst_sim_wire *wire, struct i2c_msg *msgs,
			    int num)
{
	int ret;

	i2c_lock_bus(&wire->adapter, I2C_LOCK_SEGMENT);
	WRITE_ONCE(wire->owner_task, current);
	ret = __i2c_transfer(&wire->adapter, msgs, num);
	WRITE_ONCE(wire->owner_task, NULL);
	i2c_unlock_bus(&wire->adapter, I2C_LOCK_SEGMENT);
	return ret;
}

/* ------------------------------------------------------------- lifetime */

static void wire_put(struct nst_sim_wire *wire)
{
	if (refcount_dec_and_test(&wire->refs))
		kfree(wire);
}

static void wire_gone(struct work_struct *work)
{
	struct nst_sim_wire *wire =
		container_of(work, struct nst_sim_wire, gone_work);

	/* Waits for whoever has /dev/i2c-N open. */
	i2c_del_adapter(&wire->adapter);
	complete(&wire->gone);
	wire_put(wire);
}

/*
 * It has no parent: it may stay longer than the stack. A device tree gives it
 * the node "i2c" below that of the stack, and its children become clients.
 */
int nst_sim_wire_make(struct nst_sim *sim)
{
	struct nst_sim_wire *wire;
	struct device_node *node;
	int err;

	wire = kzalloc(sizeof(*wire), GFP_KERNEL);
	if (!wire)
		return -ENOMEM;
	wire->sim = sim;
	refcount_set(&wire->refs, 1);
	init_completion(&wire->gone);
	INIT_WORK(&wire->gone_work, wire_gone);
	wire->adapter.owner = THIS_MODULE;
	wire->adapter.lock_ops = &wire_lock_ops;
	wire->adapter.algo = sim->config.bus_blocks ? &wire_algorithm :
						      &plain_algorithm;
	snprintf(wire->adapter.name, sizeof(wire->adapter.name), "nst-sim %s",
		 sim->config.name);
	i2c_set_adapdata(&wire->adapter, wire);
	sim->bus->wire = wire;

	node = of_get_child_by_name(sim->dev->of_node, "i2c");
	wire->adapter.dev.of_node = node;
	err = i2c_add_adapter(&wire->adapter);
	of_node_put(node);
	if (err) {
		sim->bus->wire = NULL;
		wire_put(wire);
	}
	return err;
}

void nst_sim_wire_drop(struct nst_sim *sim)
{
	struct nst_sim_wire *wire = sim->bus->wire;

	if (!wire)
		return;
	sim->bus->wire = NULL;
	/* The last transfer of the stack ends here. */
	i2c_lock_bus(&wire->adapter, I2C_LOCK_ROOT_ADAPTER);
	wire->sim = NULL;
	i2c_unlock_bus(&wire->adapter, I2C_LOCK_ROOT_ADAPTER);

	refcount_inc(&wire->refs);
	queue_work(nst_sim_gone_wq, &wire->gone_work);
	if (!wait_for_completion_timeout(&wire->gone,
					 msecs_to_jiffies(NST_SIM_GONE_MS)))
		pr_info("nst-sim: %s: somebody has /dev/i2c-%d open, it stays until then\n",
			sim->config.name, wire->adapter.nr);
	wire_put(wire);
}

struct nst_sim *nst_sim_wire_sim(struct i2c_adapter *adapter)
{
	struct nst_sim_wire *wire;

	if (adapter->algo != &wire_algorithm &&
	    adapter->algo != &plain_algorithm)
		return NULL;
	wire = i2c_get_adapdata(adapter);
	return wire->sim;
}

int nst_sim_wires_init(void)
{
	nst_sim_gone_wq = alloc_workqueue("nst-sim-gone", WQ_UNBOUND, 0);
	return nst_sim_gone_wq ? 0 : -ENOMEM;
}

void nst_sim_wires_exit(void)
{
	destroy_workqueue(nst_sim_gone_wq);
}

#endif /* NST_SIM_HAS_BUS */
