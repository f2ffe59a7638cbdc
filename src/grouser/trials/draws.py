"""What chance decides about a trial: a documented distribution, and one draw of it per number.

Physics is deterministic, so whatever differs between two trials of one path was drawn here. A draw
depends on seed and number alone: two ways that are compared get the same draws, pair by pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from grouser.errors import BadValue
from grouser.frames import degrees, millimetres, radians


@dataclass(frozen=True, kw_only=True)
class Draw:
    """What was drawn for one trial."""

    along: float = 0.0
    """By how much it starts further along the world's x than told, m."""
    aside: float = 0.0
    """By how much it starts further along the world's y than told, m."""
    turn: float = 0.0
    """By how much it is turned to the left of what was told, rad."""
    phase: float = 0.0
    """Where its legs are in their stride, rad."""
    friction: float = 1.0
    """Factor on the friction of everything."""
    mass: float = 1.0
    """Factor on mass and inertia of its root body."""

    def case(self) -> dict[str, float]:
        """Return what was drawn, for tables, units in the names."""
        return {
            "along_mm": millimetres(self.along),
            "aside_mm": millimetres(self.aside),
            "turn_deg": degrees(self.turn),
            "phase_deg": degrees(self.phase),
            "friction": self.friction,
            "mass": self.mass,
        }


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How trials of one path differ: the distribution that `draw` draws from.

    All estimates: what a person who puts a robot down by hand, on ground that was measured once,
    would not notice.
    """

    place: float = 0.01
    """Standard deviation of the starting place along x and along y, m."""
    heading: float = radians(3)
    """Standard deviation of the starting heading, rad."""
    phase: float = 2 * math.pi
    """Legs' phase is drawn evenly between 0 and this, rad."""
    friction: float = 0.05
    """Standard deviation of the friction's factor; factors are cut at three of them."""
    mass: float = 0.03
    """Standard deviation of the mass's factor; factors are cut at three of them."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not (math.isfinite(value) and value >= 0):
                raise BadValue(f"spread: {entry.name} is {value}, must be at least 0")
        for name in ("friction", "mass"):
            if getattr(self, name) > 0.3:
                raise BadValue(f"spread: {name} is {getattr(self, name)}, must be at most 0.3")

    def draw(self, seed: int, number: int) -> Draw:
        """Return the ``number``-th draw of ``seed``; the same two, the same bits."""
        rng = np.random.default_rng([seed, number])
        place, turn = self.place * rng.standard_normal(2), self.heading * rng.standard_normal()
        phase = rng.uniform(0.0, 1.0) * self.phase
        factors = np.clip(rng.standard_normal(2), -3.0, 3.0)
        return Draw(
            along=float(place[0]),
            aside=float(place[1]),
            turn=float(turn),
            phase=float(phase),
            friction=float(1 + self.friction * factors[0]),
            mass=float(1 + self.mass * factors[1]),
        )

    def draws(self, seed: int, count: int) -> list[Draw]:
        """Return the first ``count`` draws of ``seed``."""
        return [self.draw(seed, number) for number in range(count)]

    def __str__(self) -> str:
        """Return the distribution in one sentence, as results print it."""
        return (
            f"start {millimetres(self.place):g} mm (sd along x and y), heading "
            f"{degrees(self.heading):.3g} deg (sd), legs' phase even over "
            f"{degrees(self.phase):.3g} deg, friction x (1 +- {self.friction:g}), "
            f"mass x (1 +- {self.mass:g})"
        )


NOTHING_DRAWN = Spread(place=0, heading=0, phase=0, friction=0, mass=0)
"""Every trial of a path is the same."""
