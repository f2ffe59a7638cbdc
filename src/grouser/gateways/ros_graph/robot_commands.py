"""Topics by which ROS programs command robots, and the ownership of the robots they command.

A program owns a robot from its first command on, until it ends its topics or disconnects; a robot
of another program cannot be commanded. After a silence of the server's command time-out the robot
stops until the next command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.physics.drives import Setpoint
from grouser.ros.json_fields import full_name
from grouser.ros.messages import command_of_joint_state, command_of_twist, points_of_path, ros_name
from grouser.service.host import Host, RobotOwner
from grouser.service.watchdog import Watchdog
from grouser.simulation.changes.actions import Command

TWIST, TWIST_STAMPED = "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"
COMMAND_TYPES: dict[str, tuple[str, ...]] = {
    "cmd_vel": (TWIST, TWIST_STAMPED),
    "joint_command": ("sensor_msgs/msg/JointState",),
    "path": ("nav_msgs/msg/Path",),
}
"""Topic in the namespace of a robot → allowed types, the usual one first."""


@dataclass(frozen=True)
class CommandTopic:
    """Topic that commands a robot."""

    robot: str
    kind: str
    """Key of `COMMAND_TYPES`."""
    type: str
    """Type of its messages."""


def command_topics(robots: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the command topics of robots: name → robot, key of `COMMAND_TYPES`."""
    return {
        ros_name(f"/{robot}/{kind}"): (robot, kind) for robot in robots for kind in COMMAND_TYPES
    }


def find_command_topic(robots: Iterable[str], name: str, kind: str = "") -> CommandTopic:
    """Return the command topic ``name``.

    Args:
        robots: all robots of the world.
        name: of the topic.
        kind: type of its messages, in the form of ROS 1 or ROS 2; empty: the usual one.

    Raises:
        UnknownName: there is no such topic.
        BadValue: it has another type.
    """
    topics = command_topics(robots)
    if name not in topics:
        raise unknown("publish", "command topic", name, topics)
    robot, topic = topics[name]
    types = COMMAND_TYPES[topic]
    if kind and full_name(kind) not in types:
        raise BadValue(f"{name} has the type {' or '.join(types)}, not '{kind[:60]}'")
    return CommandTopic(robot, topic, full_name(kind) if kind else types[0])


class RobotCommander(RobotOwner):
    """Owner of one robot on behalf of one ROS program."""

    def __init__(self, host: Host, robot: str, address: str, on_lost: Callable[[], object]) -> None:
        """Assign the robot.

        Args:
            host: the host.
            robot: a robot without an owner.
            address: of the program.
            on_lost: called when the robot has left the world or the owner failed.

        Raises:
            UnknownName: there is no such robot.
            BadValue: it has an owner.
        """
        self.address = address
        self._host, self._robot, self._on_lost = host, robot, on_lost
        rules = host.rules
        timeout = rules.command_timeout or rules.informed_timeout
        self._watchdog = Watchdog(timeout, host.time)
        host.borrow(robot, self)

    def command(self, command: Mapping[str, float | Setpoint]) -> None:
        """Command the robot."""
        self._host.apply(Command(self._robot, command), source=self.address)
        self._watchdog.note_message(self._host.time)
        self._watchdog.note_motion()

    def release(self) -> None:
        """Stop and release the robot."""
        if self._host.owners.get(self._robot) is self:
            self._host.leave(self._robot)

    def time_passed(self, time: float) -> None:
        """Stop the robot of a silent program."""
        self._watchdog.advance(time)
        if self._watchdog.timed_out(time):
            self._host.halt(self._robot, source=self.address)

    def robot_removed(self) -> None:
        """End the ownership."""
        self._on_lost()

    def disconnect(self) -> None:
        """End the ownership after an internal error."""
        self._on_lost()


class RobotCommands:
    """Robots that one ROS program commands; call `close` at its end.

    Args:
        services: services of the robots, which also follow paths.
        address: of the program.
        may_drive: returns False if the program must not own one more robot.
    """

    def __init__(
        self, services: RobotServices, address: str, may_drive: Callable[[], bool]
    ) -> None:
        self._services, self._address, self._may_drive = services, address, may_drive
        self._owned: dict[str, RobotCommander] = {}
        self._following: set[str] = set()

    @property
    def drives(self) -> bool:
        """True if the program owns a robot."""
        return bool(self._owned or self._following)

    def execute(self, topic: CommandTopic, message: Any) -> None:
        """Carry out a message of a command topic.

        Raises:
            GrouserError: it is impossible; the robot goes on as before.
        """
        if topic.kind == "path":
            self._follow(topic.robot, points_of_path(message))
            return
        if topic.kind == "cmd_vel":
            moved = message.twist if topic.type == TWIST_STAMPED else message
            command: Mapping[str, float | Setpoint] = command_of_twist(moved)
        else:
            command = command_of_joint_state(message)
        robots = self._services.host.simulation.scene.robots
        if topic.robot in robots:
            robots[topic.robot].setpoints(command)  # raises before anything is changed
        self._acquire(topic.robot).command(command)
        self._services.wake()

    def release(self, robot: str) -> None:
        """Stop a robot and end its ownership, if it is owned."""
        if (owner := self._owned.pop(robot, None)) is not None:
            owner.release()
        if robot in self._following:
            self._following.discard(robot)
            self._services.cancel(robot, "its publisher ended")

    def close(self) -> None:
        """Release all robots."""
        for robot in [*self._owned, *self._following]:
            self.release(robot)

    def _acquire(self, robot: str) -> RobotCommander:
        if robot not in self._owned:
            self._check_limit()
            if robot in self._following:
                self._following.discard(robot)
                self._services.cancel(robot, "another command came")
            host = self._services.host
            self._owned[robot] = RobotCommander(
                host, robot, self._address, partial(self._owned.pop, robot, None)
            )
        return self._owned[robot]

    def _follow(self, robot: str, points: list[list[float]]) -> None:
        self._check_limit()
        if (owner := self._owned.pop(robot, None)) is not None:
            owner.release()
        if robot in self._following:
            self._services.cancel(robot, "another path came")
        self._services.follow(robot, points, lambda: self._following.discard(robot))
        self._following.add(robot)

    def _check_limit(self) -> None:
        if not self._may_drive():
            raise BadValue("the limit of driven robots from this address is reached")
