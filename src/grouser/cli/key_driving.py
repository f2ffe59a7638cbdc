"""Driving by keys: every press is a notch more or less, for tracks, wheels and legs alike.

A window tells which keys were pressed and not when they are let go, so a robot goes on as it was
told until it is told otherwise, as with a ship's telegraph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from grouser.robots.robot import Robot
from grouser.simulation.simulation import Simulation

NOTCH = 0.25
"""Of the fastest it can go and turn, per press."""
FLIPPER_STEP = math.tau / 24
"""Of flippers, per press, rad."""
SLOWEST, FASTEST = 1 / 16, 4.0
"""Of simulated time, in seconds per second."""

UP, DOWN, LEFT, RIGHT = 265, 264, 263, 262  # GLFW's numbers of keys
SPACE, HOME, END = 32, 268, 269
INSERT, DELETE, PAGE_UP, PAGE_DOWN = 260, 261, 266, 267
COMMA, PERIOD = 44, 46

KEYS = {
    "arrows": "faster, slower or back, turn left, turn right",
    "Home": "stop",
    "Ins, Del": "front flippers up, down",
    "PgUp, PgDn": "rear flippers up, down",
    "End": "drive the next robot",
    "Space": "pause, go on",
    ", .": "slow motion, faster",
    "mouse": "turn, move and zoom the view; double-click a body, then Ctrl-drag: push it",
}
"""What each key does, in words."""


@dataclass
class Helm:
    """What one robot was told by keys."""

    throttle: float = 0.0
    """-1 (back) to 1 of the fastest."""
    rudder: float = 0.0
    """-1 (right) to 1 (left) of the sharpest turn."""


class KeyDriver:
    """Turns pressed keys into commands of a simulation's robots, pauses and slow motion."""

    def __init__(self, simulation: Simulation, factor: float) -> None:
        """Drive the first robot; ``factor`` is simulated seconds per second."""
        self.paused = False
        self.factor = factor
        self._simulation = simulation
        self._chosen = 0
        self._helms: dict[str, Helm] = {}

    @property
    def robot(self) -> str:
        """Name of the robot that keys drive; empty: there is none."""
        names = [name for name, robot in self._simulation.scene.robots.items() if drivable(robot)]
        return names[self._chosen % len(names)] if names else ""

    @property
    def status(self) -> str:
        """Who is driven and how, in a few words."""
        pace = "paused" if self.paused else f"{self.factor:g} x real time"
        if not self.robot:
            return pace
        helm = self._helms.get(self.robot, Helm())
        turn = f", {abs(helm.rudder):.0%} {'left' if helm.rudder > 0 else 'right'}"
        return f"{self.robot}: {helm.throttle:.0%}{turn if helm.rudder else ''}, {pace}"

    def press(self, key: int) -> None:
        """Do what a key means; others mean nothing here."""
        helm = self._helms.setdefault(self.robot, Helm())
        if key == SPACE:
            self.paused = not self.paused
        elif key in (COMMA, PERIOD):
            faster = 2.0 if key == PERIOD else 0.5
            self.factor = min(FASTEST, max(SLOWEST, self.factor * faster))
        elif key == END:
            self._chosen += 1
        elif key in (UP, DOWN):
            helm.throttle = _within(helm.throttle + (NOTCH if key == UP else -NOTCH))
            self._steer(helm)
        elif key in (LEFT, RIGHT):
            helm.rudder = _within(helm.rudder + (NOTCH if key == LEFT else -NOTCH))
            self._steer(helm)
        elif key == HOME:
            helm.throttle = helm.rudder = 0.0
            self._steer(helm)
        elif key in (INSERT, DELETE):
            self._flip("front", FLIPPER_STEP if key == INSERT else -FLIPPER_STEP)
        elif key in (PAGE_UP, PAGE_DOWN):
            self._flip("rear", FLIPPER_STEP if key == PAGE_UP else -FLIPPER_STEP)

    def _steer(self, helm: Helm) -> None:
        if self.robot:
            robot = self._simulation.scene.robots[self.robot]
            self._simulation.command(self.robot, drive_command(robot, helm.throttle, helm.rudder))

    def _flip(self, group: str, step: float) -> None:
        """Turn flippers on from where they are, in both senses up is up."""
        if not self.robot:
            return
        robot = self._simulation.scene.robots[self.robot]
        drives = robot.groups.get(group, ())
        angles = self._simulation.angles(self.robot)
        wanted = {}
        for drive in drives:
            low, high = robot.limits.get(drive, (-math.inf, math.inf))
            wanted[f"{drive}_angle"] = min(high, max(low, angles[drive] + step))
        if wanted:
            self._simulation.command(self.robot, wanted)


def drivable(robot: Robot) -> bool:
    """Return whether keys can drive ``robot``."""
    return bool(drive_command(robot, 0.0, 0.0))


def drive_command(robot: Robot, throttle: float, rudder: float) -> dict[str, float]:
    """Return the command for shares of the fastest drive and turn, each from -1 to 1.

    Empty: this robot does not go about.
    """
    if robot.steering is not None:
        steering = robot.steering
        top = robot.drives[steering.left[0]].speed * steering.radius
        return {"forward": throttle * top, "turn": rudder * 2 * top / steering.gauge}
    inputs = robot.gait.inputs if robot.gait else ()
    if {"forward", "turn"} <= {*inputs}:
        ahead, _, about = getattr(robot.gait, "fastest", (0.1, 0.0, 0.5))
        return {"forward": throttle * ahead, "turn": rudder * about}
    if {"left_speed", "right_speed"} <= {*inputs}:
        top = float(getattr(robot.gait, "top_speed", 20.0))
        left, right = _within(throttle - rudder), _within(throttle + rudder)
        return {"left_speed": left * top, "right_speed": right * top}
    return {}


def _within(share: float) -> float:
    return min(1.0, max(-1.0, share))
