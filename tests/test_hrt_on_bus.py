"""Robot library on a CAN bus in memory; the clock of the link is that of the simulation."""

import io
import itertools
import math
from collections.abc import Sequence

import pytest
from support.can_fixtures import Rig

from grouser.client.hrt_robot import Hrt
from grouser.client.links import LinkWithFaults
from grouser.frames import degrees, to_rpy_one
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import LinkCounts, LinkFaults

FAULTS = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=1)


class BusLink:
    """Link of the robot library to a bus in memory; waiting steps the simulation."""

    def __init__(self, rig: Rig, faults: LinkFaults | None = None) -> None:
        self._rig = rig
        self._received: list[CanFrame] = []
        self.connection = rig.bus.connect(self, faults, "hrt")

    @property
    def time(self) -> float:
        return self._rig.host.time

    def on_frame(self, frame: CanFrame, time: float) -> None:
        self._received.append(frame)

    def on_batch_end(self) -> None:
        pass

    def send(self, frames: Sequence[CanFrame]) -> None:
        for frame in frames:
            self.connection.send(frame)

    def receive(self) -> list[CanFrame]:
        frames, self._received = self._received, []
        return frames

    def wait(self, seconds: float) -> None:
        self._rig.run(seconds)

    def close(self) -> None:
        self.connection.close()


def true_pose(rig: Rig) -> tuple[float, float, float]:
    """Return the true pose of the robot: x, y (m) and heading (deg)."""
    pose = rig.sim.pose("k")
    x, y, _ = pose.position.tolist()
    return x, y, degrees(to_rpy_one(*pose.wxyz.tolist())[2])


def drive_square(
    faults: LinkFaults | None = None, sides: int = 4
) -> tuple[Rig, list[tuple[float, float, float]]]:
    """Drive the square of the paper; return the rig and the corners."""
    rig = Rig()
    robot = Hrt(BusLink(rig, faults), io.StringIO())
    corners = [true_pose(rig)]
    for _ in range(sides):
        robot.show_status()
        robot.go_forward(100.0)
        robot.turning(90.0)
        corners.append(true_pose(rig))
    robot.stop()
    return rig, corners


def side_lengths(corners: list[tuple[float, float, float]]) -> list[float]:
    """Return the sides, mm."""
    return [1e3 * math.dist(a[:2], b[:2]) for a, b in itertools.pairwise(corners)]


def heading_errors(corners: list[tuple[float, float, float]]) -> list[float]:
    """Return the errors of the headings at the corners, deg."""
    return [math.remainder(c[2] - 90 * number, 360) for number, c in enumerate(corners)]


def test_side_and_corner_of_the_square() -> None:
    _, corners = drive_square(sides=1)
    assert side_lengths(corners) == pytest.approx([100], abs=5)
    assert heading_errors(corners) == pytest.approx([0, 0], abs=3)


def test_link_faults_use_the_clock_of_the_link() -> None:
    """Faults between the library and an ideal link; runs are reproducible by seed."""

    def drive(seed: int) -> tuple[str, float, LinkCounts]:
        rig = Rig()
        faults = LinkFaults(delay=0.04, jitter=0.02, loss=0.2, seed=seed)
        link = LinkWithFaults(BusLink(rig), faults)
        robot = Hrt(link, io.StringIO())
        robot.go_forward(60.0)
        return rig.sim.fingerprint(), true_pose(rig)[0], link.out.counts

    first = drive(1)
    assert drive(1) == first
    assert drive(2)[0] != first[0]
    assert first[1] == pytest.approx(0.060, abs=0.01)
    assert first[2].lost > 5
    assert first[2].overtaken > 0


@pytest.mark.slow
def test_square_has_equal_sides_and_right_angles() -> None:
    _, corners = drive_square()
    print("sides, mm:", [round(side, 1) for side in side_lengths(corners)])
    print("headings off, deg:", [round(angle, 2) for angle in heading_errors(corners)])
    print("misses closing by, mm:", round(1e3 * math.dist(corners[0][:2], corners[-1][:2]), 1))
    assert side_lengths(corners) == pytest.approx([100] * 4, abs=5)
    assert heading_errors(corners) == pytest.approx([0] * 5, abs=3)


@pytest.mark.slow
def test_square_over_a_faulty_link_closes_and_is_reproducible() -> None:
    rig, corners = drive_square(FAULTS)
    print("sides, mm:", [round(side, 1) for side in side_lengths(corners)])
    print("headings off, deg:", [round(angle, 2) for angle in heading_errors(corners)])
    assert side_lengths(corners) == pytest.approx([100] * 4, abs=10)
    assert heading_errors(corners) == pytest.approx([0] * 5, abs=6)
    again, same = drive_square(FAULTS)
    assert same == corners
    assert again.sim.fingerprint() == rig.sim.fingerprint()
