"""World made of a scan: text of the world file, and a report as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from grouser.frames import degrees, millimetres, to_rpy
from grouser.scan.ground.check import GroundCheck, SphereErrors
from grouser.scan.ground.scan_heights import OpenPlace, ScanHeights
from grouser.scan.ground.spheres import Spheres
from grouser.scan.pipeline import RebuiltGround

HEIGHTS, PIECES = "heights.npz", "pieces.npz"
BELOW = 0.05
"""Depth of a height map's unseen points below the floor, m, so that contacts are with the floor."""

Collide = Literal["auto", "height_map", "convex_pieces"]


@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """Options of the world that is made of a scan."""

    name: str
    """Name of the world."""
    collide: Collide = "auto"
    """Collision geometry of the ground; auto: chosen by the sphere test."""
    friction: float = 0.6
    """Friction of the ground, -; unknown from a scan."""


@dataclass(frozen=True)
class ScanWorld:
    """A scan, its world, and the results of the checks."""

    ground: RebuiltGround
    grid: ScanHeights
    floor: float
    """Height of the infinite plane under the scan, m: the lowest point of the surface."""
    pieces: int
    """Number of convex pieces; 0: too many would be needed."""
    pieces_error: float
    """Error of the pieces' surface by simplification, m."""
    spheres: Spheres
    checks: Mapping[str, GroundCheck]
    """By ``height_map`` and ``convex_pieces``."""
    collides_as: str
    why: str
    """Reason of the choice, one sentence."""
    places: tuple[OpenPlace, ...]
    """Start places for robots, widest first."""
    warnings: tuple[str, ...]


def terrain_entries(grid: ScanHeights, floor: float, friction: float) -> dict[str, dict[str, Any]]:
    """Return the entries of both kinds of ground in a world file, by kind."""
    x, y = (round(place, 6) for place in grid.near_edge)
    return {
        "height_map": {
            "kind": "height_map",
            "friction": friction,
            "x": x,
            "y": y,
            "file": HEIGHTS,
            "cell": grid.cell,
            "fill": round(floor - BELOW, 4),
        },
        "convex_pieces": {"kind": "convex_pieces", "friction": friction, "x": 0.0, "file": PIECES},
    }


def world_text(
    made: ScanWorld, world_options: WorldOptions, entries: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return the world file."""
    others = [entry for kind, entry in entries.items() if kind != made.collides_as]
    size = np.array(made.grid.heights.shape[::-1]) * made.grid.cell
    x, y = (np.array(made.grid.corner) + size / 2).tolist()
    starts = [
        f"  - {{name: place_{number}, position: {list(place.position)}}}  # {place.clear:g} m clear"
        for number, place in enumerate(made.places)
    ]
    lines = [
        f"name: {json.dumps(world_options.name)}",
        f"description: {json.dumps('A scan of real ground; it collides as ' + made.why + '.')}",
        "physics:",
        "  timestep: 0.001",
        "  integrator: discrete",
        "  cone: elliptic",
        "  solver: newton",
        "  iterations: 50",
        "  tolerance: 1e-10",
        "  impratio: 20000",
        "terrain:",
        f"  - {{kind: flat, friction: {world_options.friction:g}, z: {made.floor:g}}}"
        "  # the lowest that was seen",
        f"  - {_flow(entries[made.collides_as])}",
        *(f"  # or: {_flow(other)}" for other in others),
        *(["starts:", *starts] if starts else []),
        f"view: {{lookat: [{x:.3f}, {y:.3f}, {np.nanmedian(made.grid.heights):.3f}],"
        f" distance: {1.2 * float(size.max()):.2f}, azimuth_deg: 20, elevation_deg: -35}}",
    ]
    return "\n".join(lines) + "\n"


def _flow(entry: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in entry.items()) + "}"


def to_json(made: ScanWorld) -> dict[str, Any]:
    """Return the report about a scan as plain JSON values."""
    ground = made.ground
    return {
        "points": len(ground.cloud),
        "left_out": ground.removed,
        "triangles": len(ground.mesh.faces),
        "moved_by_simplification_mm": round(millimetres(ground.error), 2),
        "down": {
            "by": ground.down.cue,
            "sureness": round(ground.down.confidence, 3),
            "remark": ground.down.remark,
        },
        "frames": [
            {
                "position": np.round(frame.X_FC.position, 4).tolist(),
                "rpy_deg": np.round(degrees(to_rpy(frame.X_FC.wxyz)), 2).tolist(),
                "overlap": round(frame.overlap, 3),
                "error_mm": round(millimetres(frame.error), 2),
                "loose_mm": _finite_mm(frame.loose),
                "left_mm": _finite_mm(frame.left),
            }
            for frame in ground.frames
        ],
        "holes": {
            "open": len([hole for hole in ground.holes if not hole.outer]),
            "widest_open_m": round(
                max((hole.width for hole in ground.holes if not hole.outer), default=0.0), 3
            ),
            "closed": len(ground.closed),
            "unseen_part": round(made.grid.unseen, 3),
        },
        "pieces": {
            "count": made.pieces,
            "moved_by_simplification_mm": round(millimetres(made.pieces_error), 2),
        },
        "collides_as": made.collides_as,
        "why": made.why,
        "spheres": {kind: _check_json(check) for kind, check in made.checks.items()},
        "places": [{"position": list(p.position), "clear_m": p.clear} for p in made.places],
        "warnings": list(made.warnings),
    }


def _finite_mm(value: float) -> float | None:
    """Return metres in millimetres; None: infinite."""
    return round(millimetres(value), 1) if np.isfinite(value) else None


def _check_json(check: GroundCheck) -> dict[str, Any]:
    return {
        "open_ground": _errors_json(check.open_ground),
        "edges": _errors_json(check.edges),
        "under_something": _errors_json(check.covered),
        "fell": check.fell,
        "contacts_of_a_skid": round(check.contacts, 2),
    }


def _errors_json(errors: SphereErrors) -> dict[str, Any]:
    return {
        "count": errors.count,
        "mean_mm": round(millimetres(errors.mean), 2),
        "p95_mm": round(millimetres(errors.most), 2),
        "largest_mm": round(millimetres(errors.largest), 2),
    }
