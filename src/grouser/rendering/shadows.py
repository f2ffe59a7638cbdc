"""Shadows that fit the picture: sharp near by, in a map that is small enough to be drawn quickly.

MuJoCo's shadow map of a directional light covers a fixed square around the light's own place. Of a
robot of half a metre only a few dozen of its cells are left, and edges look dashed. Here the sun is
moved over what a viewpoint looks at, which changes nothing of its light, and the square is made as
large as what can be seen there.
"""

from __future__ import annotations

import mujoco
import numpy as np

from grouser.rendering.viewpoint import Viewpoint

REACH = 3.0
"""Half the edge of the square in which shadows fall, in distances of the camera; where a near edge
crosses the ground, specks are drawn."""
FINE, COARSE = 4096, 1024
"""Cells along the edge of a shadow map: for smooth pictures, for fast ones."""


def fit_shadows(scene: mujoco.MjvScene, context: mujoco.MjrContext, view: Viewpoint) -> None:
    """Let directional lights cast their shadows around what ``view`` looks at."""
    reach = REACH * view.distance
    context.shadowClip = reach
    for number in range(scene.nlight):
        light = scene.lights[number]
        if light.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL and not light.headlight:
            light.pos[:] = np.asarray(view.lookat) - 2 * reach * np.asarray(light.dir)
