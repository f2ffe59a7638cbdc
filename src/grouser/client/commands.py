"""Commands without an answer, of robots and world controllers, for both kinds of connection.

Values are sent unchanged: metres, radians, rad/s, in the axes of the port (x forward, y right,
z down by default; `grouser.protocol.usarsim.axes` converts).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from grouser.client.conversation import Conversation, LatestMessages
from grouser.errors import BadValue, nearest
from grouser.frames import degrees
from grouser.protocol.usarsim import control, setting
from grouser.protocol.usarsim.commands import Trace
from grouser.protocol.usarsim.drive import (
    AckermanDrive,
    AerialDrive,
    BoneDrive,
    JointDrive,
    MultiDrive,
    NauticDrive,
    OmniDrive,
    Order,
    SkidDrive,
    WheelTarget,
)
from grouser.protocol.usarsim.extensions import Kick, Lockstep, Notice, Step, Transmit
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.package import EffectorState, LinkTarget, MovePackage, PackageState
from grouser.protocol.usarsim.state import State
from grouser.protocol.usarsim.values import Vector

PAWS = ("left", "right")
"""Fore paws."""

ORDERS: dict[str, Order] = {order.name.lower(): order for order in Order}
"""Name -> control mode of a joint: angle, speed, torque, brake, relative_angle…"""


class CommandSender(ABC):
    """Base class of blocking and asyncio connections."""

    conversation: Conversation

    @abstractmethod
    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol`."""

    @abstractmethod
    def poll(self) -> LatestMessages:
        """Process received data without waiting; return the newest message of each kind."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices of the server, oldest first (rejections are raised as well)."""
        return tuple(self.poll().notices)

    @property
    def time(self) -> float | None:
        """Newest received simulated time, s."""
        return self.poll().time

    @property
    def level(self) -> str:
        """Name of the world."""
        greeting = self.conversation.latest.greeting
        return greeting.level if greeting else ""


class RobotCommands(CommandSender):
    """Commands and newest readings of a robot."""

    @property
    def state(self) -> State | None:
        """Newest state of the robot."""
        return self.poll().state

    @property
    def packages(self) -> Mapping[str, PackageState | EffectorState]:
        """Mission package -> newest state of its links."""
        return self.poll().packages

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors with readings."""
        return self.poll().sensors

    def newest(self, sensor: str) -> Message | None:
        """Return the last reading of a sensor or sensor type; None if there is none.

        The name of one sonar, encoder… selects a message with that one, their type a message with
        all of them.
        """
        return self.poll().newest(sensor)

    def drive(
        self,
        left: float | None = None,
        right: float | None = None,
        *,
        normalized: bool | None = None,
        light: bool | None = None,
        flip: bool | None = None,
    ) -> None:
        """Drive with tracks or with unsteered wheels.

        Args:
            left: speed of the left wheels, rad/s, forwards positive.
            right: speed of the right wheels, rad/s.
            normalized: speeds are -100 to 100 percent of the largest.
            light: head lights on or off.
            flip: turn an overturned robot upright.
        """
        self.send(SkidDrive(left, right, normalized, light, flip))

    def stop(self) -> None:
        """Stop tracks or wheels."""
        self.drive(0.0, 0.0)

    def steer(
        self,
        speed: float,
        front: float = 0.0,
        rear: float = 0.0,
        *,
        normalized: bool | None = None,
        light: bool | None = None,
    ) -> None:
        """Drive with Ackermann steering: wheel speed in rad/s, steering angles in rad."""
        self.send(AckermanDrive(speed, front, rear, normalized, light))

    def wheels(self, wheels: Iterable[WheelTarget], *, normalized: bool | None = None) -> None:
        """Drive wheels with individual speed and steering."""
        self.send(OmniDrive(tuple(wheels), normalized))

    def fly(
        self,
        linear: float = 0.0,
        lateral: float = 0.0,
        altitude: float = 0.0,
        rotational_deg: float = 0.0,
        *,
        normalized: bool | None = None,
    ) -> None:
        """Fly: velocities forwards, sideways and up in m/s, turn rate in deg/s."""
        self.send(
            AerialDrive(
                altitude_velocity=altitude,
                linear_velocity=linear,
                lateral_velocity=lateral,
                rotational_velocity_deg=rotational_deg,
                normalized=normalized,
            )
        )

    def walk(self, forward: float = 0.0, left: float = 0.0, turn: float = 0.0) -> None:
        """Walk: velocities forwards and left in m/s, turn rate to the left in rad/s; all 0: stand.

        For legs and tracks. Sent as the DRIVE message of flying robots.
        """
        self.fly(forward, -left, rotational_deg=-degrees(turn))

    def kick(self, paw: str = "left") -> None:
        """Kick with the ``left`` or the ``right`` fore paw as soon as the robot stands.

        A walk command cancels it. Grouser servers only.
        """
        if paw.lower() not in ("left", "right"):
            raise BadValue(f"kick: paw is '{paw}', must be left or right{nearest(paw, PAWS)}")
        self.send(Kick(paw.capitalize()))

    def gait(self, **numbers: float | str) -> None:
        """Set gait parameters, such as ``period=0.35, lift=0.02`` (docs/how-to/legged.md).

        The names are options of the robot kind; the answer is a ``RES``. Grouser servers only.
        """
        self.send(setting.SetGait(" ".join(f"{name} {value}" for name, value in numbers.items())))

    def head(
        self, pan: float | None = None, tilt: float | None = None, roll: float | None = None
    ) -> None:
        """Turn the head of an AIBO or QRIO: rad; left, up and right side down are positive."""
        turns = {"HeadPan": pan, "HeadTilt": tilt, "HeadRoll": roll}
        for joint, angle in turns.items():
            if angle is not None:
                self.joint(joint, -angle if joint == "HeadPan" else angle)

    def tail(self, pan: float | None = None, tilt: float | None = None) -> None:
        """Turn the tail of an AIBO: rad; left and up are positive."""
        if pan is not None:
            self.joint("TailPan", -pan)
        if tilt is not None:
            self.joint("TailTilt", tilt)

    def dive(
        self,
        propeller: float,
        rudder: float = 0.0,
        stern_plane: float = 0.0,
        *,
        normalized: bool | None = None,
        light: bool | None = None,
    ) -> None:
        """Drive a submarine."""
        self.send(NauticDrive(propeller, rudder, stern_plane, normalized, light))

    def joint(self, name: str, value: float, order: str = "angle") -> None:
        """Move one joint (SET, which every dialect has).

        Args:
            name: the joint, or ``AllJoints``.
            value: rad, rad/s or N m, depending on ``order``.
            order: one of `ORDERS`.
        """
        self.send(setting.SetJoint(name, (value,), _order(order)))

    def hinge(self, name: str, value: float, order: str = "angle") -> None:
        """Move one joint (DRIVE {Name}, UT2004)."""
        self.send(JointDrive(name, value, _order(order)))

    def bone(
        self, robot: str, bone: str, value: float, order: str = "angle", axis: str | None = None
    ) -> None:
        """Move one bone of a humanoid (UT2004)."""
        self.send(BoneDrive(robot, bone, value, _order(order), axis))

    def joints(self, angles: Mapping[str, float]) -> None:
        """Move several joints to angles (rad) in one message (MULTIDRIVE).

        Not supported by the original servers of UT3 and UDK; `joint` is.
        """
        self.send(MultiDrive(tuple(angles.items())))

    def stiffen(self, joint: str, stiffness: float) -> None:
        """Set the stiffness of a joint, 0 to 1."""
        self.send(setting.SetStiffness(joint, stiffness))

    def package(
        self,
        name: str,
        links: Mapping[int, float] | Sequence[LinkTarget] = (),
        *,
        gripper: int | None = None,
        sequence: int | None = None,
    ) -> None:
        """Move a mission package (MISPKG; ACT in the dialect udk).

        Args:
            name: name of the package.
            links: index of a link, from 0, -> angle (rad) or length (m); or targets with other
                orders.
            gripper: command of the gripper.
            sequence: number of a stored motion.
        """
        if isinstance(links, Mapping):
            links = [LinkTarget(link, value) for link, value in links.items()]
        self.send(MovePackage(name, tuple(links), gripper, sequence))

    def set(
        self,
        type: str,
        name: str | None = None,
        opcode: str | None = None,
        params: str | None = None,
    ) -> None:
        """Send any setting (SET); `protocol.usarsim.setting` has typed ones."""
        self.send(setting.Set(type, name, opcode, params))

    def reset(self, type: str, name: str | None = None) -> None:
        """Reset a counting sensor (Odometry, Encoder, Tachometer)."""
        self.send(setting.ResetSensor(type, name))

    def set_rate(self, type: str, rate_hz: float, name: str | None = None) -> None:
        """Set the rate of a sensor, Hz of simulated time; at most one reading per server tick."""
        self.send(setting.SetRate(type, rate_hz, name))

    def place(self, location: Vector, rotation: Vector = (0, 0, 0), ins: str | None = None) -> None:
        """Set the pose of inertial navigation: m and rad."""
        self.send(setting.SetInsPose((*location, *rotation), ins))

    def scan(self, type: str = "RangeScanner", name: str | None = None) -> None:
        """Trigger a range scanner."""
        self.send(setting.Scan(type, name))

    def zoom(self, camera: str, fov: float) -> None:
        """Set the field of view of a camera, rad; 0: default."""
        self.send(setting.SetZoom(camera, fov))

    def trace(
        self, on: bool = True, interval: float | None = None, color: str | None = None
    ) -> None:
        """Draw the trajectory of the robot."""
        self.send(Trace(on, interval, color))

    def transmit(self, data: bytes, to: str | None = None) -> None:
        """Send a radio message to one robot, or to all in range."""
        self.send(Transmit(data, to))

    def lockstep(self, every: float, *, by_command: bool | None = None) -> None:
        """Enter lockstep: the simulation waits for this client.

        Args:
            every: simulated seconds between two turns; 0: leave lockstep.
            by_command: any motion command ends the turn, not only `end_turn`.
        """
        self.send(Lockstep(every, by_command))

    def end_turn(self) -> None:
        """End this turn (in lockstep) without waiting for the next."""
        self.send(Step())


def _order(word: str) -> Order:
    try:
        return ORDERS[word.lower()]
    except KeyError:
        raise BadValue(
            f"order is '{word}', must be one of {', '.join(ORDERS)}{nearest(word, ORDERS)}"
        ) from None


class WorldCommands(CommandSender):
    """Commands of USARSim's world controller: create, move and remove objects."""

    def create(
        self,
        class_name: str,
        name: str | None = None,
        *,
        at: Vector | None = None,
        rotation: Vector | None = None,
        scale: Sequence[float] | None = None,
        physics: str | None = None,
        permanent: bool | None = None,
        memory: str | None = None,
        material: str | None = None,
        start: str | None = None,
    ) -> None:
        """Create an object; options as in `grouser.protocol.usarsim.control.Create`."""
        self.send(
            control.Create(
                class_name,
                name,
                memory,
                at,
                rotation,
                None if scale is None else tuple(scale),
                physics,
                permanent,
                material,
                start,
            )
        )

    def kill(self, name: str) -> None:
        """Remove an object."""
        self.send(control.Kill(name))

    def kill_all(self, lowest: Vector | None = None, highest: Vector | None = None) -> None:
        """Remove every object, or those inside a box."""
        self.send(control.KillAll(lowest, highest))

    def put(self, name: str, at: Vector | None = None, rotation: Vector | None = None) -> None:
        """Move an object to a pose."""
        self.send(control.AbsMove(name, at, rotation))

    def shift(self, name: str, by: Vector | None = None, rotation: Vector | None = None) -> None:
        """Move an object by an offset."""
        self.send(control.RelMove(name, by, rotation))

    def rotate(self, name: str, *speed: float) -> None:
        """Rotate an object, rad/s: one number, or one per axis."""
        self.send(control.Rotate(name, speed))

    def convey(self, name: str, *speed: float) -> None:
        """Set the speed of a conveyor, m/s: one number, or one per axis."""
        self.send(control.Conveyor(name, speed))

    def add_waypoints(self, name: str, *positions: Vector) -> None:
        """Append waypoints to an object."""
        self.send(control.AddWaypoints(name, positions))

    def set_waypoints(
        self,
        name: str,
        *,
        speed: float | None = None,
        time: float | None = None,
        loop: bool | None = None,
        reset_on_clear: bool | None = None,
        moving: bool | None = None,
    ) -> None:
        """Set the motion along the waypoints: speed in m/s, or time in s for the whole path."""
        self.send(control.SetWaypoints(name, speed, time, loop, reset_on_clear, moving))

    def clear_waypoints(self, name: str) -> None:
        """Remove the waypoints of an object."""
        self.send(control.ClearWaypoints(name))

    def ask_states(self, class_name: str | None = None, name: str | None = None) -> None:
        """Request states of objects; the answers are received like any other message."""
        self.send(control.GetState(class_name, name))
