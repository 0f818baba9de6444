/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tasks.h - tasks that programs bring while the daemon runs
 *
 * A task of a client is a line more in the profile: the one in force is the
 * file's with all tasks of clients behind it, made anew whenever one of them
 * changes and checked by the reader of the file, so that the keys, their
 * ranges and what goes together are the same in both. It lives as long as the
 * connection that brought it.
 *
 * What a task may not do: give the sensor another policy (that needs an
 * administrator; without one it has the policy that is in force), keep the
 * tasks of other sensors off a far device (a load on it needs one, too;
 * without, it counts none), take a
 * place in the file's order (the first vision task of a sensor sets dwell and
 * gap), or ask for what the sensor cannot give: a demand that no temperature
 * meets at the present light, or only one that the die does not reach with
 * the VPU gated for good, is refused with the reason.
 *
 * Adding, changing and reading a file again allocate (libyaml); nothing else
 * in the loop does.
 */
#ifndef NST_TASKS_H
#define NST_TASKS_H

#include "profile.h"
#include "request.h"
#include "seldom.h"

#define NST_TASKS_PER_CLIENT 4
#define NST_TASK_MEMBERS_MAX 16
#define NST_TASK_VALUE_LEN 80

struct nst_manager;
struct nst_client;

/* A key of the task as it was asked for. */
struct nst_task_member {
	char key[NST_PROFILE_NAME_LEN];
	char value[NST_TASK_VALUE_LEN];
	bool text;			/* to be quoted */
};

/**
 * struct nst_client_task
 * @owner: serial of the client, 0 for a free place
 * @impossible: at the light @judged_us, @judged_iso, under the profile that
 *	was the @judged_profiles-th; see possible.h
 */
struct nst_client_task {
	u64 owner;
	char name[NST_PROFILE_NAME_LEN];
	bool impossible;
	u32 judged_us;
	u32 judged_iso;
	u64 judged_profiles;
	unsigned int count;
	struct nst_task_member member[NST_TASK_MEMBERS_MAX];
};

struct nst_tasks {
	struct nst_client_task task[NST_PROFILE_TASKS_MAX];
	struct nst_client_task before;	/* the one in hand, to go back to */
	struct nst_seldom changed;	/* said of tasks that come and go */
	struct nst_seldom impossible;	/* and of what the light takes */
};

/**
 * nst_tasks_add() - the members of a request are the keys of the task
 * Return: 0; -EINVAL what the reader of profiles refuses; -EDOM what the
 * sensor cannot give; -EDQUOT and -ENOSPC too many; -EPERM a policy or
 * a far load of a client that is no administrator; nothing is changed then, and @ret_what
 * says why.
 */
int nst_tasks_add(struct nst_manager *m, const struct nst_client *c,
		  const struct nst_request *req, u64 now_ms, char *ret_what,
		  size_t what_size);

/**
 * nst_tasks_update() - members that are given replace, null takes one away
 * Return: as nst_tasks_add(); -ENOENT no such task, -EPERM not the client's.
 */
int nst_tasks_update(struct nst_manager *m, const struct nst_client *c,
		     const struct nst_request *req, u64 now_ms,
		     char *ret_what, size_t what_size);

/** nst_tasks_remove() - Return: 0, -ENOENT or -EPERM */
int nst_tasks_remove(struct nst_manager *m, const struct nst_client *c,
		     const char *name, u64 now_ms, char *ret_what,
		     size_t what_size);

/** nst_tasks_drop() - the clients that are gone take theirs with them */
void nst_tasks_drop(struct nst_manager *m, u64 now_ms);

/**
 * nst_tasks_append() - to a profile that was just read
 * One that does not fit into it any more ends, and its client is told.
 */
void nst_tasks_append(struct nst_manager *m, struct nst_profile *p,
		      u64 now_ms);

/** nst_tasks_is_client() - brought by a client, not by the file? */
bool nst_tasks_is_client(const struct nst_manager *m, const char *name);

/** nst_tasks_find() - task in force by name, or NULL */
const struct nst_profile_task *nst_tasks_find(const struct nst_manager *m,
					      const char *name);

#endif /* NST_TASKS_H */
