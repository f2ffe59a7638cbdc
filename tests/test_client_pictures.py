"""Image client over a real socket: keys, regions, raw and JPEG images."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from grouser.client.address import Address
from grouser.client.pictures import PictureConnection, camera_tile, decode_frame
from grouser.errors import BadValue, Disconnected, NoAnswer
from grouser.protocol.images import Credential, Frame, ImageServerSide, ImageType, Preamble, Region
from grouser.protocol.usarsim.geo_conf import SensorConfiguration, SensorSettings

RGB = np.random.default_rng(1).integers(0, 256, (6, 7, 3), np.uint8)


@contextmanager
def image_server(answer: Callable[..., Any], shown: list[Credential]) -> Iterator[Address]:
    """Answer each request of one connection; record the credentials sent before the first."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        preamble, side = Preamble(), ImageServerSide()
        with connection:
            while data := connection.recv(4096):
                passes, data = preamble.receive(data)
                shown.extend(passes)
                for request in side.receive(data):
                    connection.sendall(answer(request))
            assert side.skipped == 0

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield Address(port=listener.getsockname()[1], timeout=5)
    finally:
        thread.join(5)
        listener.close()


def raw(request: object) -> bytes:
    """Return the raw frame for a request: a region of the image, or all of it."""
    part = RGB
    if isinstance(request, Region):
        part = RGB[request.y : request.y + request.height, request.x : request.x + request.width]
    return Frame.raw(part.shape[1], part.shape[0], part.tobytes()).encode()


def test_raw_image_whole_and_region() -> None:
    shown: list[Credential] = []
    with (
        image_server(raw, shown) as address,
        PictureConnection(address, Credential("key", "0a1b", "Left")) as pictures,
    ):
        np.testing.assert_array_equal(pictures.take(), RGB)
        np.testing.assert_array_equal(pictures.take(Region(2, 1, 3, 4)), RGB[1:5, 2:5])
        np.testing.assert_array_equal(pictures.take(), RGB)
    assert shown == [Credential("key", "0a1b", "Left")]


def test_without_key_the_tile_of_the_mosaic_is_requested() -> None:
    shown: list[Credential] = []
    with (
        image_server(raw, shown) as address,
        PictureConnection(address, part=Region(0, 0, 2, 2)) as pictures,
    ):
        np.testing.assert_array_equal(pictures.take(), RGB[:2, :2])
    assert shown == []


def test_jpeg_is_decoded_to_rgb() -> None:
    cv2 = pytest.importorskip("cv2")
    red = np.zeros((16, 16, 3), np.uint8)
    red[..., 0] = 250
    _, file = cv2.imencode(".jpg", red[..., ::-1])
    picture = decode_frame(Frame(ImageType.GOOD, file.tobytes()))
    np.testing.assert_allclose(picture.mean(axis=(0, 1)), (250, 0, 0), atol=3)
    with pytest.raises(BadValue, match="4 bytes of the image server are not a JPEG"):
        decode_frame(Frame(ImageType.GOOD, b"none"))


def test_missing_image_and_closed_server_raise() -> None:
    with (
        image_server(lambda _: b"", []) as address,
        PictureConnection(address) as pictures,
        pytest.raises(NoAnswer, match="no image within 0.1 s"),
    ):
        pictures.take(timeout=0.1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(port=listener.getsockname()[1])
        with PictureConnection(address) as pictures:
            listener.accept()[0].close()
            with pytest.raises(Disconnected, match="a key or a token may be required"):
                pictures.take(timeout=5)


def test_invalid_frame_raises_bad_value() -> None:
    with (
        image_server(lambda _: b"\xff" * 20, []) as address,
        PictureConnection(address) as pictures,
        pytest.raises(BadValue, match="invalid data of the image server: frame of type 255"),
    ):
        pictures.take()


def test_tile_and_key_are_parsed_from_conf() -> None:
    settings = (
        ("TextureOffsetX", 320),
        ("TextureOffsetY", 0),
        ("TextureResolutionX", 208),
        ("TextureResolutionY", 160),
    )
    cameras = (SensorSettings("Left", settings), SensorSettings("Right", (("ImageKey", "0a1b"),)))
    configuration = SensorConfiguration("Camera", cameras)
    assert camera_tile(configuration).region == Region(320, 0, 208, 160)
    assert camera_tile(configuration).key is None
    assert camera_tile(configuration, "right").key == "0a1b"
    with pytest.raises(BadValue, match="no camera 'Up' .there are: Left, Right"):
        camera_tile(configuration, "Up")
