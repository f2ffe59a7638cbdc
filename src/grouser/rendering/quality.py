"""How well pictures and videos are drawn, by name: what each costs and what one gets for it."""

from __future__ import annotations

from dataclasses import dataclass

from grouser.errors import unknown


@dataclass(frozen=True)
class Quality:
    """What a `Renderer` is asked for."""

    shadows: bool
    """Draw shadows and reflections."""
    smooth: bool
    """Smooth edges and finely cut round shapes."""


QUALITIES = {
    "fast": Quality(shadows=False, smooth=False),
    "high": Quality(shadows=True, smooth=True),
}
"""Name on the command line → what is drawn. In software a high picture takes ten times as long."""


def quality_named(name: str, where: str = "quality") -> Quality:
    """Return a quality by its name; ``where`` it was asked for is told when there is none."""
    if name not in QUALITIES:
        raise unknown(where, "quality", name, QUALITIES)
    return QUALITIES[name]
