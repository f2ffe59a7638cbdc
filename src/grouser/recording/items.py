"""Items that a recorder passes to its writer process, in the order of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy.typing as npt

from grouser.frames import Array
from grouser.recording.state_parts import Columns, LayoutNames
from grouser.rendering.render_state import RenderState
from grouser.ros.state_messages import Sample
from grouser.sensors.camera import Aim, Shot
from grouser.sensors.depth import DepthShot
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.observers import ActionRecord
from grouser.simulation.script.events import LogEntry
from grouser.simulation.snapshot import Snapshot
from grouser.world.file import World

OWN = "/grouser/"
"""Namespace of the topics that a proof and a replay need."""

Appearance = Mapping[str, npt.NDArray[Any]]
"""`APPEARANCE_FIELDS` of a model."""


@dataclass(frozen=True)
class RecordOptions:
    """Contents and format of a recording."""

    hz: float = 25.0
    """Samples of poses, odometry and joint states per simulated second."""
    topics: tuple[str, ...] = ()
    """Patterns such as ``/*/scan``; empty: all topics. Those below ``/grouser`` are always there:
    `grouser replay --verify` needs them."""
    compress: str = "zstd"
    """Compression of the file: zstd, lz4 or none."""
    wait: float = 5.0
    """Longest time that the simulation waits for a writer that is too slow, wall s; then data is
    dropped."""
    snapshots: float = 5.0
    """Simulated seconds between two snapshots, from which a run can be continued."""


@dataclass(frozen=True)
class Flush:
    """Everything before is passed to the operating system, and reported to the recorder."""


@dataclass(frozen=True)
class Beginning:
    """First item: where and how to record."""

    folder: Path
    options: RecordOptions
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class SceneItem:
    """The scene was replaced, reset or restored."""

    time: int
    """ns since the simulation was created, as in all items."""
    number: int
    """Running number."""
    world: World
    model: mujoco.MjModel | None
    """None: that of the scene before."""
    sensors: Mapping[tuple[str, str], Sensor]
    roots: Mapping[str, str]
    """Robot → name of its root body."""
    drives: Mapping[str, Mapping[str, int]]
    """Robot → its drives' indices in `Sample`."""
    layout: LayoutNames


@dataclass(frozen=True)
class StateItem:
    """State after a step."""

    time: int
    step: int
    passed: int
    vector: Array
    """Of `StateChanges`; with a sample MuJoCo's state."""
    columns: Columns | None
    """Columns of the state vector in ``vector``; None: all."""
    sample: Sample | None
    """None: the hash of the state is recorded."""


@dataclass(frozen=True)
class ReadingItem:
    """Reading of a sensor other than a camera."""

    time: int
    stamp: int
    """Time of the measurement, ns."""
    robot: str
    reading: Reading


@dataclass(frozen=True)
class PictureItem:
    """Input of a picture or depth image, which the writer process renders."""

    time: int
    stamp: int
    robot: str
    sensor: str
    scene: int
    """Number of the scene to which the state belongs."""
    state: tuple[Array, Array, Array, Array]
    aim: Aim | None
    """None: a depth image."""
    pattern_seed: int
    """Of a depth image."""
    seed: int
    appearance: Appearance | None
    """Changed appearance of the scene; None: unchanged."""

    def shot(self, model: mujoco.MjModel) -> Shot | DepthShot:
        """Return the shot of a model."""
        state = RenderState(model, *self.state)
        if self.aim is None:
            return DepthShot(state, self.pattern_seed, self.seed)
        return Shot(state, self.aim, self.seed)


@dataclass(frozen=True)
class SceneTopics:
    """Scene for the picture process."""

    scene: SceneItem
    """With the cameras only."""
    topics: Mapping[tuple[str, str], str]
    """Topic of every camera by robot and name."""


@dataclass(frozen=True)
class RenderReady:
    """The picture process has drawn its first picture."""

    renderer: Mapping[str, str]
    """Description of the renderer."""


@dataclass(frozen=True)
class RenderedPicture:
    """Serialised messages of a picture; none if nothing can be drawn any more."""

    time: int
    messages: tuple[tuple[str, str, bytes], ...]
    """Topic, type, content."""


@dataclass(frozen=True)
class RenderFailure:
    """The picture process cannot draw."""

    reason: str


def shot_arrays(state: RenderState) -> tuple[Array, Array, Array, Array]:
    """Return the arrays of the state that a picture shows."""
    return state.qpos, state.qvel, state.mocap_pos, state.mocap_quat


@dataclass(frozen=True)
class EventItem:
    """Entry of the event log."""

    time: int
    entry: LogEntry


@dataclass(frozen=True)
class LogItem:
    """Line of Python's log."""

    time: int
    level: int
    name: str
    text: str
    file: str
    function: str
    line: int


@dataclass(frozen=True)
class ActionItem:
    """Action that was applied."""

    time: int
    record: ActionRecord


@dataclass(frozen=True)
class SnapshotItem:
    """State from which the run can be continued."""

    time: int
    passed: int
    scheduled: int
    actions: int
    """Number of actions that were recorded before."""
    snapshot: Snapshot


@dataclass(frozen=True)
class Ending:
    """Last item."""

    time: int
    passed: int
    dropped: int
    """Number of items that were dropped because the writer was too slow."""


Item = (
    SceneItem | StateItem | ReadingItem | PictureItem | EventItem | LogItem | ActionItem
    | SnapshotItem | Ending
)  # fmt: skip
