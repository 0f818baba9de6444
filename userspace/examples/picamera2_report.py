#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Tell nstd what picamera2 knows of each frame.

    picamera2_report.py SENSOR               with a camera
    picamera2_report.py SENSOR metadata.csv  from a recorded stream

A program that has a Picamera2 of its own needs no more than

    stack = nst.connect()
    camera.pre_callback = Reporter(stack, "cam0")
"""

import csv
import sys
import time

import nst

ABSOLUTE_ZERO_AND_THE_LIKE = -60.0


def report_of(metadata):
    """Members of frame.report from a dictionary of libcamera's controls."""
    report = {}
    if metadata.get("ExposureTime"):
        report["exposure_us"] = round(metadata["ExposureTime"])
    gain = metadata.get("AnalogueGain")
    if gain:
        # What libcamera itself takes for ISO 100: gain 1.
        report["iso"] = round(100 * gain * metadata.get("DigitalGain", 1.0))
    if metadata.get("Lux") is not None:
        report["lux_milli"] = round(1000 * metadata["Lux"])
    if metadata.get("FrameDuration"):
        report["frame_us"] = round(metadata["FrameDuration"])
    # 0.0 is "no reading yet" and is nstd's to judge; -273.15 is no reading.
    temp = metadata.get("SensorTemperature")
    if temp is not None and temp > ABSOLUTE_ZERO_AND_THE_LIKE:
        report["temp_mc"] = round(1000 * temp)
    return report


class Reporter:
    """A pre_callback: it must never hold a frame up, so it never raises."""

    def __init__(self, stack, sensor):
        self.stack = stack
        self.sensor = sensor
        self.sent = 0
        self.refused = 0
        self.said = None

    def __call__(self, request):
        self.metadata(request.get_metadata())

    def metadata(self, metadata):
        try:
            self.stack.frame_report(self.sensor, **report_of(metadata))
            self.sent += 1
        except OSError as error:
            self.refused += 1
            if error.strerror != self.said:
                print(f"nstd: {error.strerror}", file=sys.stderr)
            self.said = error.strerror


def recorded(path):
    with open(path, encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines
                              if not line.startswith("#"))
        for row in rows:
            yield {key: float(text) for key, text in row.items() if text}


def main(sensor, path=None):
    with nst.connect() as stack:
        reporter = Reporter(stack, sensor)
        if path:
            for metadata in recorded(path):
                reporter.metadata(metadata)
                time.sleep(0.01)
        else:
            from picamera2 import Picamera2

            camera = Picamera2()
            camera.configure(camera.create_video_configuration())
            camera.pre_callback = reporter
            camera.start()
            time.sleep(10)
            camera.stop()
        print(f"{reporter.sent} reports, {reporter.refused} refused")
        now = stack.snapshot(sensor)
        print(f"{now.get('placement')}: {now.get('reason')}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:3])
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: give a recorded stream, for example metadata.csv")
    except OSError as error:
        sys.exit(f"nstd: {error.strerror}")
