"""A robot over the network along a path: the driver of the trials, fed by motion capture.

What the report planned for its real robots (roach, section 2.3): cameras around the room see where
the robot is, and a program on the far side steers it. The driver is the very one that steers
thousands of simulated robots at once (`grouser.planning.driver`), here with a single row. No socket
is in here: poses in, commands out, so that whoever talks to the robot can use it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from grouser.frames import from_rpy
from grouser.planning.driver import PathDriver
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.sensor_messages import MotionCapture


class PathFollower:
    """One robot on its way along a path, steered by what motion capture sees of it."""

    def __init__(
        self, path: npt.ArrayLike, driver: PathDriver | None = None, *, axes: Axes = Axes.Z_DOWN
    ) -> None:
        """Begin at the path's first point.

        Args:
            path: points (n, 2) in the world frame: x, and y to the left, m.
            driver: how to steer; None: as the report's VelociRoACH is.
            axes: those of the wire, in which poses arrive.

        Raises:
            BadValue: the path is not a list of finite points.
        """
        self._driver = driver or PathDriver()
        self._axes = axes
        self._state = self._driver.begin(1)
        self._driver.enter(self._state, 0, path)
        self.arrived = False
        """Whether it has been seen at the path's end."""
        self.to_go = math.inf
        """How far it has to go along its path, m, where it was seen last."""

    def command(self, seen: MotionCapture | None) -> dict[str, float] | None:
        """Return what to tell a robot that was seen there; None: it was not seen, say nothing new.

        The words are the driver's: ``left_speed`` and ``right_speed`` (rad/s), or ``forward`` (m/s)
        and ``turn`` (rad/s, to the left). At the end of the path all of them are 0.
        """
        if seen is None or seen.location is None or seen.orientation is None:
            return None  # not yet, or not in this frame
        place = np.array([self._axes.place(seen.location)])
        wxyz = from_rpy(*self._axes.angles(seen.orientation))[None]
        values = self._driver.act(self._state, [0], place, wxyz)[0].tolist()
        self.to_go = float(self._driver.to_go(self._state, [0], place)[0])
        self.arrived = self.arrived or bool(self._driver.arrived(self._state, [0], place)[0])
        return dict(zip(self._driver.words, values, strict=True))
