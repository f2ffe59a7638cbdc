"""Recorder: observer of a simulation that passes everything to a writer process.

The simulation's thread copies states and readings into a queue of bounded size; a feeder thread
sends them to the writer process (`grouser.recording.writer_process`), which encodes, compresses
and writes. A failure of the writer is logged once and ends the recording, never the simulation.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import pickle
import platform
import select
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco

from grouser.errors import BadValue, unknown
from grouser.recording.bag_writer import COMPRESSIONS
from grouser.recording.items import (
    ActionItem,
    Appearance,
    Beginning,
    Ending,
    EventItem,
    Item,
    LogItem,
    PictureItem,
    ReadingItem,
    RecordOptions,
    SceneItem,
    SnapshotItem,
    StateItem,
    appearance,
    equal_appearance,
    shot_arrays,
)
from grouser.recording.state_parts import LayoutNames, state_vector
from grouser.recording.writer_process import LENGTH
from grouser.ros.definitions import type_store
from grouser.ros.messages import nanoseconds
from grouser.ros.state_messages import Sample, actuators_of
from grouser.sensors.camera import CameraFrame
from grouser.sensors.depth import DepthFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.observers import ActionRecord, ClosableObserver, Observer
from grouser.simulation.scene import Scene
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation

QUEUE_BYTES = 64 << 20
"""Largest size of the items that wait for the writer process."""
BATCH_BYTES = 1 << 20
"""Size of the items that are sent at once."""
ITEM_BYTES = 400
"""Size of an item beside its arrays, estimated."""
CLOSE_TIMEOUT = 120.0
"""Time for the writer process to complete the file, wall s; then it is killed."""
WORKER_MODULE = "grouser.recording.writer_process"
HIGHEST_RATE = 1000.0
"""Largest `RecordOptions.hz`."""

_LOG = logging.getLogger("grouser.recording")


def check_options(options: RecordOptions) -> None:
    """Raise `BadValue` if an option is out of range."""
    if not 0 < options.hz <= HIGHEST_RATE:
        raise BadValue(f"record: hz is {options.hz:g}, must be above 0, at most {HIGHEST_RATE:g}")
    if options.compress not in COMPRESSIONS:
        allowed = ", ".join(COMPRESSIONS)
        raise BadValue(f"record: compress is '{options.compress}', allowed: {allowed}")
    if not options.snapshots > 0:
        raise BadValue(f"record: snapshots is {options.snapshots:g} s, must be above 0")


def check_folder(folder: Path) -> None:
    """Create the folder of a recording; raise `BadValue` if it holds files or cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadValue(f"{folder}: holds files already, a recording needs a new folder")
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadValue(f"{folder}: cannot be written ({error.strerror})") from error


def record(simulation: Simulation, folder: Path | str, options: Mapping[str, Any]) -> Recorder:
    """Return a recorder with the given fields of `RecordOptions`; for `Simulation.record`."""
    known = [field.name for field in dataclasses.fields(RecordOptions)]
    for name in options:
        if name not in known:
            raise unknown("record", "option", name, known)
    return Recorder(simulation, folder, RecordOptions(**options))


class Recorder(ClosableObserver):
    """Recording of a running simulation; a context manager that completes the file.

    Args:
        simulation: the simulation; recorded from now on.
        folder: new folder for the recording.
        options: contents and format.
        command: command line, for the metadata.

    Raises:
        BadValue: the folder holds files or cannot be written, or an option is out of range.
        MissingDependency: the packages for recordings are not installed.
    """

    def __init__(
        self,
        simulation: Simulation,
        folder: Path | str,
        options: RecordOptions | None = None,
        *,
        command: str = "",
    ) -> None:
        self.folder, self.options = Path(folder), options or RecordOptions()
        check_options(self.options)
        type_store()  # raises MissingDependency
        check_folder(self.folder)
        self._simulation = simulation
        self._actions = 0
        """Number of recorded actions."""
        self._scenes: list[tuple[int, mujoco.MjModel]] = []
        self._appearance: dict[int, Appearance] = {}
        metadata = _metadata(simulation, command)
        self._feeder = Feeder(Beginning(self.folder.resolve(), self.options, metadata))
        self.on_scene(simulation.scene)
        self._snapshot()
        self._hash()
        period = simulation.state.stepper.cycle * simulation.scene.timestep
        rates = ((self._hash, 1 / period), (self._sample, self.options.hz))
        clocks = [(_Clock(call), rate) for call, rate in rates]
        clocks.append((_Clock(self._snapshot), 1 / self.options.snapshots))
        self._subscriptions = [
            simulation.subscribe(self),
            *(simulation.subscribe(clock, rate_hz=rate) for clock, rate in clocks),
        ]
        self._handler = _LogHandler(self)
        logging.getLogger("grouser").addHandler(self._handler)
        self.counts: dict[str, int] = {}
        """Messages per topic; known after `close`."""

    @property
    def failure(self) -> str:
        """Reason why the recording ended early; empty: it did not."""
        return self._feeder.failure

    @property
    def dropped(self) -> int:
        """Number of items that were dropped because the writer was too slow."""
        return self._feeder.dropped

    def close(self) -> None:
        """Complete the file; later calls do nothing."""
        if not self._subscriptions:
            return
        self._stop()
        passed = self._simulation.passed
        self._hash()
        self._feeder.put(Ending(self._now(), passed, self.dropped), keep=True)
        self.counts = self._feeder.close()

    def _stop(self) -> None:
        """End the subscriptions."""
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.close()
        logging.getLogger("grouser").removeHandler(self._handler)

    def _put(self, item: Item, size: int = 0, *, keep: bool = False) -> None:
        if self._feeder.failure:
            self._stop()
        else:
            self._feeder.put(item, size, keep=keep)

    # -- observer ----------------------------------------------------------------------------

    def on_scene(self, scene: Scene) -> None:
        """Record a scene that was replaced, reset or restored."""
        same = bool(self._scenes) and self._scenes[-1][1] is scene.model
        number = self._scenes[-1][0] + 1 if self._scenes else 0
        self._scenes = [*self._scenes[-2:], (number, scene.model)]
        state = self._simulation.state
        self._actuators = actuators_of(state)
        places = state.stepper.places
        item = SceneItem(
            time=self._now(),
            number=number,
            world=scene.world,
            model=None if same else scene.model,
            sensors={key: sensor for key, (sensor, _) in scene.sensors.items()},
            roots={name: robot.root for name, robot in scene.robots.items()},
            drives=places,
            layout=LayoutNames.of(state),
        )
        self._put(item, 0 if same else int(scene.model.nbuffer), keep=True)

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Record a reading; pictures are rendered by the writer process."""
        if isinstance(reading.values, DepthFrame):
            return
        now, stamp = self._now(), self._stamp(reading.time)
        if isinstance(reading.values, CameraFrame):
            self._picture(robot, reading, reading.values, now, stamp)
        else:
            size = ITEM_BYTES + 8 * len(reading.values)
            self._put(ReadingItem(now, stamp, robot, reading), size)

    def _picture(
        self, robot: str, reading: Reading, frame: CameraFrame, now: int, stamp: int
    ) -> None:
        model = frame.shot.state.model
        numbers = [number for number, known in self._scenes if known is model]
        if not numbers:
            return
        number, looks = numbers[-1], appearance(model)
        changed = not equal_appearance(self._appearance.get(number), looks)
        self._appearance = {n: a for n, a in self._appearance.items() if n > number - 3}
        self._appearance[number] = looks
        state = shot_arrays(frame)
        item = PictureItem(
            *(now, stamp, robot, reading.sensor, number, state, frame.shot.aim, frame.shot.seed),
            looks if changed else None,
        )
        self._put(item, ITEM_BYTES + sum(array.nbytes for array in state))

    def on_event(self, entry: LogEntry) -> None:
        """Record an entry of the event log."""
        self._put(EventItem(self._now(), entry), ITEM_BYTES, keep=True)

    def on_action(self, record: ActionRecord) -> None:
        """Record an action."""
        self._actions += 1
        time = nanoseconds(record.passed * self._simulation.scene.timestep)
        self._put(ActionItem(time, record), ITEM_BYTES, keep=True)

    def log(self, record: logging.LogRecord) -> None:
        """Record a line of Python's log; called from any thread."""
        if not self._feeder.failure:
            text = record.getMessage()
            place = record.filename, record.funcName or "", record.lineno
            line = LogItem(self._now(), record.levelno, record.name, text, *place)
            self._feeder.put(line, ITEM_BYTES + len(text), wait=False)

    # -- state -------------------------------------------------------------------------------

    def _now(self) -> int:
        return nanoseconds(self._simulation.elapsed)

    def _stamp(self, time: float) -> int:
        """Return a simulated time, which a reset sets back, as time since the creation, ns."""
        simulation = self._simulation
        offset = (simulation.passed - simulation.steps) * simulation.scene.timestep
        return max(0, nanoseconds(time + offset))

    def _hash(self) -> None:
        self._state(None)

    def _sample(self) -> None:
        self._state(Sample.of(self._simulation.state, self._actuators))

    def _state(self, sample: Sample | None) -> None:
        simulation = self._simulation
        state = simulation.state
        vector = state_vector(state) if sample is None else state.integration_state()
        item = StateItem(self._now(), simulation.steps, simulation.passed, vector, sample)
        self._put(item, ITEM_BYTES + vector.nbytes)

    def _snapshot(self) -> None:
        simulation = self._simulation
        snapshot = simulation.save()
        counts = simulation.passed, simulation.scheduled, self._actions
        item = SnapshotItem(self._now(), *counts, snapshot)
        self._put(item, ITEM_BYTES + len(snapshot.parts) + snapshot.state.integration.nbytes)


class _Clock(Observer):
    """Observer that calls a function at its rate."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def on_step(self, time: float) -> None:
        """Call the function."""
        self._call()


class _LogHandler(logging.Handler):
    """Handler that passes log lines to a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a line on, except those about the recording itself."""
        if not record.name.startswith("grouser.recording"):
            self._recorder.log(record)


class Feeder:
    """Bounded queue of items, and the thread that sends them to the writer process.

    Args:
        beginning: first item; its options have the longest time that `put` waits for space.

    Raises:
        BadValue: the writer process cannot open the file.
    """

    def __init__(self, beginning: Beginning) -> None:
        self._wait = beginning.options.wait
        self._opened = False
        self.failure = ""
        self.dropped = 0
        self.counts: dict[str, int] = {}
        self._queue: deque[tuple[object, int]] = deque([(beginning, BATCH_BYTES)])
        self._bytes = BATCH_BYTES  # a batch of its own
        self._closed = False
        self._changed = threading.Condition(threading.RLock())
        ours, theirs = socket.socketpair()
        self._connection, self._reports = ours, b""
        with theirs:
            command = [sys.executable, "-m", WORKER_MODULE, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env={**os.environ, "LP_NUM_THREADS": "1"}
            )
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._opened or bool(self.failure))
        if not self._opened:
            self.close()
            raise BadValue(f"{beginning.folder}: cannot be recorded to ({self.failure})")

    def put(self, item: object, size: int = 0, *, keep: bool = False, wait: bool = True) -> None:
        """Add an item of ``size`` bytes; if the queue stays full it is dropped unless ``keep``."""
        with self._changed:
            if self._bytes > 2 * QUEUE_BYTES:  # items to keep only, and the writer is stuck
                self._fail("the writer process does not keep up")
                return
            if self._bytes + size > QUEUE_BYTES and not keep:
                if wait and self._wait:
                    self._changed.wait_for(self._has_space, self._wait)
                if not self._has_space():
                    self._drop()
                    return
            self._queue.append((item, size))
            self._bytes += size
            self._changed.notify_all()

    def _has_space(self) -> bool:
        return self._bytes < QUEUE_BYTES // 2 or bool(self.failure)

    def _drop(self) -> None:
        self._wait = 0.0  # a writer that is too slow stays too slow
        self.dropped += 1
        if self.dropped == 1:
            _LOG.warning("recording: the disk or this machine is too slow; data is dropped")

    def close(self) -> dict[str, int]:
        """Send the rest and wait for the writer process; return the messages per topic."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(CLOSE_TIMEOUT)
        try:
            self._process.wait(CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self._fail("the writer process does not answer")
        return self.counts

    def _run(self) -> None:
        with self._connection:
            try:
                while batch := self._take():
                    content = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
                    self._connection.sendall(LENGTH.pack(len(content)) + content)
                    while not self._opened and not self.failure:
                        self._read_reports()
                    while select.select([self._connection], [], [], 0.0)[0]:
                        self._read_reports()
                self._connection.shutdown(socket.SHUT_WR)
                while True:
                    self._read_reports()
            except OSError:
                if not self.counts:
                    self._fail("the writer process has ended")
        with self._changed:
            self._queue.clear()
            self._bytes = 0

    def _take(self) -> list[object]:
        """Remove and return the next items; wait for the first. Empty: the end."""
        batch, size = list[object](), 0
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue) or self._closed)
            while self._queue and size < BATCH_BYTES:
                item, bytes_ = self._queue.popleft()
                batch.append(item)
                size += bytes_
            self._bytes -= size
            self._changed.notify_all()
        return batch

    def _read_reports(self) -> None:
        """Wait for reports and process them; raise `ConnectionError` at the end of the stream."""
        content = self._connection.recv(1 << 16)
        if not content:
            raise ConnectionError
        *lines, self._reports = (self._reports + content).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, report: Mapping[str, Any]) -> None:
        if "failure" in report:
            self._fail(str(report["failure"]))
        if "error" in report:
            _LOG.warning("recording: %s", report["error"])
        self.counts = report.get("counts", self.counts)
        with self._changed:
            self._opened |= "opened" in report
            self._changed.notify_all()

    def _fail(self, reason: str) -> None:
        if self.failure:
            return
        with self._changed:
            self.failure = reason
            self._changed.notify_all()
        if self._opened:
            _LOG.warning("recording ended: %s; the simulation continues", reason)


def _metadata(simulation: Simulation, command: str) -> dict[str, str]:
    """Return versions, seed and start of a recording."""
    fresh = simulation.passed == 0 and simulation.is_untouched
    packages = ("grouser", "mujoco", "numpy", "mcap", "rosbags")
    return {
        "world": simulation.world.name,
        "folder": str(simulation.world.folder or ""),
        "seed": str(simulation.seed),
        "timestep": repr(simulation.scene.timestep),
        "passed": str(simulation.passed),
        "scheduled": str(simulation.scheduled),
        "fresh": str(fresh).lower(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{f"version {name}": version(name) for name in packages},
    }
