#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Bring a task, follow its frames: nst_watch.py SENSOR SNR_DB [FRAMES]"""

import sys

import nst


def show(frame):
    text = f"frame {frame['seq']}: {frame['placement']}"
    if "exposure_temp_mc" in frame:
        text += f", exposed at {frame['exposure_temp_mc'] / 1000:.2f} degC"
    if "snr_cdb" in frame:
        text += f", {frame['snr_cdb'] / 100:.2f} dB"
    if not frame["delivered"]:
        text += ", not to be used"
    print(f"{text} ({frame['reason']})", flush=True)


def main(sensor, snr_db, left):
    last = None
    with nst.connect() as stack:
        task = stack.task_set("watch-py", sensor, min_snr_db=snr_db)
        print(f"{snr_db:g} dB allow {task['limit_mc'] / 1000:.2f} degC at the "
              "present light", flush=True)
        for frame in stack.events(frames=True):
            if frame["event"] != "frame" or frame["sensor"] != sensor:
                continue
            now = (frame["placement"], frame["delivered"])
            left -= 1
            if now != last or not left:
                show(frame)
            last = now
            if not left:
                break


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        numbers = float(sys.argv[2]), int((sys.argv + ["100"])[3])
    except ValueError as wrong:
        sys.exit(f"nst_watch.py: {wrong}\n{__doc__}")
    try:
        main(sys.argv[1], *numbers)
    except (nst.Error, OSError) as error:
        sys.exit(f"nstd: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)
