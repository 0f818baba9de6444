// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* phases.c - see phases.h */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "number.h"
#include "phases.h"

#define FIELDS 6

static int complain(FILE *err, const char *path, unsigned int line,
		    const char *what, const char *text)
{
	fprintf(err, "%s:%u: %s%s%s\n", path, line, what, *text ? ": " : "",
		text);
	return -EINVAL;
}

static bool name_ok(const char *name)
{
	if (!*name || strlen(name) >= NST_PHASE_NAME_LEN)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '-')
			return false;
	return true;
}

static unsigned int split(char *line, char *field[FIELDS + 1])
{
	unsigned int n = 0;
	char *save = NULL;

	for (char *f = strtok_r(line, " \t\n", &save); f && n <= FIELDS;
	     f = strtok_r(NULL, " \t\n", &save))
		field[n++] = f;
	return n;
}

static int parse(char *const field[FIELDS], struct nst_phase *ret,
		 const char **ret_what, const char **ret_text)
{
	static const struct {
		const char *what;
		long long min, max;
	} range[FIELDS - 1] = {
		{ "share is a number from 1 to 1000", 1, 1000 },
		{ "exposure_us is a number from 100 to 1000000", 100,
		  1000000 },
		{ "iso is a number from 100 to 6400", 100, 6400 },
		{ "lux_milli is a number from 1 to 200000000", 1, 200000000 },
		{ "ambient_mc is a number from -40000 to 85000", -40000,
		  85000 },
	};
	struct nst_phase p = { 0 };
	long long v[FIELDS - 1];

	*ret_text = field[0];
	*ret_what = "a name has 1 to 15 letters, digits and '-'";
	if (!name_ok(field[0]))
		return -EINVAL;
	strcpy(p.name, field[0]);
	for (unsigned int i = 0; i < FIELDS - 1; i++) {
		*ret_text = field[i + 1];
		*ret_what = range[i].what;
		if (nst_number_int(field[i + 1], range[i].min, range[i].max,
				   &v[i]))
			return -EINVAL;
	}
	p.share = (unsigned int)v[0];
	p.setting.exposure_us = (unsigned int)v[1];
	p.setting.iso = (unsigned int)v[2];
	p.setting.lux_milli = (unsigned int)v[3];
	p.ambient_mc = (int)v[4];
	*ret = p;
	return 0;
}

int nst_phases_load(struct nst_phases *ret, const char *path, FILE *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	struct nst_phases phases = { 0 };
	char line[256];
	unsigned int number = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		char *field[FIELDS + 1];
		const char *what, *text;
		unsigned int n;

		number++;
		line[strcspn(line, "#")] = '\0';
		n = split(line, field);
		if (n == 0)
			continue;
		if (n != FIELDS)
			return complain(err, path, number, "a phase is: name "
					"share exposure_us iso lux_milli "
					"ambient_mc", "");
		if (phases.count == NST_PHASES_MAX)
			return complain(err, path, number,
					"at most 16 phases", "");
		if (parse(field, &phases.phase[phases.count], &what, &text))
			return complain(err, path, number, what, text);
		phases.shares += phases.phase[phases.count].share;
		phases.count++;
	}
	if (ferror(f))
		return -EIO;
	if (!phases.count)
		return complain(err, path, number, "no phase", "");
	*ret = phases;
	return 0;
}

unsigned long nst_phases_end_ms(const struct nst_phases *phases,
				unsigned int index, unsigned long total_ms)
{
	unsigned long shares = 0;

	for (unsigned int i = 0; i <= index; i++)
		shares += phases->phase[i].share;
	return total_ms * shares / phases->shares;
}
