"""Flippers of PackBot and crawlers, and the strategy for robots with only some of them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.frames import from_rpy
from grouser.locomotion.flippers import CLIMB, FlipperClimber
from grouser.mobility.suite import measure_candidate, mobility_trial, run_single
from grouser.robots.kinds import describe
from grouser.robots.packbot import FLIPPERS_OUT, FLIPPERS_WIDTH, MASS, PackBot
from grouser.simulation.policy import Observation, TrueState
from grouser.trials.trial import Goal
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.stairs import Stairs

CRAWLER = {
    "mass": 15.0,
    "gauge": 0.36,
    "width": 0.08,
    "pulleys": [[-0.25, 0, 0.07], [0.25, 0, 0.07]],
    "grouser": {"shape": "rounded", "length": 0.006, "height": 0.01},
}
FOUR = {"front": {"reach": 0.22, "tip": 0.04}, "rear": {"reach": 0.14, "limits_deg": [-80, 90]}}


def observation_at(x: float, nose_up_deg: float, time: float) -> Observation:
    pose = TrueState(np.array([x, 0.0, 0.1]), from_rpy(0, -math.radians(nose_up_deg), 0))
    return Observation(time, truth=pose)


def test_packbot_with_flippers_has_the_published_size_and_mass() -> None:
    robot = PackBot(flippers=True).build()
    model = robot.spec.compile()
    assert float(model.body_mass.sum()) == pytest.approx(MASS)
    assert list(robot.groups) == ["front"]
    candidate = measure_candidate("packbot", {"flippers": True})
    # The bars are nearly level.
    assert candidate.front + candidate.rear == pytest.approx(FLIPPERS_OUT, abs=0.005)
    outer = max(
        abs(model.body(f"{flipper}_arm").pos[1]) for flipper in ("front_left", "front_right")
    )
    width = 2 * (outer + model.geom("front_left_arm").size[1] / 0.8)
    assert width == pytest.approx(FLIPPERS_WIDTH)


def test_packbot_climbs_stairs_only_with_flippers() -> None:
    """Three risers of 150 mm with treads of 280 mm, as in public buildings."""
    flight = Stairs(x=0, rise=0.15, run=0.28, count=3, friction=0.6)

    def climb_stairs(flippers: bool) -> str:
        robot = measure_candidate("packbot", {"flippers": flippers})
        trial = mobility_trial(robot, "stairs", 28)
        goal = Goal(x=0.56 + robot.rear, z=0.45)
        world = trial.world.changed(terrain=(Flat(friction=0.6), flight))
        return run_single(replace(trial, world=world, goal=goal)).verdict

    assert climb_stairs(True) == "arrived"
    assert climb_stairs(False) == "stuck"


def test_strategy_with_front_flippers_only() -> None:
    climber = FlipperClimber(0.0, groups=("front",))
    assert climber(observation_at(-0.6, 0, 0.0)) == {"front": CLIMB.raised}
    assert climber(observation_at(-0.5, 5, 0.5)) is None
    commands = climber(observation_at(-0.4, 25, 1.0))
    assert commands is not None
    assert commands["front"] == pytest.approx(CLIMB.front_press - math.radians(25))
    commands = climber(observation_at(-0.3, 40, 1.5))
    assert commands is not None
    assert commands["front"] == pytest.approx(CLIMB.front_press - math.radians(40))
    assert climber(observation_at(-0.3, 41, 2.0)) is None  # below the resolution of the commands
    assert climber(observation_at(-0.3, 40, 3.0)) == {"front": 0.0}
    assert climber(observation_at(-0.2, 40, 3.5)) is None


def test_strategy_with_rear_flippers() -> None:
    climber = FlipperClimber(0.0)
    climber(observation_at(-0.6, 0, 0.0))
    assert climber(observation_at(-0.4, 25, 1.0)) == {
        "front": CLIMB.front_press,
        "rear": CLIMB.rear_press,
    }
    assert climber(observation_at(-0.4, 40, 3.0)) is None
    assert climber(observation_at(0.1, 40, 4.0)) == {"front": 0.0, "rear": 0.0}


@pytest.mark.parametrize("flippers", [{"rear": {"reach": 0.2}}, FOUR])
def test_crawler_has_the_configured_flippers(
    flippers: dict[str, dict[str, float | list[int]]],
) -> None:
    robot = describe("crawler", {**CRAWLER, "flippers": flippers}, "test").build()
    model = robot.spec.compile()
    assert set(robot.groups) == set(flippers)
    assert float(model.body_mass.sum()) == pytest.approx(15.0)
    arms = {f"{end}_{side}_arm" for end in flippers for side in ("left", "right")}
    assert arms == set(robot.drives) - {"left", "right"}
    assert {belt.drive for belt in robot.belts} == {"left", "right"}
    if "limits_deg" in flippers["rear"]:
        assert robot.limits["rear_left_arm"] == pytest.approx((math.radians(-80), math.pi / 2))


@pytest.mark.parametrize(
    ("flippers", "message"),
    [
        ({"frnt": {"reach": 0.2}}, "unknown key 'frnt' in flippers.*did you mean 'front'"),
        ({"front": {"rech": 0.2}}, "unknown key 'rech' in flippers.front.*did you mean 'reach'"),
        ({"front": {"reach": 0.2, "tipp": 0.1}}, "'tipp' in flippers.front.*did you mean 'tip'"),
        ({"front": {"reach": -1}}, "flippers.front.reach is -1, must be more than 0"),
        ({"rear": {"reach": 0.2, "limits_deg": [3, 1]}}, r"limits_deg is \[3, 1\], must rise"),
        ([0.2], r"flippers is \[0.2\], a mapping"),
    ],
)
def test_invalid_flippers_are_rejected(
    flippers: dict[str, dict[str, float | list[int]]] | list[float], message: str
) -> None:
    with pytest.raises(BadValue, match=message):
        describe("crawler", {**CRAWLER, "flippers": flippers}, "test")


def test_packbot_rejects_commands_of_absent_flippers() -> None:
    with pytest.raises(BadValue, match="needs flippers: true"):
        describe("packbot", {"front_deg": 30}, "test")
