"""Handles of one robot of a simulation: pose, velocity, commands, sensors, drives, energy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array, Pose
from grouser.physics.drives import Drive, Setpoint
from grouser.robots.robot import Robot
from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.changes.actions import AimCamera, ResetSensor, SetSensorRate
from grouser.simulation.policy import (
    PolicyControl,
    PolicyFunction,
    control_steps,
    declaration,
    make_policy,
)

if TYPE_CHECKING:
    from grouser.simulation.changes.command_limits import LimitedCommand
    from grouser.simulation.observers import Subscription
    from grouser.simulation.script.events import LogEntry
    from grouser.simulation.simulation import Simulation

Handle = TypeVar("Handle")


class Handles(Mapping[str, Handle], Generic[Handle]):
    """Read-only mapping of names to handles; always those that exist at present.

    Args:
        kind: kind of the named things, for errors.
        names: returns the present names.
        make: returns the handle of a name.
    """

    def __init__(
        self, kind: str, names: Callable[[], list[str]], make: Callable[[str], Handle]
    ) -> None:
        self._kind, self._names, self._make = kind, names, make

    def __getitem__(self, name: str) -> Handle:
        if name not in self._names():
            owner, _, what = self._kind.rpartition(" ")
            raise unknown(owner or "simulation", what, name, self._names())
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def __repr__(self) -> str:
        return f"<{self._kind}s: {', '.join(self._names()) or 'none'}>"


@dataclass(frozen=True)
class Velocity:
    """Velocity of a body in the world frame."""

    linear: Array
    """Of the origin of its frame, m/s, (3,)."""
    angular: Array
    """rad/s, (3,)."""


@dataclass(frozen=True, repr=False)
class SensorHandle:
    """One sensor of a robot."""

    simulation: Simulation
    robot: str
    name: str

    @property
    def description(self) -> Sensor:
        """Description of the sensor."""
        return self.simulation.scene.sensors[self.robot, self.name][0]

    def read(self) -> Reading:
        """Return the newest available reading; with a delay, it was measured before."""
        return self.simulation.read(self.robot, self.name)

    def measure(self) -> Reading:
        """Read the sensor now, in addition to its schedule."""
        return self.simulation.measure(self.robot, self.name)

    def reset(self) -> None:
        """Restart a sensor that accumulates: encoder, odometry, INS."""
        self.simulation.apply(ResetSensor(self.robot, self.name))

    def set_rate(self, rate_hz: float) -> None:
        """Set the readings per simulated second, until the world is reset."""
        self.simulation.apply(SetSensorRate(self.robot, self.name, rate_hz))

    def aim(
        self, *, pan: float | None = None, tilt: float | None = None, zoom: float | None = None
    ) -> None:
        """Aim and zoom a camera: pan (left), tilt (down), rad; None keeps a value."""
        self.simulation.apply(AimCamera(self.robot, self.name, pan, tilt, zoom))

    @property
    def hashes(self) -> dict[float, str]:
        """SHA-256 of the pictures of a camera with ``record: true``, by time (s)."""
        bound: Any = self.simulation.scene.sensors[self.robot, self.name][1]
        return dict(bound.memory.hashes) if isinstance(self.description, Camera) else {}

    def __repr__(self) -> str:
        return f"<sensor '{self.name}' of '{self.robot}': {self.description}>"


@dataclass(frozen=True, repr=False)
class DriveHandle:
    """One drive of a robot; m, m/s, N for belts and slides, rad, rad/s, N m for hinges."""

    simulation: Simulation
    robot: str
    name: str

    @property
    def description(self) -> Drive:
        """Limits and stiffness."""
        return self.simulation.scene.robots[self.robot].drives[self.name]

    @property
    def position(self) -> float:
        """Present position, m or rad, not wrapped."""
        return self.simulation.angles(self.robot)[self.name]

    @property
    def energy(self) -> float:
        """Signed work since the start, J."""
        return self.simulation.energy(self.robot)[self.name]

    @property
    def effort(self) -> float:
        """Integral of |force x speed| since the start, J."""
        return self.simulation.effort(self.robot)[self.name]

    @property
    def power(self) -> float:
        """Present mechanical power, W."""
        return self.simulation.power(self.robot)[self.name]

    @property
    def limited(self) -> LimitedCommand | None:
        """Last command, if it exceeds a limit of the drive, which then goes to the limit."""
        return self.simulation.command_limits.present.get((self.robot, self.name))

    def command(self, setpoint: float | Setpoint) -> None:
        """Command the drive: a number is a speed if it rolls, else an angle."""
        self.simulation.command(self.robot, {self.name: setpoint})

    def __repr__(self) -> str:
        return f"<drive '{self.name}' of '{self.robot}': {self.description}>"


@dataclass(frozen=True, repr=False)
class RobotHandle:
    """One robot of a simulation, by name; returned by `Simulation.robots`."""

    simulation: Simulation
    name: str

    @property
    def description(self) -> Robot:
        """The built robot: drives, gait, groups, limits, mass."""
        return self.simulation.scene.robots[self.name]

    @property
    def pose(self) -> Pose:
        """Pose of its root, X_WB."""
        return self.simulation.pose(self.name)

    @property
    def velocity(self) -> Velocity:
        """Velocity of its root."""
        state = self.simulation.state
        body = state.model.body(state.body(self.name)).id
        data, values = self.simulation.data, np.empty(6)
        mujoco.mj_comPos(state.model, data)
        mujoco.mj_comVel(state.model, data)
        mujoco.mj_objectVelocity(state.model, data, mujoco.mjtObj.mjOBJ_XBODY, body, values, 0)
        return Velocity(values[3:].copy(), values[:3].copy())

    def command(
        self, command: Mapping[str, float | Setpoint] | None = None, **more: float | Setpoint
    ) -> None:
        """Command the robot, as `Simulation.command` does."""
        self.simulation.command(self.name, command, **more)

    def control(
        self, policy: PolicyFunction | type[object], *, rate_hz: float | None = None
    ) -> Subscription:
        """Let a policy command the robot from now on; see `grouser.Policy`.

        Args:
            policy: a policy, or its class; it is reset with the seed of the simulation.
            rate_hz: calls per simulated second; None: as the policy declares.

        Returns:
            The subscription; its ``close`` ends the control.

        Raises:
            BadValue: it is no policy, or declares a sensor that the robot lacks.
        """
        made = make_policy(policy) if isinstance(policy, type) else policy
        if not callable(made):
            raise BadValue(f"control: {made!r} is no policy, it cannot be called")
        scene = self.simulation.scene
        steps = control_steps(scene, declaration(made, "rate_hz") if rate_hz is None else rate_hz)
        control = PolicyControl(self.simulation, made, self.name)
        return self.simulation.subscribe(control, rate_hz=1 / (steps * scene.timestep))

    @property
    def limited(self) -> dict[str, LimitedCommand]:
        """Drives, and inputs of the gait, whose last command exceeds a limit."""
        present = self.simulation.command_limits.present
        return {what: found for (robot, what), found in present.items() if robot == self.name}

    @property
    def events(self) -> list[LogEntry]:
        """Entries of the event log that it caused, oldest first."""
        return [entry for entry in self.simulation.event_log if entry.by == self.name]

    @property
    def sensors(self) -> Mapping[str, SensorHandle]:
        """Its sensors by name."""
        simulation, name = self.simulation, self.name

        def names() -> list[str]:
            return [sensor for robot, sensor in simulation.scene.sensors if robot == name]

        return Handles(
            f"robot '{name}' sensor", names, lambda sensor: SensorHandle(simulation, name, sensor)
        )

    @property
    def drives(self) -> Mapping[str, DriveHandle]:
        """Its drives by name."""
        simulation, name = self.simulation, self.name
        return Handles(
            f"robot '{name}' drive",
            lambda: list(simulation.scene.robots[name].drives),
            lambda drive: DriveHandle(simulation, name, drive),
        )

    @property
    def angles(self) -> dict[str, float]:
        """Position of each drive, rad (belts: m), not wrapped."""
        return self.simulation.angles(self.name)

    @property
    def energy(self) -> float:
        """Signed mechanical work of all drives since the start, J."""
        return sum(self.simulation.energy(self.name).values())

    @property
    def effort(self) -> float:
        """Integral of |force x speed| over all drives since the start, J."""
        return sum(self.simulation.effort(self.name).values())

    @property
    def electric_energy(self) -> float:
        """Electric energy of all motors since the start, J; 0 without motors."""
        return sum(self.simulation.state.electric_energy(self.name).values())

    @property
    def losses(self) -> float:
        """Work against friction of all drives, belts and wheels since the start, J."""
        return sum(self.simulation.state.losses(self.name).values())

    @property
    def power(self) -> float:
        """Present mechanical power of all drives, W."""
        return sum(self.simulation.power(self.name).values())

    def __repr__(self) -> str:
        return f"<robot '{self.name}' at {self.pose.position.round(3).tolist()} m>"
