// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nstd_step.c - lead a stack on the step clock through frames, with nstd
 *
 * usage: nstd_step SOCKET SENSOR SIM FRAMES
 *
 * Moves the clock of the debugfs directory SIM by one period, asks nstd for
 * the verdict on the frame that ended (frame.get with a wait), and goes on.
 * So nstd is in time however slow the machine is, and what it decides is
 * the same in every run. Prints "key value" lines:
 *
 *	frames delivered withheld dropped
 *	hot		delivered with nstd's figure above its limit
 *	true_hot	delivered, and the die was above the limit throughout
 *	max_die_mc	hottest die at a boundary, by the ground truth
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct truth {
	uint64_t frame_seq;
	long die_mc;
	long period_us;
};

struct sums {
	unsigned long delivered, withheld, dropped, hot, true_hot;
	long max_die_mc;
};

static int connect_to(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (strlen(path) >= sizeof(sun.sun_path))
		return -1;
	strcpy(sun.sun_path, path);
	return connect(fd, (struct sockaddr *)&sun, sizeof(sun)) ? -1 : fd;
}

static int read_truth(const char *sim, struct truth *ret)
{
	char path[256], key[64];
	long long val;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/truth", sim);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (fscanf(f, "%63s %lld%*[^\n]", key, &val) >= 1) {
		if (!strcmp(key, "frame_seq")) {
			ret->frame_seq = (uint64_t)val;
			found |= 1;
		} else if (!strcmp(key, "die_mc")) {
			ret->die_mc = (long)val;
			found |= 2;
		} else if (!strcmp(key, "frame_period_us")) {
			ret->period_us = (long)val;
			found |= 4;
		} else if (!strcmp(key, "gate")) {
			if (fscanf(f, "%*s") < 0)
				break;
		}
	}
	fclose(f);
	return found == 7 ? 0 : -EPROTO;
}

static int advance(const char *sim, long us)
{
	char path[256], text[32];
	int fd, len, r = 0;

	snprintf(path, sizeof(path), "%s/advance_us", sim);
	len = snprintf(text, sizeof(text), "%ld", us);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, (size_t)len) != len)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

static struct json_object *get_frame(int fd, const char *sensor, uint64_t seq)
{
	char buf[65537];
	ssize_t len;

	len = snprintf(buf, sizeof(buf), "{\"id\":1,\"req\":\"frame.get\","
		       "\"sensor\":\"%s\",\"seq\":%llu,\"wait_ms\":9000}",
		       sensor, (unsigned long long)seq);
	if (send(fd, buf, (size_t)len, MSG_NOSIGNAL) != len)
		return NULL;
	len = recv(fd, buf, sizeof(buf) - 1, 0);
	if (len <= 0)
		return NULL;
	buf[len] = '\0';
	return json_tokener_parse(buf);
}

static int judge(struct json_object *reply, const struct truth *start,
		 const struct truth *after, struct sums *s)
{
	struct json_object *ok, *o;
	long limit_mc = 1000000, exposure_mc = -1000000;
	const char *placement;

	if (!json_object_object_get_ex(reply, "ok", &ok)) {
		fprintf(stderr, "%s\n", json_object_to_json_string(reply));
		return -1;
	}
	if (json_object_object_get_ex(ok, "limit_mc", &o))
		limit_mc = json_object_get_int(o);
	if (json_object_object_get_ex(ok, "exposure_temp_mc", &o))
		exposure_mc = json_object_get_int(o);
	json_object_object_get_ex(ok, "placement", &o);
	placement = json_object_get_string(o);
	json_object_object_get_ex(ok, "deliver", &o);
	if (json_object_get_boolean(o)) {
		s->delivered++;
		s->hot += exposure_mc > limit_mc;
		s->true_hot += start->die_mc > limit_mc &&
			       after->die_mc > limit_mc;
	} else if (placement && !strcmp(placement, "paused")) {
		s->dropped++;
	} else {
		s->withheld++;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sums s = { .max_die_mc = -1000000 };
	struct truth before, after;
	int fd, r = 0;
	long count;

	if (argc != 5) {
		fprintf(stderr, "usage: nstd_step SOCKET SENSOR SIM FRAMES\n");
		return 3;
	}
	count = strtol(argv[4], NULL, 10);
	fd = connect_to(argv[1]);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (read_truth(argv[3], &before)) {
		fprintf(stderr, "no truth in %s\n", argv[3]);
		return 1;
	}
	for (long i = 0; i < count && !r; i++) {
		const struct truth start = before;
		struct json_object *reply;

		r = advance(argv[3], before.period_us);
		if (!r)
			r = read_truth(argv[3], &after);
		if (r)
			break;
		if (after.die_mc > s.max_die_mc)
			s.max_die_mc = after.die_mc;
		before = after;
		/* Number 0 is "before the first". */
		if (after.frame_seq < 2)
			continue;
		reply = get_frame(fd, argv[2], after.frame_seq - 1);
		if (!reply || judge(reply, &start, &after, &s))
			r = -EIO;
		json_object_put(reply);
	}
	if (r) {
		fprintf(stderr, "ended early: %s\n", strerror(-r));
		return 1;
	}
	printf("frames %ld\ndelivered %lu\nwithheld %lu\ndropped %lu\n"
	       "hot %lu\ntrue_hot %lu\nmax_die_mc %ld\n", count, s.delivered,
	       s.withheld, s.dropped, s.hot, s.true_hot, s.max_die_mc);
	return 0;
}
