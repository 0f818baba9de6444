// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* tasks.c - tasks that programs bring while the daemon runs: see tasks.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "log.h"
#include "manager.h"
#include "possible.h"
#include "tasks.h"

#define SAID_MS 10000

/* A client that adds and removes all day must not fill the log. */
static void say(struct nst_manager *m, const struct nst_client_task *t,
		const char *what, u64 now_ms)
{
	unsigned int unsaid;

	if (nst_seldom_may(&m->tasks.changed, SAID_MS, now_ms, &unsaid))
		nst_log(NST_LOG_INFO, "task %s %s (%u other changes of tasks "
			"since the last line)", t->name, what, unsaid);
}

/* ------------------------------------------------------------- members */

/* The scope that has a key of tasks, NULL for none. */
static const char *scope_of(const char *key)
{
	for (int i = 0; nst_keys[i].name; i++) {
		const struct nst_key *k = &nst_keys[i];

		if ((!strcmp(k->scope, "tasks") ||
		     !strncmp(k->scope, "tasks.", 6)) &&
		    k->type != NST_KEY_MAP && !strcmp(k->name, key))
			return k->scope;
	}
	return NULL;
}

static int unknown_member(const char *key, char *ret_what, size_t size)
{
	int len = snprintf(ret_what, size, "a task has no \"%.30s\", it has:",
			   key);

	for (int i = 0; nst_keys[i].name && len < (int)size; i++)
		if (scope_of(nst_keys[i].name) == nst_keys[i].scope)
			len += snprintf(ret_what + len, size - (size_t)len,
					" %s", nst_keys[i].name);
	return -EINVAL;
}

static struct nst_task_member *member_of(struct nst_client_task *t,
					 const char *key)
{
	for (unsigned int i = 0; i < t->count; i++)
		if (!strcmp(t->member[i].key, key))
			return &t->member[i];
	return NULL;
}

static bool is_vision(struct nst_client_task *t)
{
	const struct nst_task_member *kind = member_of(t, "kind");

	return kind && !strcmp(kind->value, "vision");
}

static int set_member(struct nst_client_task *t, const struct nst_member *m,
		      char *ret_what, size_t size)
{
	struct nst_task_member *to = member_of(t, m->key);
	const char *text = m->text;
	size_t len = m->len;

	if (!scope_of(m->key))
		return unknown_member(m->key, ret_what, size);
	if (m->type == NST_MEMBER_NULL) {
		if (to)
			*to = t->member[--t->count];
		return 0;
	}
	if (m->type == NST_MEMBER_BOOL)
		text = m->truth ? "true" : "false";
	if (m->type == NST_MEMBER_BOOL || m->type == NST_MEMBER_STRING)
		len = strlen(text);
	if (len >= NST_TASK_VALUE_LEN) {
		snprintf(ret_what, size, "\"%s\" is longer than %d characters",
			 m->key, NST_TASK_VALUE_LEN - 1);
		return -EINVAL;
	}
	if (!to) {
		if (t->count == NST_TASK_MEMBERS_MAX) {
			snprintf(ret_what, size, "too many members");
			return -EINVAL;
		}
		to = &t->member[t->count++];
	}
	*to = (struct nst_task_member){ .text = m->type == NST_MEMBER_STRING };
	snprintf(to->key, sizeof(to->key), "%s", m->key);
	memcpy(to->value, text, len);
	return 0;
}

static int set_members(struct nst_client_task *t,
		       const struct nst_request *req, char *ret_what,
		       size_t size)
{
	int r = 0;

	for (unsigned int i = 0; i < req->count && !r; i++) {
		const char *key = req->member[i].key;

		if (strcmp(key, "id") && strcmp(key, "req"))
			r = set_member(t, &req->member[i], ret_what, size);
	}
	return r;
}

/* ------------------------------------------------------------ profiles */

static void put_member(struct nst_out *o, const struct nst_task_member *m)
{
	nst_out_printf(o, "%s: ", m->key);
	if (m->text)
		nst_out_string(o, m->value);
	else
		nst_out_printf(o, "%s", m->value);
	nst_out_printf(o, ", ");
}

/*
 * A YAML mapping in one line; scopes below "tasks" are mappings in it. By
 * default a task takes a whole far device: the file means that, a client that
 * says nothing keeps nobody out.
 */
static void put_task(struct nst_out *o, struct nst_client_task *t,
		     const char *policy)
{
	const char *done = "tasks";

	nst_out_printf(o, "{ ");
	for (unsigned int i = 0; i < t->count; i++)
		if (!strcmp(scope_of(t->member[i].key), "tasks") &&
		    (!policy || strcmp(t->member[i].key, "policy")))
			put_member(o, &t->member[i]);
	if (policy)
		nst_out_printf(o, "policy: %s, ", policy);
	if (is_vision(t) && !member_of(t, "far_load_permyriad"))
		nst_out_printf(o, "far_load_permyriad: 0, ");
	for (int k = 0; nst_keys[k].name; k++) {
		const char *scope = nst_keys[k].scope;
		bool open = false;

		if (strncmp(scope, "tasks.", 6) || !strcmp(scope, done))
			continue;
		done = scope;
		for (unsigned int i = 0; i < t->count; i++) {
			if (strcmp(scope_of(t->member[i].key), scope))
				continue;
			if (!open)
				nst_out_printf(o, "%s: { ", scope + 6);
			open = true;
			put_member(o, &t->member[i]);
		}
		if (open)
			nst_out_printf(o, "}, ");
	}
	nst_out_printf(o, "}");
}

/* The policy in force on the sensor that a task names, NULL for none. */
static const char *policy_there(const struct nst_profile *p,
				struct nst_client_task *t)
{
	const struct nst_task_member *sensor = member_of(t, "sensor");
	const struct nst_profile_task *first = NULL;

	if (!sensor || !is_vision(t))
		return NULL;
	for (unsigned int i = 0; i < p->sensor_count; i++)
		if (!strcmp(p->sensors[i].name, sensor->value))
			first = nst_profile_vision_task(p, i);
	return first && first->policy ? first->policy->name : NULL;
}

/* @asked: the policy that it names itself counts */
static int append(struct nst_profile *p, struct nst_client_task *t, bool asked,
		  char *ret_what, size_t size)
{
	const char *policy = policy_there(p, t);
	char text[4096];
	struct nst_out o;

	if (asked && member_of(t, "policy"))
		policy = NULL;
	nst_out_init(&o, text, sizeof(text));
	put_task(&o, t, policy);
	if (o.full) {
		snprintf(ret_what, size, "the task is too long");
		return -EINVAL;
	}
	return nst_profile_add_task(p, text, o.len, ret_what, size);
}

/* The file's profile, with the policies that an administrator has set. */
static struct nst_profile *begin_profile(struct nst_manager *m)
{
	struct nst_profile *p = &m->profile[!m->in_use];

	*p = m->file;
	for (unsigned int i = 0; i < p->task_count; i++) {
		struct nst_profile_task *t = &p->tasks[i];
		const struct nst_sensor *s =
			nst_manager_find(m, p->sensors[t->sensor].name);

		if (s && t->kind == NST_TASK_VISION)
			t->policy = s->gov.policy;
	}
	return p;
}

/* @focus: the one that is asked for now, NULL when one less is there. */
static int compose(struct nst_manager *m, const struct nst_client_task *focus,
		   char *ret_what, size_t size)
{
	struct nst_profile *p = begin_profile(m);

	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++) {
		struct nst_client_task *t = &m->tasks.task[i];
		int r;

		if (!t->owner)
			continue;
		r = append(p, t, t == focus, ret_what, size);
		if (r)
			return r;
	}
	return 0;
}

static const struct nst_profile_task *find(const struct nst_profile *p,
					   const char *name)
{
	for (unsigned int i = 0; i < p->task_count; i++)
		if (!strcmp(p->tasks[i].name, name))
			return &p->tasks[i];
	return NULL;
}

/* -------------------------------------------------------------- changes */

/* What policy.set had set for a sensor holds on. */
struct overrides {
	char name[NST_PROFILE_NAME_LEN];
	u32 stop_frames;
	u32 dwell_ms;
};

static void adopt(struct nst_manager *m)
{
	struct overrides was[NST_PROFILE_SENSORS_MAX] = { 0 };

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &m->sensor[i];

		if (!s->used)
			continue;
		memcpy(was[i].name, s->name, sizeof(was[i].name));
		was[i].stop_frames = s->gov.stop_frames;
		was[i].dwell_ms = s->gov.dwell_ms;
	}
	nst_manager_adopt(m);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = was[i].name[0]
			? nst_manager_find(m, was[i].name) : NULL;

		if (!s)
			continue;
		s->gov.stop_frames = was[i].stop_frames;
		s->gov.dwell_ms = was[i].dwell_ms;
	}
}

/* @t is the place in the list, changed already. */
static int take(struct nst_manager *m, struct nst_client_task *t,
		char *ret_what, size_t size)
{
	int r = compose(m, t, ret_what, size);

	if (!r)
		r = nst_possible(m, &m->profile[!m->in_use], t->name, ret_what,
				 size);
	if (r) {
		*t = m->tasks.before;
		return r;
	}
	t->impossible = false;
	adopt(m);
	return 0;
}

/* What binds the tasks of others. */
static const struct {
	const char *key;
	const char *why;
} admin_members[] = {
	{ "policy", "the policy of a sensor needs root or membership in group "
	  "nst-admin; without \"policy\" the task has the one in force" },
	{ "far_load_permyriad", "a load on the far device, which others wait "
	  "for, needs root or membership in group nst-admin; without "
	  "\"far_load_permyriad\" the task counts none" },
};

static int check_rights(const struct nst_client *c,
			const struct nst_request *req, char *ret_what,
			size_t size)
{
	for (size_t i = 0; i < sizeof(admin_members) /
			       sizeof(admin_members[0]) && !c->admin; i++) {
		const struct nst_member *m =
			nst_request_find(req, admin_members[i].key);

		if (!m || m->type == NST_MEMBER_NULL)
			continue;
		snprintf(ret_what, size, "%s", admin_members[i].why);
		return -EPERM;
	}
	return 0;
}

static struct nst_client_task *place(struct nst_manager *m,
				     const struct nst_client *c, int *ret_err,
				     char *ret_what, size_t size)
{
	struct nst_client_task *place = NULL;
	unsigned int own = 0;

	for (int i = NST_PROFILE_TASKS_MAX - 1; i >= 0; i--) {
		own += m->tasks.task[i].owner == c->serial;
		if (!m->tasks.task[i].owner)
			place = &m->tasks.task[i];
	}
	*ret_err = own >= NST_TASKS_PER_CLIENT ? -EDQUOT : -ENOSPC;
	if (own >= NST_TASKS_PER_CLIENT) {
		snprintf(ret_what, size, "a client has at most %d tasks",
			 NST_TASKS_PER_CLIENT);
		return NULL;
	}
	if (!place)
		snprintf(ret_what, size, "there are too many tasks");
	return place;
}

int nst_tasks_add(struct nst_manager *m, const struct nst_client *c,
		  const struct nst_request *req, u64 now_ms, char *ret_what,
		  size_t what_size)
{
	struct nst_client_task *t;
	const struct nst_task_member *name;
	int r;

	r = check_rights(c, req, ret_what, what_size);
	if (r)
		return r;
	t = place(m, c, &r, ret_what, what_size);
	if (!t)
		return r;
	m->tasks.before = *t;
	*t = (struct nst_client_task){ .owner = c->serial };
	r = set_members(t, req, ret_what, what_size);
	if (r) {
		*t = m->tasks.before;
		return r;
	}
	/* Without a name, or with a bad one, the reader says so. */
	name = member_of(t, "name");
	snprintf(t->name, sizeof(t->name), "%.*s",
		 NST_PROFILE_NAME_LEN - 1, name ? name->value : "");
	r = take(m, t, ret_what, what_size);
	if (!r)
		say(m, t, "is brought by a client", now_ms);
	return r;
}

static struct nst_client_task *own_task(struct nst_manager *m,
					const struct nst_client *c,
					const char *name, int *ret_err,
					char *ret_what, size_t size)
{
	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++) {
		struct nst_client_task *t = &m->tasks.task[i];

		if (!t->owner || strcmp(t->name, name))
			continue;
		if (t->owner == c->serial)
			return t;
		*ret_err = -EPERM;
		snprintf(ret_what, size, "task %.31s is another client's",
			 name);
		return NULL;
	}
	*ret_err = find(&m->file, name) ? -EPERM : -ENOENT;
	if (*ret_err == -EPERM)
		snprintf(ret_what, size, "task %.31s is of the profile: it is "
			 "changed in the file", name);
	else
		snprintf(ret_what, size, "this client has no task \"%.31s\"",
			 name);
	return NULL;
}

int nst_tasks_update(struct nst_manager *m, const struct nst_client *c,
		     const struct nst_request *req, u64 now_ms,
		     char *ret_what, size_t what_size)
{
	const struct nst_member *name = nst_request_find(req, "name");
	struct nst_client_task *t;
	int r;

	r = check_rights(c, req, ret_what, what_size);
	if (r)
		return r;
	if (!name || name->type != NST_MEMBER_STRING) {
		snprintf(ret_what, what_size, "\"name\" has to be a string");
		return -EINVAL;
	}
	t = own_task(m, c, name->text, &r, ret_what, what_size);
	if (!t)
		return r;
	m->tasks.before = *t;
	r = set_members(t, req, ret_what, what_size);
	if (r) {
		*t = m->tasks.before;
		return r;
	}
	r = take(m, t, ret_what, what_size);
	if (!r)
		say(m, t, "is changed by its client", now_ms);
	return r;
}

int nst_tasks_remove(struct nst_manager *m, const struct nst_client *c,
		     const char *name, u64 now_ms, char *ret_what,
		     size_t what_size)
{
	struct nst_client_task *t;
	int r;

	t = own_task(m, c, name, &r, ret_what, what_size);
	if (!t)
		return r;
	m->tasks.before = *t;
	t->owner = 0;
	r = compose(m, NULL, ret_what, what_size);
	if (r) {
		*t = m->tasks.before;
		return r;
	}
	say(m, t, "is taken back by its client", now_ms);
	adopt(m);
	return 0;
}

void nst_tasks_drop(struct nst_manager *m, u64 now_ms)
{
	char what[256];
	bool dropped = false;

	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++) {
		struct nst_client_task *t = &m->tasks.task[i];

		if (!t->owner || nst_server_find(&m->server, t->owner))
			continue;
		t->owner = 0;
		dropped = true;
		say(m, t, "ends with its client", now_ms);
	}
	if (!dropped)
		return;
	/* Fewer than before: only memory can be missing, so what fits goes. */
	if (compose(m, NULL, what, sizeof(what)))
		nst_log(NST_LOG_ERR, "tasks of clients: %s", what);
	adopt(m);
}

static void tell_ended(struct nst_manager *m, const struct nst_client_task *t,
		       const char *what, u64 now_ms)
{
	struct nst_client *c = nst_server_find(&m->server, t->owner);
	char text[1024];
	struct nst_out o;

	if (!c)
		return;
	nst_out_init(&o, text, sizeof(text));
	nst_out_printf(&o, "{\"event\":\"task.ended\",\"name\":");
	nst_out_string(&o, t->name);
	nst_out_printf(&o, ",\"what\":");
	nst_out_string(&o, what);
	nst_out_printf(&o, "}");
	if (!o.full)
		(void)nst_server_send(&m->server, c, &o, -1, now_ms);
}

void nst_tasks_append(struct nst_manager *m, struct nst_profile *p,
		      u64 now_ms)
{
	char what[400];

	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++) {
		struct nst_client_task *t = &m->tasks.task[i];

		if (!t->owner || !append(p, t, false, what, sizeof(what)))
			continue;
		nst_log(NST_LOG_WARNING, "task %s of a client does not fit "
			"into the new profile: %s", t->name, what);
		tell_ended(m, t, what, now_ms);
		t->owner = 0;
	}
}

/* ------------------------------------------------------------ questions */

bool nst_tasks_is_client(const struct nst_manager *m, const char *name)
{
	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++)
		if (m->tasks.task[i].owner &&
		    !strcmp(m->tasks.task[i].name, name))
			return true;
	return false;
}

const struct nst_profile_task *nst_tasks_find(const struct nst_manager *m,
					      const char *name)
{
	return find(&m->profile[m->in_use], name);
}
