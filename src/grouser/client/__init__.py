"""Programs on the far side of the wire: a robot driven and heard over the network.

::

    from grouser.client import join

    with join("P3AT", name="R1") as robot:
        robot.drive(left=2.0, right=2.0)

Nothing here knows MuJoCo, a world or a simulated robot: what a program must know of its robot, its
camera and its field is handed to it as numbers, as to the real robot's software.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.client.address import Address, parse_host_port
    from grouser.client.asynchronous import AsyncConnection, AsyncController, AsyncRobot
    from grouser.client.asynchronous import connect as async_connect
    from grouser.client.asynchronous import control as async_control
    from grouser.client.asynchronous import join as async_join
    from grouser.client.connection import (
        Connection,
        Controller,
        RemoteRobot,
        connect,
        control,
        join,
    )
    from grouser.client.conversation import LockstepTurn
    from grouser.client.launch import Ports, serving, started
    from grouser.client.operator_link import OperatorLink
    from grouser.client.path_following import PathFollower
    from grouser.client.pictures import PictureConnection, watch

_PLACES = {
    "Address": "grouser.client.address",
    "AsyncConnection": "grouser.client.asynchronous",
    "AsyncController": "grouser.client.asynchronous",
    "AsyncRobot": "grouser.client.asynchronous",
    "Connection": "grouser.client.connection",
    "Controller": "grouser.client.connection",
    "Hrt": "grouser.client.hrt_robot",
    "HrtCode": "grouser.client.hrt_robot",
    "HrtError": "grouser.client.hrt_robot",
    "Link": "grouser.client.links.link",
    "LockstepLink": "grouser.client.links.lockstep_link",
    "LockstepTurn": "grouser.client.conversation",
    "OperatorLink": "grouser.client.operator_link",
    "PathFollower": "grouser.client.path_following",
    "PictureConnection": "grouser.client.pictures",
    "Ports": "grouser.client.launch",
    "RemoteRobot": "grouser.client.connection",
    "async_connect": "grouser.client.asynchronous:connect",
    "async_control": "grouser.client.asynchronous:control",
    "async_join": "grouser.client.asynchronous:join",
    "connect": "grouser.client.connection",
    "control": "grouser.client.connection",
    "join": "grouser.client.connection",
    "open_link": "grouser.client.links.link",
    "parse_host_port": "grouser.client.address",
    "serving": "grouser.client.launch",
    "started": "grouser.client.launch",
    "watch": "grouser.client.pictures",
}

__all__ = [
    "Address",
    "AsyncConnection",
    "AsyncController",
    "AsyncRobot",
    "Connection",
    "Controller",
    "Hrt",
    "HrtCode",
    "HrtError",
    "Link",
    "LockstepLink",
    "LockstepTurn",
    "OperatorLink",
    "PathFollower",
    "PictureConnection",
    "Ports",
    "RemoteRobot",
    "async_connect",
    "async_control",
    "async_join",
    "connect",
    "control",
    "join",
    "parse_host_port",
    "serving",
    "started",
    "watch",
]

__getattr__ = lazily(__name__, _PLACES)
