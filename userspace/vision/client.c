// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* client.c - verdicts and reports, by libnst: see client.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "client.h"
#include "cleanup.h"
#include "nst/libnst.h"

int nst_client_connect(struct nst_client *client, const char *path)
{
	client->conn = NULL;
	return nst_connect(&client->conn, path);
}

void nst_client_close(struct nst_client *client)
{
	nst_close(client->conn);
	client->conn = NULL;
}

static int take_placement(enum nst_place place, struct nst_client_verdict *ret)
{
	switch (place) {
	case NST_PLACE_NEAR:
		ret->placement = NST_CLIENT_NEAR;
		return 0;
	case NST_PLACE_FAR:
		ret->placement = NST_CLIENT_FAR;
		return 0;
	case NST_PLACE_PAUSED:
		ret->placement = NST_CLIENT_PAUSED;
		return 0;
	default:
		return -EPROTO;
	}
}

static int temp_of(int32_t temp_mc)
{
	return temp_mc == NST_NO_TEMP ? NST_CLIENT_NONE_MC : temp_mc;
}

int nst_client_frame(struct nst_client *client, const char *sensor,
		     uint64_t seq, struct nst_client_verdict *ret)
{
	struct nst_client_verdict verdict = { .seq = seq };
	struct nst_frame frame;
	int r;

	if (!client->conn)
		return -ENOTCONN;
	r = nst_frame_get(client->conn, sensor, seq, 0, &frame);
	if (!r)
		r = take_placement(frame.placement, &verdict);
	if (r)
		return r;
	verdict.deliver = frame.deliver;
	verdict.exposure_temp_mc = temp_of(frame.exposure_temp_mc);
	verdict.limit_mc = temp_of(frame.limit_mc);
	snprintf(verdict.reason, sizeof(verdict.reason), "%.*s",
		 (int)sizeof(verdict.reason) - 1, frame.reason);
	*ret = verdict;
	return 0;
}

static enum nst_measured measured_of(const struct nst_client_figure *f)
{
	static const struct {
		const char *state;
		enum nst_measured measured;
	} states[] = {
		{ "settling", NST_MEASURED_SETTLING },
		{ "no-patch", NST_MEASURED_NO_PATCH },
		{ "clipped", NST_MEASURED_CLIPPED },
		{ "moving", NST_MEASURED_MOVING },
		{ "damaged", NST_MEASURED_DAMAGED },
	};

	if (!f->state)
		return NST_MEASURED_NOT;
	if (f->measured)
		return NST_MEASURED_OK;
	for (size_t i = 0; i < NST_ARRAY_SIZE(states); i++)
		if (!strcmp(f->state, states[i].state))
			return states[i].measured;
	return NST_MEASURED_NOT;
}

int nst_client_report(struct nst_client *client, const char *sensor,
		      uint64_t seq, const struct nst_client_figure *flat,
		      const struct nst_client_figure *dark)
{
	struct nst_report_spec report;

	if (!client->conn)
		return -ENOTCONN;
	nst_report_init(&report, sensor);
	report.seq = seq;
	report.measured = measured_of(flat);
	report.snr_cdb = flat->snr_cdb;
	report.snr_low_cdb = flat->low_cdb;
	report.dark_measured = measured_of(dark);
	report.dark_snr_cdb = dark->snr_cdb;
	report.dark_snr_low_cdb = dark->low_cdb;
	return nst_frame_report(client->conn, &report);
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *m = NULL;

	if (json_object_is_type(o, json_type_object))
		(void)json_object_object_get_ex(o, key, &m);
	return m;
}

static int demand_of(struct json_object *sensor)
{
	struct json_object *tasks = member(sensor, "tasks");
	int most = NST_CLIENT_NONE_CDB;

	if (!json_object_is_type(tasks, json_type_array))
		return most;
	for (size_t i = 0; i < json_object_array_length(tasks); i++) {
		struct json_object *t = json_object_array_get_idx(tasks, i);
		const char *of = json_object_get_string(member(t, "snr_of"));
		struct json_object *demand = member(t, "demand_cdb");

		if (demand && of && !strcmp(of, "total") &&
		    json_object_get_int(demand) > most)
			most = json_object_get_int(demand);
	}
	return most;
}

int nst_client_demand(struct nst_client *client, const char *sensor)
{
	static char reply[65536];	/* one thread */
	struct json_object *status, *sensors;
	int demand_cdb = NST_CLIENT_NONE_CDB;

	if (!client->conn || nst_call(client->conn, "{\"req\":\"status\"}", -1,
				      reply, sizeof(reply)) < 0)
		return demand_cdb;
	status = json_tokener_parse(reply);
	sensors = member(status, "sensors");
	for (size_t i = 0; json_object_is_type(sensors, json_type_array) &&
	     i < json_object_array_length(sensors); i++) {
		struct json_object *s = json_object_array_get_idx(sensors, i);
		const char *name = json_object_get_string(member(s, "name"));

		if (name && !strcmp(name, sensor))
			demand_cdb = demand_of(s);
	}
	json_object_put(status);
	return demand_cdb;
}

int nst_client_far(struct nst_client *client, const char *sensor,
		   uint64_t imports, uint64_t copies)
{
	struct nst_report_spec report;

	if (!client->conn)
		return -ENOTCONN;
	nst_report_init(&report, sensor);
	report.imports = imports;
	report.copies = copies;
	return nst_frame_report(client->conn, &report);
}
