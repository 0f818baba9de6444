// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app-bus.c - the target side of the bus, byte by byte
 *
 *	phase     start(w)   start(r)   byte              stop
 *	idle      command    probe      -                 -
 *	command   command    refused    data, or refused  idle
 *	data      command    read       data, or refused  idle, applied if whole
 *	read      command    probe      -                 idle
 *	refused   command    refused    refused           idle
 *
 * A probe is a read that names no register, as bus scanners send it; it is
 * acknowledged and reads as 0xff.
 */
#include "app-internal.h"

static bool has_pec(const struct nst_app *app)
{
	return app->config->caps & NST_MCU_CAPS_PEC;
}

static u8 address_byte(const struct nst_app *app, bool read)
{
	return (u8)(app->config->address << 1 | (read ? 1 : 0));
}

static void refuse(struct nst_app *app, u8 reason)
{
	struct nst_app_bus *bus = &app->bus;

	app->last_error = (u16)(bus->command << 8 | reason);
	switch (reason) {
	case NST_MCU_LAST_ERROR_PEC:
		app->status |= NST_MCU_STATUS_PEC;
		app->counters.pec_errors++;
		break;
	case NST_MCU_LAST_ERROR_RANGE:
	case NST_MCU_LAST_ERROR_ORDER:
	case NST_MCU_LAST_ERROR_UNSUPPORTED:
		app->status |= NST_MCU_STATUS_REFUSED;
		app->counters.refusals++;
		break;
	default:
		app->status |= NST_MCU_STATUS_PROTOCOL;
		app->counters.protocol_errors++;
		break;
	}
	bus->phase = NST_APP_BUS_REFUSED;
	bus->complete = false;
}

/* A transfer without fault is a sign of life. */
static void heard(struct nst_app *app)
{
	app->counters.transfers++;
	app->gate.heard_us = app->now_us;
}

static struct nst_app_write write_of(const struct nst_app_bus *bus)
{
	const struct nst_app_block *block = nst_app_block_find(bus->command);
	const u8 *data = bus->buf + (block ? 1 : 0);
	struct nst_app_write write = {
		.first = block ? block->first : bus->command,
		.words = (u8)(block ? bus->buf[0] / 2 : 1),
		.block = block,
	};
	u32 i;

	for (i = 0; i < write.words; i++)
		write.value[i] = (u16)(data[2 * i] << 8 | data[2 * i + 1]);
	return write;
}

/* All that a write needs is here: may it be applied? */
static bool accept(struct nst_app *app)
{
	struct nst_app_write write = write_of(&app->bus);
	u8 reason = nst_app_write_check(app, &write);

	if (reason) {
		refuse(app, reason);
		return false;
	}
	app->bus.complete = true;
	return true;
}

static bool take_command(struct nst_app *app, u8 byte)
{
	struct nst_app_bus *bus = &app->bus;

	bus->command = byte;
	if (!nst_app_reg_exists(byte) && !nst_app_block_find(byte)) {
		refuse(app, NST_MCU_LAST_ERROR_COMMAND);
		return false;
	}
	bus->phase = NST_APP_BUS_DATA;
	bus->crc = nst_mcu_pec(bus->crc, byte);
	bus->len = 0;
	bus->want = 0;
	return true;
}

/* The first byte after the command of a write. */
static u8 begin_write(struct nst_app_bus *bus, u8 byte)
{
	const struct nst_app_block *block = nst_app_block_find(bus->command);

	if (!block) {
		bus->want = 2;
		return nst_app_reg_writable(bus->command) ?
			       NST_MCU_LAST_ERROR_NONE :
			       NST_MCU_LAST_ERROR_READ_ONLY;
	}
	if (!block->writable)
		return NST_MCU_LAST_ERROR_READ_ONLY;
	if (byte > 2 * block->words)
		return NST_MCU_LAST_ERROR_LONG;
	if (byte < 2 * block->words_min || byte % 2)
		return NST_MCU_LAST_ERROR_SHORT;
	bus->want = (u8)(byte + 1);
	return NST_MCU_LAST_ERROR_NONE;
}

static bool take_data(struct nst_app *app, u8 byte)
{
	struct nst_app_bus *bus = &app->bus;
	u8 reason = NST_MCU_LAST_ERROR_NONE;

	if (!bus->len)
		reason = begin_write(bus, byte);
	if (reason) {
		refuse(app, reason);
		return false;
	}
	if (bus->len < bus->want) {
		bus->buf[bus->len++] = byte;
		bus->crc = nst_mcu_pec(bus->crc, byte);
		if (bus->len < bus->want || has_pec(app))
			return true;
		return accept(app);
	}
	if (bus->complete || !has_pec(app)) {
		refuse(app, NST_MCU_LAST_ERROR_LONG);
		return false;
	}
	if (byte != bus->crc) {
		refuse(app, NST_MCU_LAST_ERROR_PEC);
		return false;
	}
	return accept(app);
}

/* The answer to the command, all of one instant. */
static void prepare_read(struct nst_app *app)
{
	struct nst_app_bus *bus = &app->bus;
	const struct nst_app_block *block = nst_app_block_find(bus->command);
	u8 first = block ? block->first : bus->command;
	u8 words = block ? block->words : 1;
	u8 len = 0;
	u32 i;

	if (block)
		bus->buf[len++] = (u8)(2 * words);
	for (i = 0; i < words; i++) {
		u16 value = nst_app_reg_read(app, (u8)(first + i), block);

		bus->buf[len++] = (u8)(value >> 8);
		bus->buf[len++] = (u8)value;
	}
	bus->want = len;
	bus->len = 0;
	bus->crc = nst_mcu_pec(bus->crc, address_byte(app, true));
	bus->phase = NST_APP_BUS_READ;
}

/* What came before a repeated start, or before the stop, is over. */
static void end_transfer(struct nst_app *app, bool stop)
{
	struct nst_app_bus *bus = &app->bus;

	if (bus->phase == NST_APP_BUS_READ && bus->want) {
		/* A read that was broken off is no sign of a sane host. */
		if (bus->len < bus->want)
			refuse(app, NST_MCU_LAST_ERROR_SHORT);
		else
			heard(app);
	} else if (bus->phase == NST_APP_BUS_DATA) {
		if (!stop)
			refuse(app, NST_MCU_LAST_ERROR_RESTART);
		else if (bus->complete)
			heard(app);
		else if (bus->len && bus->len == bus->want)
			refuse(app, NST_MCU_LAST_ERROR_PEC);
		else
			refuse(app, NST_MCU_LAST_ERROR_SHORT);
	}
}

bool nst_app_bus_start(struct nst_app *app, bool read, u64 now_us)
{
	struct nst_app_bus *bus = &app->bus;

	nst_app_time(app, now_us);
	if (!read) {
		end_transfer(app, false);
		bus->phase = NST_APP_BUS_COMMAND;
		bus->complete = false;
		bus->command = 0;
		bus->crc = nst_mcu_pec(0, address_byte(app, false));
		return true;
	}
	switch (bus->phase) {
	case NST_APP_BUS_DATA:
		if (bus->len)
			break;
		prepare_read(app);
		return true;
	case NST_APP_BUS_COMMAND:
		refuse(app, NST_MCU_LAST_ERROR_SHORT);
		return false;
	case NST_APP_BUS_REFUSED:
		return false;
	default:
		end_transfer(app, false);
		bus->phase = NST_APP_BUS_READ;
		bus->want = 0;
		bus->len = 0;
		return true;
	}
	refuse(app, NST_MCU_LAST_ERROR_RESTART);
	return false;
}

bool nst_app_bus_write(struct nst_app *app, u8 byte)
{
	switch (app->bus.phase) {
	case NST_APP_BUS_COMMAND:
		return take_command(app, byte);
	case NST_APP_BUS_DATA:
		return take_data(app, byte);
	default:
		return false;
	}
}

u8 nst_app_bus_read(struct nst_app *app)
{
	struct nst_app_bus *bus = &app->bus;
	u8 byte;

	if (bus->phase != NST_APP_BUS_READ || bus->len > bus->want)
		return 0xff;
	if (bus->len == bus->want) {
		if (!bus->want || !has_pec(app))
			return 0xff;
		bus->len++;
		return bus->crc;
	}
	byte = bus->buf[bus->len++];
	bus->crc = nst_mcu_pec(bus->crc, byte);
	return byte;
}

void nst_app_bus_stop(struct nst_app *app)
{
	bool apply = app->bus.complete;

	end_transfer(app, true);
	app->bus.phase = NST_APP_BUS_IDLE;
	app->bus.complete = false;
	if (apply) {
		struct nst_app_write write = write_of(&app->bus);

		nst_app_write_apply(app, &write);
		nst_app_gate_decide(app);
	}
}
