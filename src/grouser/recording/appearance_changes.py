"""Successive appearances of the scenes of a recording: only a changed one is passed on."""

from __future__ import annotations

import mujoco

from grouser.recording.items import Appearance
from grouser.rendering.render_state import APPEARANCE_FIELDS


class AppearanceChanges:
    """The last appearance that was passed on to the writer process."""

    def __init__(self) -> None:
        self._number = -1
        self._known: list[bytes] = []

    def reset(self) -> None:
        """Let the next appearance be passed on: the last one was lost."""
        self._known = []

    def next(self, number: int, model: mujoco.MjModel) -> Appearance | None:
        """Return a copy of the appearance of scene ``number``; None: it is that of the last call.

        A scene that alternates with another one is passed on each time.
        """
        fields = [getattr(model, name) for name in APPEARANCE_FIELDS]
        content = [field.tobytes() for field in fields]
        if number == self._number and content == self._known:
            return None
        self._number, self._known = number, content
        return {name: field.copy() for name, field in zip(APPEARANCE_FIELDS, fields, strict=True)}
