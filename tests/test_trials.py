"""Trials: equal results at any thread count, in any batch and as a single simulation."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.simulation.policy import Observation
from grouser.simulation.scene import Scene, compose
from grouser.trials.layout import layout
from grouser.trials.runner import run_trials
from grouser.trials.scene_batch import RowStart, SceneBatch
from grouser.trials.simulation_lane import replay_trial
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Goal, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step
from grouser.world.terrain.terrain_piece import TerrainPiece


def world(
    *,
    friction: float = 0.6,
    height: float | None = None,
    forward: float = 0.3,
    method: str = "segments",
    yaw_deg: float = 0.0,
) -> World:
    terrain: list[TerrainPiece] = [Flat(friction=friction)]
    if height:
        terrain.append(Step(x=0.5, height=height, friction=friction))
    robot = RobotEntry(
        name="packbot",
        kind="packbot",
        position=(0.0, 0.0, 0.0),
        yaw_deg=yaw_deg,
        options={"method": method},
        command={"forward": forward},
    )
    return World(name="trial", physics=STANDARD, terrain=tuple(terrain), robots=(robot,))


def trials() -> list[Trial]:
    """Return five trials of one layout (other step heights and frictions) and one of another."""
    steps = [
        Trial(
            world=world(height=height, friction=friction),
            robot="packbot",
            limit=1.6,
            goal=Goal(x=0.3),
            case={"height": height},
        )
        for height, friction in ((0.02, 0.6), (0.05, 0.6), (0.3, 0.6), (0.05, 0.1), (0.02, 0.9))
    ]
    return [*steps, Trial(world=world(forward=0.2), robot="packbot", limit=1.0)]


def outcome_bits(outcomes: Any) -> list[tuple[bytes | str | float, ...]]:
    return [
        (o.verdict, o.time, o.positions.tobytes(), o.wxyz.tobytes(), o.fingerprint)
        for o in outcomes
    ]


def turning(friction: float, centre_x: float = 0.0) -> Trial:
    """Return a trial of a Quince that slips on ground with a lower sliding friction."""
    ground = Flat(friction=friction, kinetic=0.4, stribeck_speed=0.05)
    robot = RobotEntry(
        name="quince",
        kind="quince",
        position=(0.0, 0.0, 0.0),
        options={"grousers": False, "centre_x": centre_x},
        command={"forward": 1.0, "turn": 3.0},
    )
    physics = STANDARD.model_copy(update={"timestep": 0.002})
    slippery = World(name="slip", physics=physics, terrain=(ground,), robots=(robot,))
    return Trial(world=slippery, robot="quince", limit=0.2)


def test_laws_of_sliding_friction_are_those_of_each_trial() -> None:
    given = [turning(0.8), turning(0.5)]
    together = run_trials(given, runner=ThreadRunner(threads=1))
    assert outcome_bits(together) == outcome_bits([run_trials([trial])[0] for trial in given])


def test_inertia_at_motors_is_that_of_each_scene() -> None:
    """Its last bits depend on the start pose, and those of the motors' force limits on it."""
    middle, front = (compose(turning(0.5, centre_x).world) for centre_x in (0.0, 0.1))
    assert layout(middle) == layout(front)

    def inertia(loaded: Scene, scenes: list[Scene]) -> bytes:
        batch = SceneBatch(scenes, 1)
        batch.load({0: RowStart(loaded, {}, batch.physics.state[0].copy())})
        return batch.memory.losses.inertia.tobytes()

    assert inertia(front, [middle, front]) == inertia(front, [front])
    assert inertia(front, [front]) != inertia(middle, [middle])


def test_outcomes_are_bit_identical_at_any_thread_count_and_batch() -> None:
    one = run_trials(trials(), runner=ThreadRunner(threads=1))
    two = run_trials(trials(), runner=ThreadRunner(threads=2))
    assert outcome_bits(one) == outcome_bits(two)
    alone = [run_trials([trial])[0] for trial in trials()]
    assert outcome_bits(one) == outcome_bits(alone)
    assert outcome_bits(run_trials(trials(), runner=ThreadRunner(slots=2))) == outcome_bits(one), (
        "finished trials are replaced"
    )


def test_robots_of_one_batch_keep_their_own_posture() -> None:
    postures = [
        Trial(
            world=World(
                name="postures",
                physics=STANDARD,
                terrain=(Flat(friction=0.6),),
                robots=(
                    RobotEntry(
                        name="kenaf",
                        kind="kenaf",
                        position=(0.0, 0.0, 0.0),
                        options={"front_deg": front_deg, "method": "wheels"},
                    ),
                ),
            ),
            robot="kenaf",
            limit=0.6,
        )
        for front_deg in (-30.0, 90.0)
    ]
    assert outcome_bits(run_trials(postures)) == outcome_bits(
        run_trials([trial])[0] for trial in postures
    )


@pytest.mark.parametrize("method", ["segments", "wheels", "surface"])
def test_trial_equals_the_simulation_bit_by_bit(method: str) -> None:
    schedule = ((0.4, {"turn": 0.8}), (0.8, {"forward": 0.2}))
    trial = Trial(world=world(method=method), robot="packbot", limit=1.2, schedule=schedule)
    [outcome] = run_trials([trial])
    poses = []
    for simulation in replay_trial(trial):
        poses.append(simulation.data.qpos[:7].copy())
    assert np.array(poses)[:, :3].tobytes() == outcome.positions.tobytes()
    assert np.array(poses)[:, 3:].tobytes() == outcome.wxyz.tobytes()
    assert sum(simulation.energy("packbot").values()) == pytest.approx(outcome.work, rel=1e-12)


def test_trials_stop_early_when_arrived_stuck_or_tipped() -> None:
    arrives = Trial(world=world(), robot="packbot", limit=5.0, goal=Goal(x=0.2))
    stuck = Trial(world=world(height=0.4), robot="packbot", limit=9.0, stuck_after=0.8)
    tips = Trial(world=world(), robot="packbot", limit=5.0, tipped_beyond=math.radians(-1))
    outcomes = run_trials([arrives, stuck, tips])
    assert [outcome.verdict for outcome in outcomes] == ["arrived", "stuck", "tipped"]
    assert outcomes[0].time < 1.0
    assert outcomes[1].time < 4.0
    assert outcomes[2].time < 0.2


def test_policy_observes_and_commands() -> None:
    class StopAtHalf:
        truth = True

        def __call__(self, observation: Observation) -> dict[str, float] | None:
            return {"forward": 0.0} if observation.position[0] > 0.15 else None

    trial = Trial(world=world(), robot="packbot", limit=2.0, policy=StopAtHalf)
    [outcome] = run_trials([trial])
    assert 0.15 < outcome.positions[-1, 0] < 0.22


def test_progress_is_reported() -> None:
    observation = []
    run_trials(trials()[-1:], progress=lambda done, of: observation.append((done, of)))
    assert observation == [(1, 1)]


def test_trial_must_watch_a_robot() -> None:
    with pytest.raises(BadValue, match="watches 'kenaf', the world has packbot"):
        Trial(world=world(), robot="kenaf", limit=1.0)


def test_diverged_trial_is_reported_and_others_are_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gravity of 1e12 m/s2 makes MuJoCo diverge; no log file is written."""
    monkeypatch.chdir(tmp_path)
    sane = trials()[0]
    falling = STANDARD.model_copy(update={"gravity": 1e12})
    mad = Trial(
        world=sane.world.changed(physics=falling), robot="packbot", limit=1.6, goal=sane.goal
    )
    outcomes = run_trials([mad, sane])
    assert outcomes[0].verdict == "diverged"
    assert outcome_bits(outcomes[1:]) == outcome_bits(run_trials([sane]))
    assert not list(tmp_path.iterdir())
