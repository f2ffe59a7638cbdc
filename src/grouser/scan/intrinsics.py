"""What a depth picture needs to become points: focal lengths, principal point, unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera, in pixels; depths are along the axis of view."""

    fx: float
    """Focal length across, pixels."""
    fy: float
    """Focal length down, pixels."""
    cx: float
    """Column of the axis of view, pixels; the middle of the first pixel is 0."""
    cy: float
    """Row of the axis of view, pixels."""
    unit: float = 0.001
    """What one count of the picture is, m: most cameras write millimetres."""
