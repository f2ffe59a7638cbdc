"""Scan a known world: is what is rebuilt what is there, and does a robot notice the difference?

A simulated Kinect looks at a step field and at the plywood bridge from three places around them.
The first pose is known; the others are as wrong as by a tape measure (`TAPE_MEASURE`) and found by
registration. Points all over the rebuilt surface are compared with the true one where it was
seen; the band along its edges, which voxels round off, is told apart.

Then a robot is driven over steps on both sides of its limit, as they are and as they were scanned.
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
from grouser.mobility.apparatus import APPARATUS
from grouser.mobility.limits import search_bracket
from grouser.mobility.suite import Candidate, measure_candidate, mobility_trial, run_single
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.scan.cloud import PointCloud
from grouser.scan.ground.scan_world import WorldOptions
from grouser.scan.ground.world_folder import WORLD, scan_to_world
from grouser.scan.pipeline import RebuiltGround, ScanOptions, rebuild
from grouser.scan.registration import TAPE_MEASURE
from grouser.scan.simulated_camera import aimed, scan_world
from grouser.scan.surface_errors import SurfaceErrors, surface_errors
from grouser.simulation.ground_stl import ground_surface
from grouser.simulation.scene import compose
from grouser.world.file import World, load
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.plywood_bridge import PlywoodBridge
from grouser.world.terrain.stepfield import Stepfield
from grouser.world.terrain.terrain_piece import TerrainPiece

VOXEL = 0.02  # m   what the command takes
REACH = 2.2  # m   further points are left out: a camera's noise grows with the square
BAND = 1.5 * VOXEL
"""Half the width of the band along edges, m."""
MEAN_MM, MOST_MM = 5.0, 15.0  # a bound of ours: mean and 95 % where the surface was seen
AROUND = 0.8
"""Points count within so much of the middle, along x and y, m."""
ROBOT = "packbot"
APART_MM = (20.0, 40.0)
"""How far from its limit steps are that must be told right, mm."""


@dataclass(frozen=True)
class KnownWorld:
    """A world that is scanned, and from where."""

    name: str
    piece: TerrainPiece
    middle: tuple[float, float, float]
    """What the cameras look at, m."""
    eyes: tuple[tuple[float, float, float], ...]
    """Where they stand, m."""

    @property
    def world(self) -> World:
        """The world."""
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
STEP_EYES = ((-1.5, -0.9, 1.2), (-1.5, 0.9, 1.2), (0.7, -0.9, 1.4))
"""Around a step at x = 0, m: the last one does not see its riser, which alone holds frames along
x, and nothing holds any of them along y but the poses that are given."""


def run(run_options: RunOptions) -> Report:
    """Scan and drive."""
    cameras = ("kinect2",) if run_options.quick else ("kinect2", "kinect1")
    known = KNOWN[:1] if run_options.quick else KNOWN
    rows = []
    for number, case in enumerate(known):
        run_options.progress("scanning", number, len(known))
        rows += [_surface_row(case, camera, run_options) for camera in cameras]
    who = measure_candidate(ROBOT, {})
    low, high = search_bracket(lambda size: _passes(who, size), APPARATUS["step"])
    apart = APART_MM[:1] if run_options.quick else APART_MM
    sizes = sorted([*(low - off for off in apart), *(high + off for off in apart)])
    for number, size in enumerate(sizes):
        run_options.progress("driving", number, len(sizes))
        rows.append(_step_row(who, size, run_options.seed))
    title = "A simulated Kinect scans worlds that are known"
    if run_options.quick:
        title += " (quick: one field, two steps)"
    notes = (
        f"Surfaces agree when rebuilt points are less than {MEAN_MM:g} mm off in the mean and less "
        f"than {MOST_MM:g} mm in 95 % of them, away from edges; the band along edges, "
        f"{millimetres(BAND):.0f} mm to either side, is printed beside and judged by nobody.",
        f"Steps agree when {ROBOT} gets up both or neither.",
    )
    figures = {"step_limit_mm": f"{low:g} to {high:g}"}
    return Report(Table("scan-known-world", "the true world", title, tuple(rows), figures, notes))


def _surface_row(case: KnownWorld, camera: str, run_options: RunOptions) -> Row:
    """Return how far a rebuilt world is from the true one."""
    clouds, poses = _scan(case.world, case.eyes, case.middle, camera, run_options.seed)
    guesses = _about(poses, run_options.seed)
    ground = rebuild(clouds, ScanOptions(voxel=VOXEL, camera_poses=guesses))
    errors = _errors(case, ground, run_options)
    mean, most = _figures(errors.away)
    band_mean, band_most = _figures(errors.band)
    before, after = (
        ", ".join(f"{millimetres(_apart(poses[0], pose, found)):.0f}" for pose, found in pairs)
        for pairs in (
            [(a, poses[0].inverse() @ b) for a, b in zip(poses[1:], guesses[1:], strict=True)],
            [(a, b.X_FC) for a, b in zip(poses[1:], ground.frames[1:], strict=True)],
        )
    )
    return Row(
        {"world": case.name, "camera": camera},
        None,
        _ours(mean, most, band_mean, band_most),
        mean < MEAN_MM and most < MOST_MM,
        f"cameras {before} mm off before registration, {after} after",
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


def _step_row(who: Candidate, size: float, seed: int) -> Row:
    """Return whether a robot gets up a step and up what a scan made of it."""
    trial = mobility_trial(who, "step", size)
    truly = run_single(trial).verdict
    world = trial.world.changed(robots=())
    clouds, poses = _scan(world, STEP_EYES, (-0.2, 0.0, 0.1), "kinect2", seed)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "step"
        options = ScanOptions(voxel=VOXEL, camera_poses=_about(poses, seed))
        made = scan_to_world(clouds, out, WorldOptions(name="step"), options)
        terrain = load(out / WORLD).terrain
        scanned = dataclasses.replace(trial, world=trial.world.changed(terrain=terrain, objects=()))
        rebuilt = run_single(scanned).verdict
    return Row(
        {"world": f"step of {size:g} mm", "camera": "kinect2"},
        None,
        _ours(None, None, None, None, drive=rebuilt),
        (truly == "arrived") == (rebuilt == "arrived"),
        f"on the true step: {truly}; scanned, it collides as {made.collides_as.replace('_', ' ')}",
    )


def _ours(*surface: float | None, drive: str | None = None) -> dict[str, float | str | None]:
    names = ("mean_mm", "p95_mm", "edges_mean_mm", "edges_p95_mm")
    return {**dict(zip(names, surface, strict=True)), "drive": drive}


def _scan(
    world: World,
    eyes: Sequence[tuple[float, float, float]],
    middle: tuple[float, float, float],
    camera: str,
    seed: int,
) -> tuple[list[PointCloud], list[Pose]]:
    """Return what a camera sees from several places, and the poses of the clouds' axes."""
    cameras = [aimed(eye, middle) for eye in eyes]
    clouds = [
        cloud.drop(np.linalg.norm(cloud.points, axis=1) > REACH)
        for cloud in scan_world(world, cameras, camera, seed)
    ]
    return clouds, [X_WC @ X_CO for X_WC in cameras]


def _about(poses: Sequence[Pose], seed: int) -> tuple[Pose, ...]:
    """Return poses as somebody with a tape measure knows them; the first is the world's."""
    rng = np.random.default_rng(seed)
    guesses = [poses[0]]
    for pose in poses[1:]:
        x, y, z = rng.normal(0.0, TAPE_MEASURE.position, 3).tolist()
        roll, pitch, yaw = rng.normal(0.0, TAPE_MEASURE.angle, 3).tolist()
        turned = Pose.at(roll=roll, pitch=pitch, yaw=yaw) @ Pose(wxyz=pose.wxyz)
        guesses.append(Pose(pose.position + np.array([x, y, z]), turned.wxyz))
    return tuple(guesses)


def _apart(first: Pose, true: Pose, found: Pose) -> float:
    """Return how far a camera is from where it is ``found``, in the ``first`` one's frame, m."""
    return float(np.linalg.norm((first.inverse() @ true).position - found.position))


def _figures(distances: Array) -> tuple[float, float]:
    """Return mean and 95 %, mm."""
    off = millimetres(distances)
    return float(off.mean()), float(np.percentile(off, 95))


def _passes(who: Candidate, size: float) -> bool:
    return run_single(mobility_trial(who, "step", size)).arrived
