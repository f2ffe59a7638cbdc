"""Kenaf's motor drivers on a virtual bus: command check, watchdog, status frames."""

import random
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import cantools
import numpy as np
import pytest
from support.can_fixtures import Rig
from support.client_helpers import instance_of

import grouser
from grouser.errors import BadValue
from grouser.frames import radians
from grouser.gateways.can.bus_motors import StallDetector
from grouser.physics.drives import angle, speed
from grouser.protocol.can.messages import (
    COMMANDS,
    EMPTY,
    LARGEST_ID,
    MAX_BELT_SPEED,
    MAX_FLIPPER_ANGLE,
    SILENT,
    STOPPED,
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    BeltSpeeds,
    CameraAim,
    CameraZoom,
    CanCommand,
    CanFrame,
    FlipperAngles,
    FrontFlippers,
    Health,
    Posture,
    RearFlippers,
    Stop,
    parse_status,
)
from grouser.protocol.link_faults import LinkCounts, LinkFaults
from grouser.simulation.changes.actions import Leave, Reset

DBC = Path(grouser.__file__).parent / "protocol" / "can" / "kenaf.dbc"


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_positive_belt_speeds_drive_forwards_and_encoders_measure_travel(rig: Rig) -> None:
    rig.run(1.0, BeltSpeeds(0.2, 0.2))
    reported, motion = rig.controller.last(BeltEncoders), rig.controller.last(BeltMotion)
    true = rig.sim.angles("k")
    assert rig.pose.position[0] > 0.17
    assert reported.left == pytest.approx(true["left"], abs=0.0015)
    assert reported.right == pytest.approx(true["right"], abs=0.0015)
    assert (motion.left, motion.right) == pytest.approx((0.2, 0.2), abs=0.02)
    assert motion.time == pytest.approx(rig.host.time, abs=0.006)


def test_opposite_belt_speeds_turn_left(rig: Rig) -> None:
    rig.run(1.0, BeltSpeeds(-0.2, 0.2))
    assert rig.controller.last(Posture).yaw > radians(20)
    encoders = rig.controller.last(BeltEncoders)
    assert encoders.left < -0.15
    assert encoders.right > 0.15


@pytest.mark.parametrize("up", [0.6, -0.5])
def test_positive_angles_raise_all_flippers(rig: Rig, up: float) -> None:
    rig.run(1.5, FrontFlippers(up, up), RearFlippers(up, up), every=0.05)
    reported = rig.controller.last(FlipperAngles)
    angles = (reported.front_left, reported.front_right, reported.rear_left, reported.rear_right)
    assert angles == pytest.approx((up,) * 4, abs=radians(2))
    tips = [rig.sim.data.geom(f"k/{place}_arm").xpos[2] for place in _PLACES]
    assert (np.array(tips) > rig.pose.position[2]).all() == (up > 0)


_PLACES = ("front_left", "front_right", "rear_left", "rear_right")


def test_watchdog_stops_belts(rig: Rig) -> None:
    """Belt setpoints are zero 0.3 s after the last command; belts are at rest by 0.5 s."""
    rig.run(0.6, BeltSpeeds(0.3, 0.3))
    last = rig.host.time
    assert (rig.belts() == 0.3).all()
    while (rig.belts() != 0).any():
        rig.run(0.002)
        assert rig.host.time < last + 0.4
    assert 0.27 < rig.host.time - last <= 0.31
    assert rig.controller.last(Health).flags & SILENT == 0  # sent before the time-out
    rig.run(last + 0.5 - rig.host.time)
    motion = rig.controller.last(BeltMotion)
    assert (motion.left, motion.right) == pytest.approx((0, 0), abs=0.005)
    stands = rig.pose.position[0]
    rig.run(0.2)
    assert rig.pose.position[0] == pytest.approx(stands, abs=0.001)
    assert rig.controller.last(Health).flags & SILENT


def test_flipper_commands_do_not_feed_the_watchdog(rig: Rig) -> None:
    rig.run(0.4, BeltSpeeds(0.3, 0.3))
    rig.run(0.6, FrontFlippers(0.5, 0.5))
    assert (rig.belts() == 0).all()


def test_stop_command_holds_until_the_next_command(rig: Rig) -> None:
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


def test_camera_aim_is_positive_left_and_up() -> None:
    rig = Rig({"kind": "standard"})
    rig.controller.begin(CameraAim(0.3, 0.2))
    camera: Any = rig.sim.scene.sensors["k", "Camera"][1]
    aim = camera.memory.aim
    assert aim.pan == pytest.approx(0.3, abs=1e-3)
    assert aim.tilt == pytest.approx(-0.2, abs=1e-3)  # simulated cameras: positive downwards


def test_camera_zoom_sets_the_field_of_view_of_the_first_camera() -> None:
    rig = Rig({"kind": "standard"})
    camera: Any = rig.sim.scene.sensors["k", "Camera"][1]
    for view, zoom in ((40.0, 2.305), (5.0, 4.759), (0.0, 1.0)):  # 80 deg at zoom 1, 20 at least
        rig.controller.begin(CameraZoom(radians(view)))
        assert camera.memory.aim.zoom == pytest.approx(zoom, abs=1e-3)


def test_frames_match_dbc_layout_and_cycle_times(rig: Rig) -> None:
    database: Any = cantools.database.load_file(DBC)
    rig.run(2.0, BeltSpeeds(0.1, 0.15), every=0.02)
    by_id: dict[int, list[float]] = {}
    for time, frame in rig.controller.received:
        database.decode_message(frame.id, frame.data)  # raises an exception on failure
        by_id.setdefault(frame.id, []).append(time)
    for message in database.messages:
        if "Motors" not in message.senders:
            continue
        gaps = np.diff(by_id[message.frame_id])
        assert np.median(gaps) == pytest.approx(message.cycle_time / 1000, rel=0.01), message.name
        assert gaps.max() < 1.5 * message.cycle_time / 1000 + 0.002


def test_encoder_rate_can_be_every_physics_step() -> None:
    rig = Rig(rate_hz=1000.0)
    rig.run(0.5, BeltSpeeds(0.2, 0.2))
    clocks = [
        instance_of(BeltMotion, parse_status(frame)).time
        for _, frame in rig.controller.received
        if frame.id == BeltMotion.ID
    ]
    assert np.diff(clocks) == pytest.approx(0.001, abs=1e-6)
    assert len(clocks) >= 499


# -- rejected frames -------------------------------------------------------------------------------


def _invalid_frames() -> Iterator[tuple[str, CanFrame]]:
    whole = BeltSpeeds(0.3, 0.3).frame(99)
    content, far = bytearray(whole.data), BeltSpeeds(0.5, 0.5).frame(99)
    yield "crc", CanFrame(whole.id, bytes(content[:-1]) + bytes([content[-1] ^ 1]))
    yield "counter", BeltSpeeds(0.3, 0.3).frame(42)  # not newer than the last
    yield "length", CanFrame(whole.id, whole.data[:-1])
    yield "length", CanFrame(whole.id, whole.data + b"\0")
    yield "length", CanFrame(whole.id, b"")
    fast = bytearray(far.data)
    fast[:2] = (MAX_BELT_SPEED + 1).to_bytes(2, "little", signed=True)
    yield "range", _with_checksum(far.id, fast)
    yield "", CanFrame(whole.id, whole.data, extended=True)
    yield "crc", CanFrame(FrontFlippers.ID, whole.data)  # correct for another identifier


def _with_checksum(id: int, content: bytearray | bytes) -> CanFrame:
    """Return a frame with its checksum, computed bit by bit, independent of the implementation."""
    crc = 0xFF
    for byte in id.to_bytes(2, "little") + bytes(content[:-1]):
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ 0x11D if crc & 0x80 else crc << 1
    return CanFrame(id, bytes(content[:-1]) + bytes([crc ^ 0xFF]))


@pytest.mark.parametrize(("fault", "frame"), list(_invalid_frames()))
def test_invalid_frame_is_counted_and_not_executed(fault: str, frame: CanFrame) -> None:
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


def test_replayed_frame_after_silence_is_not_executed(rig: Rig) -> None:
    rig.run(0.2, BeltSpeeds(0.3, 0.3))
    old = BeltSpeeds(0.3, 0.3).frame(45)
    rig.run(0.6)
    for _ in range(10):
        rig.controller.connection.send(old)
        rig.run(0.01)
    assert (rig.belts() == 0).all()


def test_only_valid_random_frames_are_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with an independent check: checksum bit by bit, value ranges by cantools."""
    rig, random_source = Rig(), random.Random(17)
    database: Any = cantools.database.load_file(DBC)
    passed: list[CanCommand] = []
    monkeypatch.setattr(rig.drivers, "_execute", passed.append)
    rig.controller.begin(*(_zero(kind) for kind in COMMANDS.values() if kind is not Stop))
    passed.clear()
    valid = 0
    for _ in range(40_000):
        frame = _random_frame(random_source)
        before = len(passed)
        rig.controller.connection.send(frame)
        if len(passed) > before:
            valid += 1
            assert not frame.extended
            assert _with_checksum(frame.id, frame.data) == frame
            for name, value in database.decode_message(frame.id, frame.data).items():
                signal = database.get_message_by_frame_id(frame.id).get_signal_by_name(name)
                assert signal.minimum <= value <= signal.maximum
    assert valid > 50  # one random checksum in 256 is valid
    assert sum(rig.drivers.gate.refused.values()) > 10_000
    rig.run(0.02)


def _zero(kind: Any) -> CanCommand:
    command: CanCommand = kind(*(0.0,) * len(kind.SIGNALS))
    return command


def _random_frame(random_source: Random) -> CanFrame:
    if random_source.random() < 0.3:
        return CanFrame(
            random_source.randrange(LARGEST_ID + 1),
            random_source.randbytes(random_source.randrange(9)),
            random_source.random() < 0.1,
        )
    kind = random_source.choice(list(COMMANDS.values()))
    limit = MAX_BELT_SPEED if kind is BeltSpeeds else MAX_FLIPPER_ANGLE
    counts = [random_source.randint(-limit - 500, limit + 500) for _ in kind.SIGNALS]
    content = b"".join(
        max(-(2**15), min(2**15 - 1, count)).to_bytes(2, "little", signed=True) for count in counts
    )
    frame = _with_checksum(kind.ID, bytearray(content + random_source.randbytes(2)))
    data = bytearray(frame.data)
    for _ in range(random_source.randrange(4)):
        data[random_source.randrange(len(data))] ^= 1 << random_source.randrange(8)
    return CanFrame(frame.id, bytes(data))


# -- reset, removal, battery, other robots ---------------------------------------------------------


def test_reset_of_the_world_is_a_power_on(rig: Rig) -> None:
    rig.run(0.5, BeltSpeeds(0.3, 0.3))
    rig.host.apply(Reset())
    rig.controller.received.clear()
    rig.run(0.3)
    encoders = rig.controller.last(BeltEncoders)
    assert (encoders.left, encoders.right) == pytest.approx((0, 0), abs=0.003)
    assert rig.controller.last(Health).flags & SILENT
    rig.run(0.3, BeltSpeeds(0.2, 0.2))
    assert rig.controller.last(BeltEncoders).left > 0.03


def test_removed_robot_sends_one_health_frame_and_leaves_the_bus(rig: Rig) -> None:
    rig.run(0.1)
    rig.host.apply(Leave("k"))
    assert rig.controller.last(Health).flags & 4
    rig.controller.received.clear()
    rig.controller.begin(BeltSpeeds(0.1, 0.1))
    rig.run(0.1)
    assert rig.controller.received == []


def test_empty_battery_stops_the_motors() -> None:
    rig = Rig({"kind": "battery", "capacity": 40.0, "idle": 20.0, "rate_hz": 10.0})
    rig.run(0.5, BeltSpeeds(0.2, 0.2))
    assert 0 < rig.controller.last(BatteryLeft).seconds < 3
    rig.run(2.0, BeltSpeeds(0.2, 0.2))
    assert rig.controller.last(Health).flags & EMPTY
    assert rig.controller.last(BatteryLeft).seconds == 0
    assert (rig.belts() == 0).all()


def test_quince_is_accepted_and_packbot_is_rejected() -> None:
    rig = Rig(kind="quince")
    rig.run(0.5, BeltSpeeds(0.1, 0.1))
    assert rig.pose.position[0] > 0.03
    with pytest.raises(BadValue, match="'k' is a packbot, which has no drive 'front_left_arm'"):
        Rig(kind="packbot")


def test_run_with_faults_is_reproducible_by_seed() -> None:
    def drive(seed: int) -> tuple[str, list[tuple[float, CanFrame]], LinkCounts]:
        faults = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=seed)
        rig = Rig(faults=faults)
        rig.run(0.5, BeltSpeeds(0.2, 0.2))
        rig.run(0.5, BeltSpeeds(-0.1, 0.2))
        assert rig.pose.position[0] > 0.05
        return (
            rig.sim.fingerprint(),
            rig.controller.received,
            rig.controller.connection.inward.counts,
        )

    first = drive(1)
    assert drive(1) == first
    assert drive(2) != first
    assert first[2].lost > 5
    assert first[2].overtaken > 0


def test_stall_detector_sets_bits_of_stalled_drives() -> None:
    detector = StallDetector(("belt", "arm"), 0.0)
    detector.update(1.0, (0, 0), (0, 0))
    assert detector.bits == 0  # no setpoints yet
    detector.set({"belt": speed(0.2), "arm": angle(1.0)})
    detector.update(1.2, (0, 0), (0, 0))
    assert detector.bits == 0  # not yet
    detector.update(1.4, (0, 0), (0.0, 0.0))
    assert detector.bits == 0b11
    detector.update(1.5, (0, 0.99), (0.19, 0.0))
    assert detector.bits == 0
    detector.set({"belt": speed(-0.2)})
    detector.update(1.9, (0, 0.99), (0.19, 0.0))
    assert detector.bits == 0b01
