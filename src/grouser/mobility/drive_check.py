"""Drive check: how a robot drives, turns and parks, and whether the physics of it is plausible.

The robot drives `DISTANCE` straight on, turns once to the left and once to the right on level
ground, and parks on a slope of `SLOPE_DEG`, to which its ground is tilted. The straight drive and
the left turn are repeated with half the time step. Judged are the vertical vibration of the root,
the sign of the drives' work, chatter (fast changes of the horizontal velocity of the foremost
point), drift, and the influence of the time step. Wheels, tracks and legs take the same checks; the
bounds of legs are wider, because a walking body rises, falls and surges with every stride.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.frames import Array, degrees, millimetres, radians, to_rpy, up_tilt
from grouser.mobility.apparatus import FRICTION
from grouser.mobility.robot_contract import ContractPoint
from grouser.mobility.suite import (
    SPEED,
    STUCK_AFTER,
    STUCK_WITHIN,
    TIPPED_DEG,
    Candidate,
    measure_candidate,
)
from grouser.robots.drive_command import drive_command, top_speed
from grouser.robots.robot import Robot
from grouser.simulation.policy import RobotRoot
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

DISTANCE = 1.0
"""Length of the straight drive, m."""
SLOPE_DEG = 10.0
"""Slope for parking, deg."""
SETTLE, PARK = 1.0, 2.0
"""Time before each manoeuvre, and of parking, s."""
START_UP = 0.5
"""Time after the command that is not judged for vibration and chatter, s."""
SAMPLE = 0.005
"""Time between samples, s."""
SMOOTHING = 0.1
"""Time over which a velocity is averaged; faster changes are chatter, s."""
TIME_FACTOR = 8.0
"""Time limit of a manoeuvre, as a multiple of its time without slip."""
LONGEST = 60.0
"""Largest time limit of a manoeuvre, s."""


@dataclass(frozen=True, kw_only=True)
class DriveBounds:
    """Bounds of the drive check; estimates, from the shipped robots with room to spare."""

    vibration: float
    """Root mean square of the vertical velocity, m/s."""
    chatter: float
    """Root mean square of the fast part of the horizontal velocity, m/s."""
    offset: float
    """Lateral offset of the straight drive as a part of its length, and its change of heading,
    rad."""
    creep: float
    """Speed of a parked robot, m/s."""
    step: float
    """Relative change of way, turn and work with half the time step."""


ROLLING = DriveBounds(vibration=0.03, chatter=0.03, offset=0.05, creep=0.002, step=0.1)
"""Bounds of wheels and tracks."""
WALKING = DriveBounds(vibration=0.2, chatter=0.2, offset=0.3, creep=0.005, step=0.3)
"""Bounds of legs."""
GAIN = 1e-3
"""Negative work that is ignored, as a part of weight times way."""

HINTS = {
    "goes": "check the directions and signs of drives, their force and the friction",
    "vibration": "use shorter links (pitch) or lower grousers, softer contacts, or less force; "
    "method: surface or wheels has no links",
    "work": "drives must not gain energy: check bends and pitch of the belt, or halve the timestep",
    "chatter": "lower the force of the drives, or raise their inertia or damping; "
    "or halve the timestep",
    "drift": "check centre of mass and symmetry of the sides",
    "parking": "check the force of the drives, friction, ground contacts and the height of the "
    "centre of mass",
    "step": "set a smaller timestep in the robot file, until results no longer depend on it",
}
"""Hints by check."""


@dataclass(frozen=True)
class DriveTrace:
    """Samples of one manoeuvre."""

    times: Array
    """(n,), s, since the command."""
    positions: Array
    """(n, 3), m."""
    headings: Array
    """(n,), not wrapped, rad."""
    velocities: Array
    """(n, 3), of the root in the world, m/s."""
    turn_rates: Array
    """(n,), rad/s."""
    work: Array
    """(n,), signed work of all drives since the command, J."""

    @property
    def way(self) -> Array:
        """Distance from the start along the initial heading and to its left, (n, 2), m."""
        ahead, left = math.cos(self.headings[0]), math.sin(self.headings[0])
        turn = np.array([[ahead, -left], [left, ahead]])
        return np.asarray((self.positions - self.positions[0])[:, :2] @ turn)

    @property
    def turned(self) -> Array:
        """Change of heading, left positive, (n,), rad."""
        return np.asarray(self.headings - self.headings[0])

    def judged(self) -> slice:
        """Return the samples after the start-up."""
        return slice(int(np.searchsorted(self.times, min(START_UP, self.times[-1] / 2))), None)

    def vibration(self) -> float:
        """Return the root mean square of the vertical velocity, m/s."""
        return _rms(self.velocities[self.judged(), 2])

    def gains_energy(self, weight: float, reach: float) -> bool:
        """Return True if the drives take up work, beyond `GAIN` times weight (N) times way."""
        way = float(np.linalg.norm(np.diff(self.way, axis=0), axis=1).sum())
        way += reach * float(np.abs(np.diff(self.headings)).sum())
        return bool(self.work[-1] < -GAIN * weight * way)

    def chatter(self, reach: float) -> float:
        """Return the fast part of the horizontal velocity of a point ``reach`` ahead, m/s."""
        across = np.stack([-np.sin(self.headings), np.cos(self.headings)], axis=1)
        speeds = self.velocities[:, :2] + reach * self.turn_rates[:, None] * across
        return _rms(_fast_part(speeds[self.judged()]))


def _rms(values: Array) -> float:
    """Return the root mean square length of the rows, or of numbers."""
    squares = values**2 if values.ndim == 1 else (values**2).sum(axis=1)
    return math.sqrt(float(squares.mean()))


def _fast_part(speeds: Array) -> Array:
    """Return (n, 2) velocities without their moving average over `SMOOTHING`."""
    width = min(round(SMOOTHING / SAMPLE) | 1, len(speeds))
    average = np.lib.stride_tricks.sliding_window_view(speeds, width, axis=0).mean(axis=-1)
    first = width // 2
    return np.asarray(speeds[first : first + len(average)] - average)


def check_driving(
    kind: str, options: Mapping[str, Any], *, progress: Callable[[int, int], None] | None = None
) -> list[ContractPoint]:
    """Drive, turn and park a robot on its own and judge it; empty: it cannot be driven.

    Raises:
        GrouserError: the robot cannot be built.
    """
    check = _DriveCheck(measure_candidate(kind, options, flippers=False))
    if not check.drivable:
        return []
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, MANOEUVRES)

    try:
        return check.points(advance)
    except ArithmeticError as error:  # physics blew up
        return [ContractPoint("drives", False, str(error), hint=HINTS["step"])]


MANOEUVRES = 6
"""Number of simulations of a check."""


class _DriveCheck:
    """Manoeuvres of one robot, and their judgement."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        simulation = self._simulation(1.0)
        self._robot: Robot = simulation.scene.robots[candidate.name]
        self._weight = self._robot.mass * simulation.world.physics.gravity
        top = top_speed(self._robot)
        self._share = min(0.5, SPEED / top) if top else 0.5
        self._bounds = ROLLING if self._robot.steering else WALKING
        self.drivable = self._robot.free and bool(self._command(1.0, 0.0))

    def points(self, advance: Callable[[], None]) -> list[ContractPoint]:
        """Drive all manoeuvres and return the findings."""
        ahead, left, right = self._command(1, 0), self._command(0, 1), self._command(0, -1)
        traces = {}
        for name, command, goal in (
            ("straight", ahead, _gone),
            ("left turn", left, _turned_once),
            ("right turn", right, _turned_once),
        ):
            traces[name] = self._drive(command, goal)
            advance()
        crept, tilt = self._park()
        advance()
        halved = {}
        for name, command in (("straight", ahead), ("left turn", left)):
            halved[name] = self._drive(command, time=float(traces[name].times[-1]), factor=0.5)
            advance()
        return [
            self._goes(traces),
            self._vibration(traces),
            self._work(traces),
            self._chatter(traces),
            self._drift(traces["straight"]),
            self._parking(crept, tilt),
            self._step(traces, halved),
        ]

    def _command(self, throttle: float, rudder: float) -> dict[str, float]:
        return drive_command(self._robot, self._share * throttle, self._share * rudder)

    def _simulation(self, factor: float) -> Simulation:
        """Return a new simulation with a time step of ``factor`` times the robot's."""
        entry = RobotEntry(
            name=self._candidate.name,
            kind=self._candidate.kind,
            position=(0.0, 0.0, 0.0),
            options=dict(self._candidate.options),
        )
        timestep = factor * self._candidate.timestep
        return Simulation(
            World(
                name="drive check",
                physics=STANDARD.model_copy(update={"timestep": timestep}),
                terrain=(Flat(friction=FRICTION),),
                robots=(entry,),
            ),
            crash_folder=None,
        )

    def _drive(
        self,
        command: Mapping[str, float],
        reached: Callable[[float, float], bool] | None = None,
        *,
        time: float | None = None,
        factor: float = 1.0,
    ) -> DriveTrace:
        """Return the samples of a command until the goal is reached, or for ``time`` seconds.

        Args:
            command: drive command.
            reached: called with distance from the start (m) and change of heading (rad).
            time: duration, s; None: the time limit of the command, or until the robot is stuck.
            factor: time step as a multiple of the robot's.
        """
        name = self._candidate.name
        simulation = self._simulation(factor)
        root = RobotRoot(simulation.scene, name)
        simulation.step(SETTLE)
        begin, before = simulation.time, sum(simulation.energy(name).values())
        simulation.command(name, command)
        limit = _time_limit(command) if time is None else time
        rows: list[list[float]] = []
        heading = farthest = progressed = 0.0
        while True:
            pose = root.pose(simulation.data.qpos)
            state = root.state(pose, simulation.data.qvel)
            yaw = float(to_rpy(pose[3:])[2])
            heading += (yaw - heading + math.pi) % (2 * math.pi) - math.pi
            now = simulation.time - begin
            work = sum(simulation.energy(name).values()) - before
            rows.append([now, *pose[:3], heading, *state.linear, float(state.angular[2]), work])
            away, turned = math.dist(rows[-1][1:3], rows[0][1:3]), heading - rows[0][4]
            way = max(away, self._candidate.front * abs(turned))
            if way > farthest + STUCK_WITHIN:
                farthest, progressed = way, now
            stuck = time is None and now - progressed > STUCK_AFTER
            if stuck or now > limit - SAMPLE / 2 or (reached and reached(away, turned)):
                break
            simulation.step(SAMPLE)
        columns = np.array(rows).T
        return DriveTrace(
            columns[0], columns[1:4].T, columns[4], columns[5:8].T, columns[8], columns[9]
        )

    def _park(self) -> tuple[float, float]:
        """Return the speed (m/s) of the robot parked on a slope and its tilt to the slope (rad).

        The level ground is tilted slowly, front up, as gravity that turns. A robot that is placed
        on a slope starts with unloaded servos and swings over: QRIO stands to 11 deg, but tips over
        if it is placed on 10.
        """
        name = self._candidate.name
        simulation = self._simulation(1.0)
        simulation.command(name, self._robot.halt())
        simulation.step(SETTLE)
        gravity, steps = simulation.model.opt.gravity, round(SETTLE / SAMPLE)
        down = float(gravity[2])
        for step in range(1, steps + 1):
            slope = radians(SLOPE_DEG) * step / steps
            gravity[:] = [down * math.sin(slope), 0.0, down * math.cos(slope)]
            simulation.step(SAMPLE)
        simulation.step(SETTLE)
        before = simulation.pose(name)
        simulation.step(PARK)
        after = simulation.pose(name)
        crept = float(np.linalg.norm(after.position - before.position)) / PARK
        return crept, up_tilt(*after.wxyz.tolist())

    def _point(
        self, key: str, title: str, kept: bool, finding: str, **values: float
    ) -> ContractPoint:
        return ContractPoint(title, kept, finding, "" if kept else HINTS[key], values)

    def _goes(self, traces: Mapping[str, DriveTrace]) -> ContractPoint:
        straight = traces["straight"]
        way = float(straight.way[-1, 0])
        turns = {name: float(traces[name].turned[-1]) for name in ("left turn", "right turn")}
        kept = way >= 0.9 * DISTANCE and all(
            sign * angle >= 2 * math.pi for sign, angle in zip((1, -1), turns.values(), strict=True)
        )
        finding = f"{way:.2f} m in {straight.times[-1]:.1f} s; " + ", ".join(
            f"{name} {abs(degrees(angle)):.0f}° in {traces[name].times[-1]:.1f} s"
            for name, angle in turns.items()
        )
        return self._point(
            "goes",
            "drives 1 m and turns once each way",
            kept,
            finding,
            way_m=way,
            time_s=float(straight.times[-1]),
            left_deg=float(degrees(turns["left turn"])),
            right_deg=float(degrees(turns["right turn"])),
        )

    def _vibration(self, traces: Mapping[str, DriveTrace]) -> ContractPoint:
        found = {name: trace.vibration() for name, trace in traces.items()}
        return self._worst("vibration", "moves up and down", found, self._bounds.vibration)

    def _chatter(self, traces: Mapping[str, DriveTrace]) -> ContractPoint:
        found = {name: trace.chatter(self._candidate.front) for name, trace in traces.items()}
        return self._worst("chatter", "runs smoothly", found, self._bounds.chatter)

    def _worst(
        self, key: str, title: str, found: Mapping[str, float], bound: float
    ) -> ContractPoint:
        """Return the finding on root mean square speeds of each manoeuvre, m/s."""
        finding = ", ".join(f"{name} {millimetres(rms):.1f} mm/s" for name, rms in found.items())
        values = {f"{name.replace(' ', '_')}_mm_s": millimetres(rms) for name, rms in found.items()}
        kept = max(found.values()) <= bound
        finding += f" rms; bound {millimetres(bound):g}"
        return self._point(key, title, kept, finding, **values)

    def _work(self, traces: Mapping[str, DriveTrace]) -> ContractPoint:
        found = {name: float(trace.work[-1]) for name, trace in traces.items()}
        reach = self._candidate.front
        kept = not any(trace.gains_energy(self._weight, reach) for trace in traces.values())
        straight = traces["straight"]
        transport = found["straight"] / (self._weight * max(float(straight.way[-1, 0]), 1e-3))
        finding = ", ".join(f"{name} {work:.3g} J" for name, work in found.items())
        return self._point(
            "work",
            "drives do work",
            kept,
            f"{finding}; cost of transport {transport:.2g}",
            cost_of_transport=transport,
            **{f"{name.replace(' ', '_')}_j": work for name, work in found.items()},
        )

    def _drift(self, straight: DriveTrace) -> ContractPoint:
        offset = abs(float(straight.way[-1, 1]))
        turned = abs(float(straight.turned[-1]))
        bound = self._bounds.offset
        return self._point(
            "drift",
            "keeps its course",
            max(offset / DISTANCE, turned) <= bound,
            f"{millimetres(offset):.0f} mm to the side, {degrees(turned):.1f}° after the straight; "
            f"bounds {millimetres(bound * DISTANCE):.0f} mm, {degrees(bound):.0f}°",
            offset_mm=millimetres(offset),
            turned_deg=float(degrees(turned)),
        )

    def _parking(self, crept: float, tilt: float) -> ContractPoint:
        bound = self._bounds.creep
        tipped = tilt > radians(TIPPED_DEG / 2)
        return self._point(
            "parking",
            f"parks on {SLOPE_DEG:g}°",
            crept <= bound and not tipped,
            "tips over"
            if tipped
            else f"creeps at {millimetres(crept):.2g} mm/s; bound {millimetres(bound):g}",
            creep_mm_s=millimetres(crept),
            tilt_deg=float(degrees(tilt)),
        )

    def _step(
        self, traces: Mapping[str, DriveTrace], halved: Mapping[str, DriveTrace]
    ) -> ContractPoint:
        changes = {}
        for name, quantity in (("straight", "way"), ("left turn", "angle")):
            full, half = (
                np.array([group[name].way[-1, 0], group[name].turned[-1], group[name].work[-1]])
                for group in (traces, halved)
            )
            index = 0 if name == "straight" else 1
            changes[quantity] = float(abs(half[index] / full[index] - 1)) if full[index] else 1.0
            # Work close to zero is compared with a tenth of weight times way, a usual cost.
            way = abs(full[index]) * (1.0 if index == 0 else self._candidate.front)
            scale = max(abs(full[2]), 0.1 * self._weight * way)
            changes[f"work of the {name}"] = float(abs(half[2] - full[2]) / scale)
        bound = self._bounds.step
        finding = ", ".join(f"{name} {change:.1%}" for name, change in changes.items())
        return self._point(
            "step",
            "same with half the time step",
            max(changes.values()) <= bound,
            f"{finding}; bound {bound:.0%}",
            **{f"{name.replace(' ', '_')}_change": change for name, change in changes.items()},
        )


def _gone(away: float, turned: float) -> bool:
    return away >= DISTANCE


def _turned_once(away: float, turned: float) -> bool:
    return abs(turned) >= 2 * math.pi


def _time_limit(command: Mapping[str, float]) -> float:
    """Return the time limit of a manoeuvre, s."""
    speed, rate = abs(command.get("forward", 0.0)), abs(command.get("turn", 0.0))
    nominal = DISTANCE / speed if speed else 2 * math.pi / rate if rate else math.inf
    return min(LONGEST, TIME_FACTOR * nominal)
