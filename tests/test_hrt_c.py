"""Robot library in C: frames, control and messages equal those in Python."""

import ctypes
import math
import os
import re
import socket
import subprocess
import threading
from ctypes import CDLL
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hrt_c_build import CLIB, SQUARE, compile_program, libraries, needs_compiler
from support.skidding_crawler import COARSE, Crawler

from grouser.client.hrt_robot import SENTENCES, HrtCode
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack, unpack
from grouser.protocol.can.messages import (
    COMMANDS,
    FLAGS,
    STATUSES,
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    CanFrame,
    FlipperAngles,
    Health,
    Posture,
    Stop,
)

pytestmark = needs_compiler


class Frame(ctypes.Structure):
    """C struct ``hrt_frame``."""

    _fields_ = (("id", ctypes.c_uint16), ("length", ctypes.c_uint8), ("data", ctypes.c_uint8 * 8))

    @property
    def python(self) -> CanFrame:
        return CanFrame(self.id, bytes(self.data[: self.length]))


class Status(ctypes.Structure):
    """C struct ``hrt_status``."""

    _fields_ = (
        *((name, ctypes.c_double) for name in ("left", "right", "left_v", "right_v", "clock")),
        ("flippers", ctypes.c_double * 4),
        *((name, ctypes.c_double) for name in ("roll", "pitch", "yaw")),
        ("battery", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("stalled", ctypes.c_uint),
        ("wrong", ctypes.c_uint * 4),
        ("received", ctypes.c_uint),
    )


@pytest.fixture(scope="module")
def library() -> CDLL:
    loaded = ctypes.CDLL(str(libraries() / "libhrt_sim.so"))
    loaded.hrt_pack_command.restype = loaded.hrt_pack_stop.restype = Frame
    loaded.hrt_pack_command.argtypes = (
        ctypes.c_uint16,
        ctypes.c_double,
        ctypes.c_double,
        ctypes.c_uint8,
    )
    loaded.hrt_unpack_status.restype = loaded.hrt_pack_status.restype = ctypes.c_bool
    loaded.hrt_error_text.restype = ctypes.c_char_p
    return loaded


@settings(max_examples=40)
@given(first=st.integers(-9000, 9000), second=st.integers(-9000, 9000), counter=st.integers(0, 255))
def test_command_frames_are_bit_identical(
    library: CDLL, first: int, second: int, counter: int
) -> None:
    for id, kind in COMMANDS.items():
        if kind is Stop:
            assert library.hrt_pack_stop(counter).python == Stop().frame(counter)
            continue
        values = (first, second)[: len(kind.SIGNALS)]
        counts = [max(s.low, min(s.high, c)) for s, c in zip(kind.SIGNALS, values, strict=True)]
        ours = kind(*(count * s.unit.si for count, s in zip(counts, kind.SIGNALS, strict=True)))
        unit = 0.1 if id == 0x100 else 0.01
        theirs = library.hrt_pack_command(id, counts[0] * unit, counts[-1] * unit, counter)
        assert theirs.python == ours.frame(counter)


def test_status_frames_are_read_and_written_the_same_way(library: CDLL) -> None:
    statuses = [
        BeltEncoders(-1.23456, 2.5),
        BeltMotion(0.1, -0.2, 12.3456),
        FlipperAngles(0.1, -0.2, 0.3, -0.4),
        Posture(0.01, -0.02, -3.0),
        BatteryLeft.of(777),
        Health(9, 33, 1, 2, 3, 4),
    ]
    assert {type(message) for message in statuses} == set(STATUSES.values())
    status = Status()
    for message in statuses:
        frame = message.frame()
        given_ = Frame(frame.id, len(frame.data), (ctypes.c_uint8 * 8)(*frame.data))
        assert library.hrt_unpack_status(ctypes.byref(given_), ctypes.byref(status))
        back = Frame()
        assert library.hrt_pack_status(frame.id, ctypes.byref(status), ctypes.byref(back))
        assert back.python == frame
    assert status.left == pytest.approx(-1234.56)
    assert status.clock == pytest.approx(12.3456)
    assert status.yaw == pytest.approx(-171.89, abs=0.005)
    assert (status.battery, status.flags, status.stalled) == (777, 9, 33)
    assert status.received == 63
    short = Frame(0x200, 7)
    assert not library.hrt_unpack_status(ctypes.byref(short), ctypes.byref(status))


def test_codes_and_messages_are_the_same(library: CDLL) -> None:
    header = (CLIB / "hrt.h").read_text()
    codes = {name: int(value) for name, value in re.findall(r"HRT_(\w+) = (-?\d+)", header)}
    for code in HrtCode:
        assert codes[code.name] == code
        assert library.hrt_error_text(int(code)).decode() == SENTENCES[code]
    bits = {value for name, value in codes.items() if value > 0}
    assert bits == set(FLAGS)
    words = (CLIB / "hrt.c").read_text()
    assert all(f'"{sentence}"' in words for sentence in FLAGS.values())


def run(program: Path, address: str, **more: str) -> CompletedProcess[str]:
    """Run a program with the link address ``address``."""
    return subprocess.run(
        [program],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"HRT_LINK": address} | more,
    )


class Motors(threading.Thread):
    """Crawler in closed form behind a UDP port, as the bridge; faster than real time.

    Each datagram advances its time by one tick, so the clock of the program has no effect.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(daemon=True)
        self.crawler = crawler
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def run(self) -> None:
        answers = 0
        while True:
            data, sender = self.socket.recvfrom(2048)
            if not data:
                return
            datagram = unpack(data)
            self.crawler.send(datagram.frames)
            self.crawler.wait(0.02)
            answers += 1
            frames = tuple(self.crawler.receive())
            self.socket.sendto(pack(Datagram(DatagramKind.STATUS, answers, frames)), sender)

    def close(self) -> None:
        self.socket.sendto(b"", ("127.0.0.1", self.port))
        self.join(5)
        self.socket.close()


def drive_crawler(program: Path, crawler: Crawler) -> CompletedProcess[str]:
    """Run a program with ``crawler``; return its output."""
    motors = Motors(crawler)
    motors.start()
    ended = run(program, f"udp://127.0.0.1:{motors.port}")
    motors.close()
    assert ended.returncode == 0, ended.stderr
    return ended


def test_motions_equal_those_of_the_python_library(tmp_path: Path) -> None:
    program = tmp_path / "few.c"
    program.write_text(
        "int main(void) { return hrt_kenaf_init() || hrt_go_forward(-40.0) || hrt_turning(-20.0)"
        " || hrt_move_flippers(20.0, 10.0, -10.0, 5.0) || hrt_set_speeds(501.0, 0.0) != -6"
        " || hrt_show_status() || hrt_stop(); }"
    )
    crawler = Crawler(**COARSE)
    ended = drive_crawler(compile_program(program, "sim"), crawler)
    assert crawler.place[0] * 1e3 == pytest.approx(-40, abs=3.5)
    assert math.degrees(crawler.yaw) == pytest.approx(-20, abs=1.5)
    lifted = [math.degrees(angle) for angle in crawler.flippers]
    assert lifted == pytest.approx([20, 10, -10, 5], abs=2)
    assert crawler.belts == (0.0, 0.0)
    assert ended.stderr == "hrt: hrt_set_speeds: a value is out of range\n"


@pytest.mark.slow
def test_program_of_the_paper_drives_a_square_by_datagrams() -> None:
    """Program of Fig. 17 as printed, over a real socket, with belts in closed form."""
    crawler = Crawler(**COARSE)
    done = drive_crawler(compile_program(SQUARE, "sim"), crawler)
    assert done.stdout.count("posture ") == 4
    assert "slid      58 % in the last turn" in done.stdout
    assert crawler.place == pytest.approx([0, 0], abs=0.012)
    assert crawler.yaw == pytest.approx(2 * 3.14159265, abs=0.06)


def test_errors_are_printed() -> None:
    program = compile_program(SQUARE, "sim")
    unknown = run(program, "cam0")
    assert unknown.stderr.startswith(
        "hrt: HRT_LINK is 'cam0', must begin with 'usarsim://' or 'udp://'\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    unreachable = run(program, f"usarsim://127.0.0.1:{port}")
    assert f"hrt: usarsim://127.0.0.1:{port}: no server is listening there\n" in unreachable.stderr
    assert "hrt_kenaf_init was not called, or has failed" in unreachable.stderr
