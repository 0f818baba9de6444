// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hal_test.c - I2C by two lines and the TMP105 driver, against a part that
 * watches the lines edge by edge as a real one does
 */
#include <errno.h>
#include <string.h>

#include "../userspace/ktap.h"
#include "tmp105.h"

#define ADDRESS 0x49

enum phase { IDLE, RECEIVES, RECEIVED, SENDS, SENT, DEAF };

static struct {
	bool scl_host, sda_host, sda_part, scl_part;	/* true: let go */
	bool scl, sda;
	enum phase phase;
	unsigned int bits, bytes;
	u8 shift;
	bool ack, reads;
	/* the part */
	bool there;
	u16 temp;
	u8 config, pointer;
	unsigned int starts, stops;
} w;

static u8 byte_out(void)
{
	unsigned int n = w.bytes++;

	if (w.pointer == 1)
		return w.config;
	return (u8)(n % 2 ? w.temp : w.temp >> 8);
}

static bool byte_in(u8 byte)
{
	unsigned int n = w.bytes++;

	if (n == 0) {
		w.reads = byte & 1;
		return w.there && byte >> 1 == ADDRESS;
	}
	if (n == 1)
		w.pointer = byte & 3;
	else if (w.pointer == 1)
		w.config = byte & 0x7f;
	else
		return false;
	return true;
}

static void next_out(void)
{
	w.phase = SENDS;
	w.bits = 0;
	w.shift = byte_out();
	w.sda_part = w.shift >> 7;
}

static void scl_falls(void)
{
	switch (w.phase) {
	case RECEIVES:
		if (w.bits < 8)
			break;
		w.ack = byte_in(w.shift);
		w.sda_part = !w.ack;
		w.phase = RECEIVED;
		break;
	case RECEIVED:
		w.sda_part = true;
		w.bits = 0;
		w.phase = w.ack ? RECEIVES : DEAF;
		if (w.ack && w.reads) {
			w.bytes = 0;
			next_out();
		}
		break;
	case SENDS:
		if (++w.bits < 8) {
			w.sda_part = w.shift >> (7 - w.bits) & 1;
		} else {
			w.sda_part = true;
			w.phase = SENT;
		}
		break;
	case SENT:
		if (w.ack)
			next_out();
		else
			w.phase = DEAF;
		break;
	default:
		break;
	}
}

static void scl_rises(void)
{
	if (w.phase == RECEIVES) {
		w.shift = (u8)(w.shift << 1 | w.sda);
		w.bits++;
	} else if (w.phase == SENT) {
		w.ack = !w.sda;
	}
}

static void lines(void)
{
	bool scl = w.scl_host && w.scl_part;
	bool sda = w.sda_host && w.sda_part;
	bool scl_was = w.scl, sda_was = w.sda;

	w.scl = scl;
	w.sda = sda;
	if (scl && scl_was && sda_was && !sda) {
		w.starts++;
		w.phase = RECEIVES;
		w.bits = 0;
		w.bytes = 0;
	} else if (scl && scl_was && !sda_was && sda) {
		w.stops++;
		w.phase = IDLE;
	} else if (scl && !scl_was) {
		scl_rises();
	} else if (!scl && scl_was) {
		scl_falls();
		w.sda = w.sda_host && w.sda_part;
	}
}

static void set_scl(bool high)
{
	w.scl_host = high;
	lines();
}

static void set_sda(bool high)
{
	w.sda_host = high;
	lines();
}

static bool get_scl(void)
{
	return w.scl;
}

static bool get_sda(void)
{
	return w.sda;
}

static unsigned int waits;

static void half_bit(void)
{
	waits++;
}

static const struct hal_i2c bus = {
	.set_scl = set_scl,
	.set_sda = set_sda,
	.get_scl = get_scl,
	.get_sda = get_sda,
	.half_bit = half_bit,
};

static void power(void)
{
	memset(&w, 0, sizeof(w));
	w.scl_host = w.sda_host = w.scl_part = w.sda_part = true;
	w.scl = w.sda = true;
	w.there = true;
}

static void test_transfers(void)
{
	static const u8 config[] = { 1, 0x60 };
	static const u8 pointer = 1;
	u8 in[3] = { 0 };

	power();
	EXPECT(!hal_i2c_transfer(&bus, ADDRESS, config, 2, NULL, 0), "write");
	EXPECT(w.config == 0x60, "%02x", w.config);
	EXPECT(!hal_i2c_transfer(&bus, ADDRESS, &pointer, 1, in, 1), "read");
	EXPECT(in[0] == 0x60, "%02x", in[0]);
	EXPECT(w.starts == 3 && w.stops == 2, "%u, %u", w.starts, w.stops);
	EXPECT(w.scl && w.sda && w.phase == IDLE, "the bus is not free");

	w.temp = 0x1234;
	EXPECT(!hal_i2c_transfer(&bus, ADDRESS, (const u8[]){ 0 }, 1, in, 3),
	       "three");
	EXPECT(in[0] == 0x12 && in[1] == 0x34 && in[2] == 0x12, "%02x%02x%02x",
	       in[0], in[1], in[2]);
	EXPECT(hal_i2c_transfer(&bus, 0x48, NULL, 0, NULL, 0) == -ENODEV,
	       "another address");
	EXPECT(hal_i2c_transfer(&bus, ADDRESS, (const u8[]){ 0, 1 }, 2, NULL,
				0) == -EIO, "a byte that is not taken");
	EXPECT(w.scl && w.sda && w.phase == IDLE, "the bus is not free");
}

static void test_held_bus(void)
{
	u8 in[2];

	/* Reset of the host while the part sends zeros. */
	power();
	w.sda_part = false;
	lines();
	w.phase = SENDS;
	w.bits = 2;
	w.temp = 0x1900;
	EXPECT(!hal_i2c_transfer(&bus, ADDRESS, (const u8[]){ 0 }, 1, in, 2),
	       "SDA was not freed");
	EXPECT(in[0] == 0x19 && !in[1], "%02x%02x", in[0], in[1]);

	/* A line that nothing frees is an error, and in time. */
	power();
	w.scl_part = false;
	lines();
	waits = 0;
	EXPECT(hal_i2c_transfer(&bus, ADDRESS, (const u8[]){ 0 }, 1, in, 2) ==
	       -EIO, "SCL is held");
	EXPECT(waits < 20000, "%u half bits", waits);
	power();
	w.sda_part = false;
	lines();
	w.phase = DEAF;
	EXPECT(hal_i2c_transfer(&bus, ADDRESS, (const u8[]){ 0 }, 1, in, 2) < 0,
	       "SDA is held");
}

static int reading(struct tmp105 *tmp, u64 now_us, struct nst_sample *s)
{
	*s = (struct nst_sample){ .value_mc = -1 };
	return tmp105_read(tmp, now_us, s);
}

static void test_conversions(void)
{
	static const struct {
		u16 raw;
		s32 mc;
		u8 bound;
	} cases[] = {
		/* TI SLLS648D, table 5, and the ends at ten bits */
		{ 0x7fc0, 127750, NST_BOUND_AT_LEAST },
		{ 0x6400, 100000, NST_BOUND_NONE },
		{ 0x5000, 80000, NST_BOUND_NONE },
		{ 0x4b00, 75000, NST_BOUND_NONE },
		{ 0x1900, 25000, NST_BOUND_NONE },
		{ 0x0040, 250, NST_BOUND_NONE },
		{ 0x0000, 0, NST_BOUND_NONE },
		{ 0xffc0, -250, NST_BOUND_NONE },
		{ 0xe700, -25000, NST_BOUND_NONE },
		{ 0xc900, -55000, NST_BOUND_AT_MOST },
	};
	struct tmp105 tmp = { .bus = &bus, .address = ADDRESS };
	struct nst_sample s;

	power();
	EXPECT(reading(&tmp, 0, &s) == -EAGAIN, "not set up");
	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		w.temp = cases[i].raw;
		EXPECT(!reading(&tmp, TMP105_CONVERSION_US, &s), "%04x", w.temp);
		EXPECT(s.value_mc == cases[i].mc && s.bound == cases[i].bound,
		       "%04x is %d, bound %u", w.temp, s.value_mc, s.bound);
	}
}

static void test_not_ready(void)
{
	struct tmp105 tmp = { .bus = &bus, .address = ADDRESS };
	struct nst_sample s;

	power();
	w.there = false;
	EXPECT(reading(&tmp, 0, &s) == -ENODEV, "nobody there");
	w.there = true;
	EXPECT(reading(&tmp, 1000, &s) == -EAGAIN, "no conversion yet");
	EXPECT(w.config == 0x20, "config %02x", w.config);
	EXPECT(reading(&tmp, 75999, &s) == -EAGAIN, "no conversion yet");
	w.temp = 0x3c00;
	EXPECT(!reading(&tmp, 76000, &s) && s.value_mc == 60000, "%d",
	       s.value_mc);

	/* Its power fails: the 0 degrees of power-on are no temperature. */
	w.config = 0;
	w.temp = 0;
	EXPECT(reading(&tmp, 80000, &s) == -EAGAIN, "%d", s.value_mc);
	EXPECT(reading(&tmp, 154999, &s) == -EAGAIN, "%d", s.value_mc);
	w.temp = 0x3b00;
	EXPECT(!reading(&tmp, 155000, &s) && s.value_mc == 59000, "%d",
	       s.value_mc);

	/* So when it was away. */
	w.there = false;
	EXPECT(reading(&tmp, 160000, &s) == -ENODEV, "gone");
	w.there = true;
	EXPECT(reading(&tmp, 161000, &s) == -EAGAIN, "back");
	EXPECT(!reading(&tmp, 161000 + TMP105_CONVERSION_US, &s), "ready");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "transfers", test_transfers },
		{ "a bus that is held", test_held_bus },
		{ "conversions of the TMP105", test_conversions },
		{ "a TMP105 that has not converted yet", test_not_ready },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
