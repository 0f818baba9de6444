// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - a profile back to YAML, and what a key means
 *
 * The writer walks the same table as the reader and writes every value that
 * is in force, defaults included: what it prints reads back to the same
 * profile, and shows the reader of the file what a preset stands for.
 */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "document.h"
#include "keys.h"
#include "words.h"

#define HINT_LEN 2048
#define WORDS_MAX 64

/* What a key holds; false when there is nothing to write. */
static bool dump_value(const struct nst_key *key, const void *base,
		       const struct nst_profile *profile, FILE *out)
{
	const char *field = (const char *)base + key->offset;
	long long milli;
	double real;
	bool yes;
	int i;

	switch (key->type) {
	case NST_KEY_INT:
	case NST_KEY_SHORT:
		fprintf(out, "%lld", nst_key_get_int(key, base));
		return true;
	case NST_KEY_MILLI:
		milli = nst_key_get_int(key, base);
		fprintf(out, "%lld.%03lld", milli / 1000, milli % 1000);
		return true;
	case NST_KEY_REAL:
		memcpy(&real, field, sizeof(real));
		nst_doc_put_real(real, out);
		return true;
	case NST_KEY_BOOL:
		memcpy(&yes, field, sizeof(yes));
		fputs(yes ? "true" : "false", out);
		return true;
	case NST_KEY_TEXT:
	case NST_KEY_FILE:
		nst_doc_put_text(field, out);
		return true;
	case NST_KEY_CHOICE:
		i = key->choices->get(base);
		if (i < 0)
			return false;
		nst_doc_put_text(key->choices->name(profile, (unsigned int)i), out);
		return true;
	default:
		return false;
	}
}

static bool has_value(const struct nst_key *key, const void *base,
		      unsigned int skip)
{
	const char *field = (const char *)base + key->offset;
	bool given;

	if (key->flags & (NST_KEY_NO_DUMP | skip))
		return false;
	if (key->flag_offset != NST_KEY_NONE) {
		memcpy(&given, (const char *)base + key->flag_offset,
		       sizeof(given));
		if (!given)
			return false;
	}
	if (key->type == NST_KEY_TEXT || key->type == NST_KEY_FILE)
		return *field;
	if (key->type == NST_KEY_CHOICE)
		return key->choices->get(base) >= 0;
	return true;
}

static bool scope_has_value(const char *scope, const void *base,
			    unsigned int skip)
{
	for (int i = 0; nst_keys[i].name; i++) {
		if (!strcmp(nst_keys[i].scope, scope) &&
		    has_value(&nst_keys[i], base, skip))
			return true;
	}
	return false;
}

static void dump_scope(const char *scope, const void *base,
		       const struct nst_profile *profile, unsigned int skip,
		       int indent, FILE *out)
{
	bool dash = !strchr(scope, '.');

	for (int i = 0; nst_keys[i].name; i++) {
		const struct nst_key *key = &nst_keys[i];
		char inner[64];

		if (strcmp(key->scope, scope) || !has_value(key, base, skip))
			continue;
		if (key->type == NST_KEY_MAP) {
			snprintf(inner, sizeof(inner), "%s.%s", scope,
				 key->name);
			if (!scope_has_value(inner, base, skip))
				continue;
			fprintf(out, "%*s%s:\n", indent, "", key->name);
			dump_scope(inner, base, profile, skip, indent + 2,
				   out);
			continue;
		}
		fprintf(out, "%*s%s%s: ", dash ? indent - 2 : indent, "",
			dash ? "- " : "", key->name);
		dump_value(key, base, profile, out);
		fputc('\n', out);
		dash = false;
	}
}

int nst_profile_dump(const struct nst_profile *profile, FILE *out)
{
	fprintf(out, "version: 1\nsensors:\n");
	for (unsigned int i = 0; i < profile->sensor_count; i++)
		dump_scope("sensors", &profile->sensors[i], profile,
			   profile->sensors[i].noise == NST_NOISE_PAPER ?
				   NST_KEY_EMVA :
				   NST_KEY_PAPER,
			   4, out);
	fprintf(out, "tasks:\n");
	for (unsigned int i = 0; i < profile->task_count; i++)
		dump_scope("tasks", &profile->tasks[i], profile,
			   profile->tasks[i].kind == NST_TASK_VISION ?
				   NST_KEY_IMAGING :
				   NST_KEY_VISION,
			   4, out);
	return ferror(out) ? -EIO : 0;
}

/* ----------------------------------------------------------- explain --- */

static const char *type_text(const struct nst_key *key)
{
	static const char *const texts[] = {
		[NST_KEY_INT] = "integer",   [NST_KEY_SHORT] = "integer",
		[NST_KEY_MILLI] = "decimal number",
		[NST_KEY_REAL] = "number",   [NST_KEY_BOOL] = "true or false",
		[NST_KEY_TEXT] = "text",     [NST_KEY_CHOICE] = "word",
		[NST_KEY_FILE] = "file",
		[NST_KEY_MAP] = "mapping",   [NST_KEY_LIST] = "list",
	};

	return texts[key->type];
}

static const char *unit_text(const char *name)
{
	static const struct {
		const char *suffix;
		const char *unit;
	} units[] = {
		{ "_mk_per_w", "millikelvin per watt" },
		{ "_uj_per_k", "microjoule per kelvin" },
		{ "_ppm_per_k", "1e-6 per kelvin" },
		{ "_mc", "millidegree Celsius" },
		{ "_permyriad", "1e-4" },
		{ "_mw", "milliwatt" },
		{ "_uw", "microwatt" },
		{ "_ms", "millisecond" },
		{ "_us", "microsecond" },
		{ "_db", "decibel" },
		{ "_permyriad", "1/10000" },
		{ "_percent", "percent" },
		{ "_lux", "lux" },
		{ "fps", "frames a second" },
		{ "_frames", "frames" },
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < NST_ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i].suffix);

		if (len >= n && !strcmp(name + len - n, units[i].suffix))
			return units[i].unit;
	}
	return NULL;
}

static void full_name(const struct nst_key *key, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", key->scope, *key->scope ? "." : "",
		 key->name);
}

static void explain_default(const struct nst_key *key, FILE *out)
{
	bool is_sensor = !strncmp(key->scope, "sensors", 7);
	struct nst_profile_sensor sensor;
	struct nst_profile_task task;
	const void *base = is_sensor ? (const void *)&sensor : &task;

	nst_profile_sensor_defaults(&sensor);
	nst_profile_task_defaults(&task);
	if (key->flags & NST_KEY_REQUIRED) {
		fprintf(out, "  required\n");
	} else if (!*key->scope || key->type == NST_KEY_MAP ||
		   key->type == NST_KEY_LIST || !has_value(key, base, 0)) {
		fprintf(out, "  default: none\n");
	} else {
		fprintf(out, "  default: ");
		dump_value(key, base, NULL, out);
		fputc('\n', out);
	}
}

static void explain_one(const struct nst_key *key, FILE *out)
{
	const char *words[WORDS_MAX], *unit = unit_text(key->name);
	char name[96];
	size_t n;

	full_name(key, name, sizeof(name));
	fprintf(out, "%s\n  %s\n  type: %s\n", name, key->meaning,
		type_text(key));
	if (unit)
		fprintf(out, "  unit: %s\n", unit);
	switch (key->type) {
	case NST_KEY_INT:
	case NST_KEY_SHORT:
	case NST_KEY_MILLI:
	case NST_KEY_REAL:
		fprintf(out, "  range: %.12g to %.12g\n", key->min, key->max);
		break;
	case NST_KEY_LIST:
		fprintf(out, "  entries: %.0f to %.0f\n", key->min, key->max);
		break;
	case NST_KEY_CHOICE:
		n = nst_key_choice_names(key, NULL, words, WORDS_MAX);
		fprintf(out, "  valid: ");
		if (!n)
			fputs("the name of a sensor of the profile", out);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s%s", i ? ", " : "", words[i]);
		fputc('\n', out);
		break;
	default:
		break;
	}
	if (key->flags & NST_KEY_VISION)
		fprintf(out, "  for: vision tasks\n");
	if (key->flags & NST_KEY_IMAGING)
		fprintf(out, "  for: imaging tasks\n");
	if (key->flags & NST_KEY_PAPER)
		fprintf(out, "  for: the noise model paper\n");
	if (key->flags & NST_KEY_EMVA)
		fprintf(out, "  for: the noise model emva\n");
	explain_default(key, out);
	if (key->type == NST_KEY_MAP || key->type == NST_KEY_LIST) {
		char scope[96];

		full_name(key, scope, sizeof(scope));
		n = nst_key_names(scope, words, WORDS_MAX);
		fprintf(out, "  keys: ");
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s%s", i ? ", " : "", words[i]);
		fputc('\n', out);
	}
}

/* "near_mw", "power.near_mw" and "sensors.power.near_mw" all name it. */
static bool key_matches(const struct nst_key *key, const char *asked)
{
	char name[96];
	size_t len, n = strlen(asked);

	full_name(key, name, sizeof(name));
	len = strlen(name);
	if (n > len || strcmp(name + len - n, asked))
		return false;
	return n == len || name[len - n - 1] == '.';
}

int nst_profile_explain(const char *key, FILE *out)
{
	const char *names[NST_KEYS_MAX];
	char hint[HINT_LEN];
	size_t n = 0;
	bool found = false;

	for (int i = 0; nst_keys[i].name; i++) {
		if (key && !key_matches(&nst_keys[i], key))
			continue;
		if (out)
			explain_one(&nst_keys[i], out);
		found = true;
	}
	if (found)
		return 0;
	if (!out)
		return -ENOENT;

	for (int i = 0; nst_keys[i].name; i++) {
		bool seen = false;

		for (size_t j = 0; j < n; j++)
			seen = seen || !strcmp(names[j], nst_keys[i].name);
		if (!seen)
			names[n++] = nst_keys[i].name;
	}
	nst_words_hint(hint, sizeof(hint), "keys of a profile", key, names, n);
	fprintf(out, "no key '%s'; %s\n", key, hint);
	return -ENOENT;
}
