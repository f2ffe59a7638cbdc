"""Pictures of cameras as ROS messages: JPEG, depths, intrinsics, and the hash of the picture."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from grouser.frames import Array, millimetres
from grouser.rendering.image import Image
from grouser.rendering.image_plane import ImagePlane
from grouser.ros.definitions import message_type
from grouser.ros.messages import header, ros_name
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera, Depths
from grouser.sensors.imaging.lens import Lens, Polynomial, Radial

JPEG_QUALITY = 80
"""Quality of recorded pictures, 1 to 100."""


def optical_frame(robot: str, camera: Camera | DepthCamera) -> str:
    """Return the frame of a camera's pictures: z forward, x right, y down."""
    return ros_name(f"{robot}/{camera.name}_optical")


def compressed_image(time: int, frame: str, image: Image, quality: int = JPEG_QUALITY) -> Any:
    """Return a picture (height, width, 3) as sensor_msgs/CompressedImage."""
    from PIL import Image as Pillow  # slow import

    file = io.BytesIO()
    Pillow.fromarray(np.ascontiguousarray(image)).save(file, "JPEG", quality=quality)
    return jpeg_message(time, frame, file.getvalue())


def jpeg_message(time: int, frame: str, jpeg: bytes) -> Any:
    """Return a JPEG file as sensor_msgs/CompressedImage."""
    data = np.frombuffer(jpeg, np.uint8)
    return message_type("sensor_msgs/msg/CompressedImage")(header(time, frame), "jpeg", data)


def depth_image(time: int, frame: str, depths: Depths) -> Any:
    """Return a depth image (height, width; m) as sensor_msgs/Image: mm, 0 where nothing is known.

    16UC1 is the encoding of REP-118 for the raw images of depth cameras.
    """
    height, width = depths.shape
    known = np.rint(millimetres(np.nan_to_num(depths).astype(float)))
    values = np.clip(known, 0, np.iinfo(np.uint16).max).astype("<u2")
    return message_type("sensor_msgs/msg/Image")(
        *(header(time, frame), height, width, "16UC1", 0, 2 * width), values.view(np.uint8).ravel()
    )


def point_cloud(time: int, frame: str, points: Array) -> Any:
    """Return points (n, 3), m, as sensor_msgs/PointCloud2 in a frame."""
    field, single = message_type("sensor_msgs/msg/PointField"), 7  # FLOAT32
    fields = [field(name, 4 * place, single, 1) for place, name in enumerate("xyz")]
    data = np.ascontiguousarray(points, "<f4").view(np.uint8).ravel()
    return message_type("sensor_msgs/msg/PointCloud2")(
        *(header(time, frame), 1, len(points), fields, False, 12, 12 * len(points), data, True)
    )


def picture_hash(time: int, frame: str, picture: Image | Depths, sha256: str) -> Any:
    """Return a grouser_msgs/PictureHash."""
    height, width = picture.shape[:2]
    return message_type("grouser_msgs/msg/PictureHash")(header(time, frame), sha256, width, height)


def camera_info(time: int, frame: str, lens: Lens | ImagePlane) -> Any:
    """Return the sensor_msgs/CameraInfo of a lens, or of a camera without distortion.

    The distortion of a `Radial` lens is given by the first three terms of its series in r².
    """
    (fx, fy), (cx, cy) = lens.focal, lens.centre
    matrix = np.array([fx, 0, cx, 0, fy, cy, 0, 0, 1], np.float64)
    projection = np.array([fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0], np.float64)
    region = message_type("sensor_msgs/msg/RegionOfInterest")(0, 0, 0, 0, False)
    return message_type("sensor_msgs/msg/CameraInfo")(
        *(header(time, frame), lens.height, lens.width, "plumb_bob", _coefficients(lens)),
        *(matrix, np.eye(3).ravel(), projection, 0, 0, region),
    )


def _coefficients(lens: Lens | ImagePlane) -> Any:
    """Return k1, k2, p1, p2, k3 of the model plumb_bob."""
    match getattr(lens, "distortion", None):
        case Radial(kappa):
            return np.array([kappa, 2 * kappa**2, 0.0, 0.0, 5 * kappa**3])
        case Polynomial() as known:
            return np.array([known.k1, known.k2, known.p1, known.p2, known.k3])
        case _:
            return np.zeros(0)
