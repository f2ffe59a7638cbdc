"""The square of Figs. 17 and 18: measurement and tolerance of corners; the full run is slow."""

import math

import pytest
from support.hrt_c_build import SQUARE

from grouser.experiments import kurose_square as square
from grouser.experiments.run_options import RunOptions
from grouser.protocol.link_faults import LinkFaults


def poses(
    side: float, turn_deg: float, start: tuple[float, float, float] = (1.0, 2.0, 0.7)
) -> list[tuple[float, float, float]]:
    """Return the start and four corners of a square with these sides and turns, m and rad."""
    x, y, yaw = start
    found = [start]
    for _ in range(4):
        x, y = x + side * math.cos(yaw), y + side * math.sin(yaw)
        yaw = math.remainder(yaw + math.radians(turn_deg), math.tau)
        found.append((x, y, yaw))
    return found


def test_an_ideal_square_has_ideal_corners_from_any_start() -> None:
    corners = square.corners_of(poses(0.1, 90))
    for number, corner in enumerate(corners, 1):
        ideal = square._ideal(number)
        assert (corner.x_mm, corner.y_mm) == pytest.approx((ideal.x_mm, ideal.y_mm), abs=1e-6)
        assert math.remainder(corner.heading_deg - ideal.heading_deg, 360) == pytest.approx(0)
        assert (corner.side_mm, corner.turn_deg) == pytest.approx((100, 90))


@pytest.mark.parametrize(
    ("side", "turn", "agrees", "with_faults"),
    [
        (0.100, 90, True, True),
        (0.1049, 92.9, True, True),
        (0.094, 90, False, True),
        (0.100, 86, False, True),
        (0.111, 90, False, False),
        (0.100, 97, False, False),
    ],
)
def test_a_corner_that_is_off_is_marked_and_faults_allow_twice_as_much(
    side: float, turn: float, agrees: bool, with_faults: bool
) -> None:
    corner = square.corners_of(poses(side, turn))[0]
    plain, faulty = (
        square.Run("a", None, "bridge"),
        square.Run("b", None, "bridge", LinkFaults(loss=0.3)),
    )
    assert square.is_near_ideal(plain, corner) is agrees
    assert square.is_near_ideal(faulty, corner) is with_faults
    assert square._row(plain, 1, corner).agrees is None, "the paper prints no corner"
    assert ("OFF" in square._row(plain, 1, corner).note) is not agrees


def test_the_program_is_the_papers() -> None:
    """Fig. 17 without white space."""
    words = "".join(SQUARE.read_text().split())
    assert words == (
        "intmain(intargc,char*argv[]){inti;hrt_kenaf_init();for(i=0;i<4;i++){hrt_show_status();"
        "hrt_go_forward(100.0);//move100.0mmhrt_turning(90.0);//turn90.0deg.}hrt_stop();return(0);}"
    )


@pytest.mark.slow
def test_every_link_drives_the_square() -> None:
    table = square.run(RunOptions()).table
    assert (table.of, table.without_value) == (0, 24)
    assert table.figures["corners_near_the_ideal"] == "24 of 24", table.rows
