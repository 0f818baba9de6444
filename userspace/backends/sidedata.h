/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sidedata.h - what the governor knows of frames, told to the camera's records
 *
 * A camera that has a metadata node beside its own (nst-sim with "metadata")
 * puts predicted SNR and placement into the record of each frame, for programs
 * that never ask nstd. They are told for some frames to come, so that nobody
 * who is gone goes on to be quoted.
 */
#ifndef NST_SIDEDATA_H
#define NST_SIDEDATA_H

#include "backend.h"

/**
 * nst_sidedata_open() - the metadata node of the camera with this card name
 * @root: prefix of /sys and /dev, "" for the real ones
 * Return: a file descriptor, or -ENODEV and the like.
 */
int nst_sidedata_open(const char *root, const char *card);

/** nst_sidedata_tell() - from the next frame on; 0 or a negative errno */
int nst_sidedata_tell(int fd, const struct nst_side *side);

#endif /* NST_SIDEDATA_H */
