// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* places.c - where things are when nobody says so, see places.h */
#include <stdlib.h>

#include "places.h"

const char *nst_places_socket(void)
{
	const char *path = getenv("NST_SOCKET");

	return path && *path ? path : NST_PLACES_SOCKET;
}
