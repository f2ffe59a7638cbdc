"""WebM files of VP8 key frames, which can be encoded in parallel and joined afterwards.

The bit stream of a lossy WebP image is a VP8 key frame (RFC 9649, section 2.5). Pillow, a
dependency, encodes one in a third of the time of a frame in a video encoder. A WebM file of key
frames plays in all browsers and can be positioned at any frame. Compared with predicted frames the
file has about the same size while the camera moves, and is larger in still scenes.

The container is a subset of Matroska (RFC 9559): elements of an identifier, a length and a body.
"""

from __future__ import annotations

import io
import struct
from typing import BinaryIO

from grouser.errors import BadValue
from grouser.rendering.image import Image

CODING_QUALITY = 82
"""WebP quality of a frame, 0 to 100; a frame of 960 x 640 has 15 to 30 kB."""

_METHOD = 1  # method of libwebp, 0 to 6: 0 takes as long, 2 gives files 5 % smaller
_TICKS = 1_000_000  # ns   unit of time stamps: Matroska's usual millisecond
_MS = 1000  # time stamps per second
_CLUSTER = 1.0  # s   duration of a cluster; the relative time of a block has 16 bits
_KEY_FRAME = 0x80
_VIDEO = 1


def vp8_key_frame(picture: Image) -> bytes:
    """Return an image as a VP8 key frame."""
    from PIL import Image as Pillow  # a dependency of matplotlib

    file = io.BytesIO()
    Pillow.fromarray(picture).save(file, "WEBP", quality=CODING_QUALITY, method=_METHOD)
    content = file.getvalue()
    kind, size = content[12:16], struct.unpack_from("<I", content, 16)[0]
    if kind != b"VP8 ":
        raise BadValue(f"webm: Pillow encoded a frame as WebP {kind!r}, expected b'VP8 '")
    return content[20 : 20 + size]


class WebmWriter:
    """Writer of VP8 key frames to a seekable binary file."""

    def __init__(self, file: BinaryIO, width: int, height: int, fps: float) -> None:
        """Write the header up to the first frame."""
        self._file, self._fps = file, fps
        self._frames = 0
        self._cluster: list[bytes] = []
        self._cluster_time = 0
        self._cues: list[bytes] = []
        file.write(_HEADER)
        file.write(_ID["Segment"] + _size(0, 8))
        self._start = file.tell()
        file.write(self._info())
        file.write(_tracks(width, height, fps))

    def add(self, frame: bytes) -> None:
        """Append a frame."""
        now = round(self._frames / self._fps * _MS)
        if self._cluster and now - self._cluster_time >= _CLUSTER * _MS:
            self._end_cluster()
        if not self._cluster:
            self._cluster_time = now
        block = struct.pack(">BhB", 0x81, now - self._cluster_time, _KEY_FRAME) + frame
        self._cluster.append(_element("SimpleBlock", block))
        self._frames += 1

    def finish(self) -> None:
        """Write the last cluster, the index and the duration."""
        if self._cluster:
            self._end_cluster()
        self._file.write(_element("Cues", *self._cues))
        end = self._file.tell()
        self._file.seek(self._start - 8)
        self._file.write(_size(end - self._start, 8))
        self._file.write(self._info())  # has the duration now, and the same length as before
        self._file.seek(end)

    def _info(self) -> bytes:
        return _element(
            "Info",
            _number("TimestampScale", _TICKS),
            _element("Duration", struct.pack(">d", self._frames / self._fps * _MS)),
            _element("MuxingApp", b"grouser"),
            _element("WritingApp", b"grouser"),
        )

    def _end_cluster(self) -> None:
        place = _element(
            "CueTrackPositions",
            _number("CueTrack", 1),
            _number("CueClusterPosition", self._file.tell() - self._start),
        )
        self._cues.append(_element("CuePoint", _number("CueTime", self._cluster_time), place))
        stamp = _number("Timestamp", self._cluster_time)
        self._file.write(_element("Cluster", stamp, *self._cluster))
        self._cluster = []


_ID = {
    name: bytes.fromhex(identifier)
    for name, identifier in {
        "EBML": "1a45dfa3",
        "EBMLVersion": "4286",
        "EBMLReadVersion": "42f7",
        "EBMLMaxIDLength": "42f2",
        "EBMLMaxSizeLength": "42f3",
        "DocType": "4282",
        "DocTypeVersion": "4287",
        "DocTypeReadVersion": "4285",
        "Segment": "18538067",
        "Info": "1549a966",
        "TimestampScale": "2ad7b1",
        "Duration": "4489",
        "MuxingApp": "4d80",
        "WritingApp": "5741",
        "Tracks": "1654ae6b",
        "TrackEntry": "ae",
        "TrackNumber": "d7",
        "TrackUID": "73c5",
        "TrackType": "83",
        "FlagLacing": "9c",
        "DefaultDuration": "23e383",
        "CodecID": "86",
        "Video": "e0",
        "PixelWidth": "b0",
        "PixelHeight": "ba",
        "Cluster": "1f43b675",
        "Timestamp": "e7",
        "SimpleBlock": "a3",
        "Cues": "1c53bb6b",
        "CuePoint": "bb",
        "CueTime": "b3",
        "CueTrackPositions": "b7",
        "CueTrack": "f7",
        "CueClusterPosition": "f1",
    }.items()
}


def _size(length: int, places: int = 4) -> bytes:
    """Return a length as an EBML variable-size integer of ``places`` bytes."""
    return (length | 1 << 7 * places).to_bytes(places, "big")


def _element(name: str, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return _ID[name] + _size(len(body)) + body


def _number(name: str, value: int) -> bytes:
    return _element(name, value.to_bytes(8, "big"))


_HEADER = _element(
    "EBML",
    _number("EBMLVersion", 1),
    _number("EBMLReadVersion", 1),
    _number("EBMLMaxIDLength", 4),
    _number("EBMLMaxSizeLength", 8),
    _element("DocType", b"webm"),
    _number("DocTypeVersion", 4),
    _number("DocTypeReadVersion", 2),
)


def _tracks(width: int, height: int, fps: float) -> bytes:
    entry = _element(
        "TrackEntry",
        _number("TrackNumber", 1),
        _number("TrackUID", 1),
        _number("TrackType", _VIDEO),
        _number("FlagLacing", 0),
        _number("DefaultDuration", round(1e9 / fps)),
        _element("CodecID", b"V_VP8"),
        _element("Video", _number("PixelWidth", width), _number("PixelHeight", height)),
    )
    return _element("Tracks", entry)
