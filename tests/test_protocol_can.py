"""Kenaf's CAN messages: generated DBC file, encoding against cantools, check of commands."""

import contextlib
import math
from pathlib import Path
from typing import Any

import cantools
import pytest
from hypothesis import given
from hypothesis import strategies as st

import grouser.protocol.can
from grouser.errors import BadValue
from grouser.protocol.can.datagram import Datagram, DatagramKind, is_newer, pack, unpack
from grouser.protocol.can.dbc import kenaf_dbc
from grouser.protocol.can.messages import (
    COMMANDS,
    SILENCE,
    STATUSES,
    UNKNOWN_BATTERY,
    BatteryLeft,
    BeltSpeeds,
    CanFrame,
    CommandGate,
    FrameFault,
    FrontFlippers,
    Posture,
    Stop,
    crc8,
    frame_crc,
    parse_status,
)

DBC = Path(grouser.protocol.can.__file__).with_name("kenaf.dbc")
DATABASE: Any = cantools.database.load_file(DBC)
ALL = {**COMMANDS, **STATUSES}
SI = {"mm": 1e-3, "mm/s": 1e-3, "deg": math.radians(1), "ms": 1e-3, "s": 1.0, None: 1.0, "": 1.0}


def test_dbc_file_is_the_generated_one() -> None:
    assert DBC.read_text("utf-8") == kenaf_dbc(), "run python tools/generate_dbc.py"


def test_cantools_finds_the_same_messages_in_the_dbc_file() -> None:
    assert {message.frame_id: message.name for message in DATABASE.messages} == {
        id: kind.__name__ for id, kind in ALL.items()
    }
    for id, kind in ALL.items():
        message = DATABASE.get_message_by_frame_id(id)
        assert message.length == kind.length()
        assert message.cycle_time == pytest.approx(kind.CYCLE * 1e3)
        assert message.senders == ["Controller" if kind.COMMAND else "Motors"]
        signals = [s for s in message.signals if not s.name.endswith(("Counter", "Crc"))]
        signals += [s for s in message.signals if s.name in ("WrongCounter", "WrongCrc")]
        assert {signal.name for signal in signals} == {signal.name for signal in kind.SIGNALS}
        for ours in kind.SIGNALS:
            theirs = message.get_signal_by_name(ours.name)
            unit = SI[theirs.unit]
            assert theirs.minimum is not None
            assert theirs.maximum is not None
            assert theirs.scale * unit == pytest.approx(ours.unit.si)
            assert theirs.minimum * unit == pytest.approx(ours.low * ours.unit.si)
            assert theirs.maximum * unit == pytest.approx(ours.high * ours.unit.si)


@pytest.mark.parametrize("kind", ALL.values(), ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_encoding_and_decoding_agree_with_cantools(kind: Any, data: Any) -> None:
    counts = [data.draw(st.integers(signal.low, signal.high)) for signal in kind.SIGNALS]
    ours = kind(*(count * s.unit.si for count, s in zip(counts, kind.SIGNALS, strict=True)))
    counter = data.draw(st.integers(0, 255))
    frame = ours.frame(counter) if kind.COMMAND else ours.frame()
    read = DATABASE.decode_message(frame.id, frame.data, scaling=False)
    for signal, count in zip(kind.SIGNALS, counts, strict=True):
        assert read[signal.name] == count
    if kind.COMMAND:
        assert read[f"{kind.__name__}Counter"] == counter
        assert read[f"{kind.__name__}Crc"] == frame_crc(frame.id, frame.data[:-1])
        assert kind.parse(frame.data) == (ours, counter)
    else:
        assert parse_status(frame) == ours
    assert DATABASE.encode_message(frame.id, read, scaling=False) == frame.data


def test_cantools_decodes_expected_units_and_signs() -> None:
    belts = DATABASE.decode_message(0x100, BeltSpeeds(0.1, -0.25).frame(7).data)
    assert (belts["LeftSpeed"], belts["RightSpeed"]) == (100.0, -250.0)
    assert belts["BeltSpeedsCounter"] == 7
    flippers = DATABASE.decode_message(0x110, FrontFlippers(math.pi / 2, 0).frame(0).data)
    assert flippers["FrontLeftAngle"] == 90.0
    posture = DATABASE.decode_message(0x220, Posture(0, math.radians(-5), math.pi).frame().data)
    assert (posture["Pitch"], posture["Yaw"]) == (-5.0, 180.0)
    assert BatteryLeft.of(None).seconds == UNKNOWN_BATTERY
    assert BatteryLeft.of(1e9).seconds == UNKNOWN_BATTERY - 1


def test_crc8_matches_the_published_check_value() -> None:
    assert crc8(b"123456789") == 0x4B  # the check value of CRC-8/SAE-J1850
    assert crc8(b"") == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.6])
def test_command_out_of_range_is_rejected_on_encoding(value: float) -> None:
    with pytest.raises(BadValue, match="LeftSpeed is"):
        BeltSpeeds(value, 0).frame(0)


def test_status_out_of_range_is_clipped() -> None:
    posture = parse_status(Posture(0, 2.0, 0).frame())
    assert isinstance(posture, Posture)
    assert posture.pitch == pytest.approx(math.pi / 2)


def gate_with(counter: int = 10) -> CommandGate:
    """Return a gate that has accepted one belt command at time 0."""
    gate = CommandGate()
    assert gate.check(BeltSpeeds(0, 0).frame(counter - 1), 0.0) is None
    assert gate.check(BeltSpeeds(0, 0).frame(counter), 0.0) == BeltSpeeds(0, 0)
    return gate


@given(flip=st.integers(0, 8 * 6 - 1))
def test_gate_rejects_a_frame_with_a_flipped_bit(flip: int) -> None:
    gate = gate_with()
    data = bytearray(BeltSpeeds(0.2, 0.2).frame(11).data)
    data[flip // 8] ^= 1 << flip % 8
    assert gate.check(CanFrame(0x100, bytes(data)), 0.01) is None
    assert gate.refused["crc"] == 1


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (CanFrame(0x100, BeltSpeeds(0.2, 0.2).frame(11).data + b"\0"), "length"),
        (CanFrame(0x100, BeltSpeeds(0.2, 0.2).frame(11).data[:-1]), "length"),
        (CanFrame(0x100, b""), "length"),
        (CanFrame(0x100, FrontFlippers(0.2, 0.2).frame(11).data), "crc"),
        (CanFrame(0x101, BeltSpeeds(0.2, 0.2).frame(11).data), "id"),
        (Posture(0, 0, 0).frame(), "id"),
        (BeltSpeeds(0.2, 0.2).frame(10), "counter"),
        (BeltSpeeds(0.2, 0.2).frame(9), "counter"),
        (BeltSpeeds(0.2, 0.2).frame(10 + 128), "counter"),
    ],
)
def test_gate_rejects_and_counts_invalid_frames(frame: CanFrame, kind: str) -> None:
    gate = gate_with()
    assert gate.check(frame, 0.01) is None
    assert gate.refused == {kind: 1}
    assert gate.check(BeltSpeeds(0.1, 0.1).frame(11), 0.02) == BeltSpeeds(0.1, 0.1)


def test_gate_rejects_a_value_out_of_range() -> None:
    content = (5001).to_bytes(2, "little") + bytes([0, 0, 11])
    frame = CanFrame(0x100, content + bytes([frame_crc(0x100, content)]))
    gate = gate_with()
    assert gate.check(frame, 0.01) is None
    assert gate.refused == {"range": 1}


def test_gate_accepts_counter_wrap_around() -> None:
    gate = gate_with(255)
    assert gate.check(BeltSpeeds(0.1, 0.1).frame(256), 0.02) == BeltSpeeds(0.1, 0.1)


def test_gate_accepts_restarted_counter_after_silence_from_second_frame() -> None:
    gate = gate_with(100)
    assert gate.check(BeltSpeeds(0.2, 0.2).frame(0), SILENCE / 2) is None
    assert not gate.is_silent(SILENCE - 0.01)
    assert gate.is_silent(SILENCE)
    assert gate.check(BeltSpeeds(0.2, 0.2).frame(1), SILENCE + 0.01) is None
    assert gate.check(BeltSpeeds(0.2, 0.2).frame(2), SILENCE + 0.03) == BeltSpeeds(0.2, 0.2)
    assert not gate.is_silent(SILENCE + 0.04)


def test_gate_accepts_any_stop_and_flipper_commands_do_not_feed_the_watchdog() -> None:
    gate = CommandGate()
    assert gate.check(Stop().frame(3), 0.0) == Stop()
    assert gate.check(Stop().frame(3), 0.01) == Stop()
    assert gate.check(CanFrame(Stop.ID, b"\3\0"), 0.02) is None
    gate = gate_with()
    for tick in range(40):
        gate.check(FrontFlippers(0, 0).frame(tick), tick * 0.01)
    assert gate.is_silent(0.39)


@given(
    kind=st.sampled_from(DatagramKind),
    counter=st.integers(0, 2**32 - 1),
    wanted=st.booleans(),
    frames=st.lists(st.builds(CanFrame, st.integers(0, 0x7FF), st.binary(max_size=8)), max_size=6),
)
def test_datagram_round_trip(
    kind: DatagramKind, counter: int, wanted: bool, frames: list[CanFrame]
) -> None:
    datagram = Datagram(kind, counter, tuple(frames), wanted)
    assert unpack(pack(datagram)) == datagram


@given(st.binary(max_size=60), st.integers(0, 20))
def test_unpacking_arbitrary_bytes_raises_only_frame_fault(noise: bytes, kept: int) -> None:
    whole = pack(Datagram(DatagramKind.COMMANDS, 1, (BeltSpeeds(0, 0).frame(1),)))
    for data in (noise, whole[:kept] + noise, whole + noise[:1] * 3):
        with contextlib.suppress(FrameFault):
            unpack(data)


def test_datagram_layout_matches_documentation() -> None:
    frame = BeltSpeeds(0.1, -0.1).frame(7)
    data = pack(Datagram(DatagramKind.COMMANDS, 0x01020304, (frame,), status_wanted=True))
    assert data[:12] == b"HRT1\x01\x01\x01\x01\x04\x03\x02\x01"
    assert data[12:16] == b"\x00\x01\x06\x00"
    assert data[16:24] == frame.data + b"\0\0"
    assert frame.data[:5] == b"\xe8\x03\x18\xfc\x07"
    with pytest.raises(BadValue, match="65 frames"):
        pack(Datagram(DatagramKind.STATUS, 0, (frame,) * 65))


def test_datagram_counter_wraps_around() -> None:
    assert is_newer(0, 2**32 - 1)
    assert not is_newer(5, 5)
    assert not is_newer(4, 5)
