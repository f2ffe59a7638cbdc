"""Table 1 of Asanuma et al. 2004 with the errors of a real robot, one cause after another.

The software of `cmos_table1` has exact data of the robot and the field, and its errors are a
thirtieth of the real robot's. Here it has wrong data, as that of a real robot has; the pictures are
the same. Every value is an estimate that was set before the first run:

- posture: a body that stands askew by servos and paws, and zero points of the neck's joints;
- sway: the body turns against the swinging head;
- timing: neck angles older than the picture;
- colours: a colour table from other light, and edges of colour classes without sub-pixel accuracy,
  as from the robot's colour detection hardware;
- occlusion: landmarks behind other robots and people;
- software: a small filter that takes all sightings as independent, on exact data.

The robot stands, so that leg odometry has no part in it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

import numpy as np

from grouser.cores import cores
from grouser.experiments import cmos_rig as rig
from grouser.experiments.cmos_table1 import (
    DURATION,
    OUT_OF_STEP,
    PICTURE,
    POSES,
    PRINTED,
    QUICK,
    SWING,
    Cells,
    LocalisationResult,
    Start,
    change_row,
    figures,
    schedule_swings,
    value_row,
)
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, Pose, radians
from grouser.perception.colours import SAMPLES, Colour, ColourTable
from grouser.perception.landmarks import LandmarkSighting
from grouser.perception.localise import Localiser, SensorModel
from grouser.perception.optics import Neck
from grouser.perception.vision import Vision
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation

LEVEL_DEG = 1.5
"""Roll and pitch of the standing body, standard deviation; estimate: a millimetre at a paw."""
ZERO_DEG = 1.0
"""Zero point of each joint of the neck, standard deviation; estimate: the joints' backlash."""
SWAY_DEG = 1.0
"""Yaw of the body against the swinging head, amplitude; estimate: rubber paws on carpet."""
LATE_S = 0.040
"""Largest age of the neck's angles at the picture's time; estimate: one picture."""
LIGHT = 0.10
"""Gain of each channel when the colour table was made, standard deviation of its logarithm;
estimate: lamps of another hall."""
REACH = 0.35
"""Reach of the colour table, instead of 0.45; estimate: painted by hand from few pictures."""
HIDDEN, HIDDEN_FOR_S = 0.3, 2.0
"""Share of the time in which a landmark is hidden, and how long at a time; estimates."""

EVERY = 5
"""Pictures from one evaluation to the next: the causes are compared on the same ones."""
QUICK_SECONDS = 6.0
SENSOR = SensorModel(trust=EVERY * SensorModel().trust)
COARSE = SensorModel(trust=1.0)
"""Sensor model of the small filter: every sighting counts as an independent one; estimate."""
FEW = 100
"""Particles of the small filter; estimate: what a robot of 2003 could compute."""
CAUSES = ("none", "posture", "sway", "timing", "colours", "occlusion", "all", "software")
"""Causes; all: those before it together, with our own filter."""


@dataclass(frozen=True)
class RobotErrors:
    """Errors of one robot in one run."""

    body: Pose
    """Pose of the real body in the level one, without position."""
    neck: tuple[float, float, float]
    """Tilt, pan and roll of the software minus the real ones, rad."""
    sway: float
    """Yaw of the body at the left end of the swing, rad; against the head."""
    late: float
    """Age of the neck's angles, s."""
    table: ColourTable
    """Colour table of the software."""
    seed: int
    """Seed of the occlusion."""

    @classmethod
    def draw(cls, rng: np.random.Generator) -> RobotErrors:
        """Return the errors of a robot."""
        roll, pitch = (radians(LEVEL_DEG) * rng.normal(size=2)).tolist()
        tilt, pan, twist = (radians(ZERO_DEG) * rng.normal(size=3)).tolist()
        gains = np.exp(LIGHT * rng.normal(size=3))
        samples: dict[Colour, tuple[int, int, int]] = {}
        for colour, sample in SAMPLES.items():
            red, green, blue = np.clip(np.array(sample) * gains, 0, 255).astype(int).tolist()
            samples[colour] = red, green, blue
        return cls(
            Pose.at(roll=roll, pitch=pitch),
            (tilt, pan, twist),
            -radians(SWAY_DEG),
            float(rng.uniform(0.0, LATE_S)),
            ColourTable.from_samples(samples, reach=REACH),
            int(rng.integers(2**31)),
        )


@dataclass(frozen=True, kw_only=True)
class AskewNeck(Neck):
    """Neck of a body that stands askew: the pose of the lens that a level body would not have."""

    body: Pose

    def gaze(self, tilt: float, pan: float, roll: float = 0.0) -> Pose:
        """Return the pose of the lens in the footprint."""
        return self.body @ super().gaze(tilt, pan, roll)


def run(run_options: RunOptions) -> Report:
    """Localise the robot at every pose for every cause; compare with the real robot's errors."""
    poses = QUICK if run_options.quick else POSES
    duration = QUICK_SECONDS if run_options.quick else DURATION
    outcomes: dict[int, Mapping[str, LocalisationResult]] = {}
    context = multiprocessing.get_context("spawn")  # OpenGL does not survive a fork
    with ProcessPoolExecutor(min(len(poses), cores()), mp_context=context) as pool:
        jobs = {
            pool.submit(localise_at, pose, duration, (run_options.seed, number)): number
            for number, pose in enumerate(poses)
        }
        for job in as_completed(jobs):
            outcomes[jobs[job]] = job.result()
            run_options.progress("localising", len(outcomes), len(poses))
    results = {
        name: figures([outcomes[number][name] for number in range(len(poses))])
        for name in outcomes[0]
    }
    table = Table(
        "cmos-errors",
        f"{rig.PAPER}, Table 1",
        f"Self-localisation with a real robot's errors at {len(poses)} poses, {duration:g} s each"
        + (" (quick)" if run_options.quick else ""),
        table_rows(results),
        {"sightings_all_with": sum(one["all with"].sightings for one in outcomes.values())},
        (
            "All errors together are judged by the real robot: too small an error disagrees like "
            "too large a one. Single causes have no value in the paper.",
            "Change: the sign of with less without, judged by that of the paper's simulations.",
        ),
    )
    return Report(table)


def localise_at(
    pose: Start, duration: float, seed: tuple[int, ...]
) -> Mapping[str, LocalisationResult]:
    """Swing the head at one pose for ``duration`` (s); return the result of every cause."""
    x, y, heading = pose
    truth = np.array([x, y, radians(heading)])
    names = [f"{cause} {camera}" for cause in CAUSES for camera in rig.CAMERAS]
    streams = np.random.SeedSequence(seed).spawn(2 + len(names))
    errors = RobotErrors.draw(np.random.default_rng(streams[0]))
    localisers = {
        name: (
            Localiser(rig.field_map(), np.random.default_rng(stream), count=FEW, sensor=COARSE)
            if name.startswith("software")
            else Localiser(rig.field_map(), np.random.default_rng(stream), sensor=SENSOR)
        )
        for name, stream in zip(names, streams[2:], strict=True)
    }
    counts = dict.fromkeys(names, 0)
    for name, sightings in _sightings(pose, duration, int(streams[1].generate_state(1)[0]), errors):
        localisers[name].see(sightings)
        counts[name] += len(sightings)
    return {
        name: LocalisationResult(localiser.estimate(), truth, counts[name])
        for name, localiser in localisers.items()
    }


def _sightings(
    pose: Start, duration: float, seed: int, errors: RobotErrors
) -> Iterator[tuple[str, list[LandmarkSighting]]]:
    """Yield the name of every localiser and the landmarks that it sees, picture by picture."""
    simulation = Simulation(rig.world(*pose), seed=seed)
    schedule_swings(simulation, duration, OUT_OF_STEP)
    plain = {camera: rig.vision(camera) for camera in rig.CAMERAS}
    late_steps = simulation.round_to_steps(max(PICTURE - errors.late, 0.0))
    for number in range(round(duration / PICTURE)):
        simulation.step(late_steps)
        before = _neck_angles(simulation)
        simulation.step(simulation.round_to_steps(PICTURE - late_steps))
        if number % EVERY:
            continue
        now, time = _neck_angles(simulation), simulation.time
        for camera, vision in plain.items():
            image = simulation.read(rig.ROBOT, camera).array("image")
            for cause in CAUSES:
                software, angles = seen_by(cause, vision, errors, now, before)
                found = software.see(image, *angles.tolist()).landmarks
                if cause in ("occlusion", "all"):
                    found = [s for s in found if not is_hidden(s.name, time, errors.seed)]
                yield f"{cause} {camera}", found


def _neck_angles(simulation: Simulation) -> Array:
    """Return tilt, pan and roll of the neck now, rad."""
    joints = (f"{rig.ROBOT}/{name}" for name in ("tilt", "pan", "roll"))
    return np.array([float(simulation.data.joint(name).qpos[0]) for name in joints])


def seen_by(
    cause: str, vision: Vision, errors: RobotErrors, now: Array, before: Array
) -> tuple[Vision, Array]:
    """Return the software with the errors of a cause, and the neck angles that it works with."""
    every = cause == "all"
    angles = before.copy() if every or cause == "timing" else now.copy()
    software = vision
    body = Pose()
    if every or cause == "posture":
        angles += errors.neck
        body = errors.body.inverse()
    if every or cause == "sway":
        body = Pose.at(yaw=-errors.sway * float(now[1]) / SWING) @ body
    if every or cause in ("posture", "sway"):
        known = rig.NECK
        neck = AskewNeck(at=known.at, up=known.up, ahead=known.ahead, body=body)
        software = replace(software, neck=neck)
    if every or cause == "colours":
        software = replace(software, colours=errors.table, sub_pixel=False)
    return software, angles


def is_hidden(name: str, time: float, seed: int) -> bool:
    """Return True if a landmark is hidden at ``time`` (s)."""
    words = [seed, int(time / HIDDEN_FOR_S), *name.encode()]
    return bool(np.random.default_rng(words).random() < HIDDEN)


def table_rows(results: Mapping[str, Cells]) -> tuple[Row, ...]:
    """Return the rows for the cells of every localiser."""
    whole = {camera: results[f"all {camera}"] for camera in ("with", "without")}
    rows = [value_row(*key, PRINTED[key], whole) for key in PRINTED]
    rows += [change_row(*key, PRINTED[key], whole) for key in PRINTED]
    for cause in (cause for cause in CAUSES if cause != "all"):
        for key in (("xy", "rms_error_mm"), ("theta", "rms_error_deg")):
            ours = {camera: results[f"{cause} {camera}"][key] for camera in ("without", "with")}
            rows.append(
                Row(
                    {"of": key[0], "figure": f"{key[1]}, {cause}"},
                    {"real": None, "without": None, "with": None},
                    ours,
                )
            )
    return tuple(rows)
