"""Scan of a known world: errors of the rebuilt surface and their effect on a robot.

A simulated Kinect images a step field and the plywood bridge from three poses. The first pose is
known. The others have the errors of a tape measure (`TAPE_MEASURE`) and are refined by
registration. Points of the rebuilt surface are compared with the true surface where it was seen.
The band along edges, which voxels round off, is evaluated separately.

Then a robot is driven over steps on both sides of its limit, on the true steps and on scanned ones.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grouser.experiments.run_options import RunOptions
from grouser.frames import X_CO, Array, Pose, millimetres
from grouser.mobility.limits import nominal_bracket
from grouser.mobility.suite import Candidate, measure_candidate, mobility_trial
from grouser.reports.report import Report
from grouser.reports.rules import Rule, same
from grouser.reports.table import Row, Table
from grouser.scan.cloud import PointCloud
from grouser.scan.ground.scan_world import WorldOptions
from grouser.scan.ground.world_folder import WORLD, scan_to_world
from grouser.scan.pipeline import RebuiltGround, ScanOptions, rebuild
from grouser.scan.registration import TAPE_MEASURE
from grouser.scan.simulated_camera import pose_towards, scan_world
from grouser.scan.surface_errors import SurfaceErrors, surface_errors
from grouser.simulation.ground_stl import ground_surface
from grouser.simulation.scene import compose
from grouser.trials.runner import run_trials
from grouser.trials.trial import Outcome
from grouser.world.file import World, load
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.plywood_bridge import PlywoodBridge
from grouser.world.terrain.stepfield import Stepfield
from grouser.world.terrain.terrain_piece import TerrainPiece

RUNS_TRIALS = True

VOXEL = 0.02  # m   the default of `grouser scan`
REACH = 2.2  # m   points beyond are dropped because noise grows with the square of the distance
BAND = 1.5 * VOXEL
"""Half width of the band along edges, m."""
MEAN_MM, P95_MM = 5.0, 15.0  # our bounds: mean and 95th percentile on the seen surface
NEAR = Rule(
    f"mean below {MEAN_MM:g}, 95 % below {P95_MM:g} mm",
    lambda _, errors: bool(errors[0] < MEAN_MM and errors[1] < P95_MM),
)
AROUND = 0.8
"""Half extent of the evaluated region around the centre along x and y, m."""
ROBOT = "packbot"
OFFSETS_MM = (20.0, 40.0)
"""Distances of the driven steps from the robot's limit, mm."""


@dataclass(frozen=True)
class KnownWorld:
    """World to scan and the poses of the camera."""

    name: str
    piece: TerrainPiece
    middle: tuple[float, float, float]
    """Point that the cameras face, m."""
    cameras: tuple[tuple[float, float, float], ...]
    """Positions of the cameras, m."""

    @property
    def world(self) -> World:
        """World with the terrain piece on flat ground."""
        terrain = (Flat(friction=0.6), self.piece)
        return World(name=self.name, physics=STANDARD, terrain=terrain)


KNOWN = (
    KnownWorld(
        "step field",
        Stepfield(pattern="diagonal", unit=0.05, x=0.0, friction=0.6),
        (0.5, 0.0, 0.1),
        ((-0.8, -0.6, 1.0), (1.6, -0.8, 1.0), (0.5, 1.3, 1.0)),
    ),
    KnownWorld(
        "plywood bridge",
        PlywoodBridge(x=-1.0, sheets=1, friction=0.6),
        (0.4, 0.0, 0.1),
        ((-0.9, -0.6, 1.0), (1.5, -0.8, 1.0), (0.4, 1.3, 1.0)),
    ),
)
STEP_CAMERAS = ((-1.5, -0.9, 1.2), (-1.5, 0.9, 1.2), (0.7, -0.9, 1.4))
"""Positions of the cameras around a step at x = 0, m. Only the riser constrains frames along x, and
the last camera does not see it. Along y only the given poses constrain the frames."""


def run(run_options: RunOptions) -> Report:
    """Scan the worlds, drive the steps and compare."""
    cameras = ("kinect2",) if run_options.quick else ("kinect2", "kinect1")
    known = KNOWN[:1] if run_options.quick else KNOWN
    rows = []
    for number, case in enumerate(known):
        run_options.progress("scanning", number, len(known))
        rows += [_surface_row(case, camera, run_options) for camera in cameras]
    candidate = measure_candidate(ROBOT, {})
    low, high = nominal_bracket(candidate, "step", runner=run_options.runner)
    offsets = OFFSETS_MM[:1] if run_options.quick else OFFSETS_MM
    sizes = sorted([*(low - off for off in offsets), *(high + off for off in offsets)])
    for number, size in enumerate(sizes):
        run_options.progress("driving", number, len(sizes))
        rows.append(_step_row(candidate, size, run_options))
    title = "A simulated Kinect scans worlds that are known"
    if run_options.quick:
        title += " (quick: one field, two steps)"
    notes = (
        "Surfaces are judged by the distance of rebuilt points from the true surface away from "
        f"edges; the band along edges, {millimetres(BAND):.0f} mm to either side, is printed "
        "beside and not judged.",
        f"Steps are judged by the drive of {ROBOT} on the true step and on the scanned one.",
    )
    figures = {"step_limit_mm": f"{low:g} to {high:g}"}
    return Report(Table("scan-known-world", "the true world", title, tuple(rows), figures, notes))


def _surface_row(case: KnownWorld, camera: str, run_options: RunOptions) -> Row:
    """Return the row with the errors of a rebuilt world."""
    clouds, poses = _scan(case.world, case.cameras, case.middle, camera, run_options.seed)
    guesses = _perturb(poses, run_options.seed)
    ground = rebuild(clouds, ScanOptions(voxel=VOXEL, camera_poses=guesses))
    errors = _errors(case, ground, run_options)
    before, after = (
        ", ".join(
            f"{millimetres(_position_error(poses[0], pose, found)):.0f}" for pose, found in pairs
        )
        for pairs in (
            [(a, poses[0].inverse() @ b) for a, b in zip(poses[1:], guesses[1:], strict=True)],
            [(a, b.X_FC) for a, b in zip(poses[1:], ground.frames[1:], strict=True)],
        )
    )
    note = f"cameras {before} mm off before registration, {after} after"
    return errors_row(case.name, camera, errors, note)


def errors_row(name: str, camera: str, errors: SurfaceErrors, note: str = "") -> Row:
    """Return the row of a rebuilt world for the errors of its surface."""
    mean, p95 = _figures(errors.away)
    return Row(
        {"world": name, "camera": camera},
        None,
        _ours(mean, p95, *_figures(errors.band)),
        NEAR.judge((0.0, 0.0), (mean, p95)),
        note,
    )


def _errors(case: KnownWorld, ground: RebuiltGround, run_options: RunOptions) -> SurfaceErrors:
    x, y, _ = case.middle
    return surface_errors(
        ground.mesh,
        ground.cloud,
        ground_surface(compose(case.world)).astype(float),
        seen_within=VOXEL,
        band=BAND,
        box=((x - AROUND, y - AROUND, -1.0), (x + AROUND, y + AROUND, 2.0)),
        count=4000 if run_options.quick else 20_000,
        rng=np.random.default_rng(run_options.seed),
    )


def _step_row(candidate: Candidate, size: float, run_options: RunOptions) -> Row:
    """Return the row that compares a drive over a step with one over its scan."""
    trial = mobility_trial(candidate, "step", size)
    [true] = run_trials([trial], runner=run_options.runner)
    seed = run_options.seed
    world = trial.world.changed(robots=())
    clouds, poses = _scan(world, STEP_CAMERAS, (-0.2, 0.0, 0.1), "kinect2", seed)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "step"
        options = ScanOptions(voxel=VOXEL, camera_poses=_perturb(poses, seed))
        scan = scan_to_world(clouds, out, WorldOptions(name="step"), options)
        terrain = load(out / WORLD).terrain
        scanned = dataclasses.replace(trial, world=trial.world.changed(terrain=terrain, objects=()))
        [rebuilt] = run_trials([scanned], runner=run_options.runner)
    shape = scan.collides_as.replace("_", " ")
    return drives_row(size, true, rebuilt, f"scanned, it collides as {shape}")


def drives_row(size: float, true: Outcome, rebuilt: Outcome, note: str) -> Row:
    """Return the row of the drives over a true step (height in mm) and over its scan."""
    return Row(
        {"world": f"step of {size:g} mm", "camera": "kinect2"},
        None,
        _ours(None, None, None, None, drive=rebuilt.verdict),
        same("gets up both or neither").judge(true.arrived, rebuilt.arrived),
        f"on the true step: {true.verdict}; {note}",
    )


def _ours(*surface: float | None, drive: str | None = None) -> dict[str, float | str | None]:
    names = ("mean_mm", "p95_mm", "edges_mean_mm", "edges_p95_mm")
    return {**dict(zip(names, surface, strict=True)), "drive": drive}


def _scan(
    world: World,
    positions: Sequence[tuple[float, float, float]],
    middle: tuple[float, float, float],
    camera: str,
    seed: int,
) -> tuple[list[PointCloud], list[Pose]]:
    """Return the clouds of a camera at several positions, and the poses of their axes."""
    cameras = [pose_towards(position, middle) for position in positions]
    clouds = [
        cloud.drop(np.linalg.norm(cloud.points, axis=1) > REACH)
        for cloud in scan_world(world, cameras, camera, seed)
    ]
    return clouds, [X_WC @ X_CO for X_WC in cameras]


def _perturb(poses: Sequence[Pose], seed: int) -> tuple[Pose, ...]:
    """Return poses with the errors of a tape measure; the first is exact."""
    rng = np.random.default_rng(seed)
    guesses = [poses[0]]
    for pose in poses[1:]:
        x, y, z = rng.normal(0.0, TAPE_MEASURE.position, 3).tolist()
        roll, pitch, yaw = rng.normal(0.0, TAPE_MEASURE.angle, 3).tolist()
        turned = Pose.at(roll=roll, pitch=pitch, yaw=yaw) @ Pose(wxyz=pose.wxyz)
        guesses.append(Pose(pose.position + np.array([x, y, z]), turned.wxyz))
    return tuple(guesses)


def _position_error(first: Pose, true: Pose, found: Pose) -> float:
    """Return the error of a camera's ``found`` position in the frame of the ``first``, m."""
    return float(np.linalg.norm((first.inverse() @ true).position - found.position))


def _figures(distances: Array) -> tuple[float, float]:
    """Return mean and 95th percentile, mm."""
    errors = millimetres(distances)
    return float(errors.mean()), float(np.percentile(errors, 95))
