"""Verification of a recording: simulate again from its actions and compare all hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from grouser.errors import BadValue, GrouserError
from grouser.recording.items import OWN
from grouser.recording.picture_process import renderer
from grouser.recording.recording import Recording, StateHash, picture_topics
from grouser.recording.repair import Damage, survey
from grouser.recording.state_parts import LayoutNames, StateLayout, state_vector
from grouser.ros.messages import nanoseconds, sensor_topics
from grouser.sensors.camera import CameraFrame
from grouser.sensors.depth import DepthFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.observers import ActionRecord, Observer, replay
from grouser.simulation.scene import Scene
from grouser.simulation.simulation import Simulation
from grouser.world.file import World

SLICE = 0.5
"""Simulated time between two checks whether the states still agree, s."""
VERSIONS = ("version grouser", "version mujoco")
"""Keys of the metadata that must agree for the same bits."""

Progress = Callable[[float, float], None]
"""Called with the simulated time so far and in all, s."""


@dataclass(frozen=True)
class Difference:
    """First step at which the repeated run differs."""

    step: int
    time: float
    """s."""
    parts: tuple[str, ...]
    """``OWNER/quantity``; empty: the whole state."""

    def __str__(self) -> str:
        named = [part.partition("/") for part in self.parts]
        causes = ", ".join(f"{quantity} of {owner}" for owner, _, quantity in named)
        return f"step {self.step} ({self.time:.3f} s): {causes or 'the state'} differ"


@dataclass
class Verification:
    """Result of `verify`."""

    states: int = 0
    """Number of states with equal hashes."""
    actions: int = 0
    """Number of repeated actions."""
    pictures: int = 0
    """Number of pictures with equal hashes."""
    seconds: float = 0.0
    """Simulated time that was verified."""
    duration: float = 0.0
    """Wall time, s."""
    difference: Difference | None = None
    """None: all hashes agree."""
    picture: str = ""
    """First picture that differs; empty: none."""
    not_compared: str = ""
    """Reason why pictures were not compared; empty: they were."""
    damaged: list[Damage] = field(default_factory=list)
    """Damaged parts of the file."""
    missing: str = ""
    """Part of the run that the recording lacks, so that it cannot be proven; empty: none."""

    @property
    def proven(self) -> bool:
        """True if the whole recording is intact and every hash agrees."""
        return bool(self.states) and not (
            self.difference or self.picture or self.damaged or self.missing
        )


def verify(
    folder: Path,
    *,
    world: World | None = None,
    trusted: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Simulate a recorded run again and compare every hash.

    Args:
        folder: of the recording.
        world: start from this world instead of the recorded one.
        trusted: as in `Recording`; needed if the recording began during a run, or a snapshot was
            restored in it.
        progress: called now and then.

    Raises:
        BadValue: it is not a recording of Grouser, or cannot be read.
        MissingDependency: the packages for recordings are not installed.
    """
    result, began = Verification(), perf_counter()
    with Recording(folder, trusted=trusted) as recording:
        with recording.path.open("rb") as stream:
            result.damaged = survey(stream).damaged
        if result.damaged:
            return result
        if recording.dropped:
            count = recording.dropped
            result.missing = "its end" if count < 0 else f"{count} items that were dropped"
        simulation, scheduled = start(recording, world)
        offset = recording.begin - simulation.passed
        compared = _StateComparison(simulation, recording.state_hashes(), offset, result)
        pictures = _PictureComparison(simulation, recording, offset, result)
        records = [
            replace(one, passed=one.passed - offset, scheduled=one.scheduled - scheduled)
            for one in recording.action_records()
            if not one.internal
        ]
        with pictures, compared:
            end = recording.end - offset
            for _ in _repeat(simulation, records, end, result, progress):
                if result.difference is not None:
                    break
            else:
                compared.check()
        result.seconds = (simulation.passed + offset - recording.begin) * recording.timestep
    result.duration = perf_counter() - began
    return result


def start(recording: Recording, world: World | None = None) -> tuple[Simulation, int]:
    """Return a simulation at the beginning of a recording, and the scheduled actions before.

    A recording that began later than its simulation starts from its first snapshot.
    """
    if world is not None or recording.fresh:
        chosen = recording.world if world is None else world
        return Simulation(chosen, seed=recording.seed, crash_folder=None), recording.scheduled
    for one in recording.snapshots():
        snapshot = recording.load_snapshot(one)
        return Simulation.from_snapshot(snapshot, crash_folder=None), one.scheduled
    raise BadValue(f"{recording.folder}: has no snapshot to start from")


def _repeat(
    simulation: Simulation,
    records: list[ActionRecord],
    end: int,
    result: Verification,
    progress: Progress | None,
) -> Iterator[None]:
    """Apply the actions and step to ``end``; yield after every slice of time."""
    timestep, at, begin = simulation.scene.timestep, 0, simulation.passed
    slice_ = max(1, round(SLICE / timestep))
    while simulation.passed < end or at < len(records):
        until, first = min(end, simulation.passed + slice_), at
        while at < len(records) and (records[at].passed < until or until == end):
            at += 1
        replay(simulation, records[first:at], until=until * timestep)
        result.actions += at - first
        if progress is not None:
            progress((simulation.passed - begin) * timestep, (end - begin) * timestep)
        yield


class _StateComparison(Observer):
    """Observer that compares the state with the recorded hashes."""

    def __init__(
        self, simulation: Simulation, hashes: Iterator[StateHash], offset: int, result: Verification
    ) -> None:
        self._simulation, self._offset, self._result = simulation, offset, result
        self._hashes, self._next = hashes, next(hashes, None)
        self._layout: StateLayout | None = None

    def __enter__(self) -> _StateComparison:
        state = self._simulation.state
        period = state.stepper.cycle * self._simulation.scene.timestep
        self._subscription = self._simulation.subscribe(self, rate_hz=1 / period)
        self.check()
        return self

    def __exit__(self, *_: object) -> None:
        self._subscription.close()

    def on_scene(self, scene: Scene) -> None:
        """Use the layout of the new scene."""
        self._layout = None

    def on_step(self, time: float) -> None:
        """Compare the state."""
        self.check()

    def check(self) -> None:
        """Compare the state with the next hash, if it is of this step."""
        simulation, result = self._simulation, self._result
        passed = simulation.passed + self._offset
        expected = self._next
        while expected is not None and expected.passed < passed:
            result.missing = result.missing or f"the state of step {expected.step}"
            expected = self._next = next(self._hashes, None)
        if expected is None or expected.passed > passed or result.difference is not None:
            return
        self._next = next(self._hashes, None)
        state = simulation.state
        if self._layout is None:
            self._layout = StateLayout.of(state.model, LayoutNames.of(state))
        vector = state_vector(state)
        if self._layout.fingerprint(vector) == expected.fingerprint:
            present = self._layout.hashes(vector)
        else:
            present = self._layout.hashes(vector) | {"": 0}
        if present == expected.parts and simulation.steps == expected.step:
            result.states += 1
            return
        names = sorted({*present, *expected.parts} - {""})
        differ = tuple(name for name in names if present.get(name) != expected.parts.get(name))
        result.difference = Difference(expected.step, expected.time, differ)


class _PictureComparison(Observer):
    """Observer that renders recorded pictures again and compares their hashes."""

    def __init__(
        self, simulation: Simulation, recording: Recording, offset: int, result: Verification
    ) -> None:
        self._simulation, self._offset, self._result = simulation, offset, result
        topics = picture_topics(list(recording.topics))
        found = recording.messages(*topics) if topics else ()
        self._expected = {(one.topic, one.time): one.content.sha256 for one in found}
        self._made_by = recording.metadata.get("grouser/renderer", {})
        self._topics: dict[tuple[str, str], str] = {}
        different = [
            key.partition(" ")[2]
            for key in VERSIONS
            if recording.metadata["grouser"].get(key) != _present_version(key)
        ]
        if different and self._expected:
            self._stop(f"they were made by another version of {' and '.join(different)}")

    def __enter__(self) -> _PictureComparison:
        self.on_scene(self._simulation.scene)
        self._subscription = self._simulation.subscribe(self) if self._expected else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._subscription is not None:
            self._subscription.close()

    def _stop(self, reason: str) -> None:
        self._result.not_compared, self._expected = reason, {}

    def on_scene(self, scene: Scene) -> None:
        """Find the topics of all sensors."""
        for robot in scene.robots:
            sensors = [one for (owner, _), (one, _) in scene.sensors.items() if owner == robot]
            for name, topic in sensor_topics(robot, sensors).items():
                self._topics[robot, name] = f"{OWN}pictures{topic}"

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Compare a picture."""
        simulation = self._simulation
        if not isinstance(reading.values, CameraFrame | DepthFrame) or not self._expected:
            return
        elapsed = nanoseconds((simulation.passed + self._offset) * simulation.scene.timestep)
        key = self._topics.get((robot, reading.sensor), ""), elapsed
        if (expected := self._expected.get(key)) is None:
            return
        try:
            found = reading.values.hash
        except GrouserError as error:
            self._stop(str(error))
            return
        if not self._result.pictures and renderer() != self._made_by:
            self._stop(f"another renderer made them: {', '.join(self._made_by.values())}")
        elif found == expected:
            self._result.pictures += 1
        elif not self._result.picture:
            self._result.picture = f"{robot}/{reading.sensor} at {reading.time:.3f} s"


def _present_version(key: str) -> str:
    from importlib.metadata import version

    return version(key.partition(" ")[2])
