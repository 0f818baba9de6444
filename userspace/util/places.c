// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* places.c - where things are when nobody says so, see places.h */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "path.h"
#include "places.h"

const char *nst_places_socket(void)
{
	const char *path = getenv("NST_SOCKET");

	return path && *path ? path : NST_PLACES_SOCKET;
}

const char *nst_places_profile(const char *root)
{
	static const char *const places[] = {
		NST_PLACES_ETC, NST_PLACES_LOCAL, NST_PLACES_VENDOR,
	};
	char path[1024];

	for (size_t i = 0; i < NST_ARRAY_SIZE(places); i++)
		if (!nst_path_join(path, sizeof(path), root, places[i]) &&
		    !access(path, F_OK))
			return places[i];
	return NULL;
}

const char *nst_places_need_profile(const char *command, const char *option)
{
	const char *path = nst_places_profile("");

	if (!path)
		fprintf(stderr, "%s: no profile: there is no "
			NST_PLACES_PROFILES ", and no %s\n", command, option);
	return path;
}
