/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nstd_fixture.h - a profile and an emulated stack for tests of the daemon
 */
#ifndef NST_TESTS_NSTD_FIXTURE_H
#define NST_TESTS_NSTD_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plantdev.h"
#include "profile.h"

#define DIM { .exposure_us = 64000, .iso = 800, .lux_milli = 3200 }
#define OFFICE { .exposure_us = 32000, .iso = 400, .lux_milli = 320000 }
#define DAYLIGHT { .exposure_us = 16000, .iso = 100, .lux_milli = 32000000 }

#define SENSOR_YAML(name, camera)                                       \
	"  - name: " name "\n"                                          \
	"    device: plant-" name "\n"                                  \
	camera                                                          \
	"    thermal: { preset: stacked-reference }\n"                  \
	"    power: { preset: neurostream, capture_mw: 100 }\n"         \
	"    light: { preset: dim }\n"

#define VISION_YAML(name, sensor, policy, db)                           \
	"  - name: " name "\n"                                          \
	"    sensor: " sensor "\n"                                      \
	"    kind: vision\n"                                            \
	"    fps: 30\n"                                                 \
	"    fidelity: { min_snr_db: " db " }\n"                        \
	"    policy: " policy "\n"

#define IMAGING_YAML(name, sensor, db)                                  \
	"  - name: " name "\n"                                          \
	"    sensor: " sensor "\n"                                      \
	"    kind: imaging\n"                                           \
	"    fidelity: { min_snr_db: " db " }\n"                        \
	"    deadline_ms: 200\n"

#define CAMERA_YAML "    camera: \"card:plant\"\n"

/* Writes the text to a file of its own; returns the path, to be freed. */
static inline char *fixture_file(const char *text)
{
	char *path = strdup("/tmp/nst-test-XXXXXX");
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	return path;
}

static inline void fixture_profile(struct nst_profile *ret, const char *text)
{
	char *path = fixture_file(text);

	if (nst_profile_load(ret, path, stdout)) {
		printf("# the profile of the test does not load\n");
		abort();
	}
	unlink(path);
	free(path);
}

static inline struct nst_plantdev_config fixture_stack(const char *name)
{
	return (struct nst_plantdev_config){
		.name = name,
		.params = nst_plant_reference,
		.ambient_mc = 26400,
		.near_mw = 2500,
		.gated_mw = 100,
		.frame_period_us = 33333,
		.exposure_us = 64000,
		.readout_us = 1000,
		.doubling_mc = 7000,
		.latency_us = 300,
		.lease_ms = 1000,
		.thr = {
			.high_mc = 80000, .low_mc = 60000,
			.capture_mc = NST_TEMP_NONE_MC, .max_mc = 105000,
		},
	};
}

#endif /* NST_TESTS_NSTD_FIXTURE_H */
