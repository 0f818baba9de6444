// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fdinfo.c - what a DRM client used, see fdinfo.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fdinfo.h"

#define LINE_LEN 160
#define PERMYRIAD 10000

/* Counters of one engine as printed; what can be used is found at the end. */
struct raw {
	char name[NST_FDINFO_NAME_LEN];
	uint64_t ns, cycles, total;
	uint32_t capacity;
	bool has_ns, has_cycles, has_total;
};

struct parser {
	struct nst_fdinfo *out;
	struct raw raw[NST_FDINFO_ENGINES];
	unsigned int count;
	bool has_driver, has_client;
};

/* Digits only, then the end or a blank; the rest of the text in @ret_unit. */
static bool number(const char *text, uint64_t *ret, const char **ret_unit)
{
	uint64_t val = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(val, 10, &val) ||
		    __builtin_add_overflow(val, (uint64_t)(*at - '0'), &val))
			return false;
	if (at == text || (*at && *at != ' ' && *at != '\t'))
		return false;
	*ret = val;
	*ret_unit = at + strspn(at, " \t");
	return true;
}

static struct raw *engine(struct parser *p, const char *name)
{
	if (!*name || strlen(name) >= NST_FDINFO_NAME_LEN)
		return NULL;
	for (unsigned int i = 0; i < p->count; i++)
		if (!strcmp(p->raw[i].name, name))
			return &p->raw[i];
	if (p->count == NST_FDINFO_ENGINES)
		return NULL;
	strcpy(p->raw[p->count].name, name);
	return &p->raw[p->count++];
}

static const char *behind(const char *key, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(key, prefix, len) ? NULL : key + len;
}

/* The longer prefix first: "drm-engine-capacity-x" is no engine. */
static void take_counter(struct parser *p, const char *key, const char *value)
{
	const char *capacity = behind(key, "drm-engine-capacity-");
	const char *busy = behind(key, "drm-engine-");
	const char *total = behind(key, "drm-total-cycles-");
	const char *cycles = behind(key, "drm-cycles-");
	const char *unit;
	struct raw *raw;
	uint64_t val;

	if (!number(value, &val, &unit))
		return;
	if (capacity) {
		raw = engine(p, capacity);
		if (raw && !*unit && val && val <= UINT32_MAX / PERMYRIAD)
			raw->capacity = (uint32_t)val;
	} else if (busy) {
		if (strcmp(unit, "ns"))
			return;
		raw = engine(p, busy);
		if (raw) {
			raw->ns = val;
			raw->has_ns = true;
		}
	} else if (total) {
		raw = engine(p, total);
		if (raw && !*unit) {
			raw->total = val;
			raw->has_total = true;
		}
	} else if (cycles) {
		raw = engine(p, cycles);
		if (raw && !*unit) {
			raw->cycles = val;
			raw->has_cycles = true;
		}
	}
}

static void take_line(struct parser *p, char *line)
{
	char *value = strchr(line, ':');
	const char *unit;
	size_t len;

	if (!value)
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	len = strlen(value);
	while (len && (value[len - 1] == ' ' || value[len - 1] == '\t' ||
		       value[len - 1] == '\r'))
		value[--len] = '\0';
	if (!strcmp(line, "drm-driver")) {
		snprintf(p->out->driver, sizeof(p->out->driver), "%s", value);
		p->has_driver = *value;
	} else if (!strcmp(line, "drm-pdev")) {
		snprintf(p->out->pdev, sizeof(p->out->pdev), "%s", value);
	} else if (!strcmp(line, "drm-client-id")) {
		p->has_client = number(value, &p->out->client, &unit) && !*unit;
	} else {
		take_counter(p, line, value);
	}
}

static void take_engines(struct parser *p)
{
	for (unsigned int i = 0; i < p->count; i++) {
		const struct raw *raw = &p->raw[i];
		struct nst_fdinfo_engine *e =
			&p->out->engine[p->out->engines];

		if (!raw->has_ns && !(raw->has_cycles && raw->has_total))
			continue;
		/* Time first: panfrost prints cycles too, without a total. */
		*e = (struct nst_fdinfo_engine){
			.busy = raw->has_ns ? raw->ns : raw->cycles,
			.total_cycles = raw->has_ns ? 0 : raw->total,
			.capacity = raw->capacity ? raw->capacity : 1,
		};
		memcpy(e->name, raw->name, sizeof(e->name));
		p->out->engines++;
	}
}

int nst_fdinfo_parse(const char *text, struct nst_fdinfo *ret)
{
	struct parser p = { .out = ret };
	char line[LINE_LEN];

	*ret = (struct nst_fdinfo){ 0 };
	while (*text) {
		size_t len = strcspn(text, "\n");

		/* A longer one is no counter of ours. */
		if (len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			take_line(&p, line);
		}
		text += len + (text[len] == '\n');
	}
	if (!p.has_driver || !p.has_client)
		return -ENOENT;
	take_engines(&p);
	return 0;
}

int nst_fdinfo_share(const struct nst_fdinfo_engine *from,
		     const struct nst_fdinfo_engine *to, uint64_t elapsed_ns,
		     uint32_t *ret_permyriad)
{
	double share, whole;

	if (!from->total_cycles != !to->total_cycles || to->busy < from->busy ||
	    to->total_cycles < from->total_cycles)
		return -ENODATA;
	whole = (double)(to->total_cycles ?
			 to->total_cycles - from->total_cycles : elapsed_ns);
	if (!(whole > 0))
		return -ENODATA;
	share = (double)(to->busy - from->busy) / whole * PERMYRIAD;
	if (share > (double)(UINT32_MAX / 2))
		return -ENODATA;
	*ret_permyriad = (uint32_t)share;
	return 0;
}
