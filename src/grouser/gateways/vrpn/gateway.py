"""VRPN gateway: a port where the world's motion capture sensors are trackers.

A sensor ``mocap`` of the robot ``roach`` is the tracker ``roach``; sensors with other names are
``roach/NAME``. The protocol has no tokens: clients need the role ``watch`` without one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from grouser.errors import BadValue
from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.protocol.vrpn import PORT, TrackerPose, VrpnServerSide
from grouser.sensors.mocap import MotionCapture
from grouser.sensors.sensor import Reading
from grouser.service.access import Role
from grouser.service.request_queue import Request
from grouser.simulation.observers import Subscription
from grouser.simulation.scene import Scene

DEFAULT_SENSOR = "mocap"
"""Name of a sensor whose tracker has the name of the robot."""


class VrpnGateway(Gateway):
    """Port of a motion capture server; clients connect with ``tcp://HOST:PORT``."""

    port: PortNumber = PORT

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``vrpn``."""
        yield Endpoint("vrpn", self.port, partial(VrpnSocket, context))


class VrpnSocket(ClientSocket):
    """Connection of one client of the motion capture server; observes the simulation."""

    def __init__(self, context: GatewayContext) -> None:
        super().__init__(context.registry)
        self._simulation = context.host.simulation
        self._trackers = trackers(self._simulation.scene)
        self._side = VrpnServerSide(self._trackers.values())
        self._subscription: Subscription | None = None

    def opened(self, transport: asyncio.Transport) -> None:
        """Send the cookie, and begin to send poses."""
        super().opened(transport)
        self.login.require(Role.WATCH)
        self.outbox.line(self._side.opened())
        self._subscription = self._simulation.subscribe(self)

    def closed(self) -> None:
        """End the stream."""
        if self._subscription is not None:
            self._subscription.close()

    def requests(self, data: bytes) -> list[Request]:
        """Return one request that answers the bytes."""
        return [partial(self._answer, data)]

    def on_scene(self, scene: Scene) -> None:
        """Announce the trackers of a scene that was replaced."""
        self._trackers = trackers(scene)
        for name in self._trackers.values():
            if message := self._side.add_tracker(name):
                self.outbox.line(message)

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Send the pose of a motion capture sensor; nothing for a frame without it."""
        tracker = self._trackers.get((robot, reading.sensor))
        if tracker is None or not reading.values["tracked"]:
            return
        x, y, z, *wxyz = (float(reading[key]) for key in ("x", "y", "z", "qw", "qx", "qy", "qz"))
        pose = TrackerPose(
            tracker, 0, reading.time, (x, y, z), (wxyz[0], wxyz[1], wxyz[2], wxyz[3])
        )
        if message := self._side.pose(pose):
            self.outbox.line(message, stale=tracker)

    def _answer(self, data: bytes) -> None:
        try:
            answer = self._side.receive(data)
        except BadValue as error:
            self.reject(str(error))
            return
        if answer:
            self.outbox.line(answer)


def trackers(scene: Scene) -> dict[tuple[str, str], str]:
    """Return the trackers of a scene: robot and sensor → name."""
    return {
        (robot, name): robot if name == DEFAULT_SENSOR else f"{robot}/{name}"
        for (robot, name), (sensor, _) in scene.sensors.items()
        if isinstance(sensor, MotionCapture)
    }
