"""Bridge from datagrams of a controller to a simulated Kenaf: checks, counters, time-outs."""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from support.hrt_fixtures import SimulatedLink

from grouser.client.bridge import Bridge
from grouser.client.hrt_robot import Hrt, HrtStatus
from grouser.client.kenaf_wire import KenafWire
from grouser.client.links import StatusInbox
from grouser.frames import to_rpy
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack, unpack
from grouser.protocol.can.messages import (
    NO_ROBOT,
    SILENT,
    BeltSpeeds,
    CanCommand,
    FrontFlippers,
    Health,
    RearFlippers,
    Stop,
)
from grouser.protocol.link_faults import LinkFaults
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.sensor_messages import Encoders, Ins
from grouser.protocol.usarsim.setting import SetJoint
from grouser.protocol.usarsim.state import State

RADIUS = 0.075
FAULTS = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=1)


class Controller:
    """Controller that sends numbered datagrams with numbered frames to a bridge."""

    def __init__(self, bridge: Bridge, name: str = "me") -> None:
        self.bridge, self.name, self.count = bridge, name, 0

    def datagram(self, *commands: CanCommand, wanted: bool = False, ahead: int = 0) -> bytes:
        self.count += 1
        frames = tuple(command.frame(self.count) for command in commands)
        return pack(Datagram(DatagramKind.COMMANDS, self.count + ahead, frames, wanted))

    def send(self, now: float, *commands: CanCommand, wanted: bool = False) -> bytes | None:
        return self.bridge.receive(self.datagram(*commands, wanted=wanted), self.name, now)


def connected_bridge() -> tuple[Bridge, Controller]:
    bridge = Bridge()
    bridge.attach_robot(KenafWire(RADIUS))
    return bridge, Controller(bridge)


def left_belt(message: Message) -> float | None:
    """Return the speed of the left belt in a drive command, rad/s."""
    assert isinstance(message, SkidDrive)
    return message.left


def driving(now: float = 0.0) -> tuple[Bridge, Controller]:
    """Return a bridge with a robot that drives at 0.15 m/s from ``now``, and its controller."""
    bridge, me = connected_bridge()
    me.count = 100
    me.send(now, BeltSpeeds(0.15, 0.15))
    me.send(now, BeltSpeeds(0.15, 0.15))
    assert bridge.commands(now) == [SkidDrive(2.0, 2.0)]
    return bridge, me


def test_units_and_signs_of_server_commands() -> None:
    """Bus to wire: m/s to rad/s, and the sign of each flipper."""
    bridge, me = connected_bridge()
    for _ in range(2):
        me.send(0.0, BeltSpeeds(0.075, -0.15), FrontFlippers(0.3, 0.4), RearFlippers(0.5, -0.6))
    messages = bridge.commands(0.0)
    belts = messages[0]
    assert isinstance(belts, SkidDrive)
    assert (belts.left, belts.right) == pytest.approx((1.0, -2.0))
    angles = {message.name: message.value for message in messages if isinstance(message, SetJoint)}
    assert angles == pytest.approx(
        {"FLFlipper": -0.3, "FRFlipper": -0.4, "RLFlipper": 0.5, "RRFlipper": -0.6}, abs=1e-4
    )


def test_units_and_signs_of_status_frames() -> None:
    """Wire to bus: ticks to m, clockwise to left, nose up to nose down."""
    bridge, me = connected_bridge()
    deg = math.radians(1.0)
    ticks = (("ECLeft", 100), ("ECRight", -101), ("ECFLFlipper", -30), ("ECRRFlipper", 45))
    bridge.on_message(State("GroundVehicle", 5.0, 1200), 0.0)
    bridge.on_message(Encoders(None, ticks), 0.0)
    bridge.on_message(Ins(None, "INS", (0, 0, 0), (0.1, 0.2, 2 * math.pi - 0.3)), 0.0)
    answer = me.send(0.0, wanted=True)
    assert answer is not None
    robot = RobotStatus(answer)
    assert robot.status.encoders.left == pytest.approx(100.5 * deg * RADIUS, abs=1e-5)
    assert robot.status.encoders.right == pytest.approx(-100.5 * deg * RADIUS, abs=1e-5)
    flippers = [math.degrees(angle) for angle in robot.status.flipper_angles]
    assert flippers == pytest.approx([29.5, 0, 0, 45.5], abs=0.6)
    posture = robot.status.posture
    assert posture is not None
    assert (posture.roll, posture.pitch) == pytest.approx((0.1, -0.2), abs=1e-4)
    assert posture.yaw == pytest.approx(0.3, abs=1e-4)  # a left turn
    assert robot.status.battery == 1200
    assert robot.status.motion.time == pytest.approx(5.0)


class RobotStatus:
    """Status frames of one datagram, decoded."""

    def __init__(self, answer: bytes) -> None:
        inbox, self.status = StatusInbox(), HrtStatus()
        inbox.put(answer)
        for frame in inbox.take():
            self.status.update(frame)


def test_belts_stop_after_the_command_timeout() -> None:
    bridge, me = driving()
    assert bridge.commands(0.29) == []
    me.send(0.29, FrontFlippers(0.1, 0.1))  # does not keep belts running
    assert SkidDrive(0.0, 0.0) not in bridge.commands(0.295)
    assert bridge.commands(0.301) == [SkidDrive(0.0, 0.0)]
    assert bridge.counts["stops"] == 1
    assert bridge.commands(5.0) == []
    assert bridge.health(5.0).flags & SILENT


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lambda data: data[:-1], "datagram"),
        (lambda data: b"HRT2" + data[4:], "datagram"),
        (lambda data: data[:5] + b"\2" + data[6:], "datagram"),
        (lambda data: data[:14] + b"\5" + data[15:], "datagram"),  # exceeds the allowed length
        (lambda data: data[:17] + bytes([data[17] ^ 1]) + data[18:], "crc"),
    ],
)
def test_corrupted_datagram_never_moves_the_robot(spoil: Callable[..., Any], kind: str) -> None:
    bridge, me = driving()
    assert bridge.receive(spoil(me.datagram(BeltSpeeds(0.5, 0.5))), "me", 0.02) is None
    assert bridge.commands(0.05) == []
    assert bridge.refused[kind] == 1
    assert bridge.commands(0.31) == [SkidDrive(0.0, 0.0)]  # does not keep belts running


def test_duplicated_and_late_datagrams_are_dropped() -> None:
    bridge, me = driving()
    late = me.datagram(BeltSpeeds(0.5, 0.5))
    fresh = me.datagram(BeltSpeeds(0.1, 0.1))
    bridge.receive(fresh, "me", 0.02)
    for data in (late, fresh, fresh):
        assert bridge.receive(data, "me", 0.03) is None
    assert bridge.refused["counter"] == 3
    (command,) = bridge.commands(0.05)
    assert left_belt(command) == pytest.approx(0.1 / RADIUS)


def test_second_sender_is_rejected_and_restarted_controller_accepted() -> None:
    bridge, _ = driving()
    second = Controller(bridge, "another sender")
    second.count = 1000
    assert second.send(0.01, BeltSpeeds(0.5, 0.5), wanted=True) is None
    assert bridge.refused["sender"] == 1
    again = Controller(bridge)  # the same address, counters from the start
    times = [0.02 + 0.02 * step for step in range(30)]
    moved = []
    for now in times:
        again.send(now, BeltSpeeds(0.05, 0.05))
        moved += [(now, left_belt(command)) for command in bridge.commands(now)]
    assert [left for _, left in moved] == pytest.approx([0.0, 0.05 / RADIUS])
    assert 0.3 <= moved[0][0] < moved[1][0] < 0.4


def test_without_robot_commands_are_dropped_and_health_reports_it() -> None:
    bridge, me = driving()
    bridge.detach_robot()
    answer = me.send(0.02, BeltSpeeds(0.3, 0.3), wanted=True)
    assert answer is not None
    (frame,) = unpack(answer).frames
    assert Health.parse(frame.data).flags & NO_ROBOT
    assert bridge.commands(0.03) == []
    bridge.attach_robot(KenafWire(RADIUS))
    assert bridge.commands(0.04) == []  # an old command must not move a new robot
    me.send(0.05, BeltSpeeds(0.15, 0.15))
    assert bridge.commands(0.05) == [SkidDrive(2.0, 2.0)]


def test_stop_is_sent_at_once_and_holds_the_flippers() -> None:
    bridge, me = driving()
    me.send(0.001, Stop())
    messages = bridge.commands(0.001)
    assert SkidDrive(0.0, 0.0) in messages
    assert {message.name for message in messages if isinstance(message, SetJoint)} == {
        *("FLFlipper", "FRFlipper", "RLFlipper", "RRFlipper")
    }


def test_only_the_newest_command_is_forwarded() -> None:
    bridge, me = driving()
    forwarded: list[Message] = []
    for step in range(1, 101):  # 1,000 a second
        now = step * 0.001
        me.send(now, BeltSpeeds(step * 1e-3, 0))
        forwarded += bridge.commands(now)
    assert 9 <= len(forwarded) <= 11
    assert left_belt(forwarded[-1]) == pytest.approx(0.1 / RADIUS, rel=0.02)


def send_corrupted(count: int) -> None:
    """Send random and corrupted datagrams to a bridge; none of them may become a command.

    A third are random bytes, a third are complete datagrams with one wrong byte in every frame, a
    third have a wrong header or end. Counters are valid, so that only the checks reject them.
    """
    chance = random.Random(7)
    bridge, me = driving()
    for number in range(count):
        now = 0.05 + number * 1e-8
        data = bytearray(me.datagram(BeltSpeeds(0.4, 0.4), FrontFlippers(1, 1), wanted=True))
        match number % 3:
            case 0:
                data = bytearray(chance.randbytes(chance.randrange(80)))
            case 1:
                for frame in (12, 24):
                    data[frame + chance.randrange(12)] ^= chance.randint(1, 255)
            case _ if chance.random() < 0.5:
                data[chance.randrange(7)] ^= chance.randint(1, 255)
            case _:
                del data[chance.randrange(len(data)) :]
        bridge.receive(bytes(data), "me", now)
        assert bridge.commands(now) == []
    assert bridge.commands(0.31) == [
        SkidDrive(0.0, 0.0)
    ]  # no corrupted datagram kept the belts running
    assert bridge.counts["datagrams"] == count + 2
    assert bridge.refused["crc"] > count / 12


def test_random_bytes_do_not_move_the_robot() -> None:
    send_corrupted(6_000)


@pytest.mark.slow
def test_a_million_corrupted_datagrams() -> None:
    send_corrupted(1_000_000)


def yaw_deg(link: SimulatedLink) -> float:
    """Return the yaw angle of the simulated robot, degrees."""
    return math.degrees(to_rpy(link.sim.pose("r").wxyz)[2])


def short_run(seed: int) -> tuple[SimulatedLink, Hrt]:
    """Drive and turn over a link with faults, with forged datagrams between the valid ones."""
    faults = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=seed)
    link = SimulatedLink(faults)
    link.injected = [pack(Datagram(DatagramKind.COMMANDS, 7, (BeltSpeeds(0.5, -0.5).frame(9),)))]
    robot = Hrt(link)
    robot.go_forward(40)
    robot.turning(20)
    return link, robot


def test_run_over_a_faulty_link_is_reproducible() -> None:
    """Loss, jitter, duplicates, reordering and forgeries, in simulated time."""
    link, robot = short_run(1)
    x, y, _ = link.sim.pose("r").position * 1e3
    assert math.hypot(x, y) == pytest.approx(40, abs=10)
    assert yaw_deg(link) == pytest.approx(20, abs=6)
    assert link.out.counts.lost > 20
    assert link.out.counts.overtaken > 5
    assert link.bridge.refused["sender"] > 100
    again, _ = short_run(1)
    assert again.sim.fingerprint() == link.sim.fingerprint()
    assert again.sent == link.sent
    robot.set_speeds(150, 150)
    robot.wait(0.6)
    last = link.time
    link.sent.clear()
    link.wait(0.5)  # the controller has stopped; datagrams in transit still arrive
    stops = [when for when, message in link.sent if message == SkidDrive(0.0, 0.0)]
    assert len(stops) == 1
    valid = link.bridge.last_belt_command
    assert valid is not None
    assert last - 0.25 <= valid <= last + 0.07  # the last ones may be lost
    assert 0.3 <= stops[0] - valid <= 0.31 + 1e-9
    before = link.sim.angles("r")["left"]
    link.wait(max(0.01, valid + 0.5 - link.time))
    resting = link.sim.angles("r")["left"]
    link.wait(0.2)
    assert link.sim.angles("r")["left"] == pytest.approx(resting, abs=2e-4)
    assert resting >= before - 1e-3


def test_positive_angle_lifts_each_flipper() -> None:
    """Each flipper has another angle, so that they cannot be confused."""
    angles = [15.0, 20.0, 25.0, 30.0]
    link = SimulatedLink()
    robot = Hrt(link)
    robot.move_flippers(*angles)
    names = ("front_left_arm", "front_right_arm", "rear_left_arm", "rear_right_arm")
    true = [math.degrees(link.sim.angles("r")[name]) for name in names]
    assert true == pytest.approx(angles, abs=2.5)
    assert robot.flippers == pytest.approx(angles, abs=2.5)
    for name in names:
        tip = link.sim.data.body(f"r/{name}").xmat.reshape(3, 3)[2, 0]
        assert tip * (1 if "front" in name else -1) > 0.15  # its far end points upwards
