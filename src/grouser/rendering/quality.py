"""How well pictures and videos are drawn, by name: what each costs and what one gets for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grouser.errors import unknown

if TYPE_CHECKING:
    from grouser.rendering.filament import FilamentRenderer
    from grouser.rendering.renderer import Renderer


@dataclass(frozen=True)
class Quality:
    """What a `Renderer` is asked for."""

    shadows: bool
    """Draw shadows and reflections."""
    smooth: bool
    """Smooth edges and finely cut round shapes."""
    filament: bool = False
    """Let MuJoCo's other renderer draw, which has soft light and needs a display server."""

    def check(self) -> None:
        """Raise `MissingDependency` if it is known beforehand that nothing can be drawn so."""
        if self.filament:
            from grouser.rendering.filament import require_filament

            require_filament()

    def renderer(self, width: int, height: int) -> Renderer | FilamentRenderer:
        """Open what draws pictures of ``width`` x ``height`` pixels so."""
        # Imported here: names of qualities are wanted where nothing is drawn.
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
"""Name on the command line → what is drawn. In software a high picture takes ten times as
long as a fast one, and the best ten times as long again."""


def quality_named(name: str, where: str = "quality") -> Quality:
    """Return a quality by its name; ``where`` it was asked for is told when there is none."""
    if name not in QUALITIES:
        raise unknown(where, "quality", name, QUALITIES)
    return QUALITIES[name]
