"""Batch: many simulations of one world that a program commands, steps and reads together.

All quantities are arrays with a leading axis of n simulations. Each simulation has the same bits as
a `Simulation` with the same seed and commands, at any number of threads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.cores import cores
from grouser.errors import BadValue, unknown
from grouser.frames import Array, rotate
from grouser.physics.drives import Setpoint
from grouser.sensors.sensor import Reading
from grouser.simulation.divergence.watch import log_warnings
from grouser.simulation.policy import RobotRoot
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import fingerprint
from grouser.simulation.schedule import check_seed, whole_steps
from grouser.trials.batch_arguments import (
    AnyWorld,
    compose_worlds,
    distinct_worlds,
    numeric_array,
    whole_number,
)
from grouser.trials.batch_sensors import BatchSensors, select_sensors
from grouser.trials.scene_batch import Rows, RowStart, SceneBatch
from grouser.trials.starts import SceneStarts
from grouser.world.file import World

Values = npt.ArrayLike
"""Number for all simulations, or one per simulation."""

Mask = npt.ArrayLike
"""One truth value per simulation."""


@dataclass(frozen=True, eq=False)
class BatchSnapshot:
    """State of some simulations of a batch; returned by `Batch.save`."""

    worlds: tuple[World, ...]
    """Worlds of the batch; a batch restores snapshots of the same worlds."""
    world_numbers: npt.NDArray[np.int64]
    """Index of each simulation's world in `worlds`, (k,)."""
    steps: npt.NDArray[np.int64]
    """Steps since the start, (k,)."""
    seeds: tuple[int, ...]
    state: Array
    """MuJoCo's state, (k, numbers)."""
    lagged: Mapping[str, Array]
    """Derived quantities that are read between two steps, by name, (k, ...)."""
    fields: Mapping[str, Array]
    """Model fields that differ between simulations, by name, (k, ...)."""
    memory: tuple[Array, ...]
    """As `StepMemory.arrays`, (k, ...)."""
    sensors: tuple[bytes, ...]
    """State of the sensors, pickled, (k,)."""

    def __len__(self) -> int:
        return len(self.steps)


class Batch:
    """Simulations of one world, or of worlds of one layout, stepped together on threads."""

    def __init__(
        self,
        world: AnyWorld | Sequence[AnyWorld],
        n: int | None = None,
        *,
        seeds: int | Sequence[int] | None = None,
        threads: int = 0,
        sensors: Mapping[str, Collection[str]] | None = None,
        friction: Values | None = None,
        mass: Mapping[str, Values] | None = None,
        poses: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        """Compile ``world`` and start ``n`` simulations.

        Args:
            world: as for `Simulation`, or a list of n worlds of one layout: they differ in numbers
                such as the height of a step, in the heights of a height map or in a mesh of as many
                pieces. Worlds with events, triggers or a match need a `Simulation`.
            n: number of simulations; may be omitted for a list of worlds.
            seeds: one per simulation; a number: the first of n consecutive seeds; None: the
                world's, and so on.
            threads: number of threads that step physics; 0: one per core.
            sensors: names of the sensors that are read, by robot; None: all except cameras.
            friction: factor on the sliding friction of all geoms.
            mass: factor on mass and inertia of a robot's root body, by robot.
            poses: start pose of a robot's root, by robot: x, y, z (m), qw, qx, qy, qz; (7,) or
                (n, 7).

        Raises:
            WorldFileError: a world is invalid.
            BadValue: an argument has an impossible type, shape or value.
        """
        log_warnings()
        worlds, numbers = distinct_worlds(world, n)
        count = len(numbers)
        self._worlds = tuple(worlds)
        self._scenes = compose_worlds(worlds)
        self._world_of = np.array(numbers)
        self._starts = {id(scene): SceneStarts(scene) for scene in self._scenes}
        first = self._scenes[0]
        keys = select_sensors(first, sensors)
        threads = whole_number("threads", threads, 0) or cores()
        self._batch = SceneBatch(self._scenes, count, threads=threads, persistent=bool(keys))
        self._sensors = BatchSensors(self._batch, [self._scene(row) for row in range(count)], keys)
        self._roots = {name: RobotRoot(first, name) for name in first.robots}
        self._seeds = [check_seed(worlds[one].seed + row) for row, one in enumerate(numbers)]
        self._friction = np.ones(count)
        self._mass: dict[str, Array] = {}
        self._places: dict[str, Array] = {}
        self._steps = np.zeros(count, np.int64)
        self._diverged = np.zeros(count, bool)
        self.reset(seeds=seeds, friction=friction, mass=mass, poses=poses)

    def __len__(self) -> int:
        """Return the number of simulations."""
        return len(self._steps)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} simulations of '{self._worlds[0].name}'>"

    # -- start -------------------------------------------------------------------------------

    def reset(
        self,
        mask: Mask | None = None,
        *,
        seeds: int | Sequence[int] | None = None,
        friction: Values | None = None,
        mass: Mapping[str, Values] | None = None,
        poses: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        """Return simulations to their start; nothing is compiled.

        All other arguments have values for all n simulations, of which those in ``mask`` are used;
        what is omitted stays as it was at the last reset.

        Args:
            mask: True for each simulation to reset; None: all.
            seeds: see `Batch`.
            friction: see `Batch`.
            mass: see `Batch`.
            poses: see `Batch`.
        """
        rows = self._rows(mask)
        listed = self._seeds if seeds is None else self._checked_seeds(seeds)
        self._set_parameters(rows, friction, mass or {}, poses or {})
        for row in rows.tolist():
            self._seeds[row] = listed[row]
        batch = self._batch
        batch.load({row: self._start(row) for row in rows.tolist()})
        self._initialize_robots(rows)
        self._steps[rows], self._diverged[rows] = 0, False
        for row in rows.tolist():
            self._sensors.reset(row, self._seeds[row])
        self._sensors.read_due(self._steps)

    def _start(self, row: int) -> RowStart:
        scene = self._scene(row)
        fields, state = self._starts[id(scene)].varied(
            friction=float(self._friction[row]),
            masses={robot: float(values[row]) for robot, values in self._mass.items()},
            places={
                robot: values[row].tolist()
                for robot, values in self._places.items()
                if np.isfinite(values[row, 0])
            },
        )
        return RowStart(scene, fields, state)

    def _initialize_robots(self, rows: Rows) -> None:
        """Set the postures and first commands of robots; commands may differ between worlds."""
        batch = self._batch
        for number, world in enumerate(self._worlds):
            those = rows[self._world_of[rows] == number]
            for robot in world.robots if len(those) else ():
                batch.stepper.initialize_robot(
                    batch.rows, batch.memory, robot.name, robot.command, those
                )

    def _checked_seeds(self, seeds: int | Sequence[int]) -> list[int]:
        """Return one seed per simulation."""
        if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
            seeds = [check_seed(seeds) + row for row in range(len(self))]
        given = list(seeds) if isinstance(seeds, Sequence | np.ndarray) else [seeds]
        if len(given) != len(self):
            raise BadValue(f"batch: {len(given)} seeds given, {len(self)} are needed")
        return [check_seed(seed) for seed in given]

    def _set_parameters(
        self,
        rows: Rows,
        friction: Values | None,
        mass: Mapping[str, Values],
        poses: Mapping[str, npt.ArrayLike],
    ) -> None:
        factors = {robot: self._factor(f"mass of '{robot}'", one) for robot, one in mass.items()}
        places = {robot: self._pose_values(robot, given) for robot, given in poses.items()}
        for robot in (*mass, *poses):
            self._root(robot)  # raises UnknownName
        if friction is not None:
            self._friction[rows] = self._factor("friction", friction)[rows]
        if friction is not None or mass:
            self._batch.vary_physics()
        for robot, values in factors.items():
            self._mass.setdefault(robot, np.ones(len(self)))[rows] = values[rows]
        for robot, values in places.items():
            own = self._places.setdefault(robot, np.full((len(self), 7), np.nan))
            own[rows] = values[rows]

    def _factor(self, name: str, given: Values) -> Array:
        values = np.broadcast_to(self._numbers(name, given), (len(self),))
        if not (values > 0).all():
            row = int(np.argmin(values > 0))
            raise BadValue(
                f"batch: the factor {name} of simulation {row} is {values[row]}, must be above 0"
            )
        return values

    def _pose_values(self, robot: str, given: npt.ArrayLike) -> Array:
        if not self._root(robot).robot.free:
            raise BadValue(f"batch: '{robot}' is bolted to the world, it cannot start elsewhere")
        values = numeric_array(f"poses of '{robot}'", given)
        if values.shape not in ((7,), (len(self), 7)):
            raise BadValue(
                f"batch: poses of '{robot}' have shape {values.shape}, must be (7,) or "
                f"({len(self)}, 7): x, y, z (m), qw, qx, qy, qz"
            )
        lengths = np.linalg.norm(values[..., 3:], axis=-1)
        if not (np.abs(lengths - 1.0) < 1e-3).all():
            raise BadValue(
                f"batch: quaternions of '{robot}' have lengths from {lengths.min():g} to "
                f"{lengths.max():g}, must be 1"
            )
        return np.broadcast_to(values, (len(self), 7))

    # -- command and step --------------------------------------------------------------------

    def command(
        self,
        robot: str,
        command: Mapping[str, Any] | None = None,
        *,
        mask: Mask | None = None,
        **more: Any,
    ) -> None:
        """Command a robot; a command is valid until the next one.

        ``batch.command("quince", forward=speeds, front=angle(0.8))``. Keys are those of
        `Simulation.command`; each value is a number or `Setpoint`, or has one per simulation.

        Args:
            robot: name of the robot.
            command: values by key, in addition to keyword arguments.
            mask: True for each simulation to command; None: all.
            more: values by key.
        """
        self._root(robot)
        rows = None if mask is None else self._rows(mask)
        values = {
            key: self._value(key, value, rows) for key, value in {**(command or {}), **more}.items()
        }
        which = slice(None) if rows is None else rows
        batch = self._batch
        batch.stepper.command(batch.rows, batch.memory, robot, values, which)

    def _value(self, key: str, given: Any, rows: Rows | None) -> Any:
        """Return a value of a command for the simulations ``rows``; None: all."""
        if isinstance(given, Setpoint):
            return Setpoint(given.mode, self._value(key, given.value, rows))
        if isinstance(given, str | bool | None):
            return given  # the robot raises
        values = self._numbers(key, given)
        if values.ndim == 0:
            return float(values)
        return values if rows is None else values[rows]

    def _numbers(self, name: str, given: Values) -> Array:
        """Return a number or n numbers as an array, checked."""
        values = numeric_array(name, given)
        if values.shape not in ((), (len(self),)):
            raise BadValue(
                f"batch: {name} has shape {values.shape}, a number or {len(self)} numbers are "
                "needed"
            )
        return values

    def step(self, seconds: float | None = None) -> None:
        """Advance all simulations by one step, or by ``seconds``, a whole number of time steps.

        A simulation that diverges stands still until its reset; see `diverged`.
        """
        steps = 1 if seconds is None else whole_steps(seconds, self.timestep)
        running = np.flatnonzero(~self._diverged).astype(np.int32)
        cycle = self._batch.stepper.cycle
        phases = self._steps[running] % cycle
        apart = np.unique(phases)
        for phase in apart.tolist():
            self._advance(running[phases == phase], steps, aligned=len(apart) == 1)

    def round_to_steps(self, seconds: float) -> float:
        """Return the multiple of the time step that is nearest to ``seconds``, for `step`."""
        return round(seconds / self.timestep) * self.timestep

    def _advance(self, rows: Rows, steps: int, *, aligned: bool) -> None:
        """Advance simulations that are at the same step of the stepper's cycle.

        Those that were reset at another step of it are updated at other times; then ``aligned`` is
        False, and they are stepped one group after the other.
        """
        batch, now = self._batch, int(self._steps[rows[0]]) if len(rows) else 0
        while steps > 0 and len(rows):
            run = min(steps, self._sensors.steps_to_next(rows, self._steps))
            batch.run(rows, run, now, alone=not aligned)
            steps, now = steps - run, now + run
            self._steps[rows] += run
            rows = self._without_diverged(rows)
            self._sensors.read_due(self._steps)

    def _without_diverged(self, rows: Rows) -> Rows:
        """Stop the simulations that have just diverged; return the others."""
        diverged = self._batch.diverged()[rows]
        if not diverged.any():
            return rows
        gone = rows[diverged]
        self._batch.load({row: self._start(row) for row in gone.tolist()})
        self._diverged[gone] = True
        self._sensors.stop(gone)
        return rows[~diverged]

    # -- read --------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Simulated time since the start, s, (n,)."""
        return np.asarray(self._steps * self.timestep)

    @property
    def timestep(self) -> float:
        """Length of one step, s."""
        return self._batch.scene.timestep

    @property
    def cycle(self) -> float:
        """Time after which the updates of belts, drives and gaits repeat, s.

        Simulations whose times differ by multiples of it are stepped together, others in groups.
        """
        return self._batch.stepper.cycle * self.timestep

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model that all simulations share, except for fields that differ between them."""
        return self._batch.physics.model

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seed of each simulation."""
        return tuple(self._seeds)

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots."""
        return tuple(self._roots)

    @property
    def sensors(self) -> tuple[tuple[str, str], ...]:
        """Robot and name of each sensor that is read."""
        return self._sensors.keys

    @property
    def diverged(self) -> npt.NDArray[np.bool_]:
        """True for each simulation whose physics has diverged since its reset, (n,).

        It stands still in its start state until it is reset.
        """
        return self._diverged.copy()

    def poses(self, robot: str) -> Array:
        """Return the pose of a robot's root: x, y, z (m), qw, qx, qy, qz, (n, 7)."""
        poses = self._root(robot).pose(self._batch.rows.qpos)
        if not self._root(robot).robot.free:  # it may stand elsewhere in another world
            fixed = [RobotRoot(scene, robot).pose(np.empty(0)) for scene in self._scenes]
            poses[:] = np.array(fixed)[self._world_of]
        return poses

    def velocities(self, robot: str) -> Array:
        """Return the velocity of a robot's root frame in the world frame, (n, 6).

        Linear of its origin (m/s), then angular (rad/s).
        """
        root, rows = self._root(robot), self._batch.rows
        if not root.robot.free:
            return np.zeros((len(self), 6))
        velocities = rows.qvel[:, root.dof : root.dof + 6].copy()
        wxyz = rows.qpos[:, root.qpos + 3 : root.qpos + 7]
        velocities[:, 3:] = rotate(wxyz, velocities[:, 3:])  # MuJoCo's is in the body frame
        return velocities

    def drives(self, robot: str) -> tuple[str, ...]:
        """Return the names of a robot's drives, in the order of the columns of `angles`."""
        self._root(robot)
        return tuple(self._batch.stepper.places[robot])

    def angles(self, robot: str) -> Array:
        """Return the position of each drive (rad; belts: m), not wrapped, (n, drives)."""
        batch = self._batch
        return self._of_drives(robot, batch.stepper.travel(batch.rows, batch.memory))

    def energy(self, robot: str) -> Array:
        """Return the signed work of each drive since the start, J, (n, drives)."""
        return self._of_drives(robot, self._batch.memory.work)

    def effort(self, robot: str) -> Array:
        """Return the integral of |force x speed| of each drive so far, J, (n, drives)."""
        return self._of_drives(robot, self._batch.memory.effort)

    def electric_energy(self, robot: str) -> Array:
        """Return the electric energy of each drive's motor so far, J, (n, drives); 0: no motor."""
        return self._of_lossy_drives(robot, self._batch.memory.losses.electric)

    def losses(self, robot: str) -> Array:
        """Return the work against friction of each drive so far, J, (n, drives)."""
        return self._of_lossy_drives(robot, self._batch.memory.losses.lost)

    def power(self, robot: str) -> Array:
        """Return the mechanical power of each drive, W, (n, drives)."""
        batch = self._batch
        return self._of_drives(robot, batch.stepper.drives.work.power(batch.rows))

    def readings(self, robot: str, sensor: str) -> dict[str, npt.NDArray[Any]]:
        """Return the newest available readings of a sensor: (n, ...) arrays by name.

        Raises:
            UnknownName: there is no such sensor, or it is not read (`sensors` of `Batch`).
            BadValue: values differ in shape between simulations; use `reading`.
        """
        self._sensors.check(robot, sensor)
        rows = self._sensors.readings(robot, sensor, self.time.tolist())
        names = [*rows[0].values]
        try:
            table = np.array([[*reading.values.values()] for reading in rows])
        except ValueError:  # some values are arrays
            table = np.empty(0)
        if table.ndim == 2 and table.dtype == float:  # one number each
            return dict(zip(names, table.T.copy(), strict=True))
        return {name: _stack(sensor, name, rows) for name in names}

    def reading(self, row: int, robot: str, sensor: str) -> Reading:
        """Return the newest available reading of a sensor in simulation ``row``."""
        self._sensors.check(robot, sensor)
        row = self._row(row)
        return self._sensors.readings(robot, sensor, self.time.tolist())[row]

    def fingerprints(self) -> list[str]:
        """Return a hash of each simulation's state, equal to `Simulation.fingerprint`."""
        batch = self._batch
        return [
            fingerprint(state, batch.memory, row) for row, state in enumerate(batch.physics.state)
        ]

    # -- snapshots ---------------------------------------------------------------------------

    def save(self, mask: Mask | None = None) -> BatchSnapshot:
        """Return the state of the simulations in ``mask`` (None: all), for `restore`."""
        rows, batch = self._rows(mask), self._batch
        return BatchSnapshot(
            worlds=self._worlds,
            world_numbers=self._world_of[rows],
            steps=self._steps[rows],
            seeds=tuple(self._seeds[row] for row in rows.tolist()),
            state=batch.physics.state[rows],
            lagged={name: array[rows] for name, array in batch.lagged().items()},
            fields={name: array[rows] for name, array in batch.fields().items()},
            memory=tuple(array[rows] for array in batch.memory.arrays()),
            sensors=tuple(self._sensors.save(row) for row in rows.tolist()),
        )

    def restore(self, snapshot: BatchSnapshot, mask: Mask | None = None) -> None:
        """Continue simulations from a snapshot, in the same bits.

        They take over its worlds and seeds; the start that `reset` returns to keeps its other
        parameters.

        Args:
            snapshot: of one simulation, or of as many as ``mask`` has.
            mask: True for each simulation to restore; None: all.

        Raises:
            BadValue: the snapshot is of other worlds, or has another number of simulations.
        """
        rows = self._rows(mask)
        if snapshot.worlds != self._worlds:
            raise BadValue("batch: the snapshot is of other worlds than this batch")
        if len(snapshot) not in (1, len(rows)):
            raise BadValue(
                f"batch: the snapshot has {len(snapshot)} simulations, 1 or {len(rows)} are needed"
            )
        chosen = np.arange(len(rows)) if len(snapshot) == len(rows) else np.zeros(len(rows), int)
        if not snapshot.fields.keys() <= self._batch.fields().keys():
            self._batch.vary_physics()
        self._batch.restore(
            rows,
            state=snapshot.state[chosen],
            lagged={name: array[chosen] for name, array in snapshot.lagged.items()},
            fields={name: array[chosen] for name, array in snapshot.fields.items()},
            memory=[array[chosen] for array in snapshot.memory],
        )
        self._steps[rows], self._diverged[rows] = snapshot.steps[chosen], False
        self._world_of[rows] = snapshot.world_numbers[chosen]
        for row, number in zip(rows.tolist(), chosen.tolist(), strict=True):
            self._seeds[row] = snapshot.seeds[number]
            self._sensors.restore(row, snapshot.sensors[number], self._scene(row))

    # -- implementation ----------------------------------------------------------------------

    def _scene(self, row: int) -> Scene:
        return self._scenes[int(self._world_of[row])]

    def _root(self, robot: str) -> RobotRoot:
        if robot not in self._roots:
            raise unknown("batch", "robot", robot, self._roots)
        return self._roots[robot]

    def _row(self, row: object) -> int:
        row = whole_number("simulation", row, 0)
        if row >= len(self):
            raise BadValue(f"batch: simulation is {row}, must be below {len(self)}")
        return row

    def _rows(self, mask: Mask | None) -> Rows:
        """Return the indices of the simulations in ``mask``."""
        if mask is None:
            return np.arange(len(self), dtype=np.int32)
        values = np.asarray(mask)
        if values.dtype != bool or values.shape != (len(self),):
            raise BadValue(
                f"batch: mask has type {values.dtype} and shape {values.shape}, "
                f"{len(self)} truth values are needed"
            )
        return np.flatnonzero(values).astype(np.int32)

    def _of_lossy_drives(self, robot: str, values: Array) -> Array:
        """Return columns of `LossMemory` in the order of a robot's drives; 0 for the others."""
        columns = np.zeros((len(self), len(self.drives(robot))))
        place = {name: number for number, name in enumerate(self._batch.stepper.losses.names)}
        for column, drive in enumerate(self.drives(robot)):
            if (number := place.get(f"{robot}/{drive}")) is not None:
                columns[:, column] = values[:, number]
        return columns

    def _of_drives(self, robot: str, values: Array) -> Array:
        """Return the columns of a robot's drives."""
        self._root(robot)
        return values[:, list(self._batch.stepper.places[robot].values())]


def _stack(sensor: str, name: str, readings: Sequence[Reading]) -> npt.NDArray[Any]:
    """Return one value of all simulations' readings, (n, ...)."""
    try:
        return np.stack([np.asarray(reading.values[name]) for reading in readings])
    except (KeyError, ValueError):
        raise BadValue(
            f"batch: '{name}' of sensor '{sensor}' differs in shape between simulations; "
            "read them one by one with Batch.reading"
        ) from None
