"""Camera calibration: kappa, limb darkening and noise from pictures.

Each of the paper's parameters "can be evaluated a priori" (cmos, sec. 4.2, 4.3):

- `fit_kappa`: pictures of a checkerboard. The undistorted corners must be a perspective view of a
  flat board.
- `fit_lens`: the same, with the field of view.
- `fit_darkening`: pictures of an evenly lit wall. Their mean decreases with the angle.
- `fit_noise`: such pictures at several brightnesses. Differences between pictures are noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, Pose, degrees, rotate
from grouser.rendering.image import opencv
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.imaging.cmos import Noise
from grouser.sensors.imaging.lens import Lens, Radial

Images = npt.NDArray[np.uint8]
"""Pictures of one camera: (n, height, width, 3)."""

KAPPAS = (-1.5, 1.5)
"""Search interval of `fit_kappa`, in tangents to the power of -2."""
FEWEST_BOARDS = 3
"""Fewest pictures of `fit_lens`."""
_FIRST_VIEW = (60.0, 46.0)  # deg, of the first estimate of `fit_lens`
_REFINEMENTS = 4  # kappa and focal length in turn
_ROUNDING = 1 / 12  # variance of rounding to whole grey levels
_CLIPPED = (2.0, 253.0)  # grey levels; values outside may be clipped
_FINER, _NARROWINGS = 9, 12  # points per interval and iterations of the grid search
_SHADES = (30, 225)  # grey levels of a drawn checkerboard
_SUPER = 4  # rays per pixel and direction in a drawn checkerboard


@dataclass(frozen=True)
class KappaFit:
    """Result of `fit_kappa`."""

    kappa: float
    residual: float
    """Root mean square distance of the corners from a flat board's, pixels."""


@dataclass(frozen=True)
class LensFit:
    """Result of `fit_lens`."""

    fov_deg: tuple[float, float]
    """Horizontal and vertical field of view without distortion, deg."""
    kappa: float
    error: float
    """Root mean square distance of the corners from those of the fitted camera, pixels."""


@dataclass(frozen=True)
class DarkeningFit:
    """Result of `fit_darkening`."""

    power: float
    """Power of the cosine."""
    brightness: float
    """Grey level at the image centre."""


def draw_checkerboard(
    plane: ImagePlane, X_CB: Pose, *, squares: tuple[int, int] = (9, 7), square: float = 0.03
) -> npt.NDArray[np.uint8]:
    """Render a pinhole image of a checkerboard, (height, width, 3), by ray tracing.

    Args:
        plane: image plane.
        X_CB: pose of the board's centre in the camera frame (x ahead, y left, z up); y and z of the
            board are in its plane.
        squares: number of columns and rows.
        square: edge length, m.
    """
    (fx, fy), (cx, cy) = plane.focal, plane.centre
    fine = (np.arange(_SUPER) + 0.5) / _SUPER - 0.5
    columns = (np.arange(plane.width)[:, None] + fine).reshape(-1)
    rows = (np.arange(plane.height)[:, None] + fine).reshape(-1)
    right, down = np.meshgrid((columns - cx) / fx, (rows - cy) / fy)
    normal, along, up = (rotate(X_CB.wxyz, axis) for axis in np.eye(3))
    ahead = np.stack([np.ones_like(right), -right, -down], axis=-1)
    distance = (X_CB.position @ normal) / (ahead @ normal)
    on_board = ahead * distance[..., None] - X_CB.position
    across, high = on_board @ along / square, on_board @ up / square
    inside = (np.abs(across) < squares[0] / 2) & (np.abs(high) < squares[1] / 2) & (distance > 0)
    dark = (np.floor(across + squares[0] / 2) + np.floor(high + squares[1] / 2)) % 2 == 0
    levels = np.where(inside & dark, *_SHADES).astype(float)
    coarse = levels.reshape(plane.height, _SUPER, plane.width, _SUPER).mean(axis=(1, 3))
    grey = np.rint(coarse).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=-1)


def find_corners(picture: npt.NDArray[np.uint8], squares: tuple[int, int]) -> Array:
    """Return the inner corners of a checkerboard, (down - 1, across - 1, 2), column and row.

    Args:
        picture: uint8 (height, width, 3), the whole board in view.
        squares: number of columns and rows.
    """
    cv2 = opencv("checkerboards", "camera")
    inner = (squares[0] - 1, squares[1] - 1)
    # Twice the size: the detector needs squares of ten pixels or more.
    large = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    found, places = cv2.findChessboardCornersSB(large, inner, flags=cv2.CALIB_CB_ACCURACY)
    if not found:
        raise BadValue(f"calibration: no checkerboard of {squares[0]} x {squares[1]} squares seen")
    return np.asarray((places.reshape(inner[1], inner[0], 2) - 0.5) / 2, float)


def fit_kappa(boards: Sequence[Array], lens: Lens) -> KappaFit:
    """Return the kappa for which all boards are flat.

    Args:
        boards: corners of one picture each, (rows, columns, 2), column and row.
        lens: focal length and centre; its distortion is ignored.
    """
    if not boards:
        raise BadValue("calibration: fit_kappa needs at least one picture of a checkerboard")
    seen = [(board - lens.centre) / lens.focal for board in boards]

    def error(kappa: float) -> float:
        flat = (_homography_residuals(Radial(kappa).undistort(points)) for points in seen)
        return math.sqrt(float(np.mean(np.concatenate([part.reshape(-1) for part in flat]))))

    kappa = _minimise(error, *KAPPAS)
    return KappaFit(kappa, error(kappa) * lens.focal[0])


def fit_lens(boards: Sequence[Array], size: tuple[int, int]) -> LensFit:
    """Return field of view and kappa of a lens whose axis is in the image centre.

    Args:
        boards: corners of one picture each, as for `fit_kappa`; at least three, tilted differently.
        size: width and height of the pictures, pixels.
    """
    cv2 = opencv("checkerboards", "camera")
    if len(boards) < FEWEST_BOARDS:
        raise BadValue(
            f"calibration: {len(boards)} pictures of a checkerboard, {FEWEST_BOARDS} are needed"
        )
    lens = Lens(width=size[0], height=size[1], fov_deg=_FIRST_VIEW)
    corners = [_board_places(*board.shape[:2]) for board in boards]
    matrix = np.array([[size[0], 0, lens.centre[0]], [0, size[0], lens.centre[1]], [0, 0, 1.0]])
    fixed = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT
    fixed |= cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3
    for _ in range(_REFINEMENTS):
        fit = fit_kappa(boards, lens)
        # Undistorted corners are those of a pinhole camera, whose focal lengths are left to find.
        straight = replace(lens, distortion=Radial(fit.kappa))
        seen = [
            np.asarray(straight.points(board) * lens.focal + lens.centre, np.float32).reshape(
                -1, 1, 2
            )
            for board in boards
        ]
        error, matrix, *_ = cv2.calibrateCamera(
            corners, seen, size, matrix.copy(), np.zeros(5), flags=fixed
        )
        across, down = (
            2 * degrees(math.atan(pixels / 2 / focal))
            for pixels, focal in zip(size, (matrix[0, 0], matrix[1, 1]), strict=True)
        )
        lens = Lens(width=size[0], height=size[1], fov_deg=(across, down))
    return LensFit(lens.fov_deg, fit_kappa(boards, lens).kappa, float(error))


def _board_places(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return the corners of a board, (rows x columns, 3), in edges of its squares."""
    down, across = np.mgrid[:rows, :columns]
    flat = [across.reshape(-1), down.reshape(-1), np.zeros(rows * columns)]
    return np.stack(flat, axis=-1).astype(np.float32)


def fit_darkening(walls: Images, lens: Lens) -> DarkeningFit:
    """Return the power of limb darkening from pictures of an evenly lit wall.

    Args:
        walls: (n, height, width, 3), without clipped pixels.
        lens: gives each pixel's angle.
    """
    mean = walls.astype(float).mean(axis=(0, 3))
    _check_unclipped(mean)
    rays = lens.rays()
    log_cosine = -0.5 * np.log1p((rays * rays).sum(axis=-1))
    slope, level = np.polyfit(log_cosine.reshape(-1), np.log(mean).reshape(-1), 1)
    return DarkeningFit(float(slope), math.exp(level))


def fit_noise(walls: Sequence[Images]) -> Noise:
    """Return the noise parameters from several pictures at each of several brightnesses.

    Args:
        walls: one (n, height, width, 3) per brightness, n at least 2, camera at rest.
    """
    if len(walls) < 2 or min(len(wall) for wall in walls) < 2:
        raise BadValue("calibration: fit_noise needs at least 2 brightnesses, 2 pictures of each")
    levels, variances = [], []
    for wall in walls:
        values = wall.astype(float)
        mean = values.mean(axis=0)
        _check_unclipped(mean)
        # Pixels of similar brightness are pooled: few pictures, but many pixels.
        bins = np.rint(mean / 4).astype(int).reshape(-1)
        spread = values.var(axis=0, ddof=1).reshape(-1) - _ROUNDING
        count = np.bincount(bins)
        full = count > 100
        levels.append(np.bincount(bins, mean.reshape(-1))[full] / count[full])
        variances.append(np.bincount(bins, spread)[full] / count[full])
    shot, dark = np.polyfit(np.concatenate(levels), np.concatenate(variances), 1)
    return Noise(read=math.sqrt(max(dark, 0.0)), shot=max(float(shot), 0.0))


def _homography_residuals(points: Array) -> Array:
    """Return the squared distances (rows, columns) of a grid from its best homography."""
    down, across = points.shape[:2]
    rows, columns = np.mgrid[:down, :across]
    grid = np.stack([columns / across, rows / down, np.ones(rows.shape)], axis=-1).reshape(-1, 3)
    x, y = points.reshape(-1, 2).T
    zero = np.zeros_like(grid)
    equations = np.concatenate(
        [np.hstack([grid, zero, -x[:, None] * grid]), np.hstack([zero, grid, -y[:, None] * grid])]
    )
    homography = np.linalg.svd(equations, full_matrices=False)[2][-1].reshape(3, 3)
    seen = grid @ homography.T
    away = seen[:, :2] / seen[:, 2:] - points.reshape(-1, 2)
    return np.asarray((away * away).sum(axis=1).reshape(down, across))


def _minimise(error: Callable[[float], float], low: float, high: float) -> float:
    """Minimise ``error`` in an interval by iterated grid search."""
    for _ in range(_NARROWINGS):
        places = np.linspace(low, high, _FINER)
        best = int(np.argmin([error(float(place)) for place in places]))
        low, high = places[max(best - 1, 0)], places[min(best + 1, _FINER - 1)]
    return float(low + high) / 2


def _check_unclipped(mean: Array) -> None:
    dark, bright = float(mean.min()), float(mean.max())
    if dark < _CLIPPED[0] or bright > _CLIPPED[1]:
        raise BadValue(
            f"calibration: grey levels of a wall are {dark:.0f} to {bright:.0f}, must be "
            f"{_CLIPPED[0]:.0f} to {_CLIPPED[1]:.0f} (not clipped)"
        )
