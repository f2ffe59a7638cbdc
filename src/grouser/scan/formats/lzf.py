"""LZF, the compression inside PCD files: runs of plain bytes and references to earlier ones."""

from __future__ import annotations

from grouser.errors import BadValue

MOST_GROWTH = 264 / 3
"""Three bytes say at most "the 264 bytes from there": no LZF data grows more than this."""


def decompress(data: bytes, size: int) -> bytes:
    """Return ``data`` unpacked.

    Args:
        data: a control byte below 32 is followed by that many plain bytes and one more; any other
            one holds a length (3 bits, 7: one more byte of it follows) and, with the next byte,
            how far back to copy from.
        size: bytes that come out, as the file says.

    Raises:
        BadValue: in a few words, to be read after a file's name: what is wrong with it.
    """
    if size > len(data) * MOST_GROWTH:
        raise BadValue(
            f"says that {len(data):,} compressed bytes become {size:,}, more than LZF can: "
            "its header is wrong"
        )
    out, at, end = bytearray(), 0, len(data)
    try:
        while at < end:
            control = data[at]
            at += 1
            if control < 32:
                stop = at + control + 1
                if stop > end:
                    raise IndexError
                out += data[at:stop]
                at = stop
            else:
                length = control >> 5
                if length == 7:
                    length += data[at]
                    at += 1
                back = ((control & 31) << 8) + data[at] + 1
                at += 1
                _copy(out, back, length + 2)
            if len(out) > size:
                break
    except IndexError:
        raise BadValue("has compressed data that is cut off or damaged") from None
    if len(out) != size:
        raise BadValue(
            f"has compressed data that is cut off or damaged: it does not become {size:,} bytes"
        )
    return bytes(out)


def _copy(out: bytearray, back: int, length: int) -> None:
    """Append ``length`` bytes from ``back`` bytes before the end, which may overlap what is new."""
    start = len(out) - back
    if start < 0:
        raise IndexError
    if back >= length:
        out += out[start : start + length]
    else:
        part = bytes(out[start:])
        out += (part * (length // back + 1))[:length]
