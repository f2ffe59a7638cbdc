"""Poses of a robot that a motion capture system measures: VRPN, or a ROS topic over rosbridge.

::

    with VrpnPoses("roach", host="mocap.local") as poses:
        pose = poses.newest(timeout=0.5)
        command = follower.steer(pose.position, pose.wxyz)

Both sources give the newest pose in the frame of the path, whatever the frame of the cameras is, so
that `PathFollower` steers a simulated and a physical robot with the same lines.
"""

from __future__ import annotations

import json
import math
import select
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np

from grouser.client.address import Address
from grouser.client.connection import open_socket
from grouser.errors import BadValue, Disconnected, NoAnswer, missing_extra
from grouser.frames import Pose
from grouser.protocol import rosbridge, vrpn

READ_SIZE = 65536
Y_UP = Pose.at(roll=math.pi / 2)
"""Axes that point forward, up and to the right, as many systems use them, in the world's axes."""


@dataclass(frozen=True, slots=True)
class MeasuredPose:
    """Pose of a rigid body in the frame of the path: x forward, y left, z up."""

    time: float
    """Time of the measurement by the clock of its system, s."""
    position: tuple[float, float, float]
    """m."""
    wxyz: tuple[float, float, float, float]
    """Unit quaternion; the robot's nose is its x axis."""


class PoseSource(Protocol):
    """Stream of poses of one rigid body."""

    def newest(self, timeout: float) -> MeasuredPose:
        """Return the newest pose that was not returned yet; wait for one, at most ``timeout`` s.

        Raises:
            NoAnswer: no pose has come: stop the robot.
            Disconnected: the stream has ended.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Frames:
    """Frames of the cameras and of the tracked body.

    ``Frames(cameras=Y_UP, body=Y_UP.inverse())`` is for a system whose y axis points up, where the
    body was defined while the robot's nose pointed along the x axis.
    """

    cameras: Pose = field(default_factory=Pose)
    """Pose of the cameras' frame in the world, X_WC."""
    body: Pose = field(default_factory=Pose)
    """Pose of the robot in the tracked body, X_BR."""

    def measured(self, time: float, X_CB: Pose) -> MeasuredPose:
        """Return the robot's pose in the world for the body's pose in the cameras' frame."""
        X_WR = self.cameras @ X_CB @ self.body
        x, y, z = X_WR.position.tolist()
        w, a, b, c = X_WR.wxyz.tolist()
        return MeasuredPose(time, (x, y, z), (w, a, b, c))


class VrpnPoses:
    """Poses of a tracker of a VRPN server, over TCP.

    Args:
        tracker: name of the rigid body at the server.
        host: the server.
        port: its port.
        sensor: number of the body at the tracker.
        frames: frames of cameras and body; None: those of the world and of the robot.
        timeout: time-out of connecting, s.

    Raises:
        Disconnected: there is no server.
    """

    def __init__(
        self,
        tracker: str,
        *,
        host: str = "127.0.0.1",
        port: int = vrpn.PORT,
        sensor: int = 0,
        frames: Frames | None = None,
        timeout: float = 10.0,
    ) -> None:
        self.tracker, self.sensor = tracker, sensor
        self._frames = frames or Frames()
        self._address = Address(host=host, port=port, timeout=timeout)
        self._side = vrpn.VrpnClientSide()
        self._socket = open_socket(self._address)
        self._socket.sendall(self._side.opened())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def newest(self, timeout: float) -> MeasuredPose:
        """Return the newest pose; see `PoseSource`."""
        end = time.monotonic() + timeout
        newest: vrpn.TrackerPose | None = None
        while newest is None or _is_readable(self._socket, 0.0):
            if newest is None and not _is_readable(self._socket, end - time.monotonic()):
                raise NoAnswer(
                    f"{self._address.peer}: no pose of tracker '{self.tracker}' within "
                    f"{timeout:g} s{self._known()}"
                )
            for pose in self._receive():
                if (pose.tracker, pose.sensor) == (self.tracker, self.sensor):
                    newest = pose
        return self._frames.measured(
            newest.time, Pose(np.array(newest.position), np.array(newest.wxyz))
        )

    def _receive(self) -> list[vrpn.TrackerPose]:
        try:
            data = self._socket.recv(READ_SIZE)
            if data:
                return self._side.receive(data)
        except (OSError, BadValue) as error:
            raise Disconnected(f"{self._address.peer}: {error}") from None
        raise Disconnected(f"{self._address.peer}: the motion capture server closed the connection")

    def _known(self) -> str:
        known = ", ".join(sorted(self._side.trackers))
        return f"; the server has announced: {known}" if known else ""


class RosPoses:
    """Poses of a topic ``geometry_msgs/PoseStamped`` of a rosbridge server, over a websocket.

    Args:
        topic: name of the topic, such as ``/vrpn_mocap/roach/pose``.
        host: the server.
        port: its port.
        token: access token of a Grouser server.
        frames: frames of cameras and body; None: those of the world and of the robot.
        timeout: time-out of connecting, s.

    Raises:
        Disconnected: there is no server.
        MissingDependency: the websocket library is not installed.
    """

    def __init__(
        self,
        topic: str,
        *,
        host: str = "127.0.0.1",
        port: int = rosbridge.PORT,
        token: str | None = None,
        frames: Frames | None = None,
        timeout: float = 10.0,
    ) -> None:
        try:
            from websockets.sync.client import connect
        except ImportError as error:
            raise missing_extra("poses over rosbridge need websockets", "rosbridge") from error
        self.topic = topic
        self._frames = frames or Frames()
        self._address = Address(host=host, port=port, timeout=timeout)
        header = {"Authorization": f"Bearer {token}"} if token else {}
        self._end = ExitStack()
        try:
            self._socket = self._end.enter_context(
                connect(f"ws://{host}:{port}", open_timeout=timeout, additional_headers=header)
            )
        except Exception as error:  # the library raises several families
            raise Disconnected(f"{self._address.peer}: {error}") from None
        self._socket.send(rosbridge.subscription(topic, "geometry_msgs/PoseStamped"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._end.close()

    def newest(self, timeout: float) -> MeasuredPose:
        """Return the newest pose; see `PoseSource`."""
        end = time.monotonic() + timeout
        newest: tuple[float, Pose] | None = None
        while True:
            wait = 0.0 if newest else max(0.0, end - time.monotonic())
            try:
                text = self._socket.recv(timeout=wait)
            except TimeoutError:
                if newest:
                    return self._frames.measured(*newest)
                raise NoAnswer(
                    f"{self._address.peer}: no pose of topic {self.topic} within {timeout:g} s"
                ) from None
            except Exception as error:  # the library raises several families
                raise Disconnected(f"{self._address.peer}: {error}") from None
            newest = self._read(text) or newest

    def _read(self, text: str | bytes) -> tuple[float, Pose] | None:
        """Return time and pose of a message; None: it has none. Raise on an error of the server."""
        content = json.loads(text)
        if content.get("op") == "status" and content.get("level") == "error":
            raise BadValue(f"{self._address.peer}: {content.get('msg')}")
        return stamped_pose(content["msg"]) if content.get("op") == "publish" else None


def stamped_pose(message: Mapping[str, Any]) -> tuple[float, Pose] | None:
    """Return time (s) and pose of a ``geometry_msgs/PoseStamped`` in JSON; None: it is no pose.

    ROS 1 and ROS 2 name the parts of a stamp differently; both are read.
    """
    try:
        stamp, pose = message["header"]["stamp"], message["pose"]
        place, turn = pose["position"], pose["orientation"]
        position = np.array([float(place[key]) for key in "xyz"])
        wxyz = np.array([float(turn[key]) for key in "wxyz"])
        seconds = float(stamp.get("sec", stamp.get("secs", 0)))
        time_s = seconds + 1e-9 * float(stamp.get("nanosec", stamp.get("nsecs", 0)))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    norm = float(np.linalg.norm(wxyz))
    if not np.isfinite(position).all() or not abs(norm - 1.0) < 0.01:
        return None
    return time_s, Pose(position, wxyz / norm)


def _is_readable(sock: socket.socket, wait: float) -> bool:
    return bool(select.select([sock], [], [], max(0.0, wait))[0])
