"""Encoding of published messages: JSON, PNG and CBOR, shared by all subscribers of a form."""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from grouser.errors import BadValue
from grouser.gateways.ros_graph.live_topics import Publication
from grouser.protocol.rosbridge import LONGEST_MESSAGE, Subscribe, publication, split
from grouser.ros.definitions import serialize
from grouser.ros.json_fields import RosVersion, to_json
from grouser.ros.messages import NANOSECONDS

PADDING = "\n"
"""Character after the text in the last pixels of a PNG file."""


def encode(
    published: Publication, wanted: Subscribe, id_: str, version: RosVersion
) -> list[str | bytes]:
    """Return the websocket messages of a publication; text, or bytes for CBOR.

    Args:
        published: the message.
        wanted: compression and size of fragments.
        id_: id of its fragments.
        version: form of the messages.
    """
    topic = published.topic.name
    if wanted.compression == "cbor":
        return [
            published.encoded(
                f"cbor{version}",
                lambda message: cbor(
                    {"op": "publish", "topic": topic, "msg": to_json(message, version, binary=True)}
                ),
            )
        ]
    if wanted.compression == "cbor-raw":
        return [published.encoded("cbor-raw", lambda message: _raw(topic, published.time, message))]
    text = published.encoded(f"json{version}", lambda message: _text(topic, message, version))
    if wanted.compression == "png":
        text = published.encoded(f"png{version}", lambda message: png_message(text))
    return [*split(text, wanted.fragment, id_)]


def _text(topic: str, message: Any, version: RosVersion) -> str:
    return publication(topic, json.dumps(to_json(message, version), allow_nan=False))


def _raw(topic: str, time: int, message: Any) -> bytes:
    """Return a message whose content is CDR."""
    secs, nsecs = divmod(time, NANOSECONDS)
    content = {"secs": secs, "nsecs": nsecs, "bytes": serialize(message)}
    return cbor({"op": "publish", "topic": topic, "msg": content})


# -- PNG -------------------------------------------------------------------------------------------


def png_message(text: str) -> str:
    """Return a message as ``png``: its text as the pixels of a picture."""
    from PIL import Image  # slow import

    data = text.encode()
    pixels = math.ceil(len(data) / 3)
    width = max(1, math.isqrt(pixels))
    height = math.ceil(pixels / width)
    data = data.ljust(width * height * 3, PADDING.encode())
    file = io.BytesIO()
    Image.frombytes("RGB", (width, height), data).save(file, "PNG", compress_level=1)
    return json.dumps({"op": "png", "data": base64.b64encode(file.getvalue()).decode()})


def read_png(data: str) -> str:
    """Return the text in a ``png`` message.

    Raises:
        BadValue: it is not a PNG file in base64, too large, or not text.
    """
    from PIL import Image

    try:
        file = io.BytesIO(base64.b64decode(data, validate=True))
        with Image.open(file, formats=["PNG"]) as image:
            if 3 * image.width * image.height <= LONGEST_MESSAGE:
                return image.convert("RGB").tobytes().decode().rstrip(PADDING + "\0")
    except (OSError, SyntaxError, ValueError, binascii.Error) as error:
        raise BadValue("png: 'data' is not a PNG file with a message") from error
    raise BadValue(f"png: the picture is larger than {LONGEST_MESSAGE} bytes")


# -- CBOR ------------------------------------------------------------------------------------------

_TYPED_ARRAYS = {
    "uint16": 69, "uint32": 70, "uint64": 71, "int8": 72, "int16": 77, "int32": 78, "int64": 79,
    "float32": 85, "float64": 86,
}  # fmt: skip
"""Kind of little-endian array → its tag (RFC 8746)."""


def cbor(value: Any) -> bytes:
    """Return a value as CBOR (RFC 8949); arrays of numbers as typed arrays, of bytes as bytes."""
    parts: list[bytes] = []
    _put(value, parts.append)
    return b"".join(parts)


def _put(value: Any, put: Callable[[bytes], None]) -> None:
    match value:
        case None | bool():
            put(b"\xf6" if value is None else b"\xf5" if value else b"\xf4")
        case int():
            put(_head(0, value) if value >= 0 else _head(1, -1 - value))
        case float():
            put(b"\xfb" + struct.pack(">d", value))
        case str():
            data = value.encode()
            put(_head(3, len(data)) + data)
        case bytes():
            put(_head(2, len(value)) + value)
        case np.ndarray():
            _put_array(value, put)
        case Mapping():
            put(_head(5, len(value)))
            for key, one in value.items():
                _put(key, put)
                _put(one, put)
        case Iterable():
            items = list(value)
            put(_head(4, len(items)))
            for one in items:
                _put(one, put)
        case _:
            raise TypeError(f"CBOR of {type(value).__name__}")


def _put_array(values: Any, put: Callable[[bytes], None]) -> None:
    name = values.dtype.name
    if name == "bool":
        _put(values.tolist(), put)
        return
    data = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    if name != "uint8":
        put(_head(6, _TYPED_ARRAYS[name]))
    put(_head(2, len(data)) + data)


def _head(major: int, number: int) -> bytes:
    first = major << 5
    if number < 24:
        return bytes([first | number])
    for code, form, most in ((24, "B", 8), (25, "H", 16), (26, "I", 32), (27, "Q", 64)):
        if number < 1 << most:
            return bytes([first | code]) + struct.pack(f">{form}", number)
    raise OverflowError("CBOR: a number of more than 64 bits")
