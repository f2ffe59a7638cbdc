"""Input and output of a player: all data that an ERS-7's program receives and sends.

Lengths in m, angles in rad, times in s of the robot's clock. The axes of the robot are x ahead,
y left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grouser.perception.colours import Image
from grouser.perception.localise import FieldMap

GameState = Literal["initial", "ready", "set", "playing", "finished"]
"""State of the game, as the referee announces it."""
Paw = Literal["left", "right"]
Role = Literal["goalie", "defender", "attacker"]
Point = tuple[float, float]
"""x and y, m."""


@dataclass(frozen=True, kw_only=True)
class PlayerSetup:
    """Knowledge of a player before the game."""

    robot: str
    """Its own name, the sender of its radio messages."""
    mates: tuple[str, ...] = ()
    """Names of the other robots of its team."""
    role: Role
    """`goalie`: stays at its goal; `defender`: leaves the opponent's half to the others."""
    attacks: Literal["yellow", "sky_blue"]
    """Goal that it attacks in half 1."""
    kicks: Point
    """Position when its team kicks off, in `TeamFrame`, m."""
    waits: Point
    """Position when the other team kicks off."""
    field_map: FieldMap
    """Landmarks of the field."""
    seed: int = 0
    """Seed of its random numbers."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Image of the camera."""

    image: Image
    time: float
    """Middle of the exposure, s."""


@dataclass(frozen=True)
class Whistle:
    """Announcement of the referee."""

    state: GameState = "initial"
    half: int = 1
    own_kickoff: bool = True
    """True: the player's team kicks off."""
    penalized: bool = False
    """True: this robot is out."""


@dataclass(frozen=True, kw_only=True)
class PlayerInput:
    """Readings of a robot at one time."""

    time: float
    joints: Mapping[str, float]
    """Angles of the joints ``neck``, ``pan`` and ``nod``, up and left positive."""
    picture: Picture | None = None
    """Newest picture; None: no new one."""
    radio: Sequence[tuple[str, bytes]] = ()
    """Sender and content of the messages received since the last call."""
    whistle: Whistle = field(default_factory=Whistle)


@dataclass(frozen=True, kw_only=True)
class PlayerCommand:
    """Command of a robot."""

    forward: float = 0.0
    """m/s."""
    left: float = 0.0
    """m/s."""
    turn: float = 0.0
    """rad/s to the left."""
    kick: Paw | None = None
    """Kick with this paw as soon as the robot stands."""
    neck: float = 0.0
    """Angle of the lower joint of the neck, at most 0."""
    pan: float = 0.0
    nod: float = 0.0
    radio: bytes | None = None
    """Message to all robots in range."""
