#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
photo.py SCENE CAMERA META SIM [PHOTO] - somebody else's detector against heat

Shows a photograph to the emulated camera and looks for the face on it with
OpenCV's stock cascade, cold and hot. SCENE, CAMERA and META are the nodes of
a stack with scene_input and metadata and power_run_mw at 100 or less, SIM its
folder in debugfs. No library of nst is needed: the nodes are read and written
as files.

Debian packages: python3-opencv opencv-data python3-skimage (the photograph:
Eileen Collins, NASA, public domain).
"""
import os
import struct
import sys
import threading

import cv2
import numpy

W, H = 640, 480
FRAMES = 20
PHOTO = "/usr/lib/python3/dist-packages/skimage/data/astronaut.png"
CASCADE = ("/usr/share/opencv4/haarcascades/"
           "haarcascade_frontalface_default.xml")


def picture(path):
    """The upper part of the photograph in the shape of the camera, and the
    box of the face on it."""
    grey = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    if grey is None:
        sys.exit(f"{path}: no picture (package python3-skimage)")
    rows, cols = grey.shape
    grey = cv2.resize(grey[:cols * H // W, :], (W, H))
    # values are shares of light, files are made for screens
    linear = (grey / 255.0) ** 2.2
    return (linear * 255).round().astype("uint8")


class Writer(threading.Thread):
    """Any program: it writes its frame again and again."""

    def __init__(self, node, frame):
        super().__init__(daemon=True)
        self.fd = os.open(node, os.O_WRONLY)
        self.frame = frame.tobytes()
        self.end = False

    def run(self):
        while not self.end:
            os.write(self.fd, self.frame)


def for_screen(frame):
    """Black level off, white at 70 % of the rest, and the curve of a screen."""
    share = (frame.astype("float") - 16) / (0.7 * 239)
    share[share < 0] = 0
    share[share > 1] = 1
    return (share ** (1 / 2.2) * 255).astype("uint8")


def find(detector, frame):
    return detector.detectMultiScale(for_screen(frame), 1.1, 4,
                                     minSize=(60, 60))


def overlap(a, b):
    """Intersection over union of two boxes."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0
    return w * h / (a[2] * a[3] + b[2] * b[3] - w * h)


def hold(sim, mc):
    """A stack without power is as warm as its surroundings."""
    for name, text in (("ambient_mc", str(mc)), ("fault", f"hot {mc}")):
        with open(f"{sim}/{name}", "w", encoding="ascii") as file:
            file.write(text)


def main():
    scene, camera, meta, sim = sys.argv[1:5]
    frame = picture(sys.argv[5] if len(sys.argv) > 5 else PHOTO)
    detector = cv2.CascadeClassifier(CASCADE)
    if detector.empty():
        sys.exit(f"{CASCADE}: missing (package opencv-data)")
    truth = max(find(detector, (16 + frame * 0.7 * 239 / 255)),
                key=lambda b: b[2])
    writer = Writer(scene, frame)
    writer.start()
    print(f"face at {', '.join(str(v) for v in truth)}", flush=True)
    with open(camera, "rb", buffering=0) as pixels, \
            open(meta, "rb", buffering=0) as records:
        for hot in [int(t) for t in os.environ.get(
                "TEMPS", "30000 60000 75000 85000 95000").split()]:
            hold(sim, hot)
            found = false = 0
            # what was exposed before
            for _ in range(8):
                pixels.read(W * H)
                records.read(936)
            for _ in range(FRAMES):
                data = pixels.read(W * H)
                mc, = struct.unpack_from("<i", records.read(936), 48)
                image = numpy.frombuffer(data, "uint8").reshape(H, W)
                boxes = find(detector, image)
                hits = [b for b in boxes if overlap(b, truth) > 0.4]
                found += bool(hits)
                false += len(boxes) - len(hits)
            cv2.imwrite(f"photo-{hot // 1000}.png", for_screen(image))
            print(f"{mc / 1000:5.1f} degC: face in {found} of {FRAMES} "
                  f"frames, {false} false", flush=True)
    writer.end = True


main()
