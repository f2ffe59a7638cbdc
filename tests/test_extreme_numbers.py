"""NaN, infinity and huge numbers in Python and YAML; extreme masses and time steps.

The network's paths have their own tests: test_stateful_fuzzing.py, test_hrt.py.
"""

import contextlib
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import BadValue, GrouserError, SimulationDiverged, WorldFileError
from grouser.frames import Pose
from grouser.robots.kinds import ROBOTS
from grouser.service.host import Host, HostRules
from grouser.simulation.changes import actions
from grouser.simulation.changes.actions import Action
from grouser.simulation.simulation import Simulation
from grouser.world.file import parse

WORLD = """
name: numbers
physics: {timestep: 0.002, gravity: 9.81, energy_limit: 100}
terrain:
  - {kind: flat, friction: 0.8, rgb: [0.1, 0.2, 0.3]}
  - {kind: step, x: 3.0, length: 1.5, height: 0.1, friction: 0.6}
objects:
  - {name: crate, kind: box, position: [0, 2, 0.1], yaw_deg: 10, size: [0.2, 0.2, 0.2], mass: 2,
     friction: 0.5}
  - {name: gate, kind: door, position: [0, 4, 0.5], width: 0.8, height: 0.9, seconds: 1.0}
  - {name: lamp, kind: lamp, position: [0, 0, 3]}
robots:
  - {name: rover, kind: p2dx, position: [-2, 0], yaw_deg: 90, command: {left: 1.0, right: 1.0}}
starts:
  - {name: here, position: [1, 1], yaw_deg: 5}
events:
  - {name: later, at: 1000.0, do: ["gravity 3.0"]}
"""


ACTIONS: dict[str, Callable[[float], Action]] = {
    "pose": lambda x: actions.SetPose(
        "crate", Pose(np.array([x, 0, 1.0]), np.array([1.0, 0, 0, 0]))
    ),
    "orientation": lambda x: actions.SetPose("crate", Pose(np.zeros(3), np.array([x, 0, 0, 0]))),
    "move": lambda x: actions.Move("crate", x, 0.0),
    "turn": lambda x: actions.Move("crate", 0.0, 0.0, yaw=x),
    "gradually": lambda x: actions.Move("crate", 0.0, 0.0, seconds=x),
    "shift": lambda x: actions.Shift("crate", (0.0, x, 0.0)),
    "glide": lambda x: actions.Glide("crate", ((0.0, 0.0, x),), 1.0),
    "glide speed": lambda x: actions.Glide("crate", ((0.0, 0.0, 1.0),), x),
    "spin": lambda x: actions.Spin("crate", x),
    "surface": lambda x: actions.SetSurfaceVelocity("crate", (x, 0.0, 0.0)),
    "command": lambda x: actions.Command("rover", {"left": x}),
    "rate": lambda x: actions.SetSensorRate("rover", "INS", x),
    "door": lambda x: actions.SetDoor("gate", x),
    "daylight": lambda x: actions.SetDaylight(x),
    "friction": lambda x: actions.SetFriction("everywhere", x),
    "gravity": lambda x: actions.SetGravity(x),
    "delay": lambda x: actions.Delayed(x, actions.SetGravity(1.0)),
    "delayed": lambda x: actions.Delayed(1.0, actions.Spin("crate", x)),
}
"""Name -> action with one number."""

ROBOT = Path(__file__).parent.parent / "examples" / "robots" / "kenaf.yaml"


def host(text: str) -> Host:
    return Host(Simulation(parse(text, where="w"), crash_folder=None), HostRules(tick=0.02))


def advance(host: Host, seconds: float) -> None:
    """Advance as a server does, which resets a world in which nothing can be saved."""
    end = host.time + seconds
    while host.time < end - 1e-9:
        try:
            host.advance()
        except SimulationDiverged:
            host.apply(actions.Reset())
            return


def numbers(text: str) -> list[re.Match[str]]:
    """Return the numbers in a file."""
    return list(re.finditer(r"(?<![\w.])-?\d+(\.\d+)?(?![\w.])", text))


# -- numbers ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation(parse(WORLD, where="w"), crash_folder=None)


@pytest.mark.parametrize("name", ACTIONS)
def test_action_with_an_impossible_number_is_refused(simulation: Simulation, name: str) -> None:
    before = simulation.fingerprint()
    for value in (math.nan, math.inf, -math.inf, 1e308, -1e308):
        with pytest.raises(BadValue):
            simulation.apply(ACTIONS[name](value))
    assert simulation.fingerprint() == before


def test_action_that_becomes_due_with_an_impossible_number_is_reported() -> None:
    simulation = Simulation(parse(WORLD, where="w"), crash_folder=None)
    simulation.apply(actions.Delayed(0.01, actions.SetFriction("everywhere", math.nan)))
    with pytest.raises(BadValue, match="friction: nan, must be 0 to 10"):
        simulation.step(0.02)
    simulation.step(0.02)


@pytest.mark.parametrize("value", [".nan", ".inf", "-.inf", "1e308", "-1e308"])
def test_world_file_with_an_impossible_number_is_refused_or_runs(value: str) -> None:
    """Commands and the energy limit have no upper bound; they are limited when they are used."""
    accepted = []
    for number in numbers(WORLD):
        text = WORLD[: number.start()] + value + WORLD[number.end() :]
        try:
            accepted.append(parse(text, where="w"))
        except WorldFileError as error:
            assert re.match(r"w line \d+: ", str(error))  # noqa: PT017 - others are accepted
    assert len(accepted) <= 4
    for world in accepted:
        with contextlib.suppress(BadValue):
            advance(Host(Simulation(world, crash_folder=None), HostRules(tick=0.02)), 0.04)


@pytest.mark.slow
@pytest.mark.parametrize("value", ["1e-308", "1e-9", "1e-3", "1e3", "1e9"])
def test_world_file_with_an_extreme_number_is_refused_or_runs(value: str) -> None:
    for number in numbers(WORLD):
        with contextlib.suppress(GrouserError):
            advance(host(WORLD[: number.start()] + value + WORLD[number.end() :]), 0.2)


# -- masses and time steps ----------------------------------------------------------------------

SHAPES = {
    "box": "size: [0.2, 0.2, 0.2]",
    "ball": "radius: 0.1",
    "cylinder": "radius: 0.1, length: 0.2",
}


def with_object(kind: str, mass: str) -> str:
    """Return the world with an object above the rover."""
    thing = f"{{name: thing, kind: {kind}, position: [-2, 0, 0.6], {SHAPES[kind]}, mass: {mass}"
    return WORLD.replace("objects:\n", f"objects:\n  - {thing}, friction: 0.5}}\n")


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("mass", ["1e-9", "1e5"])
def test_object_of_extreme_mass_does_not_stop_the_others(kind: str, mass: str) -> None:
    served = host(with_object(kind, mass))
    advance(served, 0.5)
    assert served.time == pytest.approx(0.5)
    assert np.isfinite(served.simulation.data.qpos).all()
    assert "rover" in served.simulation.scene.robots


@pytest.mark.parametrize(
    ("mass", "sentence"),
    [
        ("1e9", "w line 8: objects.0.mass is 1000000000.0, must be at most 100000"),
        ("1e-16", "w: MuJoCo cannot compile this world: Error: mass and inertia of moving bodies"),
    ],
)
def test_impossible_mass_is_refused(mass: str, sentence: str) -> None:
    with pytest.raises(GrouserError, match=re.escape(sentence)):
        host(with_object("box", mass))


@pytest.mark.parametrize(
    ("timestep", "sentence"), [("1e-7", "must be at least 1e-06"), ("0.1", "must be at most 0.02")]
)
def test_impossible_time_step_is_refused(timestep: str, sentence: str) -> None:
    with pytest.raises(WorldFileError, match=f"physics.timestep is .*, {sentence}"):
        host(WORLD.replace("timestep: 0.002", f"timestep: {timestep}"))


@pytest.mark.slow
@pytest.mark.parametrize("timestep", ["1e-6", "0.02"])
@pytest.mark.parametrize("kind", sorted(set(ROBOTS) - {"crawler"}))  # it needs options
def test_robots_at_the_shortest_and_longest_time_step(kind: str, timestep: str) -> None:
    """A robot that diverges is restarted, in the end removed; the other goes on."""
    robot = f"robots:\n  - {{name: second, kind: {kind}, position: [2, -4]}}\n"
    text = WORLD.replace("timestep: 0.002", f"timestep: {timestep}").replace("robots:\n", robot)
    served = host(text)
    seconds = 0.0004 if timestep == "1e-6" else 1.0
    if timestep == "1e-6":
        served.advance(seconds)
    else:
        advance(served, seconds)
        assert "rover" in served.simulation.scene.robots
    assert np.isfinite(served.simulation.data.qpos).all()


@pytest.mark.slow
@pytest.mark.parametrize("mass", ["1e-9", "1e9", ".nan", "1e308"])
def test_robot_file_with_an_extreme_mass_is_refused_or_does_not_stop_others(
    tmp_path: Path, mass: str
) -> None:
    content = ROBOT.read_text()
    for number, found in enumerate(re.finditer(r"mass: ([\d.]+)", content)):
        path = tmp_path / f"robot{number}.yaml"
        path.write_text(content[: found.start(1)] + mass + content[found.end(1) :])
        robot = f"robots:\n  - {{name: second, kind: {path}, position: [2, -4]}}\n"
        try:
            served = host(WORLD.replace("robots:\n", robot))
        except GrouserError:
            continue
        advance(served, 0.5)
        assert "rover" in served.simulation.scene.robots
