"""Commands that a client sends without waiting for an answer: the same calls for both shells.

Everything goes onto the wire as it is given: metres, radians, rad/s, in the wire's axes (x forward,
y right, z down unless the server was told otherwise; `grouser.protocol.usarsim.axes` converts).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from grouser.client.conversation import Conversation
from grouser.client.latest_messages import LatestMessages
from grouser.errors import BadValue, nearest
from grouser.frames import degrees
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
from grouser.protocol.usarsim.setting import (
    ResetSensor,
    Scan,
    Set,
    SetGait,
    SetInsPose,
    SetJoint,
    SetRate,
    SetStiffness,
    SetZoom,
)
from grouser.protocol.usarsim.state import State
from grouser.protocol.usarsim.values import Vector

PAWS = ("left", "right")
"""Fore paws that kick."""

ORDERS: dict[str, Order] = {order.name.lower(): order for order in Order}
"""What a joint can be told: angle, speed, torque, brake, relative_angle…"""


class CommandSender(ABC):
    """A connection that sends commands; blocking and asyncio connections say how."""

    conversation: Conversation

    @abstractmethod
    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol` at once."""

    @abstractmethod
    def poll(self) -> LatestMessages:
        """Receive what has arrived, without waiting; return the newest message of each kind."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The server's notices (refusals are raised as well), oldest first."""
        return tuple(self.poll().notices)

    @property
    def time(self) -> float | None:
        """The newest simulated time that was heard, s."""
        return self.poll().time

    @property
    def level(self) -> str:
        """Name of the world."""
        greeting = self.conversation.latest.greeting
        return greeting.level if greeting else ""


class RobotCommands(CommandSender):
    """The commands and the newest readings of a robot."""

    @property
    def state(self) -> State | None:
        """How the robot was when it last said so."""
        return self.poll().state

    @property
    def packages(self) -> Mapping[str, PackageState | EffectorState]:
        """Mission package → where its links were when it last said so."""
        return self.poll().packages

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors that have said something."""
        return self.poll().sensors

    def newest(self, sensor: str) -> Message | None:
        """Return the last reading of a sensor or of a type of sensor; None: nothing yet.

        The name of one sonar, encoder… gives a message with that one alone, their type a message
        with all of them.
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
        """Drive with tracks, or with wheels that do not steer.

        Args:
            left: spin of the left side's wheels, rad/s, forwards positive.
            right: the same of the right side.
            normalized: speeds are -100 to 100 percent of the fastest.
            light: head lights on or off.
            flip: put the robot back on its feet.
        """
        self.send(SkidDrive(left, right, normalized, light, flip))

    def stop(self) -> None:
        """Stand still, on tracks or wheels."""
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
        """Drive a car: spin of its wheels in rad/s, steering angles in rad."""
        self.send(AckermanDrive(speed, front, rear, normalized, light))

    def wheels(self, wheels: Iterable[WheelTarget], *, normalized: bool | None = None) -> None:
        """Drive wheels that spin and steer one by one."""
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
        """Fly: m/s forwards, sideways and up, and deg/s."""
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
        """Walk, or stand with all 0: ahead and to the left in m/s, turn to the left in rad/s.

        Legs and tracks understand it; the servers of old know it from flying robots.
        """
        self.fly(forward, -left, rotational_deg=-degrees(turn))

    def kick(self, paw: str = "left") -> None:
        """Kick with the ``left`` or the ``right`` fore paw as soon as the robot stands.

        To walk before it is over calls it off. Grouser's servers only.
        """
        if paw.lower() not in ("left", "right"):
            raise BadValue(f"kick: paw is '{paw}', must be left or right{nearest(paw, PAWS)}")
        self.send(Kick(paw.capitalize()))

    def gait(self, **numbers: float | str) -> None:
        """Walk by other numbers from now on, such as ``period=0.35, lift=0.02`` (docs/how-to/legged.md).

        They are the options of the robot's kind; a ``RES`` says what was set. Grouser's servers
        only.
        """
        self.send(SetGait(" ".join(f"{name} {value}" for name, value in numbers.items())))

    def head(
        self, pan: float | None = None, tilt: float | None = None, roll: float | None = None
    ) -> None:
        """Turn an AIBO's or a QRIO's head: rad to the left, up, and to the right side down."""
        turns = {"HeadPan": pan, "HeadTilt": tilt, "HeadRoll": roll}
        for joint, angle in turns.items():
            if angle is not None:
                self.joint(joint, -angle if joint == "HeadPan" else angle)

    def tail(self, pan: float | None = None, tilt: float | None = None) -> None:
        """Wag an AIBO's tail: rad to the left, and up."""
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
            value: rad, rad/s or N m, as the order says.
            order: one of `ORDERS`.
        """
        self.send(SetJoint(name, (value,), _order(order)))

    def hinge(self, name: str, value: float, order: str = "angle") -> None:
        """Move one joint with DRIVE {Name}, as clients of UT2004 do."""
        self.send(JointDrive(name, value, _order(order)))

    def bone(
        self, robot: str, bone: str, value: float, order: str = "angle", axis: str | None = None
    ) -> None:
        """Move one bone of a humanoid, as clients of UT2004 do."""
        self.send(BoneDrive(robot, bone, value, _order(order), axis))

    def joints(self, angles: Mapping[str, float]) -> None:
        """Move several joints to angles (rad) in one line: MULTIDRIVE.

        Old servers of UT3 and UDK do not know it; `joint` they do.
        """
        self.send(MultiDrive(tuple(angles.items())))

    def stiffen(self, joint: str, stiffness: float) -> None:
        """Say how firmly a joint holds, 0 to 1."""
        self.send(SetStiffness(joint, stiffness))

    def package(
        self,
        name: str,
        links: Mapping[int, float] | Sequence[LinkTarget] = (),
        *,
        gripper: int | None = None,
        sequence: int | None = None,
    ) -> None:
        """Move a mission package: MISPKG, in UDK's dialect ACT.

        Args:
            name: the package.
            links: where links go: place, counted from 0, → angle (rad) or length (m); or targets
                with other orders.
            gripper: what its gripper shall do.
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
        """Set anything (SET); `protocol.usarsim.setting` has checked ones."""
        self.send(Set(type, name, opcode, params))

    def reset(self, type: str, name: str | None = None) -> None:
        """Let a sensor that counts (Odometry, Encoder, Tachometer) begin again."""
        self.send(ResetSensor(type, name))

    def set_rate(self, type: str, rate_hz: float, name: str | None = None) -> None:
        """Let a sensor measure so many times a simulated second, up to the server's ticks."""
        self.send(SetRate(type, rate_hz, name))

    def place(self, location: Vector, rotation: Vector = (0, 0, 0), ins: str | None = None) -> None:
        """Tell inertial navigation where it is: m and rad."""
        self.send(SetInsPose((*location, *rotation), ins))

    def scan(self, type: str = "RangeScanner", name: str | None = None) -> None:
        """Let a range scanner measure now."""
        self.send(Scan(type, name))

    def zoom(self, camera: str, fov: float) -> None:
        """Set the field of view of a camera, rad; 0: as it was built."""
        self.send(SetZoom(camera, fov))

    def trace(
        self, on: bool = True, interval: float | None = None, color: str | None = None
    ) -> None:
        """Leave marks where the robot goes."""
        self.send(Trace(on, interval, color))

    def transmit(self, data: bytes, to: str | None = None) -> None:
        """Say something over the robot's radio, to one robot or to whoever hears it."""
        self.send(Transmit(data, to))

    def lockstep(self, every: float, *, by_command: bool | None = None) -> None:
        """Let the world wait for us.

        Args:
            every: simulated seconds that pass after each of our turns; 0: not any more.
            by_command: any command that moves the robot ends our turn, not only `end_turn`.
        """
        self.send(Lockstep(every, by_command))

    def end_turn(self) -> None:
        """Let the world go on (in lockstep), without waiting for the next turn."""
        self.send(Step())


def _order(word: str) -> Order:
    try:
        return ORDERS[word.lower()]
    except KeyError:
        raise BadValue(
            f"order is '{word}', must be one of {', '.join(ORDERS)}{nearest(word, ORDERS)}"
        ) from None
