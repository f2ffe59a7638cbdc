"""Trigger volumes: enter, stay and leave events at any speed."""

import math

import pytest
from support.event_worlds import FALLING, log_of, simulate

import grouser
from grouser.service.console import Console
from grouser.simulation.changes.actions import Join, Leave, SetPose
from grouser.world.objects import Box


@pytest.mark.parametrize(
    "shape",
    [
        "kind: box, size: [1, 1, 0.4]",
        "kind: sphere, radius: 0.2",
        "kind: cylinder, radius: 0.5, length: 0.4",
    ],
)
def test_falling_ball_enters_and_leaves_a_volume(shape: str) -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: in, {shape}, position: [0, 0, 1], on: enter, do: [say in]}}
  - {{name: out, {shape}, position: [0, 0, 1], on: leave, do: [say out]}}
""")
    sim.step(1.0)
    enter, leave = (math.sqrt(2 * way / 9.81) for way in (0.8, 1.2))
    messages = log_of(sim, "message")
    assert [text for _, text in messages] == ["in", "out"]
    assert messages[0][0] == pytest.approx(enter, abs=0.021)
    assert messages[1][0] == pytest.approx(leave, abs=0.021)


def test_fast_body_triggers_a_thin_volume() -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: film, kind: box, size: [1, 1, 0.002], position: [0, 0, 0.5], do: [say in]}}
""")
    sim.step(1.0)
    assert [text for _, text in log_of(sim, "message")] == ["in"]


def test_relocated_body_does_not_trigger_volumes_between() -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: film, kind: box, size: [10, 10, 0.1], position: [0, 0, 1], do: [say in]}}
""")
    sim.step(0.1)
    sim.apply(SetPose("ball", grouser.Pose.at(0, 0, 0.05)))
    sim.step(0.5)
    assert log_of(sim, "message") == []


@pytest.mark.parametrize(("counts", "depth"), [("centre", 0.0), ("touch", -0.05), ("whole", 0.05)])
def test_volume_test_is_exact_for_balls(counts: str, depth: float) -> None:
    edge = 0.5
    sim = simulate(f"""
objects:
  - {{name: ball, kind: ball, radius: 0.05, position: [0, 0, 0.05], mass: 0.1, friction: 0.5}}
triggers:
  - {{name: goal, kind: box, size: [1, 1, 2], position: [{edge + 0.5}, 0, 0], counts: {counts},
      do: [say goal]}}
""")
    console = Console(sim)
    console.execute(f"move ball to {edge + depth - 0.004} 0 0.05")
    sim.step(0.06)
    assert sim.inside("goal") == []
    console.execute(f"move ball to {edge + depth + 0.004} 0 0.05")
    sim.step(0.06)
    assert sim.inside("goal") == ["ball"]


def test_goal_needs_the_whole_ball_over_the_line() -> None:
    sim = simulate("""
objects:
  - {name: ball, kind: ball, radius: 0.05, position: [0.54, 0, 0.051], mass: 0.1, friction: 0.5}
triggers:
  - {name: goal, kind: box, size: [1, 1, 2], position: [1, 0, 0], counts: whole, do: [say goal]}
""")
    sim.step(0.1)
    assert log_of(sim, "message") == []
    Console(sim).execute("glide ball to 0.7 0 0.051 at 0.1")
    sim.step(1.0)
    ((time, _),) = log_of(sim, "message")
    assert time == pytest.approx(0.2, abs=0.021)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("any", {"ball", "crate"}),
        ("objects", {"ball", "crate"}),
        ("robots", set()),
        ("ball", {"ball"}),
        ("box", {"crate"}),
        ("cr*", {"crate"}),
    ],
)
def test_bodies_are_selected_by_name_kind_group_and_pattern(by: str, names: set[str]) -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: all, kind: sphere, radius: 9, position: [0, 0, 0], by: ["{by}"], do: ["say {{who}}"]}}
""")
    sim.step(0.1)
    assert {text for _, text in log_of(sim, "message")} == names


def test_stay_triggers_once_and_rearms() -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: stay, kind: sphere, radius: 9, position: [0, 0, 0], by: [crate], on: stay, seconds: 0.3,
      do: [say stay]}}
  - {{name: once, kind: sphere, radius: 9, position: [0, 0, 0], on: stay, seconds: 0.1, once: true,
      by: [crate], do: [say once]}}
  - {{name: rearm, kind: sphere, radius: 9, position: [0, 0, 0], on: stay, seconds: 0.1, rearm: 0.5,
      by: [crate], do: [say rearm]}}
""")
    sim.step(1.0)
    messages = [text for _, text in log_of(sim, "message")]
    assert (messages.count("stay"), messages.count("once"), messages.count("rearm")) == (3, 1, 2)


def test_body_inside_a_volume_stays_inside_when_a_robot_joins() -> None:
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: all, kind: sphere, radius: 9, position: [0, 0, 0], do: ["say {{who}}"]}}
""")
    sim.step(0.1)
    sim.apply(Join(Box(name="late", position=(1, 1, 0.1), size=(0.2,) * 3, mass=1, friction=0.5)))
    sim.step(0.1)
    sim.apply(Leave("late"))
    sim.step(0.1)
    assert [text for _, text in log_of(sim, "message")] == ["ball", "crate", "late"]
    assert sim.inside("all") == ["ball", "crate"]
