"""Link to a legged robot over a serial line, against a pseudo-terminal."""

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from grouser.client.path_following import PathFollower
from grouser.client.serial_legs import LegStatus, SerialLegs, encode_line, read_line
from grouser.errors import BadValue, Disconnected


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    """Yield the robot's end of a serial line, and the name of the other end."""
    robot, host = os.openpty()
    yield robot, os.ttyname(host)
    os.close(robot)
    os.close(host)


def receive_lines(robot: int) -> list[tuple[str, tuple[float, ...]]]:
    """Return the lines that the robot has received."""
    data = b""
    while select.select([robot], [], [], 0.1)[0]:
        data += os.read(robot, 4096)
    return [read_line(text) for text in data.decode().splitlines()]


def test_path_follower_drives_a_robot_at_a_serial_line(line: tuple[int, str]) -> None:
    robot, device = line
    follower = PathFollower([[1.0, 0.5]])
    with SerialLegs(device, baud=57600) as legs:
        legs.drive(**follower.steer((0.0, 0.0, 0.05), (1.0, 0.0, 0.0, 0.0)))
        [(word, (left, right))] = receive_lines(robot)
        assert word == "D"
        assert right > left > 0, "the goal is to the left"
    assert receive_lines(robot) == [("D", (0.0, 0.0))], "it stops at the end"


def test_newest_status_is_read_and_damaged_lines_are_counted(line: tuple[int, str]) -> None:
    robot, device = line
    with SerialLegs(device) as legs:
        assert legs.status() is None
        os.write(robot, encode_line("S", 1.0, 2.0, 3.7)[:9])
        assert legs.status(0.05) is None
        rest = encode_line("S", 1.0, 2.0, 3.7)[9:]
        damaged = encode_line("S", 9.0, 9.0, 9.9).replace(b"9.000", b"8.000", 1)
        os.write(robot, rest + damaged + b"S nan nan nan 00\n" + encode_line("S", 1.5, 2.5, 3.6))
        assert legs.status(1.0) == LegStatus(1.5, 2.5, 3.6)
        assert legs.damaged == 2


def test_impossible_values_and_devices_are_reported(line: tuple[int, str], tmp_path: Path) -> None:
    with SerialLegs(line[1]) as legs, pytest.raises(BadValue, match="must be within 200"):
        legs.drive(float("nan"), 1.0)
    with pytest.raises(BadValue, match="baud is 1, allowed: 9600"):
        SerialLegs(line[1], baud=1)
    with pytest.raises(Disconnected, match="No such file"):
        SerialLegs(tmp_path / "ttyUSB9")
    plain = tmp_path / "file"
    plain.write_text("")
    with pytest.raises(Disconnected, match="is no serial line"):
        SerialLegs(plain)
