"""A classic CAN frame, and the checksum that command frames end with."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST_ID, LARGEST_EXTENDED_ID = 0x7FF, 0x1FFFFFFF
"""Standard identifiers have 11 bits, Kenaf has no others; those of strangers may have 29."""

LONGEST = 8
"""Bytes that a frame can carry."""

POLYNOMIAL = 0x1D
"""Of CRC-8/SAE-J1850, which starts at 0xFF and is inverted in the end."""


@dataclass(frozen=True, slots=True)
class CanFrame:
    """What goes over a CAN bus in one piece."""

    id: int
    """Who is meant: 0 to 0x7FF; the lower goes first."""
    data: bytes
    """0 to 8 bytes."""
    extended: bool = False
    """Whether the identifier has 29 bits: never one of Kenaf's, whatever its number is."""


def _crc_table() -> bytes:
    table = bytearray()
    for byte in range(256):
        for _ in range(8):
            byte = (byte << 1) ^ POLYNOMIAL if byte & 0x80 else byte << 1
            byte &= 0xFF
        table.append(byte)
    return bytes(table)


_TABLE = _crc_table()


def crc8(data: bytes) -> int:
    """Return the CRC-8/SAE-J1850 of ``data``; that of ``b"123456789"`` is 0x4B."""
    crc = 0xFF
    for byte in data:
        crc = _TABLE[crc ^ byte]
    return crc ^ 0xFF


def frame_crc(id: int, content: bytes) -> int:
    """Return the checksum that a command frame ends with.

    It is over the identifier (two bytes, low one first) and everything before the checksum, so that
    a frame which gets another's identifier is refused.
    """
    return crc8(id.to_bytes(2, "little") + content)
