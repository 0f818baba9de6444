/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * places.h - where nstd's socket and the profile are when nobody says so
 */
#ifndef NST_PLACES_H
#define NST_PLACES_H

#define NST_PLACES_SOCKET "/run/nst/nstd.sock"

/* What --help says of a client's --socket */
#define NST_PLACES_SOCKET_HELP "$NST_SOCKET, else " NST_PLACES_SOCKET

/**
 * nst_places_socket() - where a client looks for nstd, as libnst does
 * Return: $NST_SOCKET, or NST_PLACES_SOCKET where it is unset or empty.
 */
const char *nst_places_socket(void);

#endif /* NST_PLACES_H */
