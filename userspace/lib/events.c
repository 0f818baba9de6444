// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* events.c - packets that are no reply, as struct nst_event */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "conn.h"

#define FIELD(k, t, s, m) { k, t, offsetof(s, m), sizeof(((s *)0)->m) }

static const struct libnst_field frame_fields[] = {
	FIELD("seq", LIBNST_U64, struct nst_frame, seq),
	FIELD("t_us", LIBNST_U64, struct nst_frame, t_us),
	FIELD("sensor", LIBNST_TEXT, struct nst_frame, sensor),
	FIELD("exposure_temp_mc", LIBNST_S32, struct nst_frame,
	      exposure_temp_mc),
	FIELD("temp_mc", LIBNST_S32, struct nst_frame, temp_mc),
	FIELD("limit_mc", LIBNST_S32, struct nst_frame, limit_mc),
	FIELD("snr_cdb", LIBNST_S32, struct nst_frame, snr_cdb),
	FIELD("exposure_us", LIBNST_U32, struct nst_frame, exposure_us),
	FIELD("iso", LIBNST_U32, struct nst_frame, iso),
	FIELD("lux_milli", LIBNST_U32, struct nst_frame, lux_milli),
	FIELD("deliver", LIBNST_BOOL, struct nst_frame, deliver),
	FIELD("delivered", LIBNST_BOOL, struct nst_frame, deliver),
	FIELD("reason", LIBNST_TEXT, struct nst_frame, reason),
};

#define FRAME_TEMP	(1ull << 3)
#define FRAME_SNR	(1ull << 6)

static enum nst_place place_of(struct libnst_value v)
{
	if (libnst_is(v, "near"))
		return NST_PLACE_NEAR;
	if (libnst_is(v, "far"))
		return NST_PLACE_FAR;
	return libnst_is(v, "paused") ? NST_PLACE_PAUSED : NST_PLACE_UNKNOWN;
}

static void empty_frame(struct nst_frame *f)
{
	memset(f, 0, sizeof(*f));
	f->exposure_temp_mc = f->temp_mc = f->limit_mc = NST_NO_TEMP;
}

int libnst_frame_fill(struct libnst_value object, struct nst_frame *ret)
{
	struct nst_frame f;
	uint64_t seen;
	int r;

	empty_frame(&f);
	r = libnst_fill(object, frame_fields,
			sizeof(frame_fields) / sizeof(frame_fields[0]), &f,
			&seen);
	if (r)
		return r;
	f.valid = seen & FRAME_TEMP;
	f.has_snr = seen & FRAME_SNR;
	f.placement = place_of(libnst_get(object, "placement"));
	*ret = f;
	return 0;
}

/* ---------------------------------------------------------------- ring */

static struct nst_event *new_event(struct nst_conn *conn)
{
	struct nst_event *e;

	if (conn->count == LIBNST_EVENTS) {
		e = &conn->event[conn->first];
		if (e->fd >= 0)
			close(e->fd);
		conn->first = (conn->first + 1) % LIBNST_EVENTS;
		conn->count--;
		conn->lost++;
	}
	e = &conn->event[(conn->first + conn->count++) % LIBNST_EVENTS];
	memset(e, 0, sizeof(*e));
	empty_frame(&e->frame);
	e->fd = -1;
	e->lost = conn->lost;
	e->temp_mc = e->high_mc = e->low_mc = NST_NO_TEMP;
	e->capture_mc = e->max_mc = NST_NO_TEMP;
	return e;
}

static void put_frames(struct nst_conn *conn, struct libnst_value packet)
{
	struct libnst_value v;
	struct libnst_walk w;

	if (!libnst_walk_begin(&w, libnst_get(packet, "frames"), '['))
		return;
	while (libnst_walk_next(&w, NULL, &v) > 0) {
		struct nst_event *e = new_event(conn);

		e->type = NST_EVENT_FRAME_DONE;
		if (libnst_frame_fill(v, &e->frame)) {
			conn->count--;
			return;
		}
	}
}

/* -------------------------------------------------------------- others */

static const struct libnst_field event_fields[] = {
	FIELD("name", LIBNST_TEXT, struct nst_event, name),
	FIELD("sensor", LIBNST_TEXT, struct nst_event, frame.sensor),
	FIELD("seq", LIBNST_U64, struct nst_event, frame.seq),
	FIELD("what", LIBNST_TEXT, struct nst_event, what),
	FIELD("ticket", LIBNST_U64, struct nst_event, ticket),
	FIELD("left", LIBNST_U32, struct nst_event, left),
	FIELD("temp_mc", LIBNST_S32, struct nst_event, temp_mc),
	FIELD("met", LIBNST_BOOL, struct nst_event, met),
	FIELD("possible", LIBNST_BOOL, struct nst_event, met),
	FIELD("limit_mc", LIBNST_S32, struct nst_event, frame.limit_mc),
	FIELD("high_mc", LIBNST_S32, struct nst_event, high_mc),
	FIELD("low_mc", LIBNST_S32, struct nst_event, low_mc),
	FIELD("capture_mc", LIBNST_S32, struct nst_event, capture_mc),
	FIELD("max_mc", LIBNST_S32, struct nst_event, max_mc),
	FIELD("reason", LIBNST_TEXT, struct nst_event, frame.reason),
	FIELD("state", LIBNST_TEXT, struct nst_event, what),
	FIELD("epoch", LIBNST_U32, struct nst_event, epoch),
	FIELD("fresh", LIBNST_BOOL, struct nst_event, fresh),
};

static enum nst_event_type type_of(struct libnst_value name)
{
	static const struct {
		const char *name;
		enum nst_event_type type;
	} types[] = {
		{ "season", NST_EVENT_PLACEMENT },
		{ "limits", NST_EVENT_THRESHOLDS },
		{ "sensor", NST_EVENT_STATE },
		{ "profile", NST_EVENT_TASKS },
		{ "capture", NST_EVENT_CAPTURE },
		{ "task.ended", NST_EVENT_TASK_ENDED },
		{ "worker", NST_EVENT_WORKER },
		{ "task", NST_EVENT_TASK },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (libnst_is(name, types[i].name))
			return types[i].type;
	return NST_EVENT_OTHER;
}

static enum nst_order order_of(struct libnst_value v)
{
	static const char *const orders[] = {
		[NST_ORDER_PREPARE] = "prepare",
		[NST_ORDER_COPY] = "copy",
		[NST_ORDER_LOAD] = "load",
		[NST_ORDER_COMMIT] = "commit",
		[NST_ORDER_RELEASE] = "release",
	};

	for (unsigned int i = NST_ORDER_PREPARE; i <= NST_ORDER_RELEASE; i++)
		if (libnst_is(v, orders[i]))
			return (enum nst_order)i;
	return NST_ORDER_UNKNOWN;
}

void libnst_event_put(struct nst_conn *conn, struct libnst_value packet,
		      int fd)
{
	struct libnst_value name = libnst_get(packet, "event");
	struct nst_event *e;

	if (libnst_is(name, "frames")) {
		put_frames(conn, packet);
		name.text = NULL;
	}
	/* A reply that came too late for its call is nobody's. */
	if (!name.text) {
		if (fd >= 0)
			close(fd);
		return;
	}
	conn->lost += (uint64_t)libnst_int(libnst_get(packet, "lost"), 0);
	e = new_event(conn);
	(void)libnst_fill(packet, event_fields,
			  sizeof(event_fields) / sizeof(event_fields[0]), e,
			  NULL);
	e->type = type_of(name);
	e->fd = fd;
	e->frame.placement = place_of(libnst_get(packet, "placement"));
	e->order = order_of(libnst_get(packet, "do"));
	e->ready = libnst_is(libnst_get(packet, "result"), "ready");
	if (e->type == NST_EVENT_OTHER)
		libnst_text(name, e->what, sizeof(e->what));
}
