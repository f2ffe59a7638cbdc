"""Robot library on a simulated link: motions, status, errors."""

import io
import math
from collections.abc import Callable
from typing import Any

import pytest
from support.skidding_crawler import COARSE, Crawler

from grouser.client.hrt_robot import Hrt, HrtCode, HrtError
from grouser.client.links import open_link
from grouser.errors import BadValue
from grouser.protocol.can.messages import Stop

FINE: dict[str, Any] = {}


@pytest.mark.parametrize("link", [FINE, COARSE], ids=["fine", "coarse"])
@pytest.mark.parametrize("distance", [50, 500, -100])
def test_go_forward_reaches_the_distance(link: dict[str, Any], distance: int) -> None:
    crawler = Crawler(**link)
    travelled = Hrt(crawler).go_forward(distance)
    assert crawler.place[0] * 1e3 == pytest.approx(distance, abs=3.5)
    assert travelled == pytest.approx(distance, abs=3)
    assert abs(crawler.yaw) < math.radians(0.2)
    assert crawler.belts == (0.0, 0.0)


@pytest.mark.parametrize("link", [FINE, COARSE], ids=["fine", "coarse"])
@pytest.mark.parametrize("grip", [0.3, 0.42, 0.9])
@pytest.mark.parametrize("angle", [10, 180, -90])
def test_turning_reaches_the_angle_despite_slip(
    link: dict[str, Any], grip: float, angle: int
) -> None:
    crawler = Crawler(grip=grip, **link)
    robot = Hrt(crawler)
    robot.turning(angle)
    assert math.degrees(crawler.yaw) == pytest.approx(angle, abs=1.5)
    assert crawler.belts == (0.0, 0.0)
    if abs(angle) >= 90:
        assert robot.slide == pytest.approx(1 - grip, abs=0.05)


def test_signs_of_turns_and_distances() -> None:
    crawler = Crawler()
    robot = Hrt(crawler)
    robot.set_speeds(-50, 80)
    assert crawler.belts == pytest.approx((-0.05, 0.08))
    robot.turning(30)
    assert crawler.yaw > 0


@pytest.mark.parametrize("place", range(4), ids=["fl", "fr", "rl", "rr"])
def test_positive_flipper_angles_are_up(place: int) -> None:
    angles = [0.0] * 4
    angles[place] = 45.0
    crawler = Crawler()
    robot = Hrt(crawler)
    robot.move_flippers(*angles)
    assert crawler.flippers[place] == pytest.approx(math.radians(45), abs=math.radians(2))
    assert robot.flippers[place] == pytest.approx(45, abs=2)
    assert all(crawler.flippers[other] == 0 for other in range(4) if other != place)


def test_belts_run_during_wait_and_stop_by_command_or_timeout() -> None:
    crawler = Crawler()
    robot = Hrt(crawler)
    robot.set_speeds(100, 100)
    robot.wait(1.0)
    assert crawler.travel[0] == pytest.approx(0.1, abs=0.006)
    crawler.wait(1.0)  # the program is busy
    assert crawler.travel[0] == pytest.approx(0.132, abs=0.006)
    robot.set_speeds(100, 100)
    robot.wait(0.1)
    robot.stop()
    assert crawler.belts == (0.0, 0.0)
    assert Stop() in crawler.commands


def test_show_status_prints_the_status() -> None:
    output = io.StringIO()
    robot = Hrt(Crawler(), output)
    robot.go_forward(100)
    robot.turning(90)
    robot.show_status()
    assert "battery   600 s" in output.getvalue()
    assert "slid      58 % in the last turn" in output.getvalue()
    assert robot.battery == 600
    assert robot.posture[2] == pytest.approx(90, abs=1)
    assert robot.encoders[0] < robot.encoders[1]
    assert robot.speeds == (0.0, 0.0)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda robot: robot.go_forward(math.nan), HrtCode.BAD_VALUE),
        (lambda robot: robot.go_forward(1e9), HrtCode.BAD_VALUE),
        (lambda robot: robot.turning(math.inf), HrtCode.BAD_VALUE),
        (lambda robot: robot.set_speeds(600, 0), HrtCode.BAD_VALUE),
        (lambda robot: robot.set_flippers(0, 0, 0, 200), HrtCode.BAD_VALUE),
        (lambda robot: robot.set_pace(0), HrtCode.BAD_VALUE),
    ],
)
def test_values_out_of_range_send_no_command(call: Callable[..., Any], code: HrtCode) -> None:
    crawler = Crawler()
    robot = Hrt(crawler)
    with pytest.raises(HrtError) as refusal:
        call(robot)
    assert refusal.value.code is code
    assert crawler.travel == [0.0, 0.0]
    assert crawler.flippers == [0.0] * 4


@pytest.mark.parametrize(
    ("crawler", "call", "code"),
    [
        (Crawler(stuck=True), lambda robot: robot.go_forward(100), HrtCode.STALLED),
        (Crawler(stuck=True), lambda robot: robot.turning(90), HrtCode.STALLED),
        (Crawler(stuck=True), lambda robot: robot.move_flippers(45, 45, 45, 45), HrtCode.STALLED),
        (Crawler(grip=0.0), lambda robot: robot.turning(90), HrtCode.SLIDING),
    ],
)
def test_stalled_robot_is_reported_and_stopped(
    crawler: Crawler, call: Callable[..., Any], code: HrtCode
) -> None:
    robot = Hrt(crawler)
    with pytest.raises(HrtError) as refusal:
        call(robot)
    assert refusal.value.code is code
    assert crawler.belts == (0.0, 0.0)


def test_status_timeout_and_restart_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = Crawler()
    robot = Hrt(crawler)
    robot.wait(2.0)
    crawler.restarted = crawler.time
    with pytest.raises(HrtError, match="has restarted"):
        robot.go_forward(10)
    monkeypatch.setattr(crawler, "receive", list)
    with pytest.raises(HrtError, match="no status from the robot"):
        robot.wait(20)


def test_invalid_link_addresses_are_rejected() -> None:
    with pytest.raises(BadValue, match="did you mean 'udp'"):
        open_link("udb://localhost:1")
    with pytest.raises(BadValue, match="socketcand://HOST:PORT/BUS"):
        open_link("socketcand://localhost:29536")
    with pytest.raises(BadValue, match="HRT_LINK is 'a:b:c'"):
        open_link(environment={"HRT_LINK": "udp://a:b:c"})
