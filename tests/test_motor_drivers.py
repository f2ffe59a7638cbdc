"""Kenaf's motor drivers on a bus in memory: what moves them, what does not, what they say."""

import random
from pathlib import Path

import cantools
import numpy as np
import pytest
from support.can_fixtures import Rig

import grouser
from grouser.errors import BadValue
from grouser.frames import radians
from grouser.gateways.can.stall import StallWatch
from grouser.physics.drives import angle, speed
from grouser.protocol.can.frame import LARGEST_ID, CanFrame
from grouser.protocol.can.messages import (
    COMMANDS,
    EMPTY,
    FARTHEST,
    FASTEST,
    SILENT,
    STOPPED,
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    BeltSpeeds,
    CameraAim,
    FlipperAngles,
    FrontFlippers,
    Health,
    Posture,
    RearFlippers,
    Stop,
    parse_status,
)
from grouser.protocol.link_faults import LinkFaults
from grouser.simulation.changes.actions import Leave, Reset

DBC = Path(grouser.__file__).parent / "protocol" / "can" / "kenaf.dbc"


@pytest.fixture
def rig():
    return Rig()


def test_forwards_is_forwards_and_encoders_say_how_far(rig):
    rig.run(1.0, BeltSpeeds(0.2, 0.2))
    said, motion = rig.controller.last(BeltEncoders), rig.controller.last(BeltMotion)
    true = rig.sim.angles("k")
    assert rig.pose.position[0] > 0.17
    assert said.left == pytest.approx(true["left"], abs=0.0015)
    assert said.right == pytest.approx(true["right"], abs=0.0015)
    assert (motion.left, motion.right) == pytest.approx((0.2, 0.2), abs=0.02)
    assert motion.time == pytest.approx(rig.host.time, abs=0.006)


def test_a_left_turn_is_a_left_turn(rig):
    rig.run(1.0, BeltSpeeds(-0.2, 0.2))
    assert rig.controller.last(Posture).yaw > radians(20)
    encoders = rig.controller.last(BeltEncoders)
    assert encoders.left < -0.15
    assert encoders.right > 0.15


@pytest.mark.parametrize("up", [0.6, -0.5])
def test_flippers_go_up_for_all_four(rig, up):
    rig.run(1.5, FrontFlippers(up, up), RearFlippers(up, up), every=0.05)
    said = rig.controller.last(FlipperAngles)
    angles = (said.front_left, said.front_right, said.rear_left, said.rear_right)
    assert angles == pytest.approx((up,) * 4, abs=radians(2))
    tips = [rig.sim.data.geom(f"k/{place}_arm").xpos[2] for place in _PLACES]
    assert (np.array(tips) > rig.pose.position[2]).all() == (up > 0)


_PLACES = ("front_left", "front_right", "rear_left", "rear_right")


def test_belts_stop_when_commands_stop(rig):
    """A driver's own watchdog: told zero at 0.3 s, at rest by 0.5 s."""
    rig.run(0.6, BeltSpeeds(0.3, 0.3))
    last = rig.host.time
    assert (rig.belts() == 0.3).all()
    while (rig.belts() != 0).any():
        rig.run(0.002)
        assert rig.host.time < last + 0.4
    assert 0.27 < rig.host.time - last <= 0.31
    assert rig.controller.last(Health).flags & SILENT == 0  # it was not silent when that was sent
    rig.run(last + 0.5 - rig.host.time)
    motion = rig.controller.last(BeltMotion)
    assert (motion.left, motion.right) == pytest.approx((0, 0), abs=0.005)
    stands = rig.pose.position[0]
    rig.run(0.2)
    assert rig.pose.position[0] == pytest.approx(stands, abs=0.001)
    assert rig.controller.last(Health).flags & SILENT


def test_commands_to_flippers_do_not_keep_belts_running(rig):
    rig.run(0.4, BeltSpeeds(0.3, 0.3))
    rig.run(0.6, FrontFlippers(0.5, 0.5))
    assert (rig.belts() == 0).all()


def test_a_stop_stops_at_once_and_the_next_command_goes_on(rig):
    rig.run(0.4, BeltSpeeds(0.3, 0.3), FrontFlippers(1.0, 1.0))
    rig.run(0.15, Stop())
    held = rig.controller.last(FlipperAngles).front_left
    assert rig.controller.last(Health).flags & STOPPED
    assert (rig.belts() == 0).all()
    rig.run(0.2, Stop())
    assert rig.controller.last(FlipperAngles).front_left == pytest.approx(held, abs=radians(1))
    rig.run(0.3, BeltSpeeds(0.1, 0.1))
    assert (rig.belts() == 0.1).all()
    assert not rig.controller.last(Health).flags & STOPPED


def test_the_camera_is_aimed_to_the_left_and_up():
    rig = Rig({"kind": "standard"})
    rig.controller.begin(CameraAim(0.3, 0.2))
    aim = rig.sim.scene.sensors["k", "Camera"][1].memory.aim
    assert aim.pan == pytest.approx(0.3, abs=1e-3)
    assert aim.tilt == pytest.approx(-0.2, abs=1e-3)  # ours looks down


def test_cantools_reads_every_frame_and_cycles_are_the_files(rig):
    database = cantools.database.load_file(DBC)
    rig.run(2.0, BeltSpeeds(0.1, 0.15), every=0.02)
    by_id = {}
    for time, frame in rig.controller.heard:
        database.decode_message(frame.id, frame.data)  # raises if it cannot
        by_id.setdefault(frame.id, []).append(time)
    for message in database.messages:
        if "Motors" not in message.senders:
            continue
        gaps = np.diff(by_id[message.frame_id])
        assert np.median(gaps) == pytest.approx(message.cycle_time / 1000, rel=0.01), message.name
        assert gaps.max() < 1.5 * message.cycle_time / 1000 + 0.002


def test_encoders_come_at_every_step_when_asked():
    rig = Rig(rate_hz=1000.0)
    rig.run(0.5, BeltSpeeds(0.2, 0.2))
    clocks = [
        parse_status(frame).time for _, frame in rig.controller.heard if frame.id == BeltMotion.ID
    ]
    assert np.diff(clocks) == pytest.approx(0.001, abs=1e-6)
    assert len(clocks) >= 499


# -- what must not move it -------------------------------------------------------------------------


def _broken():
    whole = BeltSpeeds(0.3, 0.3).frame(99)
    content, far = bytearray(whole.data), BeltSpeeds(0.5, 0.5).frame(99)
    yield "crc", CanFrame(whole.id, bytes(content[:-1]) + bytes([content[-1] ^ 1]))
    yield "counter", BeltSpeeds(0.3, 0.3).frame(42)  # not newer than the last
    yield "length", CanFrame(whole.id, whole.data[:-1])
    yield "length", CanFrame(whole.id, whole.data + b"\0")
    yield "length", CanFrame(whole.id, b"")
    fast = bytearray(far.data)
    fast[:2] = (FASTEST + 1).to_bytes(2, "little", signed=True)
    yield "range", _sealed(far.id, fast)
    yield "", CanFrame(whole.id, whole.data, extended=True)
    yield "crc", CanFrame(FrontFlippers.ID, whole.data)  # right, but of another identifier


def _sealed(id, content):
    """Return a frame with its right checksum, worked out bit by bit, as the page says."""
    crc = 0xFF
    for byte in id.to_bytes(2, "little") + bytes(content[:-1]):
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ 0x11D if crc & 0x80 else crc << 1
    return CanFrame(id, bytes(content[:-1]) + bytes([crc ^ 0xFF]))


@pytest.mark.parametrize(("fault", "frame"), list(_broken()))
def test_a_wrong_frame_never_moves_it_and_is_counted(fault, frame):
    rig = Rig()
    rig.controller.begin(BeltSpeeds(0.0, 0.0), FrontFlippers(0.0, 0.0))  # counters are at 42
    before = rig.sim.data.ctrl.copy()
    for _ in range(5):
        rig.controller.connection.send(frame)
    assert (rig.sim.data.ctrl == before).all()
    rig.run(0.11)
    health = rig.controller.last(Health)
    counts = {
        "crc": health.wrong_crc,
        "counter": health.wrong_counter,
        "length": health.wrong_length,
        "range": health.wrong_range,
    }
    assert counts == {kind: 5 * (kind == fault) for kind in counts}


def test_a_replayed_frame_after_a_silence_moves_nothing(rig):
    """One frame is no controller: who records one and sends it later gets nothing."""
    rig.run(0.2, BeltSpeeds(0.3, 0.3))
    old = BeltSpeeds(0.3, 0.3).frame(45)
    rig.run(0.6)
    for _ in range(10):
        rig.controller.connection.send(old)
        rig.run(0.01)
    assert (rig.belts() == 0).all()


def test_fuzzed_frames_do_no_harm():
    """Random and almost right ones; what gets through is exactly what a second reader calls valid.

    The second reader shares no code: the checksum bit by bit, the numbers by cantools.
    """
    rig, chance = Rig(), random.Random(17)
    database = cantools.database.load_file(DBC)
    passed = []
    rig.drivers._obey = passed.append
    rig.controller.begin(*(_zero(kind) for kind in COMMANDS.values() if kind is not Stop))
    passed.clear()
    valid = 0
    for _ in range(40_000):
        frame = _fuzzed(chance)
        before = len(passed)
        rig.controller.connection.send(frame)
        if len(passed) > before:
            valid += 1
            assert not frame.extended
            assert _sealed(frame.id, frame.data) == frame
            for name, value in database.decode_message(frame.id, frame.data).items():
                signal = database.get_message_by_frame_id(frame.id).get_signal_by_name(name)
                assert signal.minimum <= value <= signal.maximum
    assert valid > 50  # chance finds a right checksum in 256
    assert sum(rig.drivers.gate.refused.values()) > 10_000
    rig.run(0.02)


def _zero(kind):
    return kind(*(0.0,) * len(kind.SIGNALS))


def _fuzzed(chance):
    if chance.random() < 0.3:
        return CanFrame(
            chance.randrange(LARGEST_ID + 1),
            chance.randbytes(chance.randrange(9)),
            chance.random() < 0.1,
        )
    kind = chance.choice(list(COMMANDS.values()))
    limit = FASTEST if kind is BeltSpeeds else FARTHEST
    counts = [chance.randint(-limit - 500, limit + 500) for _ in kind.SIGNALS]
    content = b"".join(
        max(-(2**15), min(2**15 - 1, count)).to_bytes(2, "little", signed=True) for count in counts
    )
    frame = _sealed(kind.ID, bytearray(content + chance.randbytes(2)))
    data = bytearray(frame.data)
    for _ in range(chance.randrange(4)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return CanFrame(frame.id, bytes(data))


# -- the rest of the world -------------------------------------------------------------------------


def test_a_world_that_starts_over_is_a_robot_just_switched_on(rig):
    rig.run(0.5, BeltSpeeds(0.3, 0.3))
    rig.host.do(Reset())
    rig.controller.heard.clear()
    rig.run(0.3)
    encoders = rig.controller.last(BeltEncoders)
    assert (encoders.left, encoders.right) == pytest.approx((0, 0), abs=0.003)
    assert rig.controller.last(Health).flags & SILENT
    rig.run(0.3, BeltSpeeds(0.2, 0.2))
    assert rig.controller.last(BeltEncoders).left > 0.03


def test_motors_of_a_robot_that_was_removed_say_so_once_and_are_silent(rig):
    rig.run(0.1)
    rig.host.do(Leave("k"))
    assert rig.controller.last(Health).flags & 4
    rig.controller.heard.clear()
    rig.controller.begin(BeltSpeeds(0.1, 0.1))
    rig.run(0.1)
    assert rig.controller.heard == []


def test_an_empty_battery_stops_the_motors():
    rig = Rig({"kind": "battery", "capacity": 40.0, "idle": 20.0, "rate_hz": 10.0})
    rig.run(0.5, BeltSpeeds(0.2, 0.2))
    assert 0 < rig.controller.last(BatteryLeft).seconds < 3
    rig.run(2.0, BeltSpeeds(0.2, 0.2))
    assert rig.controller.last(Health).flags & EMPTY
    assert rig.controller.last(BatteryLeft).seconds == 0
    assert (rig.belts() == 0).all()


def test_a_quince_has_such_motors_too_but_a_packbot_has_not():
    rig = Rig(kind="quince")
    rig.run(0.5, BeltSpeeds(0.1, 0.1))
    assert rig.pose.position[0] > 0.03
    with pytest.raises(BadValue, match="'k' is a packbot, which has no drive 'front_left_arm'"):
        Rig(kind="packbot")


def test_the_same_seed_is_the_same_run_to_the_bit():
    def drive(seed):
        faults = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=seed)
        rig = Rig(faults=faults)
        rig.run(0.5, BeltSpeeds(0.2, 0.2))
        rig.run(0.5, BeltSpeeds(-0.1, 0.2))
        assert rig.pose.position[0] > 0.05  # in spite of it all
        return rig.sim.fingerprint(), rig.controller.heard, rig.controller.connection.inward.counts

    first = drive(1)
    assert drive(1) == first
    assert drive(2) != first
    assert first[2].lost > 5
    assert first[2].overtaken > 0


def test_stalls():
    watch = StallWatch(("belt", "arm"), 0.0)
    watch.look(1.0, (0, 0), (0, 0))
    assert watch.bits == 0  # nobody told them anything
    watch.note({"belt": speed(0.2), "arm": angle(1.0)})
    watch.look(1.2, (0, 0), (0, 0))
    assert watch.bits == 0  # not yet
    watch.look(1.4, (0, 0), (0.0, 0.0))
    assert watch.bits == 0b11
    watch.look(1.5, (0, 0.99), (0.19, 0.0))
    assert watch.bits == 0
    watch.note({"belt": speed(-0.2)})
    watch.look(1.9, (0, 0.99), (0.19, 0.0))
    assert watch.bits == 0b01
