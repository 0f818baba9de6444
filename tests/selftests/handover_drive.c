// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * handover_drive.c - have nstd move a task between its workers, forth and back
 *
 * usage: handover_drive SOCKET SENSOR MOVES SECONDS
 *
 * Asks for full-near and full-far in turn, the next as soon as the task is
 * where it was wanted, until there were MOVES moves more or SECONDS are over.
 * Prints "key value" lines of the sensor's "workers" in the status, and
 * "moves" for those of this run. Exit status 1 when there were fewer.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nst/libnst.h"

#define POLL_US 10000
#define PERIOD_US 33333

/*
 * A part of a period more each time: frames and a wait of a fixed length would
 * keep step, and every move would begin in the same place of its period.
 */
static void pause_somewhere(void)
{
	static unsigned int n = 1;

	n = n * 1103515245u + 12345u;
	usleep(POLL_US + (n >> 8) % PERIOD_US);
}

static struct json_object *workers(struct nst_conn *conn, const char *sensor,
				   struct json_object **ret_status)
{
	static char text[65536];
	struct json_object *sensors, *s, *name, *w;
	int r = nst_call(conn, "{\"req\":\"status\"}", -1, text, sizeof(text));

	if (r < 0) {
		fprintf(stderr, "status: %s\n", nst_error(conn));
		return NULL;
	}
	*ret_status = json_tokener_parse(text);
	if (!json_object_object_get_ex(*ret_status, "sensors", &sensors))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(sensors); i++) {
		s = json_object_array_get_idx(sensors, i);
		if (json_object_object_get_ex(s, "name", &name) &&
		    !strcmp(json_object_get_string(name), sensor) &&
		    json_object_object_get_ex(s, "workers", &w))
			return w;
	}
	fprintf(stderr, "%s has no workers\n", sensor);
	return NULL;
}

static long long number(struct json_object *w, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(w, key, &v)
		? (long long)json_object_get_int64(v) : -1;
}

static bool is(struct json_object *w, const char *key, const char *text)
{
	struct json_object *v;

	return json_object_object_get_ex(w, key, &v) &&
	       !strcmp(json_object_get_string(v), text);
}

static void print(struct json_object *w, long long moves)
{
	json_object_object_foreach(w, key, v)
		printf("%s %s\n", key, json_object_get_string(v));
	printf("moves %lld\n", moves);
}

int main(int argc, char **argv)
{
	struct json_object *status = NULL, *w;
	struct nst_conn *conn;
	long long first = -1, moves = 0, wanted;
	time_t end;
	bool near = false;

	if (argc != 5) {
		fputs("usage: handover_drive SOCKET SENSOR MOVES SECONDS\n",
		      stderr);
		return 2;
	}
	wanted = atoll(argv[3]);
	end = time(NULL) + atoll(argv[4]);
	if (nst_connect(&conn, argv[1])) {
		fprintf(stderr, "no nstd on '%s'\n", argv[1]);
		return 1;
	}
	for (;;) {
		w = workers(conn, argv[2], &status);
		if (!w)
			return 1;
		if (first < 0)
			first = number(w, "moved");
		moves = number(w, "moved") - first;
		if ((moves >= wanted && is(w, "step", "idle")) ||
		    time(NULL) >= end)
			break;
		if (is(w, "owner", near ? "near" : "far") &&
		    is(w, "step", "idle"))
			near = !near;
		if (nst_policy_set(conn, argv[2], near ? "full-near"
						       : "full-far", -1, -1)) {
			fprintf(stderr, "policy: %s\n", nst_error(conn));
			return 1;
		}
		json_object_put(status);
		pause_somewhere();
	}
	print(w, moves);
	json_object_put(status);
	nst_close(conn);
	return moves < wanted;
}
