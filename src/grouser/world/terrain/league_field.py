"""Field of RoboCup's four-legged league of 2003 and 2004, with goals, beacons and hall.

Numbers are from the rule books where sources.md C has them, and marked estimates otherwise. The
origin is the centre spot, x points at the sky-blue goal, y to its left. The ball is a separate
object (`Ball`). Lines and carpet are visual geoms without contacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.frames import Array, from_rpy
from grouser.world.field_types import Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import (
    FOUNDATION,
    TerrainPiece,
    add_convex_hull,
    add_mesh_geom,
)
from grouser.world.visuals import ground_material

LENGTH, WIDTH = 4.2, 2.7  # m   Part C
BALL_RADIUS = 0.0425  # m   Part C

WALL_HEIGHT = 0.1  # m   Part C: "about 100 high"
WALL_SLOPE = 0.1  # m   estimate: how far its top leans outwards, 45 deg
WALL_THICKNESS = 0.02  # m   estimate
CORNER = 0.3  # m   estimate: how much of each side a cut corner takes

LINE = 0.025  # m   Part C: how wide
CIRCLE = 0.3  # m   Part C: centre circle's diameter, middle of its line
PENALTY = (0.5, 1.3)  # m   estimate: along x and y; 2005 printed 0.65 x 1.3

GOAL_WIDTH, GOAL_HEIGHT, GOAL_DEPTH = 0.6, 0.3, 0.3  # m   Part C
GOAL_SHEET = 0.01  # m   estimate: coloured inside, white outside, this thick each

BEACON_RADIUS, BEACON_TOP, BAND = 0.05, 0.4, 0.1  # m   Part C
BEACON_OUTSIDE = 0.15  # m   beyond the side line; Part C for 2005

HALL_DISTANCE, HALL_HEIGHT = 3.0, 3.0  # m   estimates: the hall's walls beyond the border

CARPET: Rgb = (20 / 255, 110 / 255, 50 / 255)  # Part C, all of these but the last two
ORANGE: Rgb = (255 / 255, 110 / 255, 20 / 255)
PINK: Rgb = (230 / 255, 60 / 255, 150 / 255)
YELLOW: Rgb = (235 / 255, 215 / 255, 40 / 255)
SKY_BLUE: Rgb = (60 / 255, 170 / 255, 220 / 255)
GREEN: Rgb = (30 / 255, 160 / 255, 70 / 255)
WHITE: Rgb = (0.95, 0.95, 0.95)
HALL: Rgb = (0.42, 0.41, 0.40)  # estimate: dim and without a colour of its own

_CARPET_TOP, _LINE_TOP = 0.0005, 0.001  # m   apart enough for the depth buffer
_PAINT = {"contype": 0, "conaffinity": 0}
_ARCS = 48  # pieces of the centre circle


@dataclass(frozen=True)
class Beacon:
    """Pole with two coloured bands that identify it."""

    x: float
    """In the field's frame, m."""
    y: float
    upper: str
    """Colour of the upper band: ``pink``, ``yellow``, ``sky_blue`` or ``green``."""
    lower: str
    """Colour of the lower band."""


@dataclass(frozen=True)
class FieldGoal:
    """Goal; its posts are the edges of its coloured area, seen from the field."""

    x: float
    """x of the goal line, m."""
    colour: str
    """``yellow`` or ``sky_blue``."""

    @property
    def posts(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return x and y (m) of the post on the left and on the right, seen from the field."""
        left = math.copysign(GOAL_WIDTH / 2 + GOAL_SHEET, self.x)
        return (self.x, left), (self.x, -left)


GOALS = (FieldGoal(-LENGTH / 2, "yellow"), FieldGoal(LENGTH / 2, "sky_blue"))

_COLOURS: dict[str, Rgb] = {"pink": PINK, "yellow": YELLOW, "sky_blue": SKY_BLUE, "green": GREEN}


class LeagueField(TerrainPiece):
    """The field of RoboCup's four-legged league."""

    kind: Literal["league_field"] = "league_field"
    year: Literal[2003, 2004] = 2003
    """Year of the rules. 2003: six beacons; 2004: four, without those on the halfway line."""
    hall: bool = True
    """True: the field is in a grey hall. False: under the sky."""

    @property
    def beacons(self) -> tuple[Beacon, ...]:
        """Return the beacons: corners first, then those on the halfway line."""
        x, y = LENGTH / 2, WIDTH / 2  # the uncut corners, estimate
        places = [(-x, y), (-x, -y), (x, y), (x, -y)]
        if self.year == 2003:
            places += [(0.0, y + BEACON_OUTSIDE), (0.0, -y - BEACON_OUTSIDE)]
        return tuple(_beacon(*place) for place in places)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the plane ``{name}/floor``, the carpet, lines, border, goals, beacons and hall."""
        surface = self.geom(contact, CARPET)
        self._add_ground(spec, surface, name)
        _add_border(spec, _paint(surface, WHITE), name)
        for goal in GOALS:
            _add_goal(spec, surface, f"{name}/{goal.colour}_goal", goal)
        for number, beacon in enumerate(self.beacons):
            _add_beacon(spec, surface, f"{name}/beacon_{number}", beacon)
        if self.hall:
            _add_hall(spec, _paint(surface, HALL) | _PAINT, name)

    def _add_ground(self, spec: mujoco.MjSpec, surface: dict[str, Any], name: str) -> None:
        """Add the floor, the carpet on it (in `rgb`, if that is given) and the lines."""
        # Drawn no further than the hall: MuJoCo tessellates planes, and a large one took half of
        # the rendering time of a camera. Contacts are not limited to this size.
        half = (LENGTH / 2 + HALL_DISTANCE, WIDTH / 2 + HALL_DISTANCE) if self.hall else (20, 20)
        spec.worldbody.add_geom(
            name=f"{name}/floor",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[*half, 0.1],
            material=ground_material(spec),
            **_paint(surface, (1.0, 1.0, 1.0)),
        )
        _add_paint(spec, f"{name}/carpet", _carpet(), _CARPET_TOP, surface)
        _add_paint(spec, f"{name}/lines", _lines(), _LINE_TOP, _paint(surface, WHITE))


def _beacon(x: float, y: float) -> Beacon:
    """Return the beacon at a position: pink is on top to the right of the yellow goal."""
    nearer = "green" if x == 0 else "yellow" if x < 0 else "sky_blue"
    upper, lower = ("pink", nearer) if y < 0 else (nearer, "pink")
    return Beacon(x, y, upper, lower)


def _paint(surface: dict[str, Any], rgb: Rgb) -> dict[str, Any]:
    return surface | {"rgba": [*rgb, 1.0]}


# -- paint -----------------------------------------------------------------------------------


def _carpet() -> list[Array]:
    """Return the carpet up to the border's foot and into the goals, in the form of `_lines`."""
    x, y, mouth = LENGTH / 2, WIDTH / 2, GOAL_WIDTH / 2
    inner = x - CORNER
    right = np.array([[inner, -y], [x, CORNER - y], [x, y - CORNER], [inner, y]])
    goals = [
        _rectangle((x, x + GOAL_DEPTH), (-mouth, mouth)),
        _rectangle((-x - GOAL_DEPTH, -x), (-mouth, mouth)),
    ]
    return [_rectangle((-inner, inner), (-y, y)), right, -right, *goals]


def _lines() -> list[Array]:
    """Return all lines as convex quadrilaterals (4, 2), counter-clockwise, m."""
    x, y, half = LENGTH / 2, WIDTH / 2, LINE / 2
    deep, wide = PENALTY
    lines = [_rectangle((-half, half), (-y, y))]
    for end in (-1, 1):
        goal_line = sorted((end * x, end * (x - LINE)))
        front = sorted((end * (x - deep), end * (x - deep + LINE)))
        sides = sorted((end * x, end * (x - deep)))
        lines += [
            _rectangle(goal_line, (-y + CORNER, y - CORNER)),
            _rectangle(front, (-wide / 2, wide / 2)),
            _rectangle(sides, (wide / 2 - LINE, wide / 2)),
            _rectangle(sides, (-wide / 2, -wide / 2 + LINE)),
        ]
    return [*lines, *_ring(CIRCLE / 2 - half, CIRCLE / 2 + half)]


def _rectangle(x: Any, y: Any) -> Array:
    (x0, x1), (y0, y1) = x, y
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def _ring(inner: float, outer: float) -> list[Array]:
    turn = np.linspace(0.0, 2 * math.pi, _ARCS + 1)
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return [
        np.array([inner * rim[i], outer * rim[i], outer * rim[i + 1], inner * rim[i + 1]])
        for i in range(_ARCS)
    ]


def _add_paint(
    spec: mujoco.MjSpec, name: str, pieces: list[Array], z: float, surface: dict[str, Any]
) -> None:
    """Add quadrilaterals at height ``z`` as one upward-facing visual mesh."""
    corners = np.concatenate(pieces)
    each = 4 * np.arange(len(pieces))[:, None]
    halves = [each + np.array(corner) for corner in ((0, 1, 2), (0, 2, 3))]
    spec.add_mesh(
        name=name,
        uservert=np.column_stack([corners, np.full(len(corners), z)]).ravel(),
        userface=np.concatenate(halves).ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,  # it has no volume
    )
    add_mesh_geom(spec, name, **surface | _PAINT)


# -- border ----------------------------------------------------------------------------------


def _add_border(spec: mujoco.MjSpec, surface: dict[str, Any], name: str) -> None:
    """Add the sloped walls ``{name}/wall_0`` onwards, mitred at the corners, open at the goals."""
    mouth = GOAL_WIDTH / 2 + 2 * GOAL_SHEET
    foot = _outline(mouth)
    edge, back = _offset(foot, WALL_SLOPE), _offset(foot, WALL_SLOPE + WALL_THICKNESS)
    number = 0
    for i in range(len(foot)):
        ends = [i, (i + 1) % len(foot)]
        if np.all(np.abs(foot[ends, 1]) <= mouth + 1e-9):
            continue  # goal mouth
        heights = ((foot, 0.0), (foot, -FOUNDATION), (edge, WALL_HEIGHT), (back, WALL_HEIGHT))
        points = [[*ring[k], z] for ring, z in (*heights, (back, -FOUNDATION)) for k in ends]
        add_convex_hull(spec, f"{name}/wall_{number}", np.array(points), **surface)
        number += 1


def _outline(mouth: float) -> Array:
    """Return the border's foot (n, 2), m, counter-clockwise, with corners at y = ± ``mouth``."""
    x, y = LENGTH / 2, WIDTH / 2
    quarter = [(x, mouth), (x, y - CORNER), (x - CORNER, y)]
    half = quarter + [(-a, b) for a, b in reversed(quarter)]
    return np.array(half + [(-a, -b) for a, b in half])


def _offset(outline: Array, by: float) -> Array:
    """Return a convex, counter-clockwise ``outline`` offset outwards by ``by`` (m)."""
    along = np.roll(outline, -1, axis=0) - outline
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    out = np.stack([along[:, 1], -along[:, 0]], axis=1)
    before = np.roll(out, 1, axis=0)
    between = 1 + np.sum(out * before, axis=1, keepdims=True)
    return np.asarray(outline + by * (out + before) / between)


# -- goals, beacons, hall --------------------------------------------------------------------


def _add_goal(spec: mujoco.MjSpec, surface: dict[str, Any], name: str, goal: FieldGoal) -> None:
    """Add three coloured walls, each with a white one behind it."""
    white, coloured = _paint(surface, WHITE), _paint(surface, _COLOURS[goal.colour])
    out = math.copysign(1.0, goal.x)
    half, sheet = GOAL_WIDTH / 2, GOAL_SHEET
    for layer, look in (("inside", coloured), ("outside", white)):
        begin = sheet if layer == "outside" else 0.0
        end = begin + sheet
        depth = (abs(goal.x), abs(goal.x) + GOAL_DEPTH + end)
        back = (abs(goal.x) + GOAL_DEPTH + begin, abs(goal.x) + GOAL_DEPTH + end)
        for part, x, y in (
            ("left", depth, (half + begin, half + end)),
            ("right", depth, (-half - end, -half - begin)),
            ("back", back, (-half - begin, half + begin)),
        ):
            spans = (sorted(out * edge for edge in x), y, (-FOUNDATION, GOAL_HEIGHT))
            spec.worldbody.add_geom(
                name=f"{name}_{part}_{layer}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                pos=[sum(span) / 2 for span in spans],
                size=[(span[1] - span[0]) / 2 for span in spans],
                **look,
            )


def _add_beacon(spec: mujoco.MjSpec, surface: dict[str, Any], name: str, beacon: Beacon) -> None:
    """Add a white pole and its two bands."""
    foot = BEACON_TOP - 2 * BAND
    for part, low, high, rgb in (
        ("pole", -FOUNDATION, foot, WHITE),
        ("lower", foot, foot + BAND, _COLOURS[beacon.lower]),
        ("upper", foot + BAND, BEACON_TOP, _COLOURS[beacon.upper]),
    ):
        spec.worldbody.add_geom(
            name=f"{name}_{part}",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            pos=[beacon.x, beacon.y, (low + high) / 2],
            size=[BEACON_RADIUS, (high - low) / 2, 0],
            **_paint(surface, rgb),
        )


def _add_hall(spec: mujoco.MjSpec, surface: dict[str, Any], name: str) -> None:
    """Add four planes as walls; MuJoCo draws planes transparent from behind."""
    x, y = LENGTH / 2 + HALL_DISTANCE, WIDTH / 2 + HALL_DISTANCE
    for number, (place, half) in enumerate(
        (((x, 0.0), y), ((0.0, y), x), ((-x, 0.0), y), ((0.0, -y), x))
    ):
        # The plane's normal, its z, points inwards; its x is up, its y along the wall.
        inwards = math.atan2(-place[1], -place[0])
        spec.worldbody.add_geom(
            name=f"{name}/hall_{number}",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            pos=[*place, HALL_HEIGHT / 2],
            quat=from_rpy(0.0, math.pi / 2, inwards),
            size=[HALL_HEIGHT / 2, half, 0.1],
            **surface,
        )
