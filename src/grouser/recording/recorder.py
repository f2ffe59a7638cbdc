"""Recorder: observer of a simulation that passes everything to a writer process.

The simulation's thread sends copies of states and readings to the writer process
(`grouser.recording.writer_process`), which encodes, compresses and writes; a queue of bounded size
holds what it does not accept at once (`grouser.recording.feeder`). A failure of the writer is
logged once and ends the recording, never the simulation.
"""

from __future__ import annotations

import dataclasses
import logging
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.recording.appearance_changes import AppearanceChanges
from grouser.recording.bag_writer import COMPRESSIONS
from grouser.recording.feeder import Feeder
from grouser.recording.items import (
    ActionItem,
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
    shot_arrays,
)
from grouser.recording.state_parts import Columns, LayoutNames, StateChanges
from grouser.ros.definitions import type_store
from grouser.ros.messages import nanoseconds
from grouser.ros.state_messages import Sample, actuators_of
from grouser.sensors.camera import CameraFrame, Shot
from grouser.sensors.depth import DepthFrame, DepthShot
from grouser.sensors.sensor import Reading
from grouser.simulation.observers import ActionRecord, ClosableObserver, Observer
from grouser.simulation.scene import Scene
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation

ITEM_BYTES = 400
"""Size of an item beside its arrays, estimated."""
HIGHEST_RATE = 1000.0
"""Largest `RecordOptions.hz`."""


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
        self._appearance = AppearanceChanges()
        metadata = _metadata(simulation, command)
        self._changes = StateChanges()
        self._feeder = Feeder(Beginning(self.folder.resolve(), self.options, metadata))
        self.on_scene(simulation.scene)
        self._snapshot()
        self._hash()
        self._feeder.flush()  # the first scene takes long: it is not lost
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

    def _put(self, item: Item, size: int = 0, *, keep: bool = False) -> bool:
        if self._feeder.failure:
            self._stop()
            return False
        return self._feeder.put(item, size, keep=keep)

    # -- observer ----------------------------------------------------------------------------

    def on_scene(self, scene: Scene) -> None:
        """Record a scene that was replaced, reset or restored."""
        same = bool(self._scenes) and self._scenes[-1][1] is scene.model
        number = self._scenes[-1][0] + 1 if self._scenes else 0
        self._scenes = [*self._scenes[-2:], (number, scene.model)]
        state = self._simulation.state
        self._actuators = actuators_of(state)
        places = state.stepper.places
        self._changes.reset()
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
        now, stamp = self._now(), self._stamp(reading.time)
        if isinstance(reading.values, CameraFrame | DepthFrame):
            self._picture(robot, reading, reading.values.shot, now, stamp)
        else:
            size = ITEM_BYTES + 8 * len(reading.values)
            self._put(ReadingItem(now, stamp, robot, reading), size)

    def _picture(
        self, robot: str, reading: Reading, shot: Shot | DepthShot, now: int, stamp: int
    ) -> None:
        model = shot.state.model
        numbers = [number for number, known in self._scenes if known is model]
        if not numbers:
            return
        number = numbers[-1]
        looks = self._appearance.next(number, model)
        state = shot_arrays(shot.state)
        aim, pattern = (shot.aim, 0) if isinstance(shot, Shot) else (None, shot.pattern_seed)
        item = PictureItem(
            *(now, stamp, robot, reading.sensor, number, state, aim, pattern, shot.seed), looks
        )
        if not self._put(item, ITEM_BYTES + sum(array.nbytes for array in state)):
            self._appearance.reset()  # the next picture has it

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
        columns, values = self._changes.next(self._simulation.state)
        if not self._state(values, columns, None):
            self._changes.reset()

    def _sample(self) -> None:
        state = self._simulation.state
        self._state(state.integration_state(), None, Sample.of(state, self._actuators))

    def _state(self, vector: Array, columns: Columns | None, sample: Sample | None) -> bool:
        simulation = self._simulation
        counts = simulation.steps, simulation.passed
        item = StateItem(self._now(), *counts, vector, columns, sample)
        return self._put(item, ITEM_BYTES + vector.nbytes)

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
