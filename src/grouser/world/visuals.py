"""Visual settings of a world: sky, lights, ground texture and clipping planes.

None of them affects physics. Sizes suit robots of 0.1 to 1 m seen from a few metres.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from grouser.physics.colour_temperature import LIGHT_NUMERIC, light_tint
from grouser.world.field_types import Rgb

EXTENT = 4.0
"""Half the usual size of the scene in view, m; MuJoCo scales clipping and shadows by it."""

NEAR, FAR = 0.02, 60.0
"""Distances of the clipping planes, m."""

PICTURE = (1280, 960)
"""Largest picture that can be rendered off screen: width, height, pixels."""

TILE = 0.5
"""Edge of one square of the ground's pattern, m."""


SUN = "sun"
ZENITH, HORIZON = (0.45, 0.60, 0.78), (0.88, 0.91, 0.94)
"""Colours of the sky by day."""
SUNSHINE, GLITTER = (0.55, 0.54, 0.52), (0.15, 0.15, 0.15)
"""Light of the sun by day: diffuse and specular colour."""
FILL, AHEAD = (0.38, 0.38, 0.40), (0.28, 0.28, 0.28)
"""Fill light by day, so that shadows are not black: ambient and headlight colour."""


def add_visuals(spec: mujoco.MjSpec, daylight: float = 1.0, light_k: float | None = None) -> None:
    """Add sky, sun with soft shadows, ground material and picture sizes.

    ``daylight`` is 0 to 1; ``light_k`` is the temperature of the light, K; None: neutral.
    """
    shade = _Shade(daylight, light_tint(light_k))
    _sky(spec, shade)
    _light(spec, shade)
    if light_k is not None:
        spec.add_numeric(name=LIGHT_NUMERIC, data=[light_k])
    ground_material(spec)
    _camera_limits(spec)


def ground_material(spec: mujoco.MjSpec) -> str:
    """Return the name of the ground's material, adding it to ``spec`` the first time."""
    if spec.material("ground") is None:
        spec.add_texture(
            name="ground",
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
            mark=mujoco.mjtMark.mjMARK_EDGE,
            rgb1=[0.52, 0.56, 0.56],
            rgb2=[0.57, 0.61, 0.61],
            markrgb=[0.70, 0.73, 0.73],
            width=512,
            height=512,
        )
        # One texture image holds 2 x 2 squares of the checker.
        material = spec.add_material(name="ground", texuniform=True, reflectance=0.0)
        material.texrepeat = [1 / (2 * TILE)] * 2
        material.specular, material.shininess = 0.1, 0.1
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "ground"
    return "ground"


@dataclass(frozen=True)
class _Shade:
    """Brightness and colour of all light."""

    daylight: float
    tint: Rgb

    def of(self, *colours: Rgb) -> list[list[float]]:
        """Return colours in this light."""
        return [
            [self.daylight * part * tint for part, tint in zip(colour, self.tint, strict=True)]
            for colour in colours
        ]


def _sky(spec: mujoco.MjSpec, shade: _Shade) -> None:
    above, horizon = shade.of(ZENITH, HORIZON)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=above,
        rgb2=horizon,
        width=128,  # a gradient needs no more, and every model carries it
        height=768,
    )
    spec.visual.rgba.haze = [*horizon, 1.0]  # the plane fades into the sky's horizon


def _light(spec: mujoco.MjSpec, shade: _Shade) -> None:
    diffuse, specular = shade.of(SUNSHINE, GLITTER)
    spec.worldbody.add_light(
        name=SUN,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[-3, -4, 9],
        dir=[0.35, 0.45, -1.0],
        diffuse=diffuse,
        specular=specular,
        ambient=[0.0, 0.0, 0.0],
        castshadow=True,
    )
    headlight = spec.visual.headlight
    headlight.ambient, headlight.diffuse = shade.of(FILL, AHEAD)
    headlight.specular = [0.0, 0.0, 0.0]


def _camera_limits(spec: mujoco.MjSpec) -> None:
    # Constants: computed from the model, they would change with every added robot.
    spec.stat.center = [0.0, 0.0, 0.0]
    spec.stat.extent = EXTENT
    spec.visual.map.znear = NEAR / EXTENT
    spec.visual.map.zfar = FAR / EXTENT
    spec.visual.map.shadowclip = 3.0
    spec.visual.quality.shadowsize = 4096
    spec.visual.global_.offwidth, spec.visual.global_.offheight = PICTURE
