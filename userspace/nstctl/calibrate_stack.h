/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate_stack.h - heat and cool a sensor, and know how warm it is
 *
 * The lease is held while a calibration heats: it ends with the process,
 * whatever ends that, and the kernel's guard has the stack then. The guard
 * needs an engine for that, so one that keeps the ceiling alone is changed to
 * `hold` meanwhile. An orderly end cools first: standby, then the lease goes
 * back.
 */
#ifndef NST_CALIBRATE_STACK_H
#define NST_CALIBRATE_STACK_H

#include <signal.h>

#include "nstdev.h"

#define NST_CAL_READINGS 4096

/* A signal asked to stop: looked at between any two steps. */
extern volatile sig_atomic_t nst_cal_stopped;

/** nst_cal_catch_signals() - INT, TERM, HUP and QUIT set nst_cal_stopped */
void nst_cal_catch_signals(void);

struct nst_cal_reading {
	u64 t_us;		/* of the device */
	s32 temp_mc;
	u32 power_mw;
	u8 gate;
};

/**
 * struct nst_cal_stack - a stack whose lease is held
 * @ceiling_mc: the kernel gates there; @top_mc: what is never asked for
 * @low_mc: below it a sensor is cool
 * @found_gate, @found_engine: to be put back
 * @gate_told_us: the device's time when the driver was done with the last
 *	change of the gate that was asked for
 * @lsb_mc: smallest step that its readings have shown, 0 for none yet
 * @reading, @readings: the latest, oldest first
 */
struct nst_cal_stack {
	struct nst_nstdev dev;
	bool held;
	bool engine_changed;
	u8 found_gate;
	char found_engine[16];
	s32 ceiling_mc;
	s32 top_mc;
	s32 low_mc;
	s32 lsb_mc;
	u32 lease_ms;
	u64 renewed_ms;
	u64 gate_told_us;
	struct nst_dev_state now;
	struct nst_cal_reading reading[NST_CAL_READINGS];
	u32 readings;
};

/**
 * nst_cal_stack_take() - open and take the lease
 * Says what is wrong. Return: 0 or a negative errno.
 */
int nst_cal_stack_take(struct nst_cal_stack *s, const char *selector);

/**
 * nst_cal_stack_leave() - cool, put back, give the lease back
 * Also after any failure, and when nothing was taken.
 */
void nst_cal_stack_leave(struct nst_cal_stack *s);

/**
 * nst_cal_stack_tick() - read the sensor, keep the lease, stay below the top
 * To be called a few times a second, and at most some hundred times.
 * Return: 0; -EINTR when nst_cal_stopped is set; -ENODEV; -EPERM the lease is
 * gone; -EIO the sensor has said nothing useful for two seconds. Said already.
 */
int nst_cal_stack_tick(struct nst_cal_stack *s);

/** nst_cal_stack_gate() - at once; -EBUSY when the guard does not let it */
int nst_cal_stack_gate(struct nst_cal_stack *s, enum nst_gate gate);

/**
 * nst_cal_stack_wait() - tick every @step_us for @us of the device's clock
 * Return: as nst_cal_stack_tick(); -ETIME when that clock stands still.
 */
int nst_cal_stack_wait(struct nst_cal_stack *s, u64 us, u32 step_us);

/**
 * nst_cal_stack_late_us() - how long after its stamp the gate may have moved
 * The driver stamps a change when it is asked for it; what it does until the
 * hardware has it, and what the hardware takes, comes after. Bound for the
 * last change, on the device's clock.
 */
u64 nst_cal_stack_late_us(const struct nst_cal_stack *s);

/** nst_cal_stack_forget() - start the list of readings anew */
void nst_cal_stack_forget(struct nst_cal_stack *s);

/**
 * struct nst_cal_curve - temperature over a while at one gate
 * A parabola through all readings of it, so that a sensor of whole degrees
 * says more than the degree.
 */
struct nst_cal_curve {
	double from_us;
	double c[3];		/* mC over seconds from there */
	double residual_mc;
	double slope_mc_per_s;
	u32 readings;
};

/**
 * nst_cal_stack_curve() - of the readings since @from_us
 * Return: 0; -ENODATA with fewer than three readings.
 */
int nst_cal_stack_curve(const struct nst_cal_stack *s, u64 from_us,
			struct nst_cal_curve *ret);

double nst_cal_curve_at(const struct nst_cal_curve *curve, double t_us);

/** nst_cal_now_ms() - of the machine, never backwards */
u64 nst_cal_now_ms(void);

#endif /* NST_CALIBRATE_STACK_H */
