"""Decomposition of meshes into convex pieces, and its error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh
from support.client_helpers import instance_of
from support.mesh_shapes import box, bridge
from trimesh.base import Trimesh

from grouser.errors import BadValue, MissingDependency
from grouser.frames import Pose
from grouser.world.meshes.columns import fit
from grouser.world.meshes.decomposition import decompose
from grouser.world.meshes.triangle_mesh import TriangleMesh, hulls


def volume_of_union(pieces: tuple[TriangleMesh, TriangleMesh, TriangleMesh]) -> float:
    solids = [trimesh.Trimesh(piece.vertices, piece.faces) for piece in pieces]
    return float(trimesh.boolean.union([solid.convex_hull for solid in solids]).volume)


@pytest.mark.parametrize("turned", [False, True])
def test_bridge_is_decomposed_exactly_into_three_pieces(turned: bool) -> None:
    mesh = bridge()
    if turned:
        mesh.vertices = Pose.at(roll=0.3, pitch=-0.2, yaw=0.5).apply(mesh.vertices)
    cut = decompose(mesh.vertices, mesh.faces)
    assert len(cut.pieces) == 3
    assert cut.fit.off < 1e-5
    assert cut.fit.filled == 0
    assert volume_of_union(cut.pieces) == pytest.approx(mesh.volume, rel=1e-5)


def test_convex_mesh_stays_one_piece_without_coacd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    monkeypatch.setitem(sys.modules, "coacd", None)
    ball, cube = trimesh.creation.icosphere(3, 0.3), box((0.1, 0.2, 0.3), (1, 0, 0))
    both = instance_of(Trimesh, trimesh.util.concatenate([ball, cube]))
    cut = decompose(both.vertices, both.faces)
    assert len(cut.pieces) == 2
    assert sum(piece.volume for piece in cut.pieces) == pytest.approx(both.volume, rel=1e-6)
    mesh = bridge()
    with pytest.raises(MissingDependency, match=r'need CoACD: pip install "grouser\[ground\]"'):
        decompose(mesh.vertices, mesh.faces)


def test_coacd_is_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)  # no cut along planes
    mesh = bridge()
    first, second = (decompose(mesh.vertices, mesh.faces, tolerance=0.03) for _ in range(2))
    assert 3 <= len(first.pieces) <= 10
    assert first.fit.within(0.03)
    for one, two in zip(first.pieces, second.pieces, strict=True):
        assert np.array_equal(one.vertices, two.vertices)


@pytest.mark.slow
def test_curved_cavities_are_decomposed_by_coacd() -> None:
    ring = trimesh.creation.torus(0.5, 0.1, major_sections=24, minor_sections=12)
    cut = decompose(ring.vertices, ring.faces, tolerance=0.03)
    assert 6 <= len(cut.pieces) <= 60
    assert cut.fit.off < 0.03
    # The hole stays open: no surface is visible from above in the middle.
    corners = np.concatenate([piece.vertices for piece in cut.pieces])
    assert np.hypot(corners[:, 0], corners[:, 1]).min() > 0.3


def test_fit_error_includes_a_hull_that_fills_a_cavity() -> None:
    mesh = bridge()
    (hull,) = hulls([np.asarray(mesh.vertices)])
    found = fit(mesh.triangles, hull.triangles, 0.01)
    assert found.off < 1e-6  # from above there is no error
    assert found.filled == pytest.approx(1.6 / 2.0, abs=0.01)
    assert not found.within(0.01)


def test_fit_error_separates_lateral_and_vertical_errors() -> None:
    block = box((1, 1, 0.2)).triangles
    shifted, high = block + np.array([0.008, 0, 0]), box((1, 1, 0.22), (0, 0, 0.01)).triangles
    found = fit(block, shifted, 0.01)
    assert found.largest == pytest.approx(0.2)
    assert found.off == pytest.approx(0.01, abs=0.0051)
    found = fit(block, high, 0.01)
    assert found.mean == found.largest == pytest.approx(0.02)
    assert found.off == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v, f: (v, f[1:]), "is not closed (3 open edges)"),
        (lambda v, f: (v, f[:0]), "has no triangles"),
        (lambda v, f: (np.where(v > 0.4, np.nan, v), f), "has corners that are not finite"),
        (lambda v, f: (v, f + 3), "has 8 corners and a triangle between corners 3 and 10"),
        (lambda v, f: (v[:, :2], f), "has corners of shape (8, 2), (n, 3) is needed"),
        (lambda v, f: (v * [1, 1, 0], f), "has no volume: it is a sheet"),
        (lambda v, f: (v, np.tile(f, (90_000, 1))), "at most 1,000,000 are allowed"),
    ],
)
def test_invalid_meshes_are_rejected_with_a_reason(change: Callable[..., Any], words: str) -> None:
    cube = box((1, 1, 1))
    with pytest.raises(BadValue) as error:
        decompose(*change(np.array(cube.vertices), np.array(cube.faces)))
    assert words in str(error.value)


def test_parts_closed_meshes_and_orientation_are_detected() -> None:
    cube = TriangleMesh.of(*(np.array(a) for a in (box((1, 1, 1)).vertices, box((1, 1, 1)).faces)))
    inside_out = TriangleMesh(cube.vertices, cube.faces[:, ::-1])
    assert inside_out.volume == pytest.approx(-1)
    assert inside_out.outward().volume == pytest.approx(1)
    far = cube.triangles + np.array([3, 0, 0])
    soup = TriangleMesh.of_triangles(np.concatenate([cube.triangles, far]))
    assert [part.volume for part in soup.parts()] == pytest.approx([1, 1])
    assert soup.open_edges == 0
    assert cube.is_convex(1e-6)
    assert not TriangleMesh.of(bridge().vertices, bridge().faces).is_convex(1e-3)
