"""Quality levels of images and videos, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grouser.errors import unknown

if TYPE_CHECKING:
    from grouser.rendering.filament import FilamentRenderer
    from grouser.rendering.renderer import Renderer


@dataclass(frozen=True)
class Quality:
    """Options of a renderer."""

    shadows: bool
    """Draw shadows and reflections."""
    smooth: bool
    """Use antialiasing and fine tessellation."""
    filament: bool = False
    """Use MuJoCo's Filament renderer, which has soft light and needs a display server."""

    def check(self) -> None:
        """Raise `MissingDependency` if the renderer is not available."""
        if self.filament:
            from grouser.rendering.filament import require_filament

            require_filament()

    def renderer(self, width: int, height: int) -> Renderer | FilamentRenderer:
        """Open a renderer of this quality for images of ``width`` x ``height`` pixels."""
        # Imported here, because the names of qualities are also used without rendering.
        from grouser.rendering.filament import FilamentRenderer
        from grouser.rendering.renderer import Renderer

        if self.filament:
            return FilamentRenderer(width, height)
        return Renderer(width, height, shadows=self.shadows, smooth=self.smooth)


QUALITIES = {
    "fast": Quality(shadows=False, smooth=False),
    "high": Quality(shadows=True, smooth=True),
    "best": Quality(shadows=True, smooth=True, filament=True),
}
"""Qualities by their names on the command line. In software rendering, ``high`` takes ten times as
long as ``fast``, and ``best`` ten times as long as ``high``."""


def quality_named(name: str, where: str = "quality") -> Quality:
    """Return a quality by its name; ``where`` is the location for the error message."""
    if name not in QUALITIES:
        raise unknown(where, "quality", name, QUALITIES)
    return QUALITIES[name]
