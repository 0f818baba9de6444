/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-cci.h - one companion of a sensor that another driver owns
 *
 * nst-cci-main.c		platform driver, properties, nst core
 * nst-cci-owner.c		the sensor's device: find, link, is it on
 * nst-cci-bus.c		single transfers, the write filter
 * nst-cci-sensor.c		one reading, whatever the family
 * nst-cci-imx500.c		what an IMX500 has beside that
 * nst-cci-estimate.c		the die from a board's thermometer and the model
 * nst-cci-board-sensor.c	the board's thermometer (-hwmon.c, -iio.c)
 * nst-cci-table.c, -convert.c, -health.c, -board-spec.c	pure
 *
 * Locks. Callbacks of the core come one at a time and guard all of struct
 * nst_cci but @fault_lock, which keeps the core's device there while a fault
 * is told to it: it is taken by the fault work and by the end of probe and the
 * beginning of remove, never in a callback. The board's thermometer is read
 * by a work of its own with no lock of the core held, since it may be a
 * thermal zone, and a zone's lock is outside the core's.
 */
#ifndef NST_CCI_H
#define NST_CCI_H

#include <linux/i2c.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "nst-board.h"
#include "nst-cci-board-spec.h"
#include "nst-cci-health.h"
#include "nst-cci-table.h"
#include "nst-provider.h"
#include "uapi/nst.h"

struct nst_cci;

/* nst-cci-main.c */
u64 nst_cci_now_us(void);
void nst_cci_fault(struct nst_cci *cci, u32 code, s64 value);

/* ----------------------------------------------------------------- owner */

/**
 * struct nst_cci_owner - the sensor's device, bound to its own driver
 * @client: NULL for none
 * @held: we hold a reference of its runtime PM
 * @suspended_ns: its time in suspend when last looked at
 */
struct nst_cci_owner {
	struct i2c_client *client;
	bool held;
	u64 suspended_ns;
};

bool nst_cci_owner_named(struct device *dev);
int nst_cci_owner_find(struct device *dev, struct nst_cci_owner *owner);
int nst_cci_owner_link(struct device *dev, struct nst_cci_owner *owner);
bool nst_cci_owner_leaves(const struct nst_cci_owner *owner);
int nst_cci_owner_get(struct nst_cci_owner *owner, bool *ret_cycled);
void nst_cci_owner_put(struct nst_cci_owner *owner);
int nst_cci_owner_init(void);
void nst_cci_owner_exit(void);
void nst_cci_owner_wait(struct device *dev);

/* ------------------------------------------------------------------- bus */

int nst_cci_bus_read(struct nst_cci *cci, u16 reg, u8 *buf, unsigned int len);
int nst_cci_bus_read_field(struct nst_cci *cci, u16 reg, u8 bytes, bool little,
			   u16 *ret);
int nst_cci_bus_write(struct nst_cci *cci, u16 reg, u8 bytes, u16 value);

/* ---------------------------------------------------------------- sensor */

/**
 * struct nst_cci_die - one thermometer
 * @since_us: measuring since, 0 for not
 * @calib_known: the words in @calib have been read
 */
struct nst_cci_die {
	struct nst_cci_calib calib;
	bool calib_known;
	bool calib_told;
	u64 since_us;
};

int nst_cci_sensor_read(struct nst_cci *cci, unsigned int ch,
			struct nst_sample *ret);
void nst_cci_sensor_forget(struct nst_cci *cci);
int nst_cci_sensor_begin(struct nst_cci *cci);
int nst_cci_sensor_end(struct nst_cci *cci, int err);
void nst_cci_sensor_heard(struct nst_cci *cci);

/* ---------------------------------------------------------------- imx500 */

/**
 * struct nst_cci_imx500
 * @pause: its DNN is the gate (nst,imx500-dnn-pause)
 * @gate: the one asked for last
 * @unseen: it has started since its state was looked at
 * @network: it had a network then
 * @off_seen: seen streaming with its thermometer off, times in a row
 * @off_told: that has been said
 */
struct nst_cci_imx500 {
	bool pause;
	u8 gate;
	bool unseen;
	bool network;
	u8 off_seen;
	bool off_told;
};

int nst_cci_imx500_off(struct nst_cci *cci);
int nst_cci_imx500_seen(struct nst_cci *cci);
int nst_cci_imx500_set_gate(struct nst_cci *cci, enum nst_gate gate);
int nst_cci_imx500_get_gate(struct nst_cci *cci, enum nst_gate *ret);

/* ---------------------------------------------------------- board sensor */

struct nst_cci_board_sensor;

struct nst_cci_board_sensor *
devm_nst_cci_board_sensor(struct device *dev,
			  const struct nst_cci_board_spec *spec);
int nst_cci_board_sensor_start(struct nst_cci_board_sensor *bs);
void nst_cci_board_sensor_stop(struct nst_cci_board_sensor *bs);
int nst_cci_board_sensor_get(struct nst_cci_board_sensor *bs,
			     struct nst_sample *ret);

int nst_cci_board_hwmon_read(struct device *dev,
			     const struct nst_cci_board_spec *spec,
			     s32 *ret_mc);

struct iio_channel;

#if IS_REACHABLE(CONFIG_IIO)
int nst_cci_board_iio_read(struct device *dev,
			   const struct nst_cci_board_spec *spec,
			   struct iio_channel **chan, s32 *ret_mc);
void nst_cci_board_iio_release(struct iio_channel **chan);
#else
static inline int
nst_cci_board_iio_read(struct device *dev,
		       const struct nst_cci_board_spec *spec,
		       struct iio_channel **chan, s32 *ret_mc)
{
	return -EOPNOTSUPP;
}

static inline void nst_cci_board_iio_release(struct iio_channel **chan)
{
}
#endif

/* -------------------------------------------------------------- estimate */

/**
 * struct nst_cci_estimate - the die, as the model has it over the package
 * @t_us: the model is at this time
 * @board_us: reading of the board's thermometer that it was last set to
 */
struct nst_cci_estimate {
	struct nst_plant plant;
	bool primed;
	u64 t_us;
	u64 board_us;
};

int nst_cci_estimate_read(struct nst_cci *cci, unsigned int ch,
			  struct nst_sample *ret);
void nst_cci_estimate_settle(struct nst_cci *cci);

/* ------------------------------------------------------------------- all */

struct nst_cci {
	struct device *dev;
	const struct nst_cci_model *model;
	struct nst_board *board;
	struct nst_cci_owner owner;

	/* Of the part, once it has been reached. */
	bool identified;
	bool id_told;
	bool capability_known;
	bool capability_none;
	bool reset_80;
	u64 wait_until_us;
	struct nst_cci_health health;
	struct nst_cci_die die[NST_CCI_CHANNELS_MAX];
	struct nst_cci_imx500 imx500;

	struct nst_cci_board_sensor *board_sensor;
	struct nst_cci_estimate estimate;
	u32 gate_power_mw[NST_GATE_COUNT];
	s32 ambient_mc;

	struct mutex fault_lock;	/* @nst, against its end */
	struct nst *nst;
	struct work_struct fault_work;
	unsigned long fault_bridge;	/* bit 0: to be told */
	unsigned long fault_network;
	s64 fault_value;
};

#endif /* NST_CCI_H */
