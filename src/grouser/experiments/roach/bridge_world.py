"""World of the report: a VelociRoACH before the double bridge, smooth or bumpy (6.1, 6.2, B).

The bridges lead along y, from (0, -1.6) to (0, 1.6). The top bridge is the one at x < 0: it is at
the top in Fig. 6.1, which shows the start on the left and the goal on the right.
"""

from __future__ import annotations

from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.terrain.double_bridge import DoubleBridge
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.pyramid_bumps import PyramidBumps

ROBOT = "roach"
START, GOAL = (0.0, -1.6), (0.0, 1.6)  # m   appendix B
WITHIN = 0.05  # m   section 6.1
YAW_DEG = 0.0  # identity quaternion (appendix B): 90 deg off the direction of the path
FRICTION = 0.6  # estimate, as in `roach-turning`; not in the report
PHYSICS = STANDARD.model_copy(
    update={"integrator": "discrete", "springs": "start", "timestep": 0.0016}
)
"""As in `roach-turning` with longer time steps, which add no damping to springs. Verdicts and
energies are the same (page of the report's experiments), and a trial costs two thirds."""
BRIDGES = ("top", "bottom")
SIDES = {"top": -1.0, "bottom": 1.0}
"""Sign of x of each bridge."""
BOUNDS = (-1.3, -2.0, 1.3, 2.0)
"""Smallest x and y, largest x and y of the planning region, m; includes the floor around."""


def bridge_world(
    bumps: tuple[float, float] | None = None,
    seed: int = 0,
    *,
    physics: PhysicsSettings = PHYSICS,
    yaw_deg: float = YAW_DEG,
) -> World:
    """Return the world of the double bridge; ``yaw_deg`` 90 is along y, towards neither bridge.

    ``bumps`` is the largest height on the top and on the bottom bridge, m; None for smooth.
    """
    bridge = DoubleBridge(x=0.0, y=-1.5, yaw_deg=90.0, friction=FRICTION)
    terrain: list[Terrain] = [Flat(friction=FRICTION), bridge]
    middle = (bridge.separation + bridge.bridge_width) / 2
    for number, (name, height) in enumerate(zip(BRIDGES, bumps or (), strict=False)):
        terrain.append(
            PyramidBumps(
                x=SIDES[name] * middle,
                y=-bridge.bridge_length / 2,
                z=bridge.ramp_height,
                yaw_deg=90.0,
                max_height=height,
                seed=2 * seed + number,
                friction=FRICTION,
            )
        )
    roach = RobotEntry(name=ROBOT, kind="velociroach", position=(*START, 0.0), yaw_deg=yaw_deg)
    surface = "bumpy" if bumps else "smooth"
    return World(
        name=f"{surface} double bridge", physics=physics, terrain=tuple(terrain), robots=(roach,)
    )


def bridge_of(path_x: float) -> str:
    """Return the bridge of a path whose x (m) in the middle of the gap is ``path_x``."""
    return "top" if path_x < 0 else "bottom"
