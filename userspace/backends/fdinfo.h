/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fdinfo.h - what a DRM client used, from /proc/PID/fdinfo/FD
 *
 * Keys of the kernel's Documentation/gpu/drm-usage-stats.rst. Drivers differ:
 * most print engine time in nanoseconds, xe prints cycles against the total
 * of cycles instead, some print lines only for engines used so far, some
 * none, and one prints a counter that stays 0 whatever runs. So what is not
 * printed is not known, and a counter that never moved says nothing.
 */
#ifndef NST_FDINFO_H
#define NST_FDINFO_H

#include <stdbool.h>
#include <stdint.h>

#define NST_FDINFO_ENGINES 16
#define NST_FDINFO_NAME_LEN 32

/**
 * struct nst_fdinfo_engine - counters of an engine, of this client alone
 * @busy: nanoseconds, or cycles when @total_cycles goes with them
 * @total_cycles: the engine's cycles in all, 0 when @busy is nanoseconds
 * @capacity: engines of this kind, at least 1
 */
struct nst_fdinfo_engine {
	char name[NST_FDINFO_NAME_LEN];
	uint64_t busy;
	uint64_t total_cycles;
	uint32_t capacity;
};

/**
 * struct nst_fdinfo - one client
 * @client: unique in the machine; descriptors that share it are one client
 * @pdev: PCI address, "" for what is no PCI device
 */
struct nst_fdinfo {
	char driver[NST_FDINFO_NAME_LEN];
	char pdev[NST_FDINFO_NAME_LEN];
	uint64_t client;
	unsigned int engines;
	struct nst_fdinfo_engine engine[NST_FDINFO_ENGINES];
};

/**
 * nst_fdinfo_parse() - from the text of the file
 * Lines that are not understood are left out, and so is an engine whose
 * counter cannot be used (cycles without their total). More engines than
 * fit are left out as well.
 * Return: 0; -ENOENT no DRM client, or one without a client number.
 */
int nst_fdinfo_parse(const char *text, struct nst_fdinfo *ret);

/**
 * nst_fdinfo_share() - how busy a client kept an engine between two looks
 * @elapsed_ns: between them, for engines that count nanoseconds
 * @ret_permyriad: of one engine, may pass 10000 where there are several
 * Return: 0; -ENODATA when the later look has a lower counter, or when the
 * two do not count in the same unit, or no time passed.
 */
int nst_fdinfo_share(const struct nst_fdinfo_engine *from,
		     const struct nst_fdinfo_engine *to, uint64_t elapsed_ns,
		     uint32_t *ret_permyriad);

#endif /* NST_FDINFO_H */
