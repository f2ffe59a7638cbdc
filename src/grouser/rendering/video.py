"""Video files, written atomically; the suffix selects the format.

- ``.webm`` is VP8. It is encoded quickly and without OpenCV. All current browsers, VLC, mpv and
  LibreOffice play it.
- ``.mp4`` is H.264 if OpenCV finds an encoder of the system (macOS, Windows, some boards), because
  its wheels contain none. Otherwise it is VP9, which browsers play too, but whose encoding takes
  several times as long.
- ``.gif`` is for slides. All programs show it, in few colours.
"""

from __future__ import annotations

import math
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.rendering.image import opencv
from grouser.rendering.webm import WebmWriter, vp8_key_frame

_CODECS = ("avc1", "vp09", "mp4v")  # H.264, VP9, MPEG-4 Part 2
_GIF_WIDTH = 480  # pixels   largest width: a GIF of 960 would be four times as large
_GIF_FPS = 12.5  # largest frame rate, which limits the size of the file
_GIF_COLOURS = 128

Frame = npt.NDArray[np.uint8]


class Video:
    """Video file that is created when the ``with`` block ends without an error.

    Args:
        path: file with the suffix ``.webm``, ``.mp4`` or ``.gif``.
        fps: frames per second of playing time.

    Raises:
        BadValue: the suffix or the frame rate is invalid.
    """

    def __init__(self, path: Path | str, fps: float) -> None:
        self.path, self.fps = Path(path), fps
        if self.path.suffix not in ENDINGS:
            raise BadValue(f"{self.path}: a video's name must end in {', '.join(ENDINGS)}")
        if not (math.isfinite(fps) and fps > 0):
            raise BadValue(f"{self.path}: {fps} frames per second is not a positive number")
        self._coder: _Coder = ENDINGS[self.path.suffix](self.path, fps)
        self._file: AbstractContextManager[Path] = files.replacing(self.path)
        self._draft: Path | None = None  # None: outside the with block
        self._shape: tuple[int, ...] = ()  # shape of the first frame; empty before it

    def __enter__(self) -> Self:
        self._draft = self._file.__enter__()
        return self

    def add(self, frame: Frame) -> None:
        """Append a frame, uint8 (height, width, 3), RGB, of the same size as the first.

        Codecs need even sizes; an odd last row or column is repeated.
        """
        if self._draft is None:
            raise BadValue(f"{self.path}: add frames inside the video's with block")
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise BadValue(
                f"{self.path}: a frame is uint8 (height, width, 3), not {frame.dtype} {frame.shape}"
            )
        self._begin(self._draft, frame.shape)
        self._coder.add(frame)

    def add_coded(self, frame: bytes, shape: tuple[int, int, int]) -> None:
        """Append a frame encoded by `vp8_key_frame`, for WebM files only."""
        if self._draft is None or not isinstance(self._coder, _WebmCoder):
            raise BadValue(f"{self.path}: coded frames are added inside a WebM video's with block")
        self._begin(self._draft, shape)
        self._coder.add_coded(frame)

    def _begin(self, draft: Path, shape: tuple[int, ...]) -> None:
        """Open the file with the size of the first frame; check the size of other frames."""
        if not self._shape:
            self._coder.open(draft, width=shape[1], height=shape[0])
            self._shape = shape
        if shape != self._shape:
            raise BadValue(f"{self.path}: frames are {self._shape}, this one is {shape}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        draft, self._draft = self._draft, None
        try:
            if self._shape:
                self._coder.close(complete=error is None)
            if error is None and draft is not None and draft.stat().st_size == 0:
                why = "the file is empty; a video needs a frame or more"
                raise BadValue(f"{self.path}: {why}")
        except Exception as fault:  # raised again after the incomplete file is removed
            self._file.__exit__(type(fault), fault, fault.__traceback__)
            raise
        self._file.__exit__(kind, error, trace)


class _Coder(ABC):
    """Encoder of frames into a file; the caller checks the frames."""

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps = path, fps

    @abstractmethod
    def open(self, draft: Path, *, width: int, height: int) -> None:
        """Open the file ``draft`` for frames of ``width`` x ``height`` pixels."""

    @abstractmethod
    def add(self, frame: Frame) -> None:
        """Append a frame."""

    @abstractmethod
    def close(self, *, complete: bool) -> None:
        """Finish the file; the caller deletes it if it is not ``complete``."""


class _OpenCvCoder(_Coder):
    """Encoder with the FFmpeg of OpenCV's wheels (LGPL)."""

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        # FFmpeg prints messages for missing codecs; it reads this variable at its first use.
        os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
        self._cv2 = opencv("videos", "video")
        self._writer: Any = None

    def open(self, draft: Path, *, width: int, height: int) -> None:
        self._draft, self._frames = draft, 0
        width, height = width + width % 2, height + height % 2
        logging = self._cv2.utils.logging
        level = logging.getLogLevel()
        logging.setLogLevel(0)  # a missing codec is not an error, the next one is tried
        try:
            for codec in _CODECS:
                fourcc = self._cv2.VideoWriter.fourcc(*codec)
                writer = self._cv2.VideoWriter(str(draft), fourcc, self.fps, (width, height))
                if writer.isOpened():
                    self._writer = writer
                    return
        finally:
            logging.setLogLevel(level)
        raise BadValue(
            f"{self.path}: OpenCV has no codec for {width} x {height} pixels at {self.fps} frames "
            f"per second (tried {', '.join(_CODECS)})"
        )

    def add(self, frame: Frame) -> None:
        self._frames += 1
        self._writer.write(self._cv2.cvtColor(_crop_to_even(frame), self._cv2.COLOR_RGB2BGR))

    def close(self, *, complete: bool) -> None:
        if self._writer is not None:
            self._writer.release()
        if complete:
            self._check()

    def _check(self) -> None:
        """Count the frames of the written file, because OpenCV does not report a full disk."""
        reader = self._cv2.VideoCapture(str(self._draft))
        found = round(reader.get(self._cv2.CAP_PROP_FRAME_COUNT)) if reader.isOpened() else 0
        reader.release()
        if found != self._frames:
            free = shutil.disk_usage(self._draft.parent).free // 2**20
            raise BadValue(
                f"{self.path}: cannot be written ({found} of {self._frames} frames were written, "
                f"{free} MB are free on that disk)"
            )


class _WebmCoder(_Coder):
    """Encoder with Pillow's VP8 frames in a WebM container."""

    def open(self, draft: Path, *, width: int, height: int) -> None:
        self._file = draft.open("wb")
        self._writer = WebmWriter(self._file, width, height, self.fps)

    def add(self, frame: Frame) -> None:
        self.add_coded(vp8_key_frame(frame))

    def add_coded(self, frame: bytes) -> None:
        """Append an encoded frame."""
        self._writer.add(frame)

    def close(self, *, complete: bool) -> None:
        with self._file:
            if complete:
                self._writer.finish()


class _GifCoder(_Coder):
    """Encoder with Pillow: reduced size and frame rate, with the palette of the first frame."""

    def open(self, draft: Path, *, width: int, height: int) -> None:
        self._draft = draft
        self._every = max(1, math.ceil(self.fps / _GIF_FPS - 1e-9))
        self._seen, self._frames = 0, list[Any]()

    def add(self, frame: Frame) -> None:
        from PIL import Image as Pillow

        self._seen += 1
        if (self._seen - 1) % self._every:
            return
        picture = Pillow.fromarray(frame)
        if picture.width > _GIF_WIDTH:
            height = round(picture.height * _GIF_WIDTH / picture.width)
            picture = picture.resize((_GIF_WIDTH, height), Pillow.Resampling.BOX)
        if self._frames:  # one palette for all frames avoids flicker
            picture = picture.quantize(palette=self._frames[0], dither=Pillow.Dither.NONE)
        else:
            picture = picture.quantize(_GIF_COLOURS, dither=Pillow.Dither.NONE)
        self._frames.append(picture)

    def close(self, *, complete: bool) -> None:
        if complete:
            hundredths = max(2, round(100 * self._every / self.fps))  # time unit of GIF
            self._frames[0].save(
                self._draft,
                "GIF",
                save_all=True,
                append_images=self._frames[1:],
                duration=10 * hundredths,
                loop=0,
            )


ENDINGS: dict[str, Callable[[Path, float], _Coder]] = {
    ".webm": _WebmCoder,
    ".mp4": _OpenCvCoder,
    ".gif": _GifCoder,
}
"""Suffix of a video file → encoder."""


def _crop_to_even(frame: Frame) -> Frame:
    height, width = frame.shape[:2]
    if height % 2 == 0 and width % 2 == 0:
        return frame
    return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
