"""``grouser motors`` in its own process: unmodified python-can, raw bytes, the C transport."""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import can
import cantools
import pytest
from can.interfaces.socketcand.socketcand import SocketCanDaemonBus
from support.cli_runner import error_line
from support.cli_runner import grouser as command_line
from support.server_fixtures import TIMEOUT, ServerProcess

import grouser
from grouser.benches import bridge
from grouser.protocol.can.messages import (
    BeltEncoders,
    BeltMotion,
    BeltSpeeds,
    CanFrame,
    parse_status,
)

ROOT = Path(__file__).parent.parent
DBC = Path(grouser.__file__).parent / "protocol" / "can" / "kenaf.dbc"
TOKEN = "open-sesame-12345"
WORLD = """
name: yard
physics:
  {timestep: 0.001, integrator: implicitfast, cone: elliptic, solver: newton, iterations: 50,
   tolerance: 1e-10, impratio: 20000}
terrain: [{kind: flat, friction: 0.8}]
"""


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("motors") / "yard.yaml"
    path.write_text(WORLD)
    return path


@pytest.fixture(scope="module")
def server(yard: Path) -> Iterator[ServerProcess]:
    with ServerProcess(yard.parent, yard, "--images", "-1", command="motors") as server:
        yield server


def bus_of(server: ServerProcess, channel: str = "can0") -> SocketCanDaemonBus:
    where = {"host": "127.0.0.1", "port": server.ports["can"]}
    return can.Bus(interface="socketcand", channel=channel, tcp_tune=True, **where)


def next_message(
    bus: SocketCanDaemonBus, kind: type[BeltEncoders] | type[BeltMotion], seconds: float = TIMEOUT
) -> tuple[Any, float]:
    """Return the next message of a kind and its time stamp (simulated, s)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        message = bus.recv(1.0)
        if message is not None and message.arbitration_id == kind.ID:
            return parse_status(CanFrame(kind.ID, bytes(message.data))), message.timestamp
    raise AssertionError(f"no {kind.__name__} came")


def command(bus: SocketCanDaemonBus, counter: int, left: float = 0.2, right: float = 0.2) -> None:
    frame = BeltSpeeds(left, right).frame(counter)
    bus.send(can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False))


def test_unmodified_python_can_drives_and_reads_encoders(server: ServerProcess) -> None:
    """All frames also decode with cantools and the DBC file."""
    database: Any = cantools.database.load_file(DBC)
    with bus_of(server) as bus:
        before, begun = next_message(bus, BeltEncoders)
        for counter in range(40):
            command(bus, counter)
            next_message(bus, BeltMotion)
        after, ended = next_message(bus, BeltEncoders)
        assert after.left > before.left + 0.01
        assert ended > begun
        names: set[str] = set()
        while len(names) < 6:
            message = bus.recv(TIMEOUT)
            names.add(database.get_message_by_frame_id(message.arbitration_id).name)
            database.decode_message(message.arbitration_id, message.data)


def test_node_receives_frames_of_others_and_not_its_own(server: ServerProcess) -> None:
    with bus_of(server) as one, bus_of(server) as other:
        sent = can.Message(arbitration_id=0x321, data=b"\1\2", is_extended_id=False)
        far = can.Message(arbitration_id=0x1234567, data=b"", is_extended_id=True)
        for bus in (one, other):
            assert bus.recv(TIMEOUT)  # frames are sent once raw mode has begun
        one.send(sent)
        one.send(far)
        found: list[tuple[int, bytes, bool]] = []
        while len(found) < 2:
            message = other.recv(TIMEOUT)
            if message.arbitration_id in (0x321, 0x1234567):
                found.append((message.arbitration_id, bytes(message.data), message.is_extended_id))
        assert found == [(0x321, b"\1\2", False), (0x1234567, b"", True)]
        for _ in range(200):
            assert one.recv(TIMEOUT).arbitration_id != 0x321


def raw(server: ServerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.ports["can"]), TIMEOUT)


def read_until_closed(connection: socket.socket) -> bytes:
    output = b""
    while data := connection.recv(4096):
        output += data
    return output


def test_invalid_requests_are_answered_like_socketcand(server: ServerProcess) -> None:
    with raw(server) as wire:
        assert wire.recv(100) == b"< hi >"
        wire.sendall(b"< rawmode >")
        assert wire.recv(100) == b"< error no bus is open, send: open can0 >"
        wire.sendall(b"< echo >")
        assert wire.recv(100) == b"< echo >"
        wire.sendall(b"< muxfilter 0 0 1 >")
        assert wire.recv(200).startswith(b"< error unknown command 'muxfilter', known: open")
        wire.sendall(b"< open can7 >")
        assert read_until_closed(wire) == b"< error could not open bus 'can7', there is can0 >"


def test_subscription_before_raw_mode_filters_frames(server: ServerProcess) -> None:
    with raw(server) as wire:
        wire.recv(100)
        wire.sendall(b"< open can0 >")
        assert wire.recv(100) == b"< ok >"
        wire.sendall(b"< subscribe 0 0 220 >")
        output = b""
        while output.count(b">") < 5:
            output += wire.recv(4096)
        assert set(output.split(b"<")[1:]) == {
            each for each in output.split(b"<") if b" 220 " in each
        }


def open_bus(wire: socket.socket) -> socket.socket:
    wire.recv(100)
    wire.sendall(b"< open can0 >")
    assert wire.recv(100) == b"< ok >"
    return wire


def read_messages(wire: socket.socket, count: int) -> list[bytes]:
    """Return the next messages without brackets."""
    output = b""
    while output.count(b">") < count:
        output += wire.recv(4096)
    return [piece.strip(b" <>") for piece in output.split(b">")[:count]]


def stamps_of(messages: list[bytes]) -> list[float]:
    return [float(message.split()[2]) for message in messages]


def test_subscription_interval_throttles_frames(server: ServerProcess) -> None:
    with open_bus(raw(server)) as wire:
        wire.sendall(b"< subscribe 0 100000 220 >")
        messages = read_messages(wire, 11)
    assert {message.split()[1] for message in messages} == {b"220"}
    first, *_, last = stamps_of(messages)
    assert last - first > 0.9, (
        "ten intervals; a stamp is older than its transmission on a busy machine"
    )


def test_cyclic_job_is_sent_updated_and_deleted(server: ServerProcess) -> None:
    with open_bus(raw(server)) as sender, open_bus(raw(server)) as receiver:
        receiver.sendall(b"< subscribe 0 0 321 >< subscribe 0 0 322 >")
        sender.sendall(b"< add 0 20000 321 2 11 22 >")
        messages = read_messages(receiver, 11)
        assert {message.split()[3] for message in messages} == {b"1122"}
        first, *_, last = stamps_of(messages)
        assert last - first > 0.18, "ten intervals; a late frame does not delay the next one"
        sender.sendall(b"< update 321 3 11 22 33 >")
        while not read_messages(receiver, 1)[0].endswith(b" 112233"):
            pass
        sender.sendall(b"< delete 321 >< send 322 0 >")
        while read_messages(receiver, 1)[0].split()[1] != b"322":
            pass
        sender.sendall(b"< add 1 0 321 0 >< echo >")
        assert read_messages(sender, 1) == [b"echo"]
        sender.sendall(b"< add 0 10 321 0 >")
        assert sender.recv(200).startswith(b"< error the interval is 1e-05 s, must be 0 or at")
        sender.sendall(b"< update 7FF 0 >")
        assert sender.recv(200) == b"< error there is no job 7FF >"


def test_control_mode_reports_counts_of_frames(server: ServerProcess) -> None:
    with open_bus(raw(server)) as wire:
        wire.sendall(b"< statistics 100 >")
        assert wire.recv(200) == b"< error statistics are sent in control mode only >"
        wire.sendall(b"< subscribe 0 0 220 >< send 322 2 1 2 >< controlmode >< statistics 100 >")
        messages = read_messages(wire, 200)
        while not (found := [m for m in messages if m.startswith(b"stat")]):
            messages = read_messages(wire, 1)
        received_bytes, received, sent_bytes, sent = map(int, found[-1].split()[1:])
        assert (sent_bytes, sent) == (2, 1)
        assert received_bytes > received > 0
        wire.sendall(b"< statistics 0 >< echo >")
        while read_messages(wire, 1) != [b"echo"]:
            pass
        wire.sendall(b"< bcmmode >")
        assert b"ok" in read_messages(wire, 1)[0]
        assert read_messages(wire, 1)[0].startswith(b"frame 220 "), "subscriptions stay"


def test_beacon_announces_bus_and_port(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with listener:
        listener.bind(("", 42000))
        listener.settimeout(TIMEOUT)
        options = ("--images", "-1", "--beacon", "--bus", "vcan1")
        with ServerProcess(tmp_path, "kenaf_edge_and_slope", *options, command="motors") as one:
            while b"vcan1" not in (data := listener.recv(1024)):
                pass
            port = one.ports["can"]
    assert data.decode() == (
        f'<CANBeacon name="{socket.gethostname()}" type="SocketCAN" description="grouser">\n'
        f'<URL>can://127.0.0.1:{port}</URL><Bus name="vcan1"/></CANBeacon>'
    )


def test_malformed_bytes_do_not_disturb_other_clients(server: ServerProcess) -> None:
    with bus_of(server) as bus, raw(server) as wire:
        wire.sendall(b"< open can0 >" + b"\xff<<>>" * 500 + b"< send 100 6 1 2 >" * 50)
        wire.sendall(b"x" * 100_000)
        for counter in range(5):
            command(bus, counter, 0.0, 0.0)
            next_message(bus, BeltEncoders)
    assert "Traceback" not in server.log


def test_token_is_required_beyond_loopback_and_works_with_python_can(yard: Path) -> None:
    assert "needs a token" in error_line(
        command_line("motors", yard, "--host", "0.0.0.0", "--port", "0")
    )
    with ServerProcess(
        yard.parent, yard, "--images", "-1", command="motors", token=TOKEN
    ) as server:
        with raw(server) as wire:
            wire.recv(100)
            wire.sendall(b"< open can0 >")
            assert b"< error this server demands a token" in read_until_closed(wire)
        with raw(server) as wire:
            wire.recv(100)
            wire.sendall(b"< open can0:guessed-it-123456 >")
            assert b"< error this token is not one of the server's" in read_until_closed(wire)
        with bus_of(server, f"can0:{TOKEN}") as bus:
            next_message(bus, BeltEncoders)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--robot", "kenof"), "there is no robot 'kenof'"),
        (("--rate-hz", "0"), "--rate-hz is 0, must be above 0"),
        (("--delay", "fast"), "--delay is 'fast', must be a time"),
        (("--loss", "150%"), "--loss is '150%', must be a share"),
        (("--port", "70000"), "--port is 70000, must be from 0"),
    ],
)
def test_invalid_options_are_rejected(yard: Path, options: tuple[str, str], reason: str) -> None:
    assert reason in error_line(command_line("motors", yard, "--images", "-1", *options))


def test_bench_loses_no_frames(tmp_path: Path) -> None:
    figures = asyncio.run(bridge._serve(tmp_path, round_trips=0.3, kilohertz=0.5))
    assert figures["commands_lost"] == figures["encoders_lost"] == 0
    assert figures["round_trips"] == 60
    assert 0 < figures["round_trip_p50_ms"] <= figures["round_trip_p99_ms"]


# -- the C transport -------------------------------------------------------------------------------

DRIVER = r"""
#include "link_can.h"
#include <stdio.h>
#include <string.h>

/* Drive for a second over the link of the given address; print the belt travel. */
int main(int argc, char *argv[])
{
    char why[300] = "";
    const struct hrt_link *link = NULL;
    for (int i = 0; argc > 1 && hrt_links[i] != NULL; i++)
        if (strncmp(argv[1], hrt_links[i]->prefix, strlen(hrt_links[i]->prefix)) == 0)
            link = hrt_links[i];
    struct hrt_wire *wire = link == NULL ? NULL : link->open(argv[1], why, sizeof why);
    if (wire == NULL) {
        puts(why);
        return 1;
    }
    struct hrt_status status = {0};
    double begun = -1.0, left = 0.0;
    int counter = 0, count;
    while (begun < 0 || status.clock_s < begun + 1.0) {
        struct hrt_frame frame;
        frame = hrt_pack_command(HRT_BELT_SPEEDS, 200.0, 200.0, (uint8_t)counter++);
        if (link->send(wire, &frame, 1) < 0)
            return 2;
        for (int i = 0; i < 8 && (count = link->receive(wire, &frame, 0.02)) != 0; i++) {
            if (count < 0)
                return 3;
            hrt_unpack_status(&frame, &status);
        }
        if (begun < 0 && (status.received & 3) == 3)
            begun = status.clock_s, left = status.left_mm;
    }
    link->close(wire);
    printf("%.2f\n", status.left_mm - left);
    return 0;
}
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile a program that drives over a CAN link of the C library."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler here")
    folder = tmp_path_factory.mktemp("clib")
    (folder / "driver.c").write_text(DRIVER)
    sources = [ROOT / "clib" / name for name in ("frames.c", "net.c", "link_can.c", "libhrt_can.c")]
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'clib'}"]
    program = folder / "driver"
    subprocess.run(
        [compiler, *flags, folder / "driver.c", *sources, "-o", program, "-lm"], check=True
    )
    return program


def run(program: Path, address: str) -> tuple[int, str]:
    done = subprocess.run([program, address], capture_output=True, text=True, timeout=TIMEOUT)
    return done.returncode, done.stdout.strip()


def test_c_transport_drives_over_socketcand(server: ServerProcess, driver: Path) -> None:
    code, output = run(driver, f"socketcand://127.0.0.1:{server.ports['can']}/can0")
    assert code == 0, output
    assert float(output) == pytest.approx(200, abs=25)  # mm in a simulated second at 200 mm/s


def test_c_transport_reports_errors(server: ServerProcess, driver: Path) -> None:
    port = server.ports["can"]
    for address, reason in {
        "socketcand://127.0.0.1": "must be socketcand://host:port/bus",
        "socketcand://127.0.0.1:1/can0": "no server is listening there",
        f"socketcand://127.0.0.1:{port}/can7": "could not open bus 'can7', there is can0",
        "can_with_a_long_name": "the name of a CAN interface has at most 15 letters",
    }.items():
        code, output = run(driver, address)
        assert code == 1
        assert reason in output


def test_c_transport_drives_over_socketcan_if_available(
    server: ServerProcess, driver: Path
) -> None:
    """Two programs on one virtual bus: the driver and python-can's SocketCAN interface."""
    try:
        bus = can.Bus(interface="socketcan", channel="vcan0")
    except OSError as error:
        code, output = run(driver, "vcan0")
        assert code == 1
        assert "no SocketCAN" in output or "no such CAN interface" in output
        pytest.skip(f"vcan0 cannot be opened here: {error}")
    with bus, subprocess.Popen([driver, "vcan0"], stdout=subprocess.PIPE, text=True) as program:
        for step in range(400):
            way, clock = BeltEncoders(step * 1e-3, step * 1e-3), BeltMotion(0.2, 0.2, step * 5e-3)
            for frame in (way.frame(), clock.frame()):
                bus.send(
                    can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False)
                )
            time.sleep(0.005)
        assert float(program.communicate(timeout=TIMEOUT)[0]) == pytest.approx(200, abs=25)
