"""The world's own view of a run: one picture, or whole videos, drawn while physics goes on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import mujoco
import numpy as np

from grouser.cores import cores
from grouser.gateways.images.film_crew import FilmCrew
from grouser.rendering.filament import FilamentRenderer
from grouser.rendering.image import Image, write_png
from grouser.rendering.quality import quality_named
from grouser.rendering.renderer import Renderer
from grouser.rendering.video import Video
from grouser.simulation.simulation import Simulation

FPS = 25
"""A video's frames per simulated second."""
VIDEO_QUALITY, PICTURE_QUALITY = "fast", "high"
"""What is taken where nobody asks for another."""
FEW = 50
"""Frames that are drawn sooner than processes for them would be there."""


class RunCamera:
    """Takes pictures and films a simulation; use it in a ``with`` block.

    Videos are there when the block ends without an error, or not at all.

    Args:
        width: of pictures and videos, pixels.
        height: of pictures and videos, pixels.
        videos: files to write; each gets every frame.
        quality: by name; None: pictures well, videos quickly.
        frames: how many are expected; a few are drawn in this process, many in several.
    """

    def __init__(
        self,
        width: int,
        height: int,
        videos: Sequence[Path] = (),
        *,
        quality: str | None = None,
        frames: int = FEW,
    ) -> None:
        self._size = width, height
        self._film_quality = quality or VIDEO_QUALITY
        self._picture_quality = quality or PICTURE_QUALITY
        for name in (self._film_quality, self._picture_quality):
            quality_named(name, "--quality").check()
        self._videos = [Video(path, FPS) for path in videos]
        self._coded = all(path.suffix == ".webm" for path in videos)
        self._crew: FilmCrew | None = None
        if videos and frames > FEW and FilmCrew.possible():
            self._crew = FilmCrew(
                width, height, quality=self._film_quality, coded=self._coded, workers=cores()
            )
        self._renderers: dict[str, Renderer | FilamentRenderer] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for video in self._videos:
            self._open.enter_context(video)
        if self._crew is not None:
            self._open.enter_context(self._crew)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self._crew is not None:
            try:
                self._add_all(self._crew.finish())
            except BaseException as late:
                self._open.__exit__(type(late), late, late.__traceback__)
                raise
        self._open.__exit__(kind, error, trace)

    def film(self, sim: Simulation) -> None:
        """Add a frame to every video."""
        if not self._videos:
            return
        if self._crew is not None:
            self._add_all(self._crew.take(sim, sim.view()))
        else:
            self._add(self._look(sim, self._film_quality))

    def write(self, sim: Simulation, picture: Path) -> None:
        """Write a picture of the world as it is now."""
        write_png(picture, self.look(sim))

    def look(self, sim: Simulation) -> Image:
        """Return a picture of the world as it is now."""
        return self._look(sim, self._picture_quality)

    def _add(self, frame: Image) -> None:
        for video in self._videos:
            video.add(frame)

    def _add_all(self, frames: Sequence[bytes]) -> None:
        """Add what the film crew has sent: code or pixels."""
        shape = (self._size[1], self._size[0], 3)
        for frame in frames:
            if not self._coded:
                self._add(np.frombuffer(frame, np.uint8).reshape(shape))
                continue
            for video in self._videos:
                video.add_coded(frame, shape)

    def _look(self, sim: Simulation, quality: str) -> Image:
        # Only derived numbers are brought up to date: filming never changes what happens.
        mujoco.mj_kinematics(sim.model, sim.data)
        mujoco.mj_comPos(sim.model, sim.data)
        mujoco.mj_camlight(sim.model, sim.data)
        if quality not in self._renderers:
            renderer = quality_named(quality).renderer(*self._size)
            self._open.callback(renderer.close)
            self._renderers[quality] = renderer
        return self._renderers[quality].picture(sim.model, sim.data, sim.view())
