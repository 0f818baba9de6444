# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""nst: what a program tells nstd and learns from it.

The verbs of libnst(3) over the socket of nstd(8), with nothing but the
standard library:

    import nst

    with nst.connect() as stack:
        stack.task_set("detect", "cam0", "vision", min_snr_db=22)
        print(stack.snapshot("cam0")["placement"])
        for event in stack.events(frames=True):
            ...

Requests and replies are dictionaries with the members that nstd(8) lists.
Temperatures are millidegrees Celsius (_mc). A connection has no thread; what
a program brought ends with it.
"""

import collections
import errno as _errno
import fcntl
import json
import os
import select
import socket
import time

SOCKET = "/run/nst/nstd.sock"
PACKET = 65536
EVENTS_MAX = 4096
FDS_MAX = 4

__all__ = ["Error", "Connection", "connect", "SOCKET"]


class Error(OSError):
    """A request that nstd refused, or a connection that is gone.

    errno is that of the reply (errno.EDOM, errno.EBUSY, ...), strerror the
    sentence that says what is valid.
    """


def _errno_of(name):
    return getattr(_errno, str(name), _errno.EPROTO)


class Connection:
    """One connection to nstd, for one thread at a time."""

    def __init__(self, path=None, timeout=2.0):
        self.timeout = timeout
        self._id = 0
        self._queue = collections.deque()
        self.lost = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._reach(path or os.environ.get("NST_SOCKET") or SOCKET)
            hello = self.call("hello")
            if hello.get("name") != "nstd":
                raise Error(_errno.EPROTO, "it is not nstd that answers")
        except BaseException:
            self._socket.close()
            raise
        self.admin = bool(hello.get("admin"))

    def _reach(self, path):
        """Connect; of the same class, an error names where it was."""
        try:
            self._socket.connect(path)
        except OSError as error:
            raise OSError(error.errno, f"cannot connect to '{path}': "
                          f"{error.strerror or error}") from None

    def close(self):
        """End tasks and tickets of this connection."""
        self._socket.close()
        while self._queue:
            self._forget(self._queue.popleft())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        """To be selected for reading: next_event() has something to do."""
        return self._socket.fileno()

    # -- packets ----------------------------------------------------------

    def _receive(self, wait):
        """One packet as a dictionary, None when there is none in time."""
        readable, _, _ = select.select([self._socket], [], [],
                                       max(0.0, wait))
        if not readable:
            return None
        try:
            data, fds, _, _ = socket.recv_fds(self._socket, PACKET, FDS_MAX,
                                              socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            data, fds = b"", []
        try:
            packet = json.loads(data.decode("utf-8")) if data else {}
        except ValueError:
            packet = None
        # They come with orders to workers, and are the program's to close.
        if isinstance(packet, dict) and "event" in packet and fds:
            packet["fd"] = fds.pop(0)
        for fd in fds:
            os.close(fd)
        if not data:
            raise Error(_errno.EPIPE, "nstd has ended")
        if not isinstance(packet, dict):
            raise Error(_errno.EPROTO, "what came is no reply")
        return packet

    def _keep(self, packet):
        if "event" not in packet:
            return      # a reply that came too late is nobody's
        if packet["event"] == "frames":
            for frame in packet.get("frames", []):
                self._keep_one(dict(frame, event="frame"))
        else:
            self._keep_one(packet)

    def _keep_one(self, event):
        if len(self._queue) == EVENTS_MAX:
            self._forget(self._queue.popleft())
            self.lost += 1
        self._queue.append(event)

    @staticmethod
    def _forget(event):
        if "fd" in event:
            os.close(event["fd"])

    def call(self, req, **members):
        """Any request; members that are None are left out."""
        given = {k: v for k, v in members.items() if v is not None}
        return self._exchange(req, given)

    def _exchange(self, req, members, fd=None):
        self._id += 1
        packet = {"id": self._id, "req": req, **members}
        data = json.dumps(packet, allow_nan=False).encode("utf-8")
        try:
            if fd is None:
                self._socket.send(data)
            else:
                socket.send_fds(self._socket, [data], [fd])
        except ConnectionError:
            raise Error(_errno.EPIPE, "nstd has ended") from None
        until = time.monotonic() + self.timeout
        if isinstance(members.get("wait_ms"), int):
            until += members["wait_ms"] / 1000
        while True:
            reply = self._receive(until - time.monotonic())
            if reply is None:
                raise Error(_errno.ETIMEDOUT, "no reply of nstd")
            # "too many clients" comes before anything was asked
            early = (self._id == 1 and "error" in reply and
                     reply.get("id") is None)
            if reply.get("id") != self._id and not early:
                self._keep(reply)
                continue
            if "ok" in reply:
                return reply["ok"]
            error = reply.get("error")
            if not isinstance(error, dict):
                error = {}
            raise Error(_errno_of(error.get("errno")),
                        error.get("what", "a reply that is none"))

    # -- tasks ------------------------------------------------------------

    def task_add(self, name, sensor, kind="vision", **demand):
        """Bring a task: keys as in nst.yaml(5), min_snr_db=22 and so on."""
        return self.call("task.add", name=name, sensor=sensor, kind=kind,
                         **demand)

    def task_update(self, name, **demand):
        """Change keys of a task; None takes one away."""
        return self._exchange("task.update", {"name": name, **demand})

    def task_set(self, name, sensor, kind="vision", **demand):
        """Add a task, or change it where this connection has it."""
        try:
            return self.task_update(name, sensor=sensor, kind=kind, **demand)
        except Error as error:
            if error.errno != _errno.ENOENT:
                raise
        return self.task_add(name, sensor, kind, **demand)

    def task_remove(self, name):
        """Take a task back."""
        return self.call("task.remove", name=name)

    # -- captures ---------------------------------------------------------

    def capture_ask(self, task=None, sensor=None, temp_mc=None, in_ms=None,
                    frames=None):
        """Could frames be that cold then? Changes nothing."""
        return self.call("capture.ask", task=task, sensor=sensor,
                         temp_mc=temp_mc, in_ms=in_ms, frames=frames)

    def capture_trigger(self, task=None, sensor=None, temp_mc=None,
                        deadline_ms=None, frames=None):
        """Have it done; the ticket is what the events "capture" carry."""
        return self.call("capture.trigger", task=task, sensor=sensor,
                         temp_mc=temp_mc, deadline_ms=deadline_ms,
                         frames=frames)["ticket"]

    # -- frames -----------------------------------------------------------

    def frame_report(self, sensor, **known):
        """What is known of a frame: exposure_us, iso, temp_mc, ..."""
        return self.call("frame.report", sensor=sensor, **known)

    def snapshot(self, sensor):
        """Side data of the newest frame that has a verdict."""
        return self.call("snapshot", sensor=sensor)

    def frame_get(self, sensor, seq, wait_ms=None):
        """Side data of a frame; errno.EAGAIN while there are none."""
        return self.call("frame.get", sensor=sensor, seq=seq,
                         wait_ms=wait_ms)

    def status(self):
        """Everything about all sensors."""
        return self.call("status")

    # -- events -----------------------------------------------------------

    def subscribe(self, frames=True, events=False):
        """Frames, changes or both, from now on."""
        return self.call("subscribe", frames=frames, events=events)

    def next_event(self, timeout=0.0):
        """The next event as a dictionary, or None; frames come one by one."""
        until = time.monotonic() + timeout
        while not self._queue:
            packet = self._receive(until - time.monotonic())
            if packet is None:
                return None
            self._keep(packet)
        return self._queue.popleft()

    def events(self, frames=True, events=False):
        """Subscribe, and go on for ever."""
        self.subscribe(frames, events)
        while True:
            event = self.next_event(3600.0)
            if event is not None:
                yield event

    # -- workers ----------------------------------------------------------

    def worker_register(self, task, home):
        """This connection processes the frames of a task, "near" or "far".

        What it has to do when the task moves comes as events "worker", see
        nstd(8): "do" is prepare, copy, load (with the state as the file
        descriptor "fd", which is the program's to close), commit or release.
        The reply says where frames come from.
        """
        return self.call("worker.register", task=task, home=home)

    def worker_ready(self, epoch):
        """The answer to prepare."""
        return self.call("worker.ready", epoch=epoch)

    def worker_state(self, epoch, seq, state):
        """The answer to copy: the bytes of the state after frame seq."""
        fd = os.memfd_create("nst-state", os.MFD_CLOEXEC |
                             os.MFD_ALLOW_SEALING)
        try:
            with open(fd, "wb", closefd=False) as file:
                file.write(state)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE |
                        fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            return self._exchange("worker.state",
                                  {"epoch": epoch, "seq": seq}, fd)
        finally:
            os.close(fd)

    def worker_copied(self, epoch, seq):
        """The answer to load."""
        return self.call("worker.copied", epoch=epoch, seq=seq)

    def worker_ack(self, epoch, seq):
        """The answer to commit."""
        return self.call("worker.ack", epoch=epoch, seq=seq)

    def worker_failed(self, epoch, what):
        """The answer to what cannot be done."""
        return self.call("worker.failed", epoch=epoch, what=what)

    def worker_done(self, seq, checksum=0):
        """A frame was processed: does its result count (owner)?"""
        return self.call("worker.done", seq=seq, checksum=checksum)

    def worker_leave(self):
        """It processes no more."""
        return self.call("worker.leave")

    # -- administrators ---------------------------------------------------

    def policy_set(self, sensor, policy=None, stop_frames=None,
                   dwell_ms=None):
        """Needs root or group nst-admin."""
        return self.call("policy.set", sensor=sensor, policy=policy,
                         stop_frames=stop_frames, dwell_ms=dwell_ms)

    def reload(self):
        """Read the profile again; needs root or group nst-admin."""
        return self.call("reload")


def connect(path=None, timeout=2.0):
    """A Connection; path defaults to $NST_SOCKET, then SOCKET."""
    return Connection(path, timeout)
