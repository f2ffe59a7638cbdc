"""Random variation of trials: start pose, gait phase, friction and mass.

Physics is deterministic, so trials of one path differ only by these draws. A draw depends on seed
and index alone: compared paths get the same draws, pair by pair (common random numbers).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from grouser.errors import BadValue
from grouser.frames import degrees, millimetres, radians


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Variation of one trial."""

    along: float = 0.0
    """Offset of the start along the world's x, m."""
    across: float = 0.0
    """Offset of the start along the world's y, m."""
    turn: float = 0.0
    """Offset of the start heading, left positive, rad."""
    phase: float = 0.0
    """Gait phase at the start, rad."""
    friction: float = 1.0
    """Factor on the friction of all geoms."""
    mass: float = 1.0
    """Factor on mass and inertia of the root body."""
    seed: int = 0
    """Seed of random numbers, such as sensor noise, in trials with a policy."""

    def case(self) -> dict[str, float]:
        """Return the values for tables, with units in the keys."""
        return {
            "along_mm": millimetres(self.along),
            "aside_mm": millimetres(self.across),
            "turn_deg": degrees(self.turn),
            "phase_deg": degrees(self.phase),
            "friction": self.friction,
            "mass": self.mass,
        }


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Distribution of the variation of trials.

    All values are estimates of unnoticed deviations when a robot is placed by hand on ground that
    was measured once.
    """

    place: float = 0.01
    """Standard deviation of the start position along x and along y, m."""
    heading: float = radians(3)
    """Standard deviation of the start heading, rad."""
    phase: float = 2 * math.pi
    """Upper bound of the gait phase, uniform from 0, rad."""
    friction: float = 0.05
    """Standard deviation of the friction factor, truncated at three standard deviations."""
    mass: float = 0.03
    """Standard deviation of the mass factor, truncated at three standard deviations."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not (math.isfinite(value) and value >= 0):
                raise BadValue(f"spread: {entry.name} is {value}, must be at least 0")
        for name in ("friction", "mass"):
            if getattr(self, name) > 0.3:
                raise BadValue(f"spread: {name} is {getattr(self, name)}, must be at most 0.3")

    def draw(self, seed: int, number: int) -> Draw:
        """Return draw ``number`` of ``seed``; equal arguments give equal bits."""
        rng = np.random.default_rng([seed, number])
        place, turn = self.place * rng.standard_normal(2), self.heading * rng.standard_normal()
        phase = rng.uniform(0.0, 1.0) * self.phase
        factors = np.clip(rng.standard_normal(2), -3.0, 3.0)
        return Draw(
            along=float(place[0]),
            across=float(place[1]),
            turn=float(turn),
            phase=float(phase),
            friction=float(1 + self.friction * factors[0]),
            mass=float(1 + self.mass * factors[1]),
            seed=int(rng.integers(2**31)),
        )

    def draws(self, seed: int, count: int) -> list[Draw]:
        """Return the first ``count`` draws of ``seed``."""
        return [self.draw(seed, number) for number in range(count)]

    def __str__(self) -> str:
        """Return the distribution in one sentence, for reports."""
        return (
            f"start {millimetres(self.place):g} mm (sd along x and y), heading "
            f"{degrees(self.heading):.3g} deg (sd), legs' phase even over "
            f"{degrees(self.phase):.3g} deg, friction x (1 +- {self.friction:g}), "
            f"mass x (1 +- {self.mass:g})"
        )


NOTHING_DRAWN = Spread(place=0, heading=0, phase=0, friction=0, mass=0)
"""No variation: all trials of a path are equal, apart from the noise that a policy reads."""
