/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * keys.h - the one table of every key a profile may hold
 *
 * Reader, writer and `nstctl explain` all walk this table, so a key cannot
 * be readable and undocumented, or written and not readable. A key lives in
 * a scope ("sensors.power"); nested scopes fill the same struct as the list
 * item they are in, so an offset is into struct nst_profile_sensor or
 * struct nst_profile_task.
 */
#ifndef NST_PROFILE_KEYS_H
#define NST_PROFILE_KEYS_H

#include <stddef.h>

#include "profile.h"

#define NST_KEYS_MAX 128
#define NST_KEY_NONE ((size_t)-1)

enum nst_key_type {
	NST_KEY_INT,	/* integer of 32 bits */
	NST_KEY_SHORT,	/* integer of 16 bits */
	NST_KEY_MILLI,	/* decimal, kept in thousandths */
	NST_KEY_REAL,	/* decimal, kept in a double */
	NST_KEY_BOOL,
	NST_KEY_TEXT,
	NST_KEY_CHOICE,	/* a word out of a list */
	NST_KEY_FILE,	/* path of a file that is read, files.h */
	NST_KEY_MAP,	/* scope of its own: "scope.name" */
	NST_KEY_LIST,	/* sensors, tasks */
};

#define NST_KEY_REQUIRED	(1u << 0)
#define NST_KEY_SIGNED		(1u << 1)
#define NST_KEY_VISION		(1u << 2)	/* tasks of this kind only */
#define NST_KEY_IMAGING		(1u << 3)
#define NST_KEY_FIRST		(1u << 4)	/* read before its neighbours */
#define NST_KEY_PRESET		(1u << 5)	/* stands in for required keys */
#define NST_KEY_NO_DUMP		(1u << 6)	/* says nothing of its own */
#define NST_KEY_PAPER		(1u << 7)	/* sensors of this noise model only */
#define NST_KEY_EMVA		(1u << 8)

/**
 * struct nst_choices - the words of a NST_KEY_CHOICE
 * @name: word @i, NULL behind the last
 * @set: take word @i into the struct of the scope
 * @get: index of the word in force, -1 for none
 */
struct nst_choices {
	const char *(*name)(const struct nst_profile *profile, unsigned int i);
	void (*set)(void *base, unsigned int i);
	int (*get)(const void *base);
};

/**
 * struct nst_key - one key
 * @offset: the field, or NONE; @flag_offset: bool that says "was given"
 * @min, @max: range of numbers in the unit of the file, of the length of
 *	texts, of the entries of lists
 * @check: further test of a text; NULL, or what is wrong with it
 */
struct nst_key {
	const char *scope;
	const char *name;
	enum nst_key_type type;
	unsigned int flags;
	size_t offset;
	size_t flag_offset;
	double min;
	double max;
	const struct nst_choices *choices;
	const char *(*check)(const char *text);
	const char *meaning;
};

/* Ended by an entry without a name. */
extern const struct nst_key nst_keys[];

/** nst_key_find() - index into nst_keys, or -1 */
int nst_key_find(const char *scope, const char *name);

/** nst_key_names() - names of a scope; Return: how many */
size_t nst_key_names(const char *scope, const char **names, size_t max);

/** nst_key_choice_names() - words of a key; Return: how many */
size_t nst_key_choice_names(const struct nst_key *key,
			    const struct nst_profile *profile,
			    const char **names, size_t max);

/* Integers of a field, of either size. */
long long nst_key_get_int(const struct nst_key *key, const void *base);
void nst_key_set_int(const struct nst_key *key, void *base, long long value);

void nst_profile_sensor_defaults(struct nst_profile_sensor *sensor);
void nst_profile_task_defaults(struct nst_profile_task *task);

/**
 * struct nst_profile_preset - a named part
 * @max_temp_mc, @lsb_mc: of the part and of its temperature sensor
 */
struct nst_profile_preset {
	const char *name;
	const struct nst_plant_params *plant;
	s32 max_temp_mc;
	u32 lsb_mc;
};

/**
 * struct nst_profile_workload - a named network: power near and far
 * (physics: P and U case studies and the ends of the published bracket)
 */
struct nst_profile_workload {
	const char *name;
	unsigned int near_mw;
	unsigned int far_mw;
};

/** struct nst_profile_noise_preset - a named sensor for emva */
struct nst_profile_noise_preset {
	const char *name;
	const struct nst_emva *emva;
};

/* All ended by an entry without a name. */
extern const struct nst_profile_noise_preset nst_profile_noise_presets[];
extern const struct nst_profile_preset nst_profile_presets[];
extern const struct nst_profile_workload nst_profile_workloads[];

#endif /* NST_PROFILE_KEYS_H */
