"""USARSim protocol: round trips of every message, and noise."""

import dataclasses
import functools
import random
import time
import tracemalloc
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import (
    commands,
    control,
    drive,
    geo_conf,
    package,
    sensor_messages,
    setting,
    state,
    truth,
)
from grouser.protocol.usarsim.codec import MESSAGES, ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT2004, Dialect
from grouser.protocol.usarsim.drive import Order
from grouser.protocol.usarsim.message import Message

MODULES = (
    commands, drive, setting, package, control, state, sensor_messages, geo_conf,
)  # fmt: skip
ABSTRACT = {
    sensor_messages.SensorMessage, sensor_messages.NamedReading, sensor_messages.Grouped,
    sensor_messages.GenericReading,  # read as UnknownMessage
}  # fmt: skip
SERVER_ONLY = set(MESSAGES)


def classes(server: bool) -> Iterator[Any]:
    for module in MODULES:
        for cls in vars(module).values():
            if (
                isinstance(cls, type)
                and issubclass(cls, Message)
                and cls.__module__ == module.__name__
            ):
                if not dataclasses.is_dataclass(cls) or cls in ABSTRACT:
                    continue
                if (getattr(cls, "head", "MISSTA") in SERVER_ONLY) == server:
                    yield cls


WORDS = st.text(
    st.characters(codec="latin-1", exclude_categories=["Z", "C"], exclude_characters="{},;"),
    min_size=1,
    max_size=8,
)
NAMES = st.from_regex(r"[A-Za-z]{2,8}", fullmatch=True)
"""Alphabet of keys and of texts among numbers."""
GRID = st.integers(0, 628).map(lambda hundredths: hundredths / 100)
"""Numbers that every style of every dialect can express, and angles that none changes."""
MILLION = st.floats(-1e6, 1e6)
ANY = st.floats(allow_nan=False, allow_infinity=False)
FLAGS = ("true", "false")
KEYS = {"type", "time", "name", "view", "battery", "paning"}
VOCABULARY = {
    (setting.Set, "type"): NAMES.filter(lambda word: word.lower() not in ("joint", "viewports")),
    (setting.ResetSensor, "type"): st.sampled_from(["Odometry", "Encoder", "Tachometer"]),
    (setting.Scan, "type"): st.sampled_from(["RangeScanner", "IRScanner", "RangeImager"]),
    (setting.SetGripper, "action"): st.sampled_from(["OPEN", "CLOSE", "GRIP"]),
    (setting.SetJoint, "params"): st.tuples(ANY) | st.tuples(ANY, st.just(1.0)),
    (setting.SetInsPose, "pose"): st.tuples(*[ANY] * 6),
    (setting.SetViewports, "views"): st.just((("Viewport1", "Camera2"), ("Viewport2", "Disabled"))),
    (package.EffectorState, "status"): st.sampled_from(["OPEN", "CLOSED"]),
    (geo_conf.PackageGeometry, "type"): st.sampled_from(["MisPkg", "Actuator"]),
    (geo_conf.PackageConfiguration, "type"): st.just("MisPkg"),
    (geo_conf.ActuatorConfiguration, "type"): st.just("Actuator"),
    (geo_conf.SensorGeometry, "type"): st.sampled_from(["Sonar", "IR"]),
    (geo_conf.SensorConfiguration, "type"): st.sampled_from(["Sonar", "Camera", "INS"]),
    (setting.Result, "status"): st.sampled_from(["OK", "Failed"]),
    (setting.Result, "key"): st.sampled_from(["Name", "Config", "Viewport1"]),
    (sensor_messages.Gps, "longitude_deg"): st.none(),
    (sensor_messages.Gps, "latitude_deg"): st.none(),
}
KEYED = {
    (drive.MultiDrive, "angles"): st.nothing(),
    (state.State, "joints"): st.nothing(),
    (geo_conf.SensorSettings, "settings"): st.booleans()
    | st.integers(0, 99)
    | NAMES.filter(lambda word: word.lower() not in FLAGS),
}
"""Fields that are lists of keys and numbers, with other permitted values."""
for described in (state.State, geo_conf.RobotGeometry, geo_conf.RobotConfiguration):
    VOCABULARY[described, "type"] = st.sampled_from(state.VEHICLES)


def values(hint: Any, numbers: Any) -> Any:
    """Return a strategy for a type of a field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return values(arguments[0], numbers)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(values(option, numbers) for option in arguments))
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0], numbers), min_size=1, max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*(values(part, numbers) for part in arguments))
    if dataclasses.is_dataclass(hint):
        described: Any = hint  # `is_dataclass` narrows to a type that is not hashable
        return messages(described, numbers)
    return {
        types.NoneType: st.none(),
        str: WORDS,
        float: numbers,
        int: st.integers(0, 99999),
        bool: st.booleans(),
        Order: st.sampled_from(Order),
    }[hint]


def pairs(numbers: Any) -> Any:
    """Return a strategy for a list of keys and values with keys unused by messages."""
    keys = NAMES.filter(lambda word: word.lower() not in KEYS)
    one = st.tuples(keys, numbers)
    return st.lists(one, min_size=1, max_size=3, unique_by=lambda pair: pair[0].lower()).map(tuple)


@functools.cache
def messages(cls: Any, numbers: Any) -> Any:
    """Return a strategy for a message class."""
    hints = typing.get_type_hints(cls, include_extras=True)
    parts: dict[str, Any] = {field.name: field.name for field in dataclasses.fields(cls)}
    for name in parts:
        keyed = KEYED.get((cls, name))
        word = VOCABULARY.get((cls, name))
        if keyed is not None:
            parts[name] = pairs(numbers | keyed)
        else:
            parts[name] = values(hints[name], numbers) if word is None else word
    return st.builds(cls, **parts)


def has_identifying_key(command: Message) -> bool:
    """Return True if a command has a key that identifies its form; DRIVE has many forms."""
    named = ServerSide(UT2004).receive(b"".join(ClientSide(UT2004).send(command)))
    return type(named[0]) is type(command)


@pytest.mark.parametrize("cls", list(classes(server=False)), ids=lambda cls: cls.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_commands_round_trip(cls: Any, data: Any) -> None:
    """Client → bytes → server, exact in every digit."""
    dialect = DIALECTS[data.draw(st.sampled_from(list(DIALECTS)))]
    command = data.draw(messages(cls, ANY).filter(has_identifying_key))
    (line,) = ClientSide(dialect).send(command)
    assert ServerSide(dialect).receive(line) == [command]


@pytest.mark.parametrize("cls", list(classes(server=True)), ids=lambda cls: cls.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_messages_round_trip(cls: Any, data: Any) -> None:
    """Server → bytes → client, for numbers and fields that the dialect can express."""
    dialect = DIALECTS[data.draw(st.sampled_from(list(DIALECTS)))]
    message = data.draw(messages(cls, GRID))
    parsed = ClientSide(dialect).receive(b"".join(ServerSide(dialect).send(message)))
    assert parsed == as_received(message, dialect)


def as_received(message: Any, dialect: Dialect) -> list[Message]:
    """Return a message as a client of a dialect receives it."""
    changes: dict[str, Any] = {}
    if isinstance(message, setting.Response) and not dialect.responses:
        return []
    if isinstance(message, state.State):
        changes["view"] = message.view if dialect.view else None
        if message.type == state.GROUND and not dialect.flippers:
            changes["joints"] = ()
    if isinstance(message, sensor_messages.SensorMessage) and message.type in dialect.untimed:
        changes["time"] = None
    if isinstance(message, package.PackageState) and dialect is UDK:
        changes["links"] = tuple(dataclasses.replace(link, torque=None) for link in message.links)
    message = dataclasses.replace(message, **changes)
    if isinstance(message, sensor_messages.Grouped) and not dialect.packed:
        return [dataclasses.replace(message, readings=(one,)) for one in message.readings]
    return [message]


@pytest.mark.parametrize("cls", list(classes(server=True)), ids=lambda cls: cls.__name__)
@settings(max_examples=20)
@given(data=st.data())
def test_encoding_is_idempotent_after_one_round_trip(cls: Any, data: Any) -> None:
    """A message that was received and encoded again is the same text."""
    dialect = DIALECTS[data.draw(st.sampled_from(list(DIALECTS)))]
    lines = ServerSide(dialect).send(data.draw(messages(cls, MILLION)))
    parsed: list[Any] = ClientSide(dialect).receive(b"".join(lines))
    assert [line for message in parsed for line in ServerSide(dialect).send(message)] == lines


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_degrees_and_minutes_round_trip(latitude: float, longitude: float) -> None:
    (line,) = ServerSide(UDK).send(sensor_messages.Gps(None, "G", 7, latitude, longitude))
    assert b",60." not in line
    (parsed,) = ClientSide(UDK).receive(line)
    assert isinstance(parsed, sensor_messages.Gps)
    assert parsed.latitude_deg == pytest.approx(latitude, abs=1e-6)
    assert parsed.longitude_deg == pytest.approx(longitude, abs=1e-6)
    assert ServerSide(UDK).send(parsed) == [line]


# Noise.

SEEDS = [
    line
    for path in sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
    for line in path.read_bytes().splitlines()
    if len(line) < 400
]
SPICE = b"{|}| |\t|,|nan|1e999|\r|\x00|\xff\xfe|{Left}|-|_".split(b"|")


def mutate(rng: Random, line: bytes) -> bytes:
    """Return a line with some damage."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(line) + 1)
        damage = rng.randrange(6)
        if damage == 0:
            line = line[:at] + line[at + rng.randrange(1, 6) :]
        elif damage == 1:
            line = line[:at] + rng.choice(SPICE) + line[at:]
        elif damage == 2:
            line = line[:at] + rng.randbytes(rng.randrange(1, 4)) + line[at:]
        elif damage == 3:
            line = line.replace(b" ", rng.choice([rng.randbytes(1), b"\xa0 \xa0", b""]))
        elif damage == 4:
            other = rng.choice(SEEDS)
            line = line[:at] + other[rng.randrange(len(other)) :]
        else:
            line = line[:at] + line[at : at + 12] * rng.randrange(2, 5) + line[at:]
    return line


def test_mutated_lines_are_messages_or_faults() -> None:
    rng = random.Random(6)
    ends: list[Any] = [
        side(dialect) for side in (ServerSide, ClientSide) for dialect in DIALECTS.values()
    ]
    ends += [truth.TruthServerSide(), truth.TruthClientSide()]
    counts = {Fault: 0, Message: 0}
    for number in range(1000):
        packet = b"\n".join(mutate(rng, rng.choice(SEEDS)) for _ in range(100))
        for parsed in ends[number % len(ends)].receive(packet + b"\r\n" * rng.randrange(2)):
            kind = Fault if isinstance(parsed, Fault) else Message
            assert isinstance(parsed, kind)
            counts[kind] += 1
            if isinstance(parsed, Fault):
                assert parsed.reason
                assert "\n" not in parsed.reason
                assert len(parsed.reason) < 400
                assert len(parsed.line) <= 80
    assert counts[Fault] > 10_000
    assert counts[Message] > 10_000


def test_noise_uses_bounded_memory() -> None:
    rng = random.Random(7)
    packets = [b"\n".join(mutate(rng, rng.choice(SEEDS)) for _ in range(50)) for _ in range(100)]
    server = ServerSide(UT2004)

    def feed_all() -> None:
        for packet in packets:
            server.receive(packet)

    feed_all()  # created once: compiled patterns, message layouts
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(2):
        feed_all()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 256 * 1024


@pytest.mark.parametrize(
    "part", [b"{", b"}", b"{}", b"{ ", b"{a ", b"{a b} ", b" ", b",", b"{Name a ", b"{Name a b c}"]
)
def test_hostile_lines_take_linear_time(part: bytes) -> None:
    """A line of 16 times the length may take 16 times as long, not 256 times."""
    once, more = (
        parse_time(b"SEN " + part * (size // len(part)) + b"\n") for size in (2**14, 2**18)
    )
    assert more < 64 * once


def parse_time(line: bytes) -> float:
    """Return the processor time for reading a line, the shortest of several, s."""
    times = []
    for _ in range(5):
        client = ClientSide(UT2004)
        begun = time.process_time()
        client.receive(line)
        times.append(time.process_time() - begun)
    return min(times)
