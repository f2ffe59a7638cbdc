"""How one moves: trot, kick, biped walk and the use of flippers, as pure functions on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.locomotion.biped import Balance, Biped, Wave
    from grouser.locomotion.biped_leg import BipedLeg
    from grouser.locomotion.flippers import (
        CLIMB,
        FlipperClimber,
        FlipperObservation,
        FlipperStrategy,
    )
    from grouser.locomotion.kick import Kick, KickFrame
    from grouser.locomotion.quadruped_legs import Legs, Limb, Stance
    from grouser.locomotion.trot import Trot

_PLACES = {
    "CLIMB": "grouser.locomotion.flippers",
    "Balance": "grouser.locomotion.biped",
    "Biped": "grouser.locomotion.biped",
    "BipedLeg": "grouser.locomotion.biped_leg",
    "FlipperClimber": "grouser.locomotion.flippers",
    "FlipperObservation": "grouser.locomotion.flippers",
    "FlipperStrategy": "grouser.locomotion.flippers",
    "Kick": "grouser.locomotion.kick",
    "KickFrame": "grouser.locomotion.kick",
    "Legs": "grouser.locomotion.quadruped_legs",
    "Limb": "grouser.locomotion.quadruped_legs",
    "Stance": "grouser.locomotion.quadruped_legs",
    "Trot": "grouser.locomotion.trot",
    "Wave": "grouser.locomotion.biped",
}

__all__ = [
    "CLIMB",
    "Balance",
    "Biped",
    "BipedLeg",
    "FlipperClimber",
    "FlipperObservation",
    "FlipperStrategy",
    "Kick",
    "KickFrame",
    "Legs",
    "Limb",
    "Stance",
    "Trot",
    "Wave",
]

__getattr__ = lazily(__name__, _PLACES)
