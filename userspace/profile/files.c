// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* files.c - keys of a profile that name another file, see files.h */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "calibration.h"
#include "cleanup.h"
#include "curve.h"
#include "files.h"
#include "words.h"

#define HINT_LEN 1024
#define NAMES_MAX 64

/* Where the files that ship with nst are, beside the profile's own folder. */
static const char *const share[] = { "/usr/local/share/nst", "/usr/share/nst" };

/* ------------------------------------------------------------- reads --- */

static void owner_set(struct nst_profile_owner *owner,
		      const struct nst_calibration *c)
{
	strcpy(owner->name, c->name);
	strcpy(owner->card, c->card);
}

static int load_kind(struct nst_calibration *c, const char *path,
		     enum nst_calibration_kind kind, FILE *err)
{
	static const char *const names[] = { "noise", "thermal" };
	int r = nst_calibration_load(c, path, err);

	if (r)
		return r;
	if (c->kind == kind)
		return 0;
	fprintf(err, "%s: a %s calibration, not a %s one\n", path,
		names[c->kind], names[kind]);
	return -EINVAL;
}

static int read_noise(void *base, const char *path, FILE *err)
{
	struct nst_profile_sensor *s = base;
	struct nst_calibration c;
	int r = load_kind(&c, path, NST_CALIBRATION_NOISE, err);

	if (r)
		return r;
	owner_set(&s->noise_owner, &c);
	return nst_calibration_emva(&c, &s->emva);
}

static int read_thermal(void *base, const char *path, FILE *err)
{
	struct nst_profile_sensor *s = base;
	struct nst_calibration c;
	int r = load_kind(&c, path, NST_CALIBRATION_THERMAL, err);

	if (r)
		return r;
	owner_set(&s->thermal_owner, &c);
	return nst_calibration_plant(&c, &s->plant);
}

static int read_curve(void *base, const char *path, FILE *err)
{
	return nst_curve_load(&((struct nst_profile_task *)base)->curve, path,
			      err);
}

/**
 * struct file_key - what a key means
 * @library: folder of the files that ship with nst, or NULL
 * @suffix: of the names in it
 */
struct file_key {
	const char *scope;
	const char *name;
	const char *library;
	const char *suffix;
	int (*read)(void *base, const char *path, FILE *err);
};

static const struct file_key file_keys[] = {
	{ "sensors.noise", "calibration", NULL, NULL, read_noise },
	{ "sensors.thermal", "calibration", NULL, NULL, read_thermal },
	{ "tasks.fidelity", "accuracy_curve", "accuracy", ".csv", read_curve },
};

static const struct file_key *file_key(const struct nst_key *key)
{
	for (size_t i = 0; i < NST_ARRAY_SIZE(file_keys); i++) {
		if (!strcmp(file_keys[i].scope, key->scope) &&
		    !strcmp(file_keys[i].name, key->name))
			return &file_keys[i];
	}
	return NULL;
}

int nst_key_file_read(const struct nst_key *key, void *base,
		      const char *path, FILE *err)
{
	const struct file_key *f = file_key(key);

	return f ? f->read(base, path, err) : -EINVAL;
}

/* ------------------------------------------------------------- paths --- */

/* Folder @i of those that are looked in, the profile's own first. */
static int folder(const struct file_key *f, const char *profile_path,
		  size_t i, char *buf, size_t size)
{
	const char *slash = profile_path ? strrchr(profile_path, '/') : NULL;
	int n;

	if (!i && !profile_path)
		return -ENOENT;
	if (i)
		n = snprintf(buf, size, "%s/%s", share[i - 1], f->library);
	else
		n = snprintf(buf, size, "%.*s/%s",
			     slash ? (int)(slash - profile_path) : 1,
			     slash ? profile_path : ".",
			     f->library ? f->library : "");
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static int resolve(const char *path, char *ret)
{
	_cleanup_free_ char *real = realpath(path, NULL);

	if (!real)
		return -errno;
	if (strlen(real) >= NST_PROFILE_FILE_LEN)
		return -ENAMETOOLONG;
	strcpy(ret, real);
	return 0;
}

static size_t list_names(const struct file_key *f, const char *path,
			 char names[][64], size_t n)
{
	size_t tail = strlen(f->suffix);
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && n < NAMES_MAX && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len <= tail || len - tail >= 64 ||
		    strcmp(entry->d_name + len - tail, f->suffix))
			continue;
		snprintf(names[n++], 64, "%.*s", (int)(len - tail),
			 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int find_shipped(const struct file_key *f, const char *text,
			const char *profile_path, char *ret, FILE *err)
{
	char names[NAMES_MAX][64], hint[HINT_LEN];
	const char *words[NAMES_MAX];
	size_t n = 0, unique = 0;
	char dir[PATH_MAX], path[PATH_MAX];

	for (size_t i = 0; i <= NST_ARRAY_SIZE(share); i++) {
		int len;

		if (folder(f, profile_path, i, dir, sizeof(dir)))
			continue;
		len = snprintf(path, sizeof(path), "%s/%s%s", dir, text,
			       f->suffix);
		if (len > 0 && (size_t)len < sizeof(path) &&
		    !resolve(path, ret))
			return 0;
		n = list_names(f, dir, names, n);
	}
	qsort(names, n, sizeof(names[0]), by_name);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(names[i], names[i - 1]))
			words[unique++] = names[i];
	}
	nst_words_hint(hint, sizeof(hint), "valid", text, words, unique);
	fprintf(err, "'%s' is unknown as '%s'; %s%s", text, f->name, hint,
		profile_path ? ", or a path with a '/' in it" : "");
	return -ENOENT;
}

int nst_key_file_find(const struct nst_key *key, const char *text,
		      const char *profile_path, char *ret, FILE *err)
{
	const struct file_key *f = file_key(key);
	const char *slash = profile_path ? strrchr(profile_path, '/') : NULL;
	char path[PATH_MAX];
	int n, r;

	if (f->library && !strchr(text, '/'))
		return find_shipped(f, text, profile_path, ret, err);
	if (!profile_path) {
		fprintf(err, "'%s': '%s' is a path, and a program may only name what ships with nst",
			f->name, text);
		return -EACCES;
	}
	if (*text == '/' || !slash)
		n = snprintf(path, sizeof(path), "%s", text);
	else
		n = snprintf(path, sizeof(path), "%.*s/%s",
			     (int)(slash - profile_path), profile_path, text);
	r = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG :
						 resolve(path, ret);
	if (r)
		fprintf(err, "'%s': %s: %s", f->name, text, strerror(-r));
	return r;
}
