"""Path following over the network: the path driver of the trials, fed by measured poses.

As planned for the real robots in the report (roach, section 2.3): motion capture measures the pose
and a client steers the robot. The driver is that of the batch simulations
(`grouser.planning.driver`) with a batch size of one. Poses come from a robot's own sensor, or from
`grouser.client.pose_sources`. The module has no sockets: poses in, commands out.
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
    """Path controller of one robot with motion capture."""

    def __init__(
        self, path: npt.ArrayLike, driver: PathDriver | None = None, *, axes: Axes = Axes.Z_DOWN
    ) -> None:
        """Start at the first point of the path.

        Args:
            path: points (n, 2) in the world frame: x, and y to the left, m.
            driver: steering law; None: that of the report's VelociRoACH.
            axes: axes of received poses.

        Raises:
            BadValue: the path is not a list of finite points.
        """
        self._driver = driver or PathDriver()
        self._axes = axes
        self._state = self._driver.begin(1)
        self._driver.enter(self._state, 0, path)
        self.arrived = False
        """True after the robot has reached the end of the path."""
        self.to_go = math.inf
        """Remaining path length at the last pose, m."""

    def command(self, seen: MotionCapture | None) -> dict[str, float] | None:
        """Return the command for the measured pose; None without a pose.

        Keys are those of the driver: ``left_speed`` and ``right_speed`` (rad/s), or ``forward``
        (m/s) and ``turn`` (rad/s, to the left). At the end of the path all values are 0.
        """
        if seen is None or seen.location is None or seen.orientation is None:
            return None  # no measurement in this frame
        wxyz = from_rpy(*self._axes.angles(seen.orientation))
        return self.steer(self._axes.place(seen.location), wxyz)

    def steer(self, position: npt.ArrayLike, wxyz: npt.ArrayLike) -> dict[str, float]:
        """Return the command for a pose in the world frame: m, unit quaternion; as `command`."""
        place = np.asarray(position, np.float64)[None]
        turn = np.asarray(wxyz, np.float64)[None]
        values = self._driver.act(self._state, [0], place, turn)[0].tolist()
        self.to_go = float(self._driver.to_go(self._state, [0], place)[0])
        self.arrived = self.arrived or bool(self._driver.arrived(self._state, [0], place)[0])
        return dict(zip(self._driver.words, values, strict=True))
