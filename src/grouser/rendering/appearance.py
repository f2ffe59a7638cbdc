"""What of a model may change while its world runs, and change what is seen: lights, colours."""

from __future__ import annotations

import mujoco

APPEARANCE_FIELDS = ("geom_group", "geom_rgba", "mat_rgba", "mat_emission", "light_active")
"""The fields of a model that decide how its things look."""
HIDDEN_GROUP = mujoco.mjNGROUP - 1
"""A geom group that is not drawn."""


def copy_appearance(source: mujoco.MjModel, target: mujoco.MjModel) -> None:
    """Make the things of ``target``, a copy of ``source``, look as those of ``source`` do now."""
    for field in APPEARANCE_FIELDS:
        getattr(target, field)[:] = getattr(source, field)
