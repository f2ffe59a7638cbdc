"""Image server protocol: requests, frames, raw pictures."""

import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue
from grouser.protocol.images import (
    JPEG_QUALITY,
    LARGEST_FRAME,
    LONGEST_REASON,
    Frame,
    ImageClientSide,
    ImageServerSide,
    ImageType,
    NoPicture,
    Region,
    WholeFrame,
)
from grouser.protocol.lines import Fault

NUMBERS = st.integers(0, 2**32 - 1)
REQUESTS = st.lists(st.just(WholeFrame()) | st.builds(Region, NUMBERS, NUMBERS, NUMBERS, NUMBERS))


def test_requests_have_the_bytes_of_the_protocol() -> None:
    assert WholeFrame().encode() == b"OK"
    assert Region(320, 240, 1, 65536).encode() == b"U" + struct.pack(">4I", 320, 240, 1, 65536)


@pytest.mark.parametrize("noise", [b"OK\r\n", b"  OK", b"OOK", b"xOKy", b"O\nOK", b"KOKO"])
def test_bytes_outside_requests_are_skipped(noise: bytes) -> None:
    server = ImageServerSide()
    assert server.receive(noise) == [WholeFrame()]
    server.receive(b"x")
    assert server.skipped == len(noise) + 1 - len(b"OK")


def test_bytes_inside_a_region_are_not_parsed_as_requests() -> None:
    region = Region(*struct.unpack(">4I", b"OKOKUUUUOKOKOKOK"))
    assert ImageServerSide().receive(region.encode() + b"OK") == [region, WholeFrame()]


@given(REQUESTS)
def test_requests_round_trip_when_split_anywhere(requests: list[WholeFrame | Region]) -> None:
    stream = b"".join(request.encode() for request in requests)
    whole, bytewise = ImageServerSide(), ImageServerSide()
    assert whole.receive(stream) == requests
    assert [one for byte in stream for one in bytewise.receive(bytes([byte]))] == requests
    assert whole.skipped == bytewise.skipped == 0


def test_legacy_mode_requests_one_frame_on_connect() -> None:
    assert ImageServerSide(legacy=True).opened() == [WholeFrame()]
    assert ImageServerSide().opened() == []


def test_region_is_clipped_to_the_picture() -> None:
    assert Region(320, 240, 320, 240).clipped(640, 480) == Region(320, 240, 320, 240)
    assert Region(600, 0, 320, 240).clipped(640, 480) == Region(600, 0, 40, 240)
    assert Region(2**32 - 1, 5, 9, 2**32 - 1).clipped(640, 480) == Region(640, 5, 0, 475)


def test_raw_frames_have_the_bytes_of_the_protocol() -> None:
    red, green = b"\xff\x00\x00", b"\x00\xff\x00"
    frame = Frame.raw(1, 2, red + green)
    rows = b"\x00\x00\xff\x00" + b"\x00\xff\x00\x00"  # B, G, R, padding to four bytes; top first
    assert frame.encode() == b"\x00\x00\x00\x00\x0c" + b"\x00\x01\x00\x02" + rows
    assert isinstance(frame, Frame)
    assert frame.pixels() == (1, 2, red + green)


def test_jpeg_frames_have_the_bytes_of_the_protocol() -> None:
    jpeg = b"\xff\xd8 a picture \xff\xd9"
    assert Frame(ImageType.NORMAL, jpeg).encode() == b"\x03\x00\x00\x00\x0f" + jpeg
    assert JPEG_QUALITY[ImageType.GOOD] == 75


@given(st.integers(0, 9), st.integers(0, 9), st.data())
def test_raw_pictures_round_trip(width: int, height: int, data: Any) -> None:
    size = width * height * 3
    rgb = data.draw(st.binary(min_size=size, max_size=size))
    (frame,) = ImageClientSide().receive(Frame.raw(width, height, rgb).encode())
    assert isinstance(frame, Frame)
    assert frame.pixels() == (width, height, rgb)


@given(st.lists(st.builds(Frame, st.sampled_from(ImageType), st.binary(max_size=40)), max_size=5))
def test_frames_round_trip_when_split_anywhere(frames: list[Frame]) -> None:
    stream = b"".join(frame.encode() for frame in frames)
    bytewise = ImageClientSide()
    assert ImageClientSide().receive(stream) == frames
    assert [one for byte in stream for one in bytewise.receive(bytes([byte]))] == frames


@pytest.mark.parametrize("header", [b"\x06\x00\x00\x00\x01", b"\x00\x7f\x00\x00\x00", b"HTTP/1.1"])
def test_malformed_header_ends_the_stream(header: bytes) -> None:
    client = ImageClientSide()
    good = Frame(ImageType.GOOD, b"jpeg")
    first, fault = client.receive(good.encode() + header)
    assert first == good
    assert isinstance(fault, Fault)
    assert "must be" in fault.reason
    assert client.broken
    assert client.receive(good.encode()) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Frame.raw(2, 2, b"123"), "raw picture of 2 x 2: 3 bytes, must be 12"),
        (lambda: Frame.raw(70000, 1, b""), "sides must be up to 65535"),
        (lambda: Frame(ImageType.GOOD, b"jpeg").pixels(), "no raw picture"),
        (
            lambda: Frame(ImageType.RAW, b"\x00\x01\x00\x01").pixels(),
            "do not match a picture of 1 x 1",
        ),
        (lambda: Frame(ImageType.GOOD, bytes(LARGEST_FRAME + 1)).encode(), "at most"),
        (lambda: Region(-1, 0, 1, 1).encode(), "region -1, 0, 1, 1: each must be from 0"),
    ],
)
def test_invalid_values_raise_bad_value(make: Callable[..., Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        make()


def test_reason_for_no_picture_is_truncated() -> None:
    stream = NoPicture("OpenGL is not here").encode() + NoPicture("ä" * LONGEST_REASON).encode()
    client = ImageClientSide()
    first, second = [each for byte in stream for each in client.receive(bytes([byte]))]
    assert first == NoPicture("OpenGL is not here")
    assert isinstance(second, NoPicture)
    assert second.reason == "ä" * (LONGEST_REASON // 2)
    (fault,) = ImageClientSide().receive(b"\xff\x00\x00\xff\xff")
    assert isinstance(fault, Fault)
    assert "type 255 with 65535 bytes" in fault.reason
