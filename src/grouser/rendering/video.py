"""Videos: frames in, one MP4 file out, whole or not at all.

OpenCV's FFmpeg does the coding. H.264 is tried first because every browser and phone plays it,
but OpenCV's wheels carry no free encoder for it; VP9 plays in every current browser; MPEG-4
Part 2 is what is left and needs a desktop player.
"""

from __future__ import annotations

import math
import os
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.rendering.opencv import opencv

_CODECS = ("avc1", "vp09", "mp4v")  # H.264, VP9, MPEG-4 Part 2


class Video:
    """An MP4 file that appears at ``path`` when the ``with`` block ends without an error.

    Args:
        path: the file to write, ending in ``.mp4``.
        fps: frames per second of playing time.
    """

    def __init__(self, path: Path | str, fps: float) -> None:
        self.path, self.fps = Path(path), fps
        if self.path.suffix != ".mp4":
            raise BadValue(f"{self.path}: a video's name must end in .mp4")
        if not (math.isfinite(fps) and fps > 0):
            raise BadValue(f"{self.path}: {fps} frames per second is not a positive number")
        self._cv2 = _opencv()
        self._file: AbstractContextManager[Path] = files.replacing(self.path)
        self._draft: Path | None = None  # None: outside the with block
        self._writer: Any = None  # None: no frame yet, and the first one decides the size
        self._shape: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        self._draft = self._file.__enter__()
        return self

    def add(self, frame: npt.NDArray[np.uint8]) -> None:
        """Append a frame, uint8 (height, width, 3), RGB, of the same size as the first.

        Codecs want even sizes: an odd last row or column is shown twice.
        """
        if self._draft is None:
            raise BadValue(f"{self.path}: add frames inside the video's with block")
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise BadValue(
                f"{self.path}: a frame is uint8 (height, width, 3), not {frame.dtype} {frame.shape}"
            )
        if self._writer is None:
            self._writer, self._shape = self._open(self._draft, frame), frame.shape
        if frame.shape != self._shape:
            raise BadValue(f"{self.path}: frames are {self._shape}, this one is {frame.shape}")
        self._writer.write(np.ascontiguousarray(_even(frame)[..., ::-1]))  # OpenCV wants BGR

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        draft, self._draft = self._draft, None
        if self._writer is not None:
            self._writer.release()
        if error is None and draft is not None and draft.stat().st_size == 0:
            # OpenCV tells neither that there was no frame nor that the disk is full.
            nothing = BadValue(f"{self.path}: nothing was written; a video needs a frame or more")
            self._file.__exit__(BadValue, nothing, None)
            raise nothing
        self._file.__exit__(kind, error, trace)

    def _open(self, draft: Path, frame: npt.NDArray[np.uint8]) -> Any:
        height, width = _even(frame).shape[:2]
        logging = self._cv2.utils.logging
        level = logging.getLogLevel()
        logging.setLogLevel(0)  # a codec that is not there is no error to tell the user about
        try:
            for codec in _CODECS:
                fourcc = self._cv2.VideoWriter.fourcc(*codec)
                writer = self._cv2.VideoWriter(str(draft), fourcc, self.fps, (width, height))
                if writer.isOpened():
                    return writer
        finally:
            logging.setLogLevel(level)
        raise BadValue(
            f"{self.path}: OpenCV has no codec for {width} x {height} pixels at {self.fps} frames "
            f"per second (tried {', '.join(_CODECS)})"
        )


def _even(frame: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    height, width = frame.shape[:2]
    if height % 2 == 0 and width % 2 == 0:
        return frame
    return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")


def _opencv() -> Any:
    # FFmpeg prints on its own when a codec is missing; it reads this once, at its first use.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    return opencv("videos", "video")
