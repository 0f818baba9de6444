/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * places.h - where nstd's socket and the profile are when nobody says so
 */
#ifndef NST_PLACES_H
#define NST_PLACES_H

/* Places of the profile, the administrator's first */
#define NST_PLACES_ETC "/etc/nst/nst.yaml"
#define NST_PLACES_LOCAL "/usr/local/share/nst/nst.yaml"
#define NST_PLACES_VENDOR "/usr/share/nst/nst.yaml"
/* All of them, behind "there is no" */
#define NST_PLACES_PROFILES NST_PLACES_ETC ", " NST_PLACES_LOCAL " or " \
	NST_PLACES_VENDOR

#define NST_PLACES_SOCKET "/run/nst/nstd.sock"

/* What --help says of a client's --socket */
#define NST_PLACES_SOCKET_HELP "$NST_SOCKET, else " NST_PLACES_SOCKET

/**
 * nst_places_socket() - where a client looks for nstd, as libnst does
 * Return: $NST_SOCKET, or NST_PLACES_SOCKET where it is unset or empty.
 */
const char *nst_places_socket(void);

/**
 * nst_places_profile() - the first profile there is, as nstd takes it
 * @root: "" for this machine
 * Return: its path below @root, or NULL where there is none.
 */
const char *nst_places_profile(const char *root);

/**
 * nst_places_need_profile() - the same of this machine, or a message
 * @command: name in front of it
 * @option: what would name a profile, as "--profile"
 */
const char *nst_places_need_profile(const char *command, const char *option);

#endif /* NST_PLACES_H */
