"""Client in plain C: compiles without warnings, drives, prints readings, reports errors."""

import os
import shutil
import subprocess
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.scripted_server import ScriptedServer, answer_as_one_robot

from grouser.client.launch import serving
from grouser.protocol.usarsim import commands
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.extensions import Lockstep, Notice
from grouser.protocol.usarsim.message import Message

SOURCE = Path(__file__).parent.parent / "examples" / "c" / "drive.c"
COMPILER = shutil.which("cc")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc) is installed")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile with strict warnings, and with the address sanitizer where it is available."""
    binary = tmp_path_factory.mktemp("c") / "drive"
    assert COMPILER is not None
    strict = [COMPILER, "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    for careful in (["-fsanitize=address,undefined"], []):
        made = subprocess.run(
            [*strict, *careful, "-o", binary, SOURCE], capture_output=True, text=True
        )
        if made.returncode == 0:
            return binary
    raise AssertionError(made.stderr)


def drive(program: Path, port: int, *more: str, token: str | None = None) -> CompletedProcess[str]:
    environment = os.environ | ({"GROUSER_TOKEN": token} if token else {})
    """Run the program and return its output."""
    command = [str(program), "127.0.0.1", str(port), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


def test_client_joins_drives_and_prints_sensor_readings(program: Path) -> None:
    with ScriptedServer(answer_as_one_robot) as scripted_server:
        run = drive(program, scripted_server.port, "P3AT", "0.5", token="secret")
        assert scripted_server.left.wait(5)
    assert run.returncode == 0, run.stderr
    assert "state   GroundVehicle    time 1.5000" in run.stdout
    assert "sensor  Odometry         Odometry         2.0000,0.0000,0.0000" in run.stdout
    assert scripted_server.received == [
        Lockstep(0.0),
        commands.Login("secret"),
        commands.Init("USARBot.P3AT", "C1", (0, 0, 0)),
        SkidDrive(2.0, 1.0),
        SkidDrive(0.0, 0.0),
    ]


def test_errors_are_printed(program: Path) -> None:
    with ScriptedServer(
        lambda message: answer_as_one_robot(message) if isinstance(message, commands.Init) else []
    ) as scripted_server:
        refused = drive(program, scripted_server.port, "Nobody", "0.5")
    assert refused.returncode == 1
    assert "notice: there is no robot 'Nobody'" in refused.stdout
    assert "is 'Nobody' a class of the server?" in refused.stderr
    unreachable = drive(program, scripted_server.port)
    assert unreachable.returncode == 2
    assert (
        unreachable.stderr == f"drive: no server is listening at 127.0.0.1:{scripted_server.port}\n"
    )


def test_split_and_endless_lines_are_handled(program: Path) -> None:
    long = "x" * 200_000

    def answer(message: Message) -> list[Message | None]:
        return [Notice("Info", long), *answer_as_one_robot(message)]

    with ScriptedServer(answer) as scripted_server:
        run = drive(program, scripted_server.port, "P3AT", "0.5")
    assert run.returncode == 0, run.stderr
    assert "state   GroundVehicle" in run.stdout


def test_client_drives_a_robot_of_a_real_server(program: Path) -> None:
    with serving("pioneer_room", "--images", "-1", "--dialect", "udk") as ports:
        run = drive(program, ports.control, "P3AT", "2")
    assert run.returncode == 0, run.stderr
    assert "RangeScanner     Scanner1" in run.stdout
    assert "state   GroundVehicle" in run.stdout
