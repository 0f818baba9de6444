// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* manager.c - the daemon's loop, see manager.h */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "manager.h"
#include "possible.h"
#include "reply.h"

/* Every device, camera and client, and some: nobody waits a round. */
#define EVENTS_MAX 64

/* Subscribers and the recording are served this often at least. */
#define TIMER_MAX_MS 50
#define TIMER_MIN_MS 5

/*
 * Where there are none of both the timer is for the heartbeat, which it renews
 * as often, and for what is looked for once a second. A wake-up costs what a
 * frame costs.
 */
#define TIMER_IDLE_MS 100

/* A sleep of the machine that the model does not bridge. */
#define ASLEEP_MS 1000

/* What an epoll event is about: kind in the upper half, index in the lower. */
enum source {
	SRC_CAMERA,
	SRC_DEVICE,
	SRC_TIMER,
	SRC_SIGNAL,
	SRC_HOST,
	SRC_LISTEN,
	SRC_CLIENT,
	SRC_COUNT
};

static u64 tag(enum source source, unsigned int index)
{
	return (u64)source << 32 | index;
}

static u64 clock_ms(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * 1000 + (u64)ts.tv_nsec / 1000000;
}

u64 nst_now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

static int watch(struct nst_manager *m, int fd, u32 events, u64 data)
{
	struct epoll_event ev = { .events = events, .data.u64 = data };

	return epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

struct nst_sensor *nst_manager_find(struct nst_manager *m, const char *name)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used && !strcmp(m->sensor[i].name, name))
			return &m->sensor[i];
	return NULL;
}

/* -------------------------------------------------------------- watches */

/*
 * Devices come and go inside sensor.c. A closed fd leaves the epoll set by
 * itself, but its number may be in use again at once: so what is watched is
 * compared with what is open, and put anew when in doubt.
 */
static void follow_fd(struct nst_manager *m, int *watched, int fd,
		      u32 events, u64 data)
{
	struct epoll_event ev = { .events = events, .data.u64 = data };

	if (fd == *watched)
		return;
	*watched = -1;
	if (fd < 0)
		return;
	if (!watch(m, fd, events, data) ||
	    (errno == EEXIST &&
	     !epoll_ctl(m->epoll_fd, EPOLL_CTL_MOD, fd, &ev)))
		*watched = fd;
	else
		nst_log_err(-errno, "cannot watch a device");
}

static void follow_sensor(struct nst_manager *m, unsigned int i)
{
	struct nst_sensor *s = &m->sensor[i];

	follow_fd(m, &m->dev_fd[i], s->used && s->dev ? s->dev->ops->fd(s->dev)
						      : -1,
		  EPOLLIN, tag(SRC_DEVICE, i));
	follow_fd(m, &m->cam_fd[i], s->used && s->cam ? s->cam->ops->fd(s->cam)
						      : -1,
		  s->used && s->cam ? s->cam->ops->epoll_events : 0,
		  tag(SRC_CAMERA, i));
}

static void follow_host(struct nst_manager *m)
{
	follow_fd(m, &m->host_fd, m->host.fd, EPOLLIN, tag(SRC_HOST, 0));
}

static bool anybody_listens(const struct nst_manager *m)
{
	if (m->recording.file)
		return true;
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		if (m->server.client[i].fd >= 0)
			return true;
	return false;
}

/* Six beats in the shortest heartbeat. */
static void set_timer(struct nst_manager *m)
{
	struct itimerspec its = { 0 };
	u32 ms = anybody_listens(m) ? TIMER_MAX_MS : TIMER_IDLE_MS;

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &m->sensor[i];

		if (s->used && s->state == NST_SENSOR_GOVERNED &&
		    s->lease_ms / 6 < ms)
			ms = s->lease_ms / 6;
		if (s->used && s->gov.started && !s->gov.state.frames &&
		    s->gov.state.frame_period_us / 1000 < ms)
			ms = s->gov.state.frame_period_us / 1000;
	}
	if (ms < TIMER_MIN_MS)
		ms = TIMER_MIN_MS;
	if (ms == m->timer_ms)
		return;
	m->timer_ms = ms;
	its.it_interval.tv_nsec = (long)ms * 1000000;
	its.it_value = its.it_interval;
	timerfd_settime(m->timer_fd, 0, &its, NULL);
}

/* -------------------------------------------------------------- profile */

static int load(const char *path, struct nst_profile *ret, char *ret_what,
		size_t what_size)
{
	char text[4096] = "", *line, *next;
	FILE *err = fmemopen(text, sizeof(text) - 1, "w");
	int r;

	if (!err)
		return -ENOMEM;
	setvbuf(err, NULL, _IONBF, 0);
	memset(ret, 0, sizeof(*ret));
	r = nst_profile_load(ret, path, err);
	fclose(err);
	if (!r)
		return 0;
	if (!text[0])
		snprintf(text, sizeof(text), "%s: %s", path, strerror(-r));
	snprintf(ret_what, what_size, "%.*s", (int)strcspn(text, "\n"), text);
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		nst_log(NST_LOG_ERR, "%s", line);
	}
	return r;
}

static int add_sensor(struct nst_manager *m, const struct nst_profile *profile,
		      unsigned int index)
{
	struct nst_sensor *s = NULL;
	int r;

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX && !s; i++)
		if (!m->sensor[i].used)
			s = &m->sensor[i];
	if (!s)
		return -ENOSPC;
	r = nst_sensor_init(s, m->config.env, (unsigned int)(s - m->sensor),
			    profile, index);
	if (r)
		return r;
	nst_server_attach(&m->server, s->slot, &s->gov);
	nst_recording_attach(&m->recording, s);
	return 0;
}

static void remove_sensor(struct nst_manager *m, struct nst_sensor *s)
{
	nst_recording_pump(&m->recording, m->sensor);
	nst_server_pump(m);
	nst_moves_end(m, s, nst_now_ms());
	nst_sensor_close(s);
	s->used = false;
	nst_shares_forget(&m->shares, s->slot);
	follow_sensor(m, s->slot);
}

/* What the sensors want to know of this machine. */
static void look_around(struct nst_manager *m)
{
	struct nst_host_want want[NST_PROFILE_SENSORS_MAX] = { 0 };

	if (!m->config.env->host)
		return;
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used)
			want[i] = m->sensor[i].around.want;
	nst_host_configure(&m->host, want, nst_now_ms());
	follow_host(m);
}

static bool in_profile(const struct nst_profile *p, const char *name)
{
	for (unsigned int i = 0; i < p->sensor_count; i++)
		if (!strcmp(p->sensors[i].name, name))
			return true;
	return false;
}

static void apply_profile(struct nst_manager *m, const struct nst_profile *p)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used && !in_profile(p, m->sensor[i].name))
			remove_sensor(m, &m->sensor[i]);
	for (unsigned int i = 0; i < p->sensor_count; i++) {
		struct nst_sensor *s = nst_manager_find(m, p->sensors[i].name);

		/* No longer governable, or behind another device: anew. */
		if (s && nst_sensor_configure(s, p, i)) {
			remove_sensor(m, s);
			s = NULL;
		}
		if (!s && !add_sensor(m, p, i)) {
			s = nst_manager_find(m, p->sensors[i].name);
			(void)nst_sensor_open(s, nst_now_ms());
			follow_sensor(m, s->slot);
		}
		if (s)
			nst_moves_check(m, s, nst_now_ms());
	}
}

void nst_manager_adopt(struct nst_manager *m)
{
	apply_profile(m, &m->profile[!m->in_use]);
	m->in_use = !m->in_use;
	m->events.profiles++;
	set_timer(m);
}

int nst_manager_reload(struct nst_manager *m, char *ret_what,
		       size_t what_size)
{
	struct nst_profile *p = &m->profile[!m->in_use];
	int r;

	r = load(m->config.profile_path, p, ret_what, what_size);
	if (r) {
		nst_log(NST_LOG_WARNING, "'%s' is not taken, the profile "
			"before stays in force", m->config.profile_path);
		return r;
	}
	m->file = *p;
	nst_tasks_append(m, p, nst_now_ms());
	nst_manager_adopt(m);
	m->reloads++;
	look_around(m);
	nst_log(NST_LOG_NOTICE, "'%s' is in force", m->config.profile_path);
	return 0;
}

/* ----------------------------------------------------------------- init */

static int open_fds(struct nst_manager *m)
{
	sigset_t set;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	m->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	m->timer_fd = timerfd_create(CLOCK_MONOTONIC,
				     TFD_NONBLOCK | TFD_CLOEXEC);
	m->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (m->epoll_fd < 0 || m->timer_fd < 0 || m->signal_fd < 0)
		return -errno;
	r = watch(m, m->timer_fd, EPOLLIN, tag(SRC_TIMER, 0));
	return r ? r : watch(m, m->signal_fd, EPOLLIN, tag(SRC_SIGNAL, 0));
}

/* One that works is enough to start; what is missing is looked for. */
static int open_sensors(struct nst_manager *m)
{
	int first = -ENODEV, good = 0, held = 0, used = 0;

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];
		int r;

		if (!s->used)
			continue;
		r = nst_sensor_open(s, nst_now_ms());
		if (r && !used)
			first = r;
		used++;
		good += !r;
		held += r == -EBUSY;
		follow_sensor(m, i);
	}
	if (good)
		return 0;
	if (!used)
		nst_log(NST_LOG_ERR, "'%s': no sensor to govern",
			m->config.profile_path);
	return held ? -EBUSY : first;
}

int nst_manager_init(struct nst_manager *m,
		     const struct nst_manager_config *config)
{
	char what[256];
	int r;

	m->config = *config;
	m->epoll_fd = m->timer_fd = m->signal_fd = -1;
	m->started_ms = nst_now_ms();
	m->asleep_ms = (s64)(clock_ms(CLOCK_BOOTTIME) - m->started_ms);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		m->dev_fd[i] = m->cam_fd[i] = -1;
	nst_host_init(&m->host, config->env->root ? config->env->root : "");
	m->host_fd = -1;
	nst_server_init(&m->server);
	r = load(config->profile_path, &m->profile[0], what, sizeof(what));
	if (r)
		return -EBADMSG;
	m->file = m->profile[0];
	r = open_fds(m);
	if (r)
		return nst_log_err(r, "event loop");
	for (unsigned int i = 0; i < m->profile[0].sensor_count; i++)
		(void)add_sensor(m, &m->profile[0], i);
	/* Before there is a device that the process could hold on to. */
	look_around(m);
	r = open_sensors(m);
	if (r)
		return r;
	if (config->record_path) {
		r = nst_recording_open(&m->recording, config->record_path,
				       m->sensor);
		if (r)
			return r;
	}
	r = nst_server_listen(&m->server, config->socket_path);
	if (!r)
		r = watch(m, m->server.fd, EPOLLIN, tag(SRC_LISTEN, 0));
	set_timer(m);
	return r;
}

void nst_manager_deinit(struct nst_manager *m)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used) {
			nst_moves_end(m, &m->sensor[i], nst_now_ms());
			nst_sensor_close(&m->sensor[i]);
		}
	nst_host_deinit(&m->host);
	nst_recording_close(&m->recording, m->sensor);
	nst_server_deinit(&m->server);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		m->sensor[i].used = false;
	if (m->epoll_fd >= 0)
		close(m->epoll_fd);
	if (m->timer_fd >= 0)
		close(m->timer_fd);
	if (m->signal_fd >= 0)
		close(m->signal_fd);
	m->epoll_fd = m->timer_fd = m->signal_fd = -1;
}

/* ----------------------------------------------------------------- loop */

static void dump_state(struct nst_manager *m)
{
	struct nst_out o;

	/* One sensor per line, as far as a log line goes. */
	nst_out_init(&o, m->server.tx, sizeof(m->server.tx));
	nst_reply_status(m, &o);
	for (size_t at = 0; at < o.len; at += 900)
		nst_log(NST_LOG_INFO, "state: %.900s", o.buf + at);
}

static void on_signal(struct nst_manager *m)
{
	struct signalfd_siginfo info;
	char what[256];

	while (read(m->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGHUP:
			(void)nst_manager_reload(m, what, sizeof(what));
			break;
		case SIGUSR1:
			dump_state(m);
			break;
		default:
			nst_log(NST_LOG_NOTICE, "ends: %s",
				info.ssi_signo == SIGINT ? "SIGINT"
							 : "SIGTERM");
			m->stop = true;
		}
	}
}

/* A suspend stops the device's clock but not the cooling of the stack. */
static void notice_sleep(struct nst_manager *m, u64 now_ms)
{
	s64 asleep_ms = (s64)(clock_ms(CLOCK_BOOTTIME) - now_ms);

	if (asleep_ms - m->asleep_ms > ASLEEP_MS) {
		nst_log(NST_LOG_NOTICE, "the machine slept: the model begins "
			"anew");
		for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
			if (m->sensor[i].used)
				nst_gov_restart(&m->sensor[i].gov);
	}
	m->asleep_ms = asleep_ms;
}

/* @seen: NULL when nothing is heard of the host */
static void take_around(struct nst_manager *m,
			const struct nst_host_seen *seen)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];

		if (s->used)
			nst_around_take(&s->around, &s->gov,
					seen ? &seen[i] : NULL, s->name);
	}
}

static void on_host(struct nst_manager *m, u64 now_ms)
{
	struct nst_host_seen seen[NST_PROFILE_SENSORS_MAX];
	int r;

	while (!(r = nst_host_read(&m->host, seen, now_ms)))
		take_around(m, seen);
	if (r == -EPIPE)
		m->host_fd = -1;
}

static void on_timer(struct nst_manager *m, u64 now_ms)
{
	u64 expirations;

	if (read(m->timer_fd, &expirations, sizeof(expirations)) < 0)
		return;
	notice_sleep(m, now_ms);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (!m->sensor[i].used)
			continue;
		nst_sensor_timer(&m->sensor[i], now_ms);
		nst_moves_after(m, &m->sensor[i], now_ms);
		follow_sensor(m, i);
	}
	if (nst_host_timer(&m->host, now_ms))
		take_around(m, NULL);
	follow_host(m);
	nst_moves_timer(m, now_ms);
	nst_shares_decide(m, now_ms);
	nst_recording_pump(&m->recording, m->sensor);
	nst_server_pump(m);
	nst_server_answer_waits(m, now_ms);
	nst_captures_pump(m, now_ms);
	set_timer(m);
}

static void on_device(struct nst_manager *m, unsigned int i, u32 events,
		      u64 now_ms)
{
	struct nst_sensor *s = &m->sensor[i];

	if (!s->used || m->dev_fd[i] < 0)
		return;
	if (events & (EPOLLHUP | EPOLLERR))
		nst_sensor_gone(s, now_ms);
	else
		nst_sensor_ready(s, now_ms);
	nst_moves_after(m, s, now_ms);
	nst_shares_decide(m, now_ms);
	if (!s->dev)
		m->dev_fd[i] = -1;
	follow_sensor(m, i);
}

static void on_camera(struct nst_manager *m, unsigned int i, u32 events,
		      u64 now_ms)
{
	struct nst_sensor *s = &m->sensor[i];

	if (!s->used || m->cam_fd[i] < 0)
		return;
	if (events & (EPOLLHUP | EPOLLERR))
		nst_sensor_camera_gone(s, now_ms);
	else
		nst_sensor_camera_ready(s, now_ms);
	if (!s->cam)
		m->cam_fd[i] = -1;
}

static void on_listen(struct nst_manager *m)
{
	struct nst_client *c = nst_server_accept(&m->server);

	if (c && watch(m, c->fd, EPOLLIN,
		       tag(SRC_CLIENT, (unsigned int)(c - m->server.client))))
		nst_server_close_client(c);
	set_timer(m);
}

static void on_event(struct nst_manager *m, enum source source,
		     unsigned int index, u32 events, u64 now_ms)
{
	struct nst_client *c;

	switch (source) {
	case SRC_CAMERA:
		on_camera(m, index, events, now_ms);
		break;
	case SRC_DEVICE:
		on_device(m, index, events, now_ms);
		break;
	case SRC_TIMER:
		on_timer(m, now_ms);
		break;
	case SRC_SIGNAL:
		on_signal(m);
		break;
	case SRC_HOST:
		on_host(m, now_ms);
		break;
	case SRC_LISTEN:
		on_listen(m);
		break;
	case SRC_CLIENT:
		c = &m->server.client[index];
		if (c->fd >= 0)
			nst_server_ready(m, c, now_ms);
		break;
	case SRC_COUNT:
		break;
	}
}

int nst_manager_step(struct nst_manager *m, int timeout_ms)
{
	struct epoll_event ev[EVENTS_MAX];
	bool ticked = false;
	u64 now_ms;
	int count;

	count = epoll_wait(m->epoll_fd, ev, EVENTS_MAX, timeout_ms);
	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	now_ms = nst_now_ms();
	/* In the order of the enum: cameras, devices, then the rest. */
	for (int source = 0; source < SRC_COUNT; source++) {
		for (int i = 0; i < count; i++) {
			if (ev[i].data.u64 >> 32 != (u64)source)
				continue;
			on_event(m, (enum source)source,
				 (unsigned int)ev[i].data.u64, ev[i].events,
				 now_ms);
			ticked = ticked || source == SRC_DEVICE;
		}
		if (ticked && source == SRC_DEVICE) {
			nst_server_answer_waits(m, now_ms);
			nst_captures_pump(m, now_ms);
		}
	}
	nst_possible_watch(m, now_ms);
	nst_binding_watch(m, now_ms);
	nst_events_pump(m);
	nst_server_reap(m, now_ms);
	return 0;
}

int nst_manager_run(struct nst_manager *m)
{
	while (!m->stop) {
		int r = nst_manager_step(m, -1);

		if (r)
			return nst_log_err(r, "event loop");
	}
	return 0;
}
