"""Raw pictures, mosaic layout, and credentials at the image port."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue
from grouser.gateways.images.mosaic import CameraSlot, CameraTile, Layout
from grouser.protocol.images import Credential, Frame, Preamble, Region
from grouser.render_workers.raster import Raster


def noise(width: int, height: int, seed: int = 0) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@given(st.integers(1, 9), st.integers(1, 5))
def test_raster_payload_equals_raw_frame(width: int, height: int) -> None:
    image = noise(width, height)
    payload = Raster.of_rgb(image).payload()
    assert payload == Frame.raw(width, height, image.tobytes()).payload
    assert np.array_equal(Raster.of(payload).bgr()[..., ::-1], image)


def test_cropped_raster_is_a_picture() -> None:
    image = noise(20, 10)
    part = Raster.of_rgb(image).crop(Region(3, 2, 5, 4))
    assert part.payload() == Frame.raw(5, 4, image[2:6, 3:8].tobytes()).payload
    assert Raster.of_rgb(image).crop(Region(18, 9, 100, 2**32 - 1)).width == 2
    assert Raster.of_rgb(image).crop(Region(99, 99, 1, 1)).payload() == bytes(4)
    with pytest.raises(BadValue, match="do not match a picture"):
        Raster.of(b"\0\x01\0\x01abc")


def test_tile_positions_match_udk() -> None:
    slots = [CameraSlot("r", str(i), 320, 240, i, "") for i in range(7)]
    places = [Layout().place(slot) for slot in slots]
    assert [(p.x, p.y) for p in places[:4]] == [(0, 0), (320, 0), (0, 240), (320, 240)]
    assert places[6] == CameraTile(6, 0, 720, 320, 240)
    assert Layout().size(slots[:1]) == Layout().size(slots[:4]) == (640, 480)
    assert Layout().size(slots) == (640, 960)
    large = CameraSlot("r", "c", 1000, 400, 1, "")
    assert Layout().place(large) == CameraTile(1, 320, 0, 250, 100)


@given(st.lists(st.integers(1, 20), max_size=20))
def test_credentials_split_anywhere_are_parsed(cuts: list[int]) -> None:
    stream = (
        Credential("token", "secret").encode() + Credential("key", "0a1f", "rear").encode() + b"OKU"
    )
    preamble, rest = Preamble(), b""
    shown: list[Credential] = []
    for cut in [*cuts, len(stream)]:
        credentials, more = preamble.receive(stream[:cut])
        shown, rest, stream = shown + credentials, rest + more, stream[cut:]
    assert shown == [Credential("token", "secret"), Credential("key", "0a1f", "rear")]
    assert rest == b"OKU"


def test_requests_without_credentials_pass_unchanged() -> None:
    assert Preamble().receive(b"OK\r\n") == ([], b"OK\r\n")
    assert Preamble().receive(b"kOK") == ([], b"kOK")
    for nonsense in (b"key \n", b"token a b c\n", b"key " + b"a" * 600):
        with pytest.raises(BadValue):
            Preamble().receive(nonsense)
