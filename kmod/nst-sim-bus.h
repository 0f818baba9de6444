/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-sim-bus.h - an emulated stack as a board sees it: I2C and GPIO
 *
 * With attach=cci or mcu the stack does not talk to the nst core. It makes
 * what a board has: an I2C adapter with chips on it, a GPIO chip, the driver
 * that owns the sensor, and the devices that providers bind to. Providers
 * cannot tell it from silicon.
 *
 * Contexts, beside those of nst-sim.h:
 *
 *	wire	a transfer, in the caller's context, the adapter locked by the
 *		I2C core; sleeps for the time the bits take
 *	lines	callbacks of the GPIO chip; may sleep
 *	owner	runtime PM callbacks of the sensor's driver
 *	upload	a work of that driver, see nst-sim-upload.c; locks the adapter
 *
 * Chips, lines and the firmware of the MCU are guarded by nst_sim.lock, which
 * is never held while the wire is busy or an interrupt is waited for. Order:
 * owner.lock, adapter, lines.lock, nst_sim.lock, lines.slock.
 */
#ifndef NST_SIM_BUS_H
#define NST_SIM_BUS_H

#include <linux/completion.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/i2c.h>
#include <linux/irqdomain.h>
#include <linux/mutex.h>
#include <linux/property.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "nst-sim.h"

/* -------------------------------------------------------------- targets */

/**
 * struct nst_sim_target - one address on the wire, byte by byte
 * All with nst_sim.lock held, in the order of the bits on the wire.
 * @start: addressed, for reading or writing; false is a NACK
 * @write: a byte from the host; false is a NACK
 * @read: a byte to the host
 * @stop: the transfer is over
 */
struct nst_sim_target {
	bool (*start)(struct nst_sim *sim, bool read);
	bool (*write)(struct nst_sim *sim, u8 byte);
	u8 (*read)(struct nst_sim *sim);
	void (*stop)(struct nst_sim *sim);
};

/* --------------------------------------------------------------- models */

enum nst_sim_family {
	NST_SIM_FAMILY_NONE = 0,	/* no die sensor */
	NST_SIM_FAMILY_CCS,
	NST_SIM_FAMILY_AR,
	NST_SIM_FAMILY_OV_MOBILE,
	NST_SIM_FAMILY_OV_AUTO,
	NST_SIM_FAMILY_IMX296,
	NST_SIM_FAMILY_IMX219,
	NST_SIM_FAMILY_S5K,
	NST_SIM_FAMILY_ST,
};

#define NST_SIM_DIES_MAX	2

/* Codes that the maker burnt in: the reading at two temperatures. */
struct nst_sim_calib {
	u16 reg[2];
	s32 mc[2];
	u16 code[2];
};

/**
 * struct nst_sim_model - one image sensor
 * @id_reg, @id_bytes, @id: its identity, high byte first
 * @dies: temperature sensors, @ctrl_reg and @data_reg of each
 * @low_mc, @high_mc: where the readings end
 * @code_mk: one step of the code of an AR part with one word burnt in
 * @calib: for AR parts, a register of 0 is not there
 */
struct nst_sim_model {
	const char *name;
	enum nst_sim_family family;
	u16 id_reg;
	u8 id_bytes;
	u32 id;
	u8 dies;
	u16 ctrl_reg[NST_SIM_DIES_MAX];
	u16 data_reg[NST_SIM_DIES_MAX];
	s32 low_mc;
	s32 high_mc;
	u16 code_mk;
	struct nst_sim_calib calib[NST_SIM_DIES_MAX];
};

extern const struct nst_sim_model nst_sim_models[];
extern const unsigned int nst_sim_model_count;

/** nst_sim_model_find() - index of a name, -1 when there is none */
int nst_sim_model_find(const char *name);

/**
 * nst_sim_model_code() - what the sensor reads at @mc
 * The inverse of the datasheet's conversion, rounded to the nearest code and
 * ending at the model's rails.
 */
u16 nst_sim_model_code(const struct nst_sim_model *model, unsigned int die,
		       s32 mc);

/** nst_sim_model_code_bytes() - bytes of a reading; *@ret_le low byte first */
unsigned int nst_sim_model_code_bytes(const struct nst_sim_model *model,
				      bool *ret_le);

/** nst_sim_model_idle_code() - the register before the first conversion */
u16 nst_sim_model_idle_code(const struct nst_sim_model *model);

/* --------------------------------------------------------------- sensor */

#define NST_SIM_CCI_SIZE	0x10000

/**
 * struct nst_sim_chip - an image sensor on the wire, guarded by nst_sim.lock
 * @regs: its register file, as last written or latched
 * @reg, @reg_bytes: register pointer, and how much of it has come
 * @powered_us, @streaming_us, @enabled_us: since when; U64_MAX for not
 */
struct nst_sim_chip {
	const struct nst_sim_model *model;
	u8 *regs;
	u16 reg;
	u8 reg_bytes;
	bool powered;
	u64 powered_us;
	u64 streaming_us;
	u64 enabled_us[NST_SIM_DIES_MAX];
};

extern const struct nst_sim_target nst_sim_chip_target;

int nst_sim_chip_init(struct nst_sim *sim);
void nst_sim_chip_free(struct nst_sim *sim);

/** nst_sim_chip_power() - supply and clock, by the owner; lock held */
void nst_sim_chip_power(struct nst_sim *sim, bool on);

/** nst_sim_chip_stream() - as the owner starts and stops it; lock held */
void nst_sim_chip_stream(struct nst_sim *sim, bool on);

/** nst_sim_chip_begin() - the stream begins, or ends, at @now; lock held */
void nst_sim_chip_begin(struct nst_sim *sim, bool on, u64 now);

/** nst_sim_chip_set() - a register, as the owner writes it at @now; lock held */
void nst_sim_chip_set(struct nst_sim *sim, u16 reg, u8 value, u64 now);

/* --------------------------------------------------------------- imx500 */

/**
 * struct nst_sim_imx500 - what an IMX500 and its bridge have beside registers
 * @network: weights are loaded; lost with the power
 * @uploading, @upload_until_us: firmware is on its way
 * @starting: the stream begins when it is there
 * @failed: 0x0138 was set during the upload
 * @life: power cycles that the bridge has left, -1 for any number
 */
struct nst_sim_imx500 {
	bool network;
	bool uploading;
	bool starting;
	bool failed;
	u64 upload_until_us;
	s32 life;
};

extern const struct nst_sim_target nst_sim_bridge_target;

#define NST_SIM_BRIDGE_ADDR	0x40

void nst_sim_imx500_power(struct nst_sim *sim, bool on);
/** nst_sim_imx500_stream() - true when the stream begins later, by itself */
bool nst_sim_imx500_stream(struct nst_sim *sim, bool on, u64 now);
/** nst_sim_imx500_write() - a register changed; @wire: not by the owner */
void nst_sim_imx500_write(struct nst_sim *sim, u16 reg, bool wire, u64 now);
/** nst_sim_imx500_read() - refresh the status registers; false: not ready */
bool nst_sim_imx500_read(struct nst_sim *sim, u16 reg);
void nst_sim_imx500_tick(struct nst_sim *sim, u64 t_us);
/** nst_sim_imx500_upload() - start an upload window of @ms from now */
void nst_sim_imx500_upload(struct nst_sim *sim, u32 ms);
bool nst_sim_imx500_uploads(struct nst_sim *sim);

/* nst-sim-upload.c */
void nst_sim_upload_work(struct work_struct *work);
/** nst_sim_upload_begin() - over the wire, where its clock is that of wires */
void nst_sim_upload_begin(struct nst_sim *sim);

/* ---------------------------------------------------------- thermometer */

/**
 * struct nst_sim_thermometer - a chip beside the stack
 * @reg: the word that is asked for
 * @word: as latched
 * @at: bytes of this transfer that have gone
 */
struct nst_sim_thermometer {
	u8 reg;
	u16 word;
	unsigned int at;
};

extern const struct nst_sim_target nst_sim_thermometer_target;

#define NST_SIM_THERMOMETER_ADDR	0x5a

/* ---------------------------------------------------------------- owner */

/**
 * struct nst_sim_owner - the driver of the sensor, as a vendor would write it
 * @lock: guards the rest; taken before runtime PM is called
 * @client: the sensor's device
 * @dev: @client's, while the driver is bound
 * @users: streams and debugfs "owner_active"
 * @upload_work: firmware over the wire, while @dev is there
 */
struct nst_sim_owner {
	struct mutex lock;	/* guards @dev, @users and @active */
	struct i2c_client *client;
	struct device *dev;
	unsigned int users;
	bool active;
	struct nst_sim *sim;
	struct delayed_work upload_work;
};

int nst_sim_owner_register(void);
void nst_sim_owner_unregister(void);

/* ---------------------------------------------------------------- lines */

enum nst_sim_line {
	NST_SIM_LINE_RUN = 0,		/* from the host: the VPU is clocked */
	NST_SIM_LINE_FRAME_SYNC,	/* to the host: exposure begins */
	NST_SIM_LINE_ALERT,		/* to the host: the MCU's, low */
	NST_SIM_LINE_SUPPLY,		/* from the host: power of the VPU */
	NST_SIM_LINE_COUNT
};

/**
 * struct nst_sim_lines - the GPIO chip and its interrupts
 * Outlives the stack while somebody still waits for a line.
 * @sim: NULL when the stack is gone
 * @slock: guards what follows it
 */
struct nst_sim_lines {
	struct gpio_chip chip;
	struct irq_domain *domain;
	struct list_head node;
	struct nst_sim *sim;
	char label[32];
	struct work_struct work;
	struct work_struct gone_work;
	struct delayed_work farewell;
	struct completion gone;
	refcount_t refs;
	struct mutex lock;	/* guards @sim; taken before nst_sim.lock */
	bool dead;

	raw_spinlock_t slock;	/* guards the rest */
	u32 level;
	u32 masked;
	u32 output;
	u32 type[NST_SIM_LINE_COUNT];
};

int nst_sim_lines_make(struct nst_sim *sim);
void nst_sim_lines_drop(struct nst_sim *sim);
void nst_sim_lines_exit(void);
/** nst_sim_lines_pulse() - frame sync: up and down; @wait for the handlers */
void nst_sim_lines_pulse(struct nst_sim *sim, bool wait);
/** nst_sim_lines_alert() - assert the alert line, which is low then */
void nst_sim_lines_alert(struct nst_sim *sim, bool on);
/** nst_sim_lines_alert_wait() - until its handlers are through */
void nst_sim_lines_alert_wait(struct nst_sim *sim);
int nst_sim_lines_irq(struct nst_sim *sim, enum nst_sim_line line);
/** nst_sim_lines_drive() - a line from the host, as its user drives it */
void nst_sim_lines_drive(struct nst_sim *sim, enum nst_sim_line line,
			 bool high);
bool nst_sim_lines_level(struct nst_sim *sim, enum nst_sim_line line);

/* --------------------------------------------------------------- supply */

struct nst_sim_supply;

/** nst_sim_supply_make() - the regulator "vpu" of the device @consumer */
int nst_sim_supply_make(struct nst_sim *sim, const char *consumer);
void nst_sim_supply_drop(struct nst_sim *sim);

/* -------------------------------------------------------------- adapter */

/* How long the end of a stack waits for users of its adapter and lines. */
#define NST_SIM_GONE_MS		200

/* Where those go that have to be waited for longer. */
extern struct workqueue_struct *nst_sim_gone_wq;

/**
 * struct nst_sim_wire - the I2C adapter
 * Outlives the stack while somebody holds /dev/i2c-N open.
 * @sim: changes only with the adapter locked; NULL when the stack is gone
 * @owner_task: in a transfer of the sensor's own driver
 * @taken: the adapter is locked for something that is no transfer
 * @waits: who came meanwhile
 */
struct nst_sim_wire {
	struct i2c_adapter adapter;
	struct nst_sim *sim;
	struct task_struct *owner_task;
	bool taken;
	atomic_t waits;
	struct work_struct gone_work;
	struct completion gone;
	refcount_t refs;
};

int nst_sim_wire_make(struct nst_sim *sim);
void nst_sim_wire_drop(struct nst_sim *sim);
/** nst_sim_wire_take() - lock the adapter, as a transfer of another kind */
void nst_sim_wire_take(struct nst_sim_wire *wire);
void nst_sim_wire_give(struct nst_sim_wire *wire);
/** nst_sim_wire_owner_xfer() - a transfer that the sensor's driver makes */
int nst_sim_wire_owner_xfer(struct nst_sim_wire *wire, struct i2c_msg *msgs,
			    int num);
/** nst_sim_wire_sim() - the stack of an adapter, NULL when it is not ours */
struct nst_sim *nst_sim_wire_sim(struct i2c_adapter *adapter);
int nst_sim_wires_init(void);
void nst_sim_wires_exit(void);

/* ------------------------------------------------------------------ mcu */

struct nst_sim_mcu;

extern const struct nst_sim_target nst_sim_mcu_target;

int nst_sim_mcu_init(struct nst_sim *sim);
void nst_sim_mcu_free(struct nst_sim *sim);
/** nst_sim_mcu_tick() - a millisecond of the MCU, at @t_us; lock held */
void nst_sim_mcu_tick(struct nst_sim *sim, u64 t_us);
/** nst_sim_mcu_frame() - the frame-sync pin of the MCU; lock held */
void nst_sim_mcu_frame(struct nst_sim *sim, u64 t_us);
u8 nst_sim_mcu_address(void);

/* ------------------------------------------------------------------ all */

/**
 * struct nst_sim_bus_counters - what went over the wire, debugfs "bus"
 * Of everybody but the owner, whose transfers are counted apart.
 * @bytes_written, @bytes_read: without the address bytes
 * @foreign_enable, @foreign_stream: writes over the wire of registers that
 *	are the owner's: 0x0138 of an IMX500, mode select of all
 */
struct nst_sim_bus_counters {
	u64 transfers;
	u64 address_bytes;
	u64 bytes_written;
	u64 bytes_read;
	u64 nacks;
	u64 arbitration_lost;
	u64 readings;
	u64 faulted;
	u64 foreign_enable;
	u64 foreign_stream;
	u64 owner_resumes;
	u64 owner_suspends;
	u64 bridge_power_cycles;
	u64 uploads;
	u64 upload_failures;
	u64 gate_writes;
	u64 gate_cycles;
	u64 gate_at_us;
	u64 frame_edges;
	u64 alert_edges;
};

#define NST_SIM_PROPERTIES_ALL	32

/**
 * struct nst_sim_bus - all of a stack that is attached to a bus
 * @target: by address, NULL where nobody answers
 * @asked: gate that was asked for last
 */
struct nst_sim_bus {
	struct nst_sim_wire *wire;
	struct nst_sim_lines *lines;
	struct nst_sim_chip chip;
	struct nst_sim_imx500 imx500;
	struct nst_sim_thermometer thermometer;
	struct nst_sim_owner owner;
	struct nst_sim_mcu *mcu;
	struct nst_sim_supply *supply;
	struct nst_sim_bus_counters count;
	struct nst_sim_bus_counters owner_count;
	const struct nst_sim_target *target[128];
	u8 asked;

	struct platform_device *companion;
	struct i2c_client *mcu_client;
	struct gpiod_lookup_table *lookup;
	struct software_node node;
	struct property_entry props[NST_SIM_PROPERTIES_ALL + 1];
};

/** nst_sim_bus_gate() - the VPU's input changes; counts; lock held */
int nst_sim_bus_gate(struct nst_sim *sim, u8 gate, u64 now_us);

#endif /* NST_SIM_BUS_H */
