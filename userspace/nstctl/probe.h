/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * probe.h - what a machine has for nst, and what it lacks
 *
 * Reads /sys, /proc and names in /dev, and opens nothing but the daemon's
 * socket: to look must not wake a sensor up. So it works on a captured tree.
 */
#ifndef NSTCTL_PROBE_H
#define NSTCTL_PROBE_H

#include <json-c/json.h>

#define NST_PROBE_ROOT_MAX 128

/**
 * struct nst_probe_where - where to look
 * @root: "" for this machine; else the daemon is not asked and the profile
 *	not read, since they are this machine's
 * @profile: NULL for the one that nstd would take
 */
struct nst_probe_where {
	const char *root;
	const char *socket;
	const char *profile;
};

/**
 * nst_probe() - look
 * Return: an object to be put, NULL without memory:
 *	kernel	{release, nst: "loaded" or "not loaded", modules: [names]}
 *	devices	[{node, name, provider, model, gate, owner, frame_source,
 *		temp_mc or temp_state}]
 *	cameras	[{node, name}], sensors [{node, name, thermometer}] (the
 *		sub-devices on a bus), far [{node, name, bus}], hwmon
 *		[{node, name}], gpio [{node, name}]
 *	daemon	{socket, state}, profile {path, state}
 *	missing	[{what, why}]
 */
struct json_object *nst_probe(const struct nst_probe_where *where);

/** nst_probe_has_thermometer() - does nst-cci know this part's? */
bool nst_probe_has_thermometer(const char *part);

#endif /* NSTCTL_PROBE_H */
