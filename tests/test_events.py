"""Triggers and events: doors, lamps and random choices, by world file and by console."""

import importlib
import math
from pathlib import Path

import pytest
from support.event_worlds import FALLING, log_of, simulate

import grouser
from grouser.errors import GrouserError
from grouser.service.console import Console
from grouser.simulation.changes.actions import FireEvent, Leave, Reset
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation


def lamp_states(sim: Simulation) -> dict[str, bool]:
    return {one.name: one.lit for one in sim.world.objects if one.kind == "lamp"}


def door_angle(sim: Simulation, name: str = "gate") -> float:
    return float(sim.data.joint(f"{name}/leaf").qpos[0])


# -- shipped world -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gate_simulation() -> Simulation:
    sim = Simulation(grouser.load("gate"))
    sim.step(10.0)
    return sim


def test_gate_world_runs_its_events(gate_simulation: Simulation) -> None:
    times = {name: time for time, name in log_of(gate_simulation, "event")}
    entered = log_of(gate_simulation, "enter")
    assert entered[0][1] == "doorstep"
    assert times["welcome"] == entered[0][0]
    assert times["lights_out"] == pytest.approx(times["welcome"] + 3.0, abs=0.002)
    assert door_angle(gate_simulation) == pytest.approx(math.pi / 2, abs=0.01)
    assert not lamp_states(gate_simulation)["lamp"]
    assert gate_simulation.pose("rex").position[0] > 1.0, "rex has passed the door"
    assert "surprise" in times


def test_console_commands_give_the_same_state_as_events(gate_simulation: Simulation) -> None:
    quiet = grouser.load("gate").changed(triggers=(), events=())
    sim = Simulation(quiet)
    console = Console(sim, steps=True)
    times = {name: time for time, name in log_of(gate_simulation, "event")}
    lines = [f"step {times['welcome']}", "open gate", "after 3 light lamp off"]
    lines.append(f"step {times['surprise'] - times['welcome']}")
    if "dawn" in times:
        lines.append("light lantern on")
    elif "ball" in times:
        lines.append(next(e for e in gate_simulation.world.events if e.name == "ball").do[0])
    for line in lines:
        console.execute(line)
    sim.step(gate_simulation.time - sim.time)
    assert lamp_states(sim) == lamp_states(gate_simulation)
    assert sim.fingerprint() == gate_simulation.fingerprint()


def test_door_stays_closed_without_the_trigger() -> None:
    sim = Simulation(grouser.load("gate").changed(triggers=()))
    sim.step(6.0)
    assert door_angle(sim) < 0.03
    assert lamp_states(sim)["lamp"]
    assert sim.pose("rex").position[0] < 0.6, "a closed door is solid"


def test_random_choice_depends_on_the_seed() -> None:
    came = set()
    for seed in range(12):
        sim = Simulation(grouser.load("gate"), seed=seed)
        sim.apply(FireEvent("surprise"))
        names = [name for _, name in log_of(sim, "event")]
        again = Simulation(grouser.load("gate"), seed=seed)
        again.apply(FireEvent("surprise"))
        assert [name for _, name in log_of(again, "event")] == names
        came.add(names[-1])
    assert came == {"surprise", "dawn", "ball"}


# -- events ------------------------------------------------------------------------------------


def test_scheduled_periodic_chained_and_dispatched_events() -> None:
    sim = simulate("""
objects:
  - {name: a, kind: lamp, position: [0, 0, 1]}
  - {name: b, kind: lamp, position: [1, 0, 1]}
events:
  - {name: tick, every: 0.1, do: [say tick], times: 3}
  - {name: later, at: 0.25, do: [say first], then: [next]}
  - {name: next, after: 0.2, do: [say second], then: [dark]}
  - {name: dark, each: [a, b], do: ["light {each} off"]}
""")
    assert lamp_states(sim) == {"a": True, "b": True}
    sim.step(1.0)
    messages = [(0.1, "tick"), (0.2, "tick"), (0.25, "first"), (0.3, "tick"), (0.45, "second")]
    assert log_of(sim, "message") == messages
    assert lamp_states(sim) == {"a": False, "b": False}


def test_patterns_and_groups_are_resolved_when_an_event_fires() -> None:
    sim = simulate(f"""{FALLING}
events:
  - {{name: a, at: 0.1, each: ["c*", "x*"], do: ["say {{each}}"]}}
  - {{name: b, at: 0.2, each: [objects, robots], do: ["say {{each}}"]}}
""")
    sim.apply(Leave("ball"))
    sim.step(0.3)
    assert [text for _, text in log_of(sim, "message")] == ["crate", "crate"]


def test_chance_follows_its_probability_and_the_seed() -> None:
    text = """
events:
  - {name: coin, every: 0.002, chance: 0.3, do: [say heads]}
  - {name: die, every: 0.002, one_of: [{fire: x, chance: 0.2}, {fire: y, chance: 0.5}]}
  - {name: x, do: [say x]}
  - {name: y, do: [say y]}
  - {name: quake, between: [0.1, 0.3], do: [say quake]}
"""
    sim = simulate(text, seed=3)
    sim.step(2.0)
    messages = log_of(sim, "message")
    texts = [text for _, text in messages]
    for word, chance in (("heads", 0.3), ("x", 0.2), ("y", 0.5)):
        spread = math.sqrt(1000 * chance * (1 - chance))
        assert abs(texts.count(word) - 1000 * chance) < 4 * spread
    quakes = [time for time, text in messages if text == "quake"]
    gaps = [b - a for a, b in zip([0.0, *quakes], quakes, strict=False)]
    assert all(0.097 <= gap <= 0.303 for gap in gaps)
    assert max(gaps) - min(gaps) > 0.05
    again = simulate(text, seed=3)
    again.step(2.0)
    assert log_of(again, "message") == messages
    sim.apply(Reset())
    sim.step(2.0)
    assert log_of(sim, "message")[len(messages) :] == messages
    other = simulate(text, seed=4)
    other.step(2.0)
    assert log_of(other, "message") != messages


def test_user_routine_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_goals.py").write_text(
        "goals = []\n"
        "def count(simulation, event):\n"
        "    goals.append(event.by)\n"
        "def broken(simulation, event):\n"
        "    raise ZeroDivisionError('oh')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    sim = simulate(f"""{FALLING}
triggers:
  - {{name: t, kind: sphere, radius: 0.5, position: [0, 0, 1], by: [ball],
      fires: [goal, bad, none]}}
events:
  - {{name: goal, call: "my_goals:count"}}
  - {{name: bad, call: "my_goals:broken"}}
  - {{name: none, call: "my_goals:nothing"}}
""")
    sim.step(1.0)
    assert importlib.import_module("my_goals").goals == ["ball"]
    failed = [one.text for one in sim.event_log if one.kind == "failed"]
    assert "ZeroDivisionError: oh" in failed[0]
    assert "there is no routine 'my_goals:nothing'" in failed[1]


def test_routine_in_the_folder_of_the_world_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "beside_the_world.py").write_text("def tick(simulation, event):\n    pass\n")
    world = tmp_path / "world.yaml"
    event = 'events: [{name: tick, every: 0.1, call: "%s:tick"}]'
    text = "name: w\nterrain: [{kind: flat}]\n"
    world.write_text(text + event % "beside_the_world")
    sim = Simulation(world)
    sim.step(0.35)
    assert [entry.kind for entry in sim.event_log] == ["event"] * 3
    world.write_text(text + event % "nowhere_at_all")
    sim = Simulation(world)
    sim.step(0.15)
    assert [entry.routine for entry in sim.event_log if entry.kind == "failed"] == [
        "nowhere_at_all:tick"
    ]


def test_failed_actions_are_logged_and_the_simulation_continues() -> None:
    sim = simulate(f"""{FALLING}
events:
  - {{name: gone, at: 0.1, do: [remove crate, reset crate, say still here]}}
""")
    sim.step(0.2)
    assert [text for _, text in log_of(sim, "message")] == ["still here"]
    assert "crate" in next(one.text for one in sim.event_log if one.kind == "failed")


def test_reset_within_a_step_does_not_lengthen_it() -> None:
    sim = simulate("""
events:
  - {name: over, every: 0.3, do: [reset]}
""")
    sim.step(1.0)
    assert sim.time == pytest.approx(0.1)
    assert sim.event_log[-1].kind == "reset"


def test_recursive_events_of_routines_are_limited() -> None:
    sim = simulate("events:\n  - {name: a, at: 0.1, call: 'test_events:fire_again'}")
    sim.step(0.2)
    assert "without a pause" in next(one.text for one in sim.event_log if one.kind == "failed")


def fire_again(sim: Simulation, happened: LogEntry) -> None:
    sim.apply(FireEvent(happened.name))


# -- errors in world files -------------------------------------------------------------------

DOOR = "objects:\n  - {name: gate, kind: door, position: [0, 0, 1], width: 1, height: 1.9}\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("events:\n  - {name: a, do: [opn gate]}", "no word 'opn'.*did you mean 'open'"),
        ("events:\n  - {name: a, do: [open gat]}", "no door 'gat'.*did you mean 'gate'"),
        ("events:\n  - {name: a, then: [bb]}\n  - {name: b, do: [say x]}", "then.0 is 'bb'.*'b'"),
        ("events:\n  - {name: a, do: [fire c]}", "there is no event 'c'"),
        ("events:\n  - {name: a, do: [fire b]}\n  - {name: b, do: [fire a]}", "without a delay"),
        ("events:\n  - {name: a, do: [fire a, fire a]}", "name is 'a', which fires itself again"),
        ("events:\n  - {name: a, do: ['open {each}']}", "must not contain {each} without"),
        ("events:\n  - {name: a, call: goals}", "call is 'goals', must be MODULE:FUNCTION"),
        ("events:\n  - {name: a, do: [say x]}\n  - {name: a, do: [say x]}", "unique among events"),
        ("events:\n  - {name: a, then: [b]}\n  - {name: b, then: [a]}", "without a delay"),
        ("events:\n  - {name: a, dooo: [say x]}", "unknown key 'dooo'.*did you mean 'do'"),
        ("events:\n  - {name: a}", "do is empty"),
        (
            "events:\n  - {name: a, each: [gat], do: [say x]}",
            "no robot or object 'gat'.*did you mean 'gate'",
        ),
        ("events:\n  - {name: a, one_of: [{fire: a, chance: 2}]}", "chance is 2"),
        ("events:\n  - {name: a, call: nothing}", "call"),
        (
            "triggers:\n  - {name: t, kind: sphere, radius: 1, position: [0, 0, 0], fires: [x]}",
            "fires.0 is 'x', allowed",
        ),
        (
            "triggers:\n  - {name: t, kind: sphere, radius: 1, position: [0, 0, 0], by: [gats],"
            " do: [say x]}",
            "no robot or object 'gats'.*did you mean 'gate'",
        ),
        ("triggers:\n  - {name: t, kind: spher}", "did you mean 'sphere'"),
        (
            "triggers:\n  - {name: t, kind: sphere, radius: 1, position: [0, 0, 0], on: stay,"
            " do: [say x]}",
            "seconds",
        ),
    ],
)
def test_errors_name_the_line(text: str, sentence: str) -> None:
    with pytest.raises(GrouserError, match=f"test.yaml line \\d+: .*{sentence}"):
        simulate(DOOR + text)


@pytest.mark.parametrize("line", ["tell rex forwrd 1", "after 2 tell rex forwrd 1"])
def test_invalid_robot_commands_are_rejected_at_the_start(line: str) -> None:
    rex = "robots:\n  - {name: rex, kind: ers7, position: [0, 0]}\n"
    with pytest.raises(GrouserError, match=r"test.yaml line \d+: .*'forwrd'.*mean 'forward'"):
        simulate(f"{rex}events:\n  - {{name: a, do: [{line}]}}")
