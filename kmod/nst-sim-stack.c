// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-stack.c - clock, plant and gate of an emulated stack
 *
 * Nothing that can be measured depends on when a thread of the host wakes
 * up. The plant is not integrated by a timer: it is a list of segments of
 * constant power, and a temperature is computed for the time it is asked
 * for. The worker crosses frame boundaries one by one and in order; while it
 * deals with a boundary, and until it has come to it, device time stands
 * still for every reader. A host that is late makes the decisions of its own
 * user space late, and nothing else. When it is late by more than two frames
 * the clock slips by what is missing: frames would only pile up otherwise.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "nst-sim.h"

#define SLIP_FRAMES		2
#define SALT_SENSOR		0x73656e73
#define VPU_MK_PER_W		300
#define DRAM_MK_PER_W		200

/* ---------------------------------------------------------------- clock */

static u64 clock_us(const struct nst_sim *sim)
{
	u64 ns;

	if (sim->config.clock == NST_SIM_CLOCK_STEP)
		return sim->bus ? sim->paced_us : sim->step_us;
	ns = ktime_get_ns() - sim->base_ns;
	return sim->base_us + div_u64(ns * sim->config.clock_scale,
				      NSEC_PER_USEC);
}

static u64 now_locked(const struct nst_sim *sim)
{
	return max(min(clock_us(sim), sim->limit_us), sim->wire_us);
}

/* Time of the host until device time @us. */
static ktime_t clock_until(const struct nst_sim *sim, u64 us)
{
	u64 now = clock_us(sim);

	if (now >= us)
		return 0;
	return ns_to_ktime(div_u64((us - now) * NSEC_PER_USEC,
				   sim->config.clock_scale) + 1);
}

/* ---------------------------------------------------------------- plant */

/* The plant at @t_us, which is in the last segment. */
static void plant_at(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_seg *seg = &sim->seg[sim->segs - 1];

	sim->plant.z_q32[0] = seg->z_q32[0];
	sim->plant.z_q32[1] = seg->z_q32[1];
	nst_plant_step(&sim->plant, seg->power_mw, seg->ambient_mc,
		       (u32)(t_us - seg->t_us));
}

/* Account for the last segment up to @t_us and leave the plant there. */
static void seg_close(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_seg *seg = &sim->seg[sim->segs - 1];
	u64 dt = t_us - seg->t_us;

	plant_at(sim, t_us);
	sim->energy_nj += dt * seg->power_mw;
	if (seg->gate == NST_GATE_RUN)
		sim->time_run_us += dt;
	sim->max_die_mc = max(sim->max_die_mc,
			      nst_plant_die_mc(&sim->plant));
}

/*
 * From @t_us on things are as @sim and its plant say; seg_close() was called
 * for that time. A segment of no length is replaced.
 */
static void seg_open(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_seg *seg = &sim->seg[sim->segs - 1];

	if (seg->t_us != t_us) {
		if (WARN_ON_ONCE(sim->segs == NST_SIM_SEGS_MAX))
			return;
		seg++;
		sim->segs++;
	}
	seg->t_us = t_us;
	seg->z_q32[0] = sim->plant.z_q32[0];
	seg->z_q32[1] = sim->plant.z_q32[1];
	seg->gate = sim->gate;
	seg->power_mw = sim->config.power_mw[sim->gate];
	seg->ambient_mc = sim->ambient_mc;
}

/* Room for one more event, beside the gate changes that wait already. */
static bool seg_room(const struct nst_sim *sim)
{
	return sim->segs + sim->edges < NST_SIM_SEGS_MAX - 1;
}

/* Carry out the gate changes that are due at @t_us. */
static void settle_edges(struct nst_sim *sim, u64 t_us)
{
	while (sim->edges && sim->edge[0].at_us <= t_us) {
		struct nst_sim_edge edge = sim->edge[0];

		sim->edges--;
		memmove(&sim->edge[0], &sim->edge[1],
			sim->edges * sizeof(sim->edge[0]));
		seg_close(sim, edge.at_us);
		sim->gate = edge.gate;
		nst_sim_vpu_gate(sim);
		seg_open(sim, edge.at_us);
	}
}

/*
 * Everything that happens by @t_us. The MCU ticks here, at the exact
 * millisecond however late the host is, and may change the gate.
 */
static void settle(struct nst_sim *sim, u64 t_us)
{
	while (sim->bus && sim->tick_us <= t_us) {
		u64 tick_us = sim->tick_us;

		settle_edges(sim, tick_us);
		sim->tick_us = tick_us + NST_SIM_TICK_US;
		nst_sim_bus_tick(sim, tick_us);
	}
	settle_edges(sim, t_us);
}

/* How much warmer than the pixels a channel is at a power of the stack. */
static s32 above_die_mc(const struct nst_sim *sim, unsigned int ch,
			u32 power_mw)
{
	u32 vpu_mw = 0;

	if (power_mw > sim->config.power_mw[NST_GATE_STANDBY])
		vpu_mw = power_mw - sim->config.power_mw[NST_GATE_STANDBY];
	switch (ch) {
	case 1:
		return (s32)(vpu_mw * VPU_MK_PER_W / 1000);
	case 2:
		return (s32)(vpu_mw * DRAM_MK_PER_W / 1000);
	default:
		return 0;
	}
}

static s32 channel_mc(struct nst_sim *sim, unsigned int ch, u64 now)
{
	plant_at(sim, now);
	return nst_plant_die_mc(&sim->plant) +
	       above_die_mc(sim, ch, sim->config.power_mw[sim->gate]);
}

/* A function of time, so that runs repeat. */
s32 nst_sim_noise_mc(const struct nst_sim *sim, unsigned int ch, u64 t_us)
{
	u64 h;

	if (!sim->config.sensor_noise_mc)
		return 0;
	h = nst_sim_hash(sim->config.seed + SALT_SENSOR + ch, t_us);
	return (s32)div_s64((s64)nst_sim_normal(nst_sim_shared_pool(), h) *
			    sim->config.sensor_noise_mc, NST_SIM_NORMAL_ONE);
}

s32 nst_sim_round_mc(const struct nst_sim *sim, s32 mc)
{
	s32 lsb = (s32)sim->config.sensor_lsb_mc;
	s32 half = mc < 0 ? -lsb / 2 : lsb / 2;

	return lsb ? (mc + half) / lsb * lsb : mc;
}

/* As the sensor sees it. */
static s32 measured_mc(struct nst_sim *sim, unsigned int ch, u64 now)
{
	return nst_sim_round_mc(sim, channel_mc(sim, ch, now) +
				     nst_sim_noise_mc(sim, ch, now));
}

/* ------------------------------------------------------ ops of the core */

static int sim_read_temp(void *priv, unsigned int ch, struct nst_sample *ret)
{
	struct nst_sim *sim = priv;
	struct nst_sim_faults *f = &sim->faults;
	struct nst_sample s = { .state = NST_SAMPLE_VALID };
	int err = 0;

	if (ch >= NST_SIM_CHANNELS)
		return -EINVAL;

	mutex_lock(&sim->lock);
	s.t_us = now_locked(sim);
	settle(sim, s.t_us);
	if (f->read_error) {
		if (f->read_error > 0)
			f->read_error--;
		err = -EIO;
		goto out;
	}
	if (f->not_ready) {
		if (f->not_ready > 0)
			f->not_ready--;
		err = -EAGAIN;
		goto out;
	}

	s.value_mc = f->stuck ? f->stuck_mc[ch] :
		     measured_mc(sim, ch, s.t_us);
	if (f->rail == NST_SIM_RAIL_HIGH ||
	    s.value_mc >= sim->config.rail_high_mc) {
		s.value_mc = sim->config.rail_high_mc;
		s.bound = NST_BOUND_AT_LEAST;
	}
	if (f->rail == NST_SIM_RAIL_LOW ||
	    s.value_mc <= sim->config.rail_low_mc) {
		s.value_mc = sim->config.rail_low_mc;
		s.bound = NST_BOUND_AT_MOST;
	}
	*ret = s;
out:
	mutex_unlock(&sim->lock);
	return err;
}

static int sim_read_power(void *priv, u32 *ret_mw)
{
	struct nst_sim *sim = priv;

	mutex_lock(&sim->lock);
	settle(sim, now_locked(sim));
	*ret_mw = sim->config.power_mw[sim->gate];
	mutex_unlock(&sim->lock);
	return 0;
}

static int sim_get_gate(void *priv, enum nst_gate *ret)
{
	struct nst_sim *sim = priv;

	mutex_lock(&sim->lock);
	settle(sim, now_locked(sim));
	*ret = sim->gate;
	mutex_unlock(&sim->lock);
	return 0;
}

static u64 sim_now_us(void *priv)
{
	struct nst_sim *sim = priv;
	u64 now;

	mutex_lock(&sim->lock);
	now = now_locked(sim);
	mutex_unlock(&sim->lock);
	return now;
}

/* Queue a change asked for @asked_us, after those that were asked before. */
static int edge_add(struct nst_sim *sim, u8 gate, u64 asked_us)
{
	u32 n = sim->edges;
	u8 from = sim->gate;
	u64 after = 0, at;

	while (n && sim->edge[n - 1].asked_us >= asked_us)
		n--;
	if (n) {
		from = sim->edge[n - 1].gate;
		after = sim->edge[n - 1].at_us;
	}
	if (from == gate) {
		sim->edges = n;
		return 0;
	}
	if (n == NST_SIM_EDGES_MAX || !seg_room(sim))
		return -EBUSY;

	at = asked_us + sim->faults.slow_gate_us;
	at += gate > from ? sim->config.gate_enter_us :
			    sim->config.gate_exit_us;
	sim->edge[n].asked_us = asked_us;
	/* A change that is under way is not overtaken. */
	sim->edge[n].at_us = max(at, after);
	sim->edge[n].gate = gate;
	sim->edges = n + 1;
	return 0;
}

static int sim_set_gate(void *priv, enum nst_gate gate, u64 at_us)
{
	struct nst_sim *sim = priv;
	u64 now;
	int err;

	if ((unsigned int)gate >= NST_GATE_COUNT)
		return -EINVAL;

	mutex_lock(&sim->lock);
	now = now_locked(sim);
	settle(sim, now);
	if (nst_sim_fault_due(&sim->faults.gate_refused))
		err = -EIO;
	else
		err = sim->faults.gate_ignored ? 0 :
		      edge_add(sim, gate, max(at_us, now));
	settle(sim, now);
	mutex_unlock(&sim->lock);
	return err;
}

static int sim_set_timing(void *priv, const struct nst_timing *timing)
{
	struct nst_sim *sim = priv;
	u32 period_us = timing->frame_period_us;
	int err;

	if (timing->readout_us &&
	    timing->readout_us != sim->config.readout_us)
		return -ERANGE;
	if (period_us && (period_us < NST_FRAME_PERIOD_MIN_US ||
			  period_us > NST_FRAME_PERIOD_MAX_US))
		return -ERANGE;
	if (timing->exposure_us) {
		err = nst_sim_camera_set_exposure(sim, timing->exposure_us);
		if (err)
			return err;
	}
	if (period_us) {
		mutex_lock(&sim->lock);
		sim->wanted_period_us = period_us;
		mutex_unlock(&sim->lock);
	}
	return 0;
}

const struct nst_ops nst_sim_ops = {
	.read_temp = sim_read_temp,
	.read_power = sim_read_power,
	.set_gate = sim_set_gate,
	.get_gate = sim_get_gate,
	.now_us = sim_now_us,
	.set_timing = sim_set_timing,
};

/* ----------------------------------------------------------- boundaries */

static u32 period_of(const struct nst_sim *sim, u32 exposure_us)
{
	return max(sim->wanted_period_us,
		   exposure_us + sim->config.readout_us);
}

/* Keep the pieces of the period that ends. */
static void past_add(struct nst_sim *sim)
{
	u32 i;

	for (i = 0; i < sim->segs; i++)
		sim->past[sim->past_count++ % NST_SIM_PAST_MAX] = sim->seg[i];
}

/* Everything that the boundary at @sim->next_us changes. */
static bool cross(struct nst_sim *sim)
{
	u32 exposure_us = sim->setting.exposure_us;
	u32 period_us = sim->period_us;

	settle(sim, sim->next_us);
	seg_close(sim, sim->next_us);
	nst_sim_camera_expose(sim);
	if (sim->bus)
		past_add(sim);

	sim->seq++;
	sim->start_us = sim->next_us;
	sim->segs = 1;
	sim->seg[0].t_us = sim->start_us;
	seg_open(sim, sim->start_us);

	sim->setting = sim->wanted;
	sim->period_us = period_of(sim, sim->setting.exposure_us);
	sim->next_us = sim->start_us + sim->period_us;
	return sim->setting.exposure_us != exposure_us ||
	       sim->period_us != period_us;
}

/* Give up what the host cannot catch up with. */
static void slip(struct nst_sim *sim)
{
	u64 now = clock_us(sim), late;

	if (sim->config.clock == NST_SIM_CLOCK_STEP || now <= sim->next_us)
		return;
	late = now - sim->next_us;
	if (late <= (u64)SLIP_FRAMES * sim->period_us)
		return;
	sim->base_us -= late;
	sim->slipped_us += late;
}

/* Frames that consumers gave their buffers back for. */
static void pay_frame(struct nst_sim *sim)
{
	if (!sim->owed_frames || sim->step_us >= sim->next_us)
		return;
	/* The end of period 0 brings no frame. */
	if (sim->seq)
		sim->owed_frames--;
	sim->step_us = sim->next_us;
}

/*
 * Drivers on a bus know no clock but the host's. So a step on a bus takes its
 * time: device time comes to the next boundary, or to the end of the step,
 * when as much time of the host has passed.
 */
static void pace(struct nst_sim *sim)
{
	u64 target_us, wait_us;

	mutex_lock(&sim->lock);
	pay_frame(sim);
	target_us = min(sim->step_us, sim->next_us);
	wait_us = target_us - sim->paced_us;
	mutex_unlock(&sim->lock);
	if (!wait_us)
		return;
	wait_event_interruptible_hrtimeout(sim->wake, kthread_should_stop(),
					   ns_to_ktime(wait_us *
						       NSEC_PER_USEC));
	mutex_lock(&sim->lock);
	sim->paced_us = target_us;
	mutex_unlock(&sim->lock);
}

/* Has the step clock come to where it was sent? */
static bool arrived(const struct nst_sim *sim)
{
	if (!sim->bus || sim->config.clock != NST_SIM_CLOCK_STEP)
		return true;
	return sim->paced_us == sim->step_us &&
	       (!sim->owed_frames || sim->step_us >= sim->next_us);
}

/* One boundary, if it is due. Otherwise *@ret_wait is the time until then. */
static bool advance(struct nst_sim *sim, ktime_t *ret_wait)
{
	struct nst_timing timing;
	u64 seq, start_us;
	bool changed;

	if (sim->bus && sim->config.clock == NST_SIM_CLOCK_STEP)
		pace(sim);
	nst_sim_shots_reserve(sim);
	mutex_lock(&sim->lock);
	slip(sim);
	if (!sim->bus)
		pay_frame(sim);
	if (clock_us(sim) < sim->next_us) {
		if (!arrived(sim)) {
			mutex_unlock(&sim->lock);
			return true;
		}
		sim->settled = true;
		*ret_wait = sim->config.clock == NST_SIM_CLOCK_STEP ?
			    KTIME_MAX : clock_until(sim, sim->next_us);
		mutex_unlock(&sim->lock);
		return false;
	}
	changed = cross(sim);
	timing.frame_period_us = sim->period_us;
	timing.exposure_us = sim->setting.exposure_us;
	timing.readout_us = sim->config.readout_us;
	seq = sim->seq;
	start_us = sim->start_us;
	if (sim->bus) {
		nst_sim_bus_frame(sim);
		/* The host may be as late as it is: real time goes on. */
		if (sim->config.clock != NST_SIM_CLOCK_STEP)
			sim->limit_us = sim->next_us;
	}
	mutex_unlock(&sim->lock);

	if (sim->bus) {
		nst_sim_bus_boundary(sim);
	} else {
		if (changed)
			nst_timing_changed(sim->nst, &timing);
		if (sim->config.tell_frames)
			nst_frame_boundary(sim->nst, seq, start_us);
	}

	nst_sim_camera_deliver(sim);
	/* Time goes on. */
	mutex_lock(&sim->lock);
	sim->limit_us = sim->next_us;
	mutex_unlock(&sim->lock);
	return true;
}

static int worker(void *data)
{
	struct nst_sim *sim = data;
	u64 slipped_us = 0;
	ktime_t wait;

	/*
	 * Tens of microseconds a frame, but on time: what waits behind the
	 * rendering of pictures is the clock of the whole stack. A step clock
	 * is never late, and may be given hours at once.
	 */
	if (sim->config.clock != NST_SIM_CLOCK_STEP)
		sched_set_fifo_low(current);
	while (!kthread_should_stop()) {
		if (advance(sim, &wait)) {
			cond_resched();
			/* The host cannot keep up: let others have some. */
			if (sim->slipped_us != slipped_us)
				usleep_range(100, 200);
			slipped_us = sim->slipped_us;
			continue;
		}
		if (sim->config.clock == NST_SIM_CLOCK_STEP) {
			wake_up_all(&sim->idle);
			wait_event_interruptible(sim->wake,
						 kthread_should_stop() ||
						 !READ_ONCE(sim->settled));
		} else {
			wait_event_interruptible_hrtimeout(sim->wake,
							   kthread_should_stop(),
							   wait);
		}
	}
	return 0;
}

/* --------------------------------------------------------- for the bus */

u64 nst_sim_now_locked(struct nst_sim *sim)
{
	u64 now = now_locked(sim);

	settle(sim, now);
	return now;
}

/* The last piece that begins at or before @t_us, or the oldest there is. */
static const struct nst_sim_seg *seg_at(const struct nst_sim *sim, u64 t_us)
{
	u32 n = min_t(u32, sim->past_count, NST_SIM_PAST_MAX), i;
	const struct nst_sim_seg *seg = &sim->seg[0];

	for (i = sim->segs; i--;)
		if (sim->seg[i].t_us <= t_us)
			return &sim->seg[i];
	for (i = 1; i <= n; i++) {
		seg = &sim->past[(sim->past_count - i) % NST_SIM_PAST_MAX];
		if (seg->t_us <= t_us)
			break;
	}
	return seg;
}

s32 nst_sim_seen_mc(struct nst_sim *sim, unsigned int ch, u64 t_us)
{
	const struct nst_sim_seg *seg = seg_at(sim, t_us);
	struct nst_plant plant = sim->plant;
	s32 mc;

	if (sim->faults.stuck)
		return sim->faults.stuck_mc[ch];
	plant.z_q32[0] = seg->z_q32[0];
	plant.z_q32[1] = seg->z_q32[1];
	if (t_us > seg->t_us)
		nst_plant_step(&plant, seg->power_mw, seg->ambient_mc,
			       (u32)(t_us - seg->t_us));
	mc = nst_plant_die_mc(&plant) + above_die_mc(sim, ch, seg->power_mw) +
	     nst_sim_noise_mc(sim, ch, t_us);
	return mc;
}

s32 nst_sim_package_mc(struct nst_sim *sim)
{
	plant_at(sim, nst_sim_now_locked(sim));
	return nst_plant_package_mc(&sim->plant);
}

int nst_sim_gate_locked(struct nst_sim *sim, u8 gate, u64 now_us)
{
	int err;

	if (sim->faults.gate_ignored)
		return 0;
	err = edge_add(sim, gate, now_us);
	if (!err)
		settle_edges(sim, now_us);
	return err;
}

void nst_sim_wire_time(struct nst_sim *sim, u32 us)
{
	mutex_lock(&sim->lock);
	/* Nothing reaches over the end of the period in one boundary. */
	if (sim->in_boundary)
		sim->wire_us = min(max(sim->wire_us, sim->start_us) + us,
				   sim->next_us - 1);
	mutex_unlock(&sim->lock);
}

/* ----------------------------------------------------- for other files */

u64 nst_sim_run_ahead_us(const struct nst_sim *sim)
{
	const struct nst_sim_seg *seg = sim->seg;
	u64 from_us = sim->start_us, run_us = 0;
	u8 gate = seg[0].gate;
	u32 i;

	for (i = 1; i < sim->segs; i++) {
		if (gate == NST_GATE_RUN)
			run_us += seg[i].t_us - from_us;
		from_us = seg[i].t_us;
		gate = seg[i].gate;
	}
	for (i = 0; i < sim->edges && sim->edge[i].at_us < sim->next_us; i++) {
		if (gate == NST_GATE_RUN)
			run_us += sim->edge[i].at_us - from_us;
		from_us = sim->edge[i].at_us;
		gate = sim->edge[i].gate;
	}
	if (gate == NST_GATE_RUN)
		run_us += sim->next_us - from_us;
	return run_us;
}

/* Without the lock: a condition to wait for must not sleep. */
static bool step_settled(const struct nst_sim *sim)
{
	return READ_ONCE(sim->settled) || READ_ONCE(sim->stopping);
}

int nst_sim_step(struct nst_sim *sim, u64 us)
{
	if (sim->config.clock != NST_SIM_CLOCK_STEP)
		return -EOPNOTSUPP;
	mutex_lock(&sim->lock);
	sim->step_us += us;
	sim->settled = false;
	mutex_unlock(&sim->lock);
	wake_up(&sim->wake);
	/* The time has been given; only a dying writer does not see it pass. */
	if (wait_event_killable(sim->idle, step_settled(sim)))
		return -EINTR;
	nst_sim_camera_flush(sim);
	return 0;
}

void nst_sim_step_settle(struct nst_sim *sim)
{
	if (sim->config.clock == NST_SIM_CLOCK_STEP)
		wait_event(sim->idle, step_settled(sim));
}

void nst_sim_step_frame(struct nst_sim *sim)
{
	if (sim->config.clock != NST_SIM_CLOCK_STEP)
		return;
	mutex_lock(&sim->lock);
	sim->owed_frames++;
	sim->settled = false;
	mutex_unlock(&sim->lock);
	wake_up(&sim->wake);
}

int nst_sim_set_ambient(struct nst_sim *sim, s32 ambient_mc)
{
	int err = -EBUSY;
	u64 now;

	if (!nst_temp_in_range(ambient_mc))
		return -ERANGE;
	mutex_lock(&sim->lock);
	now = now_locked(sim);
	settle(sim, now);
	if (seg_room(sim)) {
		seg_close(sim, now);
		sim->ambient_mc = ambient_mc;
		seg_open(sim, now);
		err = 0;
	}
	mutex_unlock(&sim->lock);
	return err;
}

int nst_sim_set_hot(struct nst_sim *sim, s32 temp_mc)
{
	int err = -EBUSY;
	u64 now;

	mutex_lock(&sim->lock);
	now = now_locked(sim);
	settle(sim, now);
	if (seg_room(sim)) {
		seg_close(sim, now);
		err = nst_plant_set_state(&sim->plant, temp_mc, temp_mc);
		sim->max_die_mc = max(sim->max_die_mc,
				      nst_plant_die_mc(&sim->plant));
		seg_open(sim, now);
	}
	mutex_unlock(&sim->lock);
	return err;
}

void nst_sim_set_stuck(struct nst_sim *sim, bool on)
{
	unsigned int ch;
	u64 now;

	mutex_lock(&sim->lock);
	now = now_locked(sim);
	settle(sim, now);
	for (ch = 0; ch < NST_SIM_CHANNELS; ch++)
		sim->faults.stuck_mc[ch] = measured_mc(sim, ch, now);
	sim->faults.stuck = on;
	mutex_unlock(&sim->lock);
}

void nst_sim_truth(struct nst_sim *sim, struct nst_sim_truth *ret)
{
	const struct nst_sim_seg *seg;
	u64 dt;

	mutex_lock(&sim->lock);
	ret->now_us = now_locked(sim);
	settle(sim, ret->now_us);
	plant_at(sim, ret->now_us);
	seg = &sim->seg[sim->segs - 1];
	dt = ret->now_us - seg->t_us;
	ret->die_mc = nst_plant_die_mc(&sim->plant);
	ret->package_mc = nst_plant_package_mc(&sim->plant);
	ret->power_mw = seg->power_mw;
	ret->gate = sim->gate;
	ret->ambient_mc = sim->ambient_mc;
	ret->frame_seq = sim->seq;
	ret->frame_period_us = sim->period_us;
	ret->exposure_us = sim->setting.exposure_us;
	ret->energy_uj = div_u64(sim->energy_nj + dt * seg->power_mw, 1000);
	ret->time_run_us = sim->time_run_us +
			   (seg->gate == NST_GATE_RUN ? dt : 0);
	ret->slipped_us = sim->slipped_us;
	ret->max_die_mc = max(sim->max_die_mc, ret->die_mc);
	mutex_unlock(&sim->lock);
}

/* ------------------------------------------------------------- lifetime */

/*
 * The state at power-on, @sim->wanted being set. The gate is run, the plant at
 * ambient or at its hot start. Period 0 is not exposed; frame n begins n
 * periods after the start while the period stays what it is.
 */
int nst_sim_stack_init(struct nst_sim *sim)
{
	const struct nst_sim_config *c = &sim->config;
	int err;

	err = nst_plant_init(&sim->plant, &c->params, c->ambient_mc);
	if (!err && c->hot_start_mc != NST_TEMP_NONE_MC)
		err = nst_plant_set_state(&sim->plant, c->hot_start_mc,
					  c->hot_start_mc);
	if (err)
		return err;

	sim->gate = NST_GATE_RUN;
	sim->ambient_mc = c->ambient_mc;
	sim->max_die_mc = nst_plant_die_mc(&sim->plant);
	sim->wanted_period_us = c->frame_period_us;
	sim->setting = sim->wanted;
	sim->period_us = period_of(sim, sim->setting.exposure_us);

	sim->base_ns = ktime_get_ns();
	/* Without slips the real clock is CLOCK_MONOTONIC. */
	if (c->clock == NST_SIM_CLOCK_REAL)
		sim->base_us = div_u64(sim->base_ns, NSEC_PER_USEC);
	sim->step_us = sim->base_us;
	sim->paced_us = sim->base_us;
	sim->start_us = sim->base_us;
	sim->next_us = sim->start_us + sim->period_us;
	sim->limit_us = sim->next_us;
	sim->tick_us = sim->start_us + NST_SIM_TICK_US;
	sim->segs = 1;
	sim->seg[0].t_us = sim->start_us;
	seg_open(sim, sim->start_us);
	return 0;
}

/* The core is registered, time may go on. */
int nst_sim_stack_start(struct nst_sim *sim)
{
	struct task_struct *task;

	task = kthread_run(worker, sim, "nst-sim/%s", sim->config.name);
	if (IS_ERR(task))
		return PTR_ERR(task);
	sim->worker = task;
	return 0;
}

void nst_sim_stack_stop(struct nst_sim *sim)
{
	mutex_lock(&sim->lock);
	sim->stopping = true;
	mutex_unlock(&sim->lock);
	if (sim->worker)
		kthread_stop(sim->worker);
	sim->worker = NULL;
	wake_up_all(&sim->idle);
}
