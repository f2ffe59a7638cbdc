"""Pictures and videos of a run, from the world's own viewpoint."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import mujoco
import numpy as np

from grouser.cores import cores
from grouser.render_workers.offline_render_pool import OfflineRenderPool
from grouser.rendering.filament import FilamentRenderer
from grouser.rendering.image import Image, write_png
from grouser.rendering.quality import quality_named
from grouser.rendering.renderer import Renderer
from grouser.rendering.video import Video
from grouser.simulation.simulation import Simulation

FPS = 25
"""Video frames per simulated second."""
VIDEO_QUALITY, PICTURE_QUALITY = "fast", "high"
"""Default rendering qualities."""
FEW = 50
"""Number of frames up to which starting worker processes takes longer than drawing here."""


class RunCamera:
    """Camera that writes pictures and videos of a simulation; use it in a ``with`` block.

    Video files are written when the block ends without an error, else not at all.

    Args:
        width: width of pictures and videos, pixels.
        height: height of pictures and videos, pixels.
        videos: files to write; each gets every frame.
        quality: rendering quality by name; None: `PICTURE_QUALITY` and `VIDEO_QUALITY`.
        frames: expected number of video frames; above `FEW` they are drawn by worker processes.
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
        self._video_quality = quality or VIDEO_QUALITY
        self._picture_quality = quality or PICTURE_QUALITY
        for name in (self._video_quality, self._picture_quality):
            quality_named(name, "--quality").check()
        self._videos = [Video(path, FPS) for path in videos]
        self._coded = all(path.suffix == ".webm" for path in videos)
        self._pool: OfflineRenderPool | None = None
        if videos and frames > FEW and OfflineRenderPool.is_supported():
            self._pool = OfflineRenderPool(
                width, height, quality=self._video_quality, coded=self._coded, workers=cores()
            )
        self._renderers: dict[str, Renderer | FilamentRenderer] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for video in self._videos:
            self._open.enter_context(video)
        if self._pool is not None:
            self._open.enter_context(self._pool)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self._pool is not None:
            try:
                self._add_all(self._pool.finish())
            except BaseException as late:
                self._open.__exit__(type(late), late, late.__traceback__)
                raise
        self._open.__exit__(kind, error, trace)

    def film(self, sim: Simulation) -> None:
        """Add a frame to every video."""
        if not self._videos:
            return
        if self._pool is not None:
            self._add_all(self._pool.submit(sim, sim.view()))
        else:
            self._add(self._draw(sim, self._video_quality))

    def write(self, sim: Simulation, picture: Path) -> None:
        """Write a picture of the present state to a PNG file."""
        write_png(picture, self.look(sim))

    def look(self, sim: Simulation) -> Image:
        """Return a picture of the present state."""
        return self._draw(sim, self._picture_quality)

    def _add(self, frame: Image) -> None:
        for video in self._videos:
            video.add(frame)

    def _add_all(self, frames: Sequence[bytes]) -> None:
        """Add frames of the render pool: VP8 key frames or pixels."""
        shape = (self._size[1], self._size[0], 3)
        for frame in frames:
            if not self._coded:
                self._add(np.frombuffer(frame, np.uint8).reshape(shape))
                continue
            for video in self._videos:
                video.add_coded(frame, shape)

    def _draw(self, sim: Simulation, quality: str) -> Image:
        # Updates derived quantities only: drawing does not change the simulation.
        mujoco.mj_kinematics(sim.model, sim.data)
        mujoco.mj_comPos(sim.model, sim.data)
        mujoco.mj_camlight(sim.model, sim.data)
        if quality not in self._renderers:
            renderer = quality_named(quality).renderer(*self._size)
            self._open.callback(renderer.close)
            self._renderers[quality] = renderer
        return self._renderers[quality].picture(sim.model, sim.data, sim.view())
