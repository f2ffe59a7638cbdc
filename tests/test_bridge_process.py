"""``grouser bridge`` as a process: real sockets, restarts of server and controller."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support.server_fixtures import CONTROL_ONLY, ServerProcess, environment, pipe, wait_until
from typer.testing import CliRunner

from grouser.cli import app
from grouser.client.hrt_robot import Hrt, HrtError
from grouser.client.links import UdpLink
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack, unpack
from grouser.protocol.can.messages import NO_ROBOT, BeltSpeeds, Health


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def bridge_process(server_port: int, *options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run a bridge to the port of a server; yield its port and the process."""
    command = [sys.executable, "-m", "grouser", "bridge", "--port", "0", *options]
    process = subprocess.Popen(
        [*command, "--server", f"127.0.0.1:{server_port}"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        first = pipe(process.stdout).readline()
        assert first.startswith("listening udp="), first
        yield int(first.rpartition("=")[2]), process
    finally:
        process.terminate()
        process.communicate(timeout=120)


def flags(link: UdpLink) -> int | None:
    """Return the newest flags from the bridge, or None without an answer."""
    link.send([])
    link.wait(0.05)
    frames = [frame for frame in link.receive() if frame.id == Health.ID]
    return Health.parse(frames[-1].data).flags if frames else None


def has_robot(link: UdpLink) -> bool:
    """Return whether the bridge reports a robot."""
    newest = flags(link)
    return newest is not None and not newest & NO_ROBOT


def test_without_server_status_is_answered_and_datagrams_counted() -> None:
    with bridge_process(free_port()) as (port, process):
        link = UdpLink("127.0.0.1", port)
        wait_until(lambda: (flags(link) or 0) & NO_ROBOT)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
            noise.sendto(b"noise", ("127.0.0.1", port))
        frames = (BeltSpeeds(0.1, 0.1).frame(0),)
        data = pack(Datagram(DatagramKind.COMMANDS, 10**6, frames, status_wanted=True))
        link._socket.send(data)
        link.wait(0.2)
        assert unpack(data).frames == frames
        assert "connection refused" in pipe(process.stdout).readline()
        link.close()
        process.terminate()
        output, _ = process.communicate(timeout=120)
    assert "refused: datagram 1" in output


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "which other machines can reach"),
        (["--controller", "no-address"], "--controller is 'no-address', must be an IP address"),
        (["--server", "a:b:c"], "--server is 'a:b:c', must be HOST or HOST:PORT"),
        (["--loss", "lots"], "--loss is 'lots'"),
    ],
)
def test_invalid_options_are_rejected(options: list[str], sentence: str) -> None:
    run = CliRunner().invoke(app, ["bridge", *options])
    assert run.exit_code == 2
    assert sentence in " ".join(run.output.split())


@pytest.mark.slow
def test_server_and_controller_may_restart(tmp_path: Path) -> None:
    world = tmp_path / "yard.yaml"
    world.write_text("name: yard\nterrain:\n  - {kind: flat, friction: 0.65}\n")
    simulator = free_port()
    with bridge_process(simulator) as (port, process):
        for _ in range(2):
            with ServerProcess(tmp_path, world, "--port", str(simulator), *CONTROL_ONLY):
                watch = UdpLink("127.0.0.1", port)
                wait_until(partial(has_robot, watch))
                watch.close()
                robot = Hrt(UdpLink("127.0.0.1", port))  # a restarted controller
                assert robot.go_forward(30) == pytest.approx(30, abs=6)
                assert robot.posture[2] == pytest.approx(0, abs=2)
            with pytest.raises(HrtError):
                robot.wait(30)
            robot.close()
            time.sleep(0.4)
        process.terminate()
        output, _ = process.communicate(timeout=120)
    assert "robots 2" in output
    assert "robots lost 2" in output
