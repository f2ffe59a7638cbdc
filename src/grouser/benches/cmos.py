"""Time of the CMOS filter in one sweep against its effects one after another.

The paper's filter (cmos, sec. 4.4) reduced the time per picture from 208 ms to 112 ms, a factor of
0.54. Here both methods apply the same effects to the same rendered view: distortion, row delay,
motion blur, lens blur, limb darkening, exposure, white balance, and optionally noise. The camera
turns at 300 deg/s. The separate method calls OpenCV's functions in sequence, each on the whole
picture, with all constant data prepared. Both use one thread. Times are medians of processor time,
because wall time on a busy machine would favour the shorter method, and are measured alternately.

``fused_over_separate``     largest of the four ratios below
``fused_over_render``       filter over rendering of its source view, 176 x 144, noisy
``numba_speedup``           sweep by numpy over the compiled sweep, 176 x 144, noisy
``fused_ms``, ``separate_ms``, ``render_ms``   times for 176 x 144, noisy
``…_<width>x<height>_<noisy or quiet>``        the same for each size, with noise and without
``still_over_separate_…``   ratio for a camera at rest: no row delay, no motion blur
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from grouser.benches.machine import processor_seconds
from grouser.experiments.run_options import Progress
from grouser.frames import Pose, milliseconds, radians
from grouser.physics.colour_temperature import white_balance
from grouser.rendering.image import Image, opencv
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.renderer import Renderer
from grouser.sensors.imaging.cmos import NO_NOISE, SPARE_BYTES, CmosFilter, Noise, limb_darkening
from grouser.sensors.imaging.imager import IMAGERS
from grouser.sensors.imaging.shutter import spin_projections
from grouser.simulation.scene import compose
from grouser.world.file import World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step

ERS210 = IMAGERS["ers210"]
SIZES = ((176, 144), (640, 480))
SPIN = (0.0, radians(300.0), 0.0)
"""Angular velocity in the camera's frame, rad/s; y points down; the paper's fig. 9."""
STILL = (0.0, 0.0, 0.0)
CAMERA_POSE = Pose.at(z=0.2, pitch=radians(5.0))
REPEATS = 40


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    cases = [(size, noise) for size in SIZES for noise in (ERS210.cmos.noise, NO_NOISE)]
    ratios: dict[str, float] = {}
    details: dict[str, float] = {}
    model, data = scene()
    with Renderer(64, 64, shadows=False, smooth=False) as renderer, _one_thread():
        for number, (size, noise) in enumerate(cases):
            progress("filters", number, len(cases))
            label = f"{size[0]}x{size[1]}_{'noisy' if noise else 'quiet'}"
            camera = camera_of(size, noise)
            turning, still = (
                FilteredView(renderer, model, data, camera, spin) for spin in (SPIN, STILL)
            )
            fused, separate = _medians(turning.filter_at_once, turning.filter_by_effect)
            ratios[f"fused_over_separate_{label}"] = fused / separate
            details |= {f"fused_ms_{label}": fused, f"separate_ms_{label}": separate}
            fused, separate = _medians(still.filter_at_once, still.filter_by_effect)
            details[f"still_over_separate_{label}"] = fused / separate
        small = FilteredView(renderer, model, data, camera_of(SIZES[0], ERS210.cmos.noise), SPIN)
        drawn, fused = _medians(small.draw, small.filter_at_once)
        plain = camera_of(SIZES[0], ERS210.cmos.noise, compiled=False)
        compiled, arrays = _medians(
            small.filter_at_once, FilteredView(renderer, model, data, plain, SPIN).filter_at_once
        )
    return {
        "fused_over_separate": max(ratios.values()),
        "fused_over_render": fused / drawn,
        "numba_speedup": arrays / compiled,
        "fused_ms": details["fused_ms_176x144_noisy"],
        "separate_ms": details["separate_ms_176x144_noisy"],
        "render_ms": drawn,
        **ratios,
        **details,
    }


def scene() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a scene to render: ground, edges and colours."""
    boxes = tuple(
        Box(
            name=f"box{number}",
            position=(1.5 + 0.3 * number, 0.5 * (number - 2), 0.15),
            size=(0.2, 0.2, 0.3),
            rgb=colour,
            friction=0.6,
            fixed=True,
        )
        for number, colour in enumerate(
            ((0.9, 0.8, 0.2), (0.2, 0.7, 0.9), (1.0, 0.4, 0.1), (0.9, 0.2, 0.6), (0.9, 0.9, 0.9))
        )
    )
    world = World(
        name="cmos",
        physics=STANDARD,
        terrain=(Flat(friction=0.6), Step(x=4.0, height=0.3, friction=0.6)),
        objects=boxes,
    )
    composed = compose(world)
    return composed.model, composed.initial()


def camera_of(size: tuple[int, int], noise: Noise, *, compiled: bool = True) -> CmosFilter:
    """Return the ERS-210's filter at another size, under light of another colour temperature."""
    lens = replace(ERS210.lens, width=size[0], height=size[1])
    balance = white_balance(light_kelvin=3800.0, camera_kelvin=4300.0)
    cmos = replace(ERS210.cmos, noise=noise, exposure=1.1, balance=balance)
    return CmosFilter(lens, cmos, ERS210.shutter, compiled=compiled)


class FilteredView:
    """Rendered view and the two methods to filter it."""

    def __init__(
        self,
        renderer: Renderer,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        camera: CmosFilter,
        spin: tuple[float, float, float],
    ) -> None:
        self.camera, self.spin = camera, spin
        self.plane = camera.source_plane(spin)
        self._pixels = np.empty(self.plane.height * self.plane.width * 3 + SPARE_BYTES, np.uint8)
        self._matrix = self.plane.matrix(upside_down=True)
        self._renderer, self._model, self._data = renderer, model, data
        self.draw()
        raw = self._pixels[:-SPARE_BYTES].reshape(self.plane.height, self.plane.width, 3)
        self._chain = OpenCvChain(camera, self.plane, spin)
        self._picture = np.ascontiguousarray(raw[::-1])

    def draw(self) -> None:
        """Render the view."""
        pixels = self._pixels[:-SPARE_BYTES]
        self._renderer.draw_camera(self._model, self._data, CAMERA_POSE, self.plane, pixels)

    def filter_at_once(self, seed: int = 0) -> Image:
        """Return the picture filtered in one sweep."""
        return self.camera.apply_warped(
            self._pixels, self.plane, self._matrix, spin=self.spin, seed=seed
        )

    def filter_by_effect(self) -> Image:
        """Return the picture filtered by one effect after another."""
        return self._chain.apply(self._picture)


class OpenCvChain:
    """Sequence of the same effects with OpenCV, as fast as possible without fusing them."""

    # Constant data are prepared. Every step writes into an allocated array, because an
    # allocation takes as long as some of the effects.

    def __init__(
        self, camera: CmosFilter, plane: ImagePlane, spin: tuple[float, float, float]
    ) -> None:
        self._camera, self._spin, self._matrix = camera, np.array(spin), plane.matrix()
        points = camera.lens.rays()
        rays = np.concatenate([points, np.ones_like(points[..., :1])], axis=-1)
        self._rays = np.ascontiguousarray(rays.transpose(0, 2, 1), np.float32)
        dark = limb_darkening(points, camera.cmos.darkening)[..., None].repeat(3, axis=-1)
        self._gains = dark.astype(np.float32)
        self._fixed = None
        if not any(spin):
            places = np.ascontiguousarray((rays @ self._matrix.T)[..., :2], np.float32)
            # Fixed-point maps are OpenCV's fastest; some versions round them to 1/32 pixel.
            self._fixed = _opencv().convertMaps(places, None, _opencv().CV_16SC2)
        size = (camera.lens.height, camera.lens.width)
        self._places = np.empty_like(self._rays)
        self._u, self._v = np.empty(size, np.float32), np.empty(size, np.float32)
        self._part = np.empty((*size, 3), np.uint8)
        self._seen, self._drawn, self._spread = (np.empty((*size, 3), np.float32) for _ in range(3))

    def apply(self, picture: Image) -> Image:
        """Return the filtered picture."""
        cv2, cmos, seen = _opencv(), self._camera.cmos, self._seen
        samples = self._remap(picture)
        cv2.GaussianBlur(seen, (5, 5), cmos.blur, dst=seen, borderType=cv2.BORDER_REPLICATE)
        cv2.multiply(seen, self._gains, dst=seen, scale=cmos.exposure / samples)
        if cmos.noise:
            self._add_noise()
        image: Image = cv2.multiply(seen, (*cmos.balance, 0.0), dtype=cv2.CV_8U)
        return image

    def _remap(self, picture: Image) -> int:
        """Apply distortion, row delay and motion blur as a sum of samples; return their number."""
        cv2, part, seen = _opencv(), self._part, self._seen
        edge = {"interpolation": cv2.INTER_LINEAR, "borderMode": cv2.BORDER_REPLICATE}
        if self._fixed is not None:
            seen[:] = cv2.remap(picture, *self._fixed, dst=part, **edge)
            return 1
        lens, shutter = self._camera.lens, self._camera.shutter
        samples = shutter.samples(float(np.linalg.norm(self._spin)) * max(lens.focal))
        times = shutter.times(lens.height, samples)
        maps = spin_projections(self._matrix, self._spin, times).astype(np.float32)
        seen[:] = 0.0
        for sample in range(samples):
            np.matmul(maps[:, sample], self._rays, out=self._places)
            np.divide(self._places[:, 0], self._places[:, 2], out=self._u)
            np.divide(self._places[:, 1], self._places[:, 2], out=self._v)
            cv2.accumulate(cv2.remap(picture, self._u, self._v, dst=part, **edge), seen)
        return samples

    def _add_noise(self) -> None:
        """Add read and shot noise."""
        cv2, noise = _opencv(), self._camera.cmos.noise
        seen, drawn, spread = self._seen, self._drawn, self._spread
        cv2.randn(drawn, (0.0,) * 3, (1.0,) * 3)
        cv2.addWeighted(seen, noise.shot, seen, 0.0, noise.read**2, dst=spread)
        cv2.multiply(cv2.sqrt(spread, dst=spread), drawn, dst=drawn)
        cv2.add(seen, drawn, dst=seen)


def _opencv() -> Any:
    """Return OpenCV or raise an error that names its users."""
    return opencv("filters one after another", "camera")


def _medians(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the median times of both in ms, measured alternately."""
    first(), second()  # the first call may compile
    times = [(processor_seconds(first), processor_seconds(second)) for _ in range(REPEATS)]
    one, other = (milliseconds(float(np.median(column))) for column in zip(*times, strict=True))
    return one, other


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit OpenCV to one thread inside the block, as the sweep uses one."""
    cv2 = _opencv()
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)
