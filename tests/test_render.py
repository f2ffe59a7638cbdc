from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image as Pillow

from grouser.errors import BadValue, MissingDependency, UnknownName
from grouser.rendering import gl
from grouser.rendering.image import write_png
from grouser.rendering.render_state import RenderState, RenderStateLoader
from grouser.rendering.renderer import Renderer
from grouser.rendering.video import Video
from grouser.rendering.viewpoint import Viewpoint
from grouser.rendering.webm import vp8_key_frame

SCENE = """
<mujoco>
  <visual><quality shadowsize="512"/></visual>
  <worldbody>
    <light pos="0 0 4"/>
    <geom type="plane" size="5 5 .1" rgba=".2 .2 .2 1"/>
    <geom type="box" size=".5 .5 .5" pos="{x} 0 .5" rgba="{rgba}"/>
    <site type="sphere" size="1" pos="0 0 1" rgba="0 1 0 1"/>
    <camera name="top" pos="0 0 5" xyaxes="1 0 0 0 1 0" fovy="45"/>
  </worldbody>
</mujoco>
"""
TOP_LIKE = Viewpoint((0, 0, 0), 5.0, 90, -90)  # straight down, +y upwards: the camera "top"
FAST = {"shadows": False, "smooth": False}


def scene(x: float = 1.0, rgba: str = "1 0 0 1") -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(SCENE.format(x=x, rgba=rgba))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def centre(mask: np.ndarray) -> tuple[float, float]:
    rows, columns = np.nonzero(mask)
    return float(rows.mean()), float(columns.mean())


def reddish(image: np.ndarray) -> np.ndarray:
    red, green, blue = np.moveaxis(image.astype(int), -1, 0)
    mask: np.ndarray = (red > 60) & (red > 3 * green) & (red > 3 * blue)
    return mask


@pytest.mark.parametrize("options", [{}, FAST])
@pytest.mark.parametrize("view", ["top", TOP_LIKE])
def test_red_box_appears_at_its_projected_position(
    options: dict[str, bool], view: Viewpoint | str
) -> None:
    with Renderer(161, 121, **options) as renderer:
        image = renderer.picture(*scene(x=1.0), view)
    assert image.shape == (121, 161, 3)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    focal = 121 / 2 / np.tan(np.deg2rad(45 / 2))
    # The box's top, 4 m below the camera, spans 0.5 to 1.5 m; its inner side shows a little.
    row, column = centre(reddish(image))
    assert row == pytest.approx(60, abs=1)
    assert column == pytest.approx(80 + focal * 1.0 / 4, abs=4)


def test_azimuth_90_looks_along_y() -> None:
    model, data = scene(x=1.0)
    with Renderer(80, 60, **FAST) as renderer:
        along_y = renderer.picture(model, data, Viewpoint((0, 0, 0.5), 6, 90, 0))
        from_y = renderer.picture(model, data, Viewpoint((0, 0, 0.5), 6, -90, 0))
    assert centre(reddish(along_y))[1] > 45  # +x is to the right
    assert centre(reddish(from_y))[1] < 35


def test_wider_field_of_view_makes_objects_smaller() -> None:
    model, data = scene(x=0)
    with Renderer(320, 240, **FAST) as renderer:
        narrow = reddish(
            renderer.picture(model, data, Viewpoint((0, 0, 0), 5, 90, -90, fovy_deg=30))
        )
        wide = reddish(renderer.picture(model, data, Viewpoint((0, 0, 0), 5, 90, -90, fovy_deg=60)))
    ratio = (np.tan(np.deg2rad(30)) / np.tan(np.deg2rad(15))) ** 2
    assert narrow.sum() / wide.sum() == pytest.approx(ratio, rel=0.1)


@pytest.mark.parametrize("view", ["top", TOP_LIKE])
def test_depth_agrees_with_geometry(view: Viewpoint | str) -> None:
    with Renderer(160, 120, **FAST) as renderer:
        depth = renderer.depth(*scene(x=0), view)
    assert depth.dtype == np.float32
    assert depth[60, 80] == pytest.approx(4.0, rel=0.01)
    assert depth[2, 2] == pytest.approx(5.0, rel=0.01)  # along the axis, not along the ray


def test_depth_of_the_sky_is_infinite() -> None:
    with Renderer(40, 30, **FAST) as renderer:
        depth = renderer.depth(*scene(), Viewpoint((0, 0, 4), 5, 90, 20))
    assert np.isinf(depth[0]).all()


def test_depth_rendering_does_not_change_pictures() -> None:
    model, data = scene()
    with Renderer(64, 48) as renderer:
        before = renderer.picture(model, data, "top")
        renderer.depth(model, data, "top")
        np.testing.assert_array_equal(renderer.picture(model, data, "top"), before)


def test_two_renderers_of_two_models_alternate() -> None:
    red, blue = scene(), scene(rgba="0 0 1 1")
    with Renderer(64, 48, **FAST) as one, Renderer(32, 24) as two:
        first = one.picture(*red, "top")
        other = one.picture(*blue, "top")
        small = two.picture(*blue, "top")
        again = one.picture(*red, "top")
    np.testing.assert_array_equal(first, again)
    assert reddish(first).any()
    assert not reddish(other).any()
    assert small.shape == (24, 32, 3)


def test_rendering_does_not_change_the_model() -> None:
    model, data = scene()
    before = _bytes(model)
    with Renderer(1300, 700, **FAST) as renderer:  # larger than MuJoCo's default buffer
        image = renderer.picture(model, data, Viewpoint((0, 0, 0), 5, 0, -30, fovy_deg=70))
        renderer.depth(model, data, "top")
    assert image.shape == (700, 1300, 3)
    assert _bytes(model) == before


def _bytes(model: mujoco.MjModel) -> bytes:
    buffer = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def test_sites_are_not_rendered() -> None:
    with Renderer(64, 48, **FAST) as renderer:
        image = renderer.picture(*scene(), "top").astype(int)
    assert not ((image[..., 1] > 60) & (image[..., 1] > 2 * image[..., 0])).any()


def test_render_state_draws_the_state_of_its_time() -> None:
    ball = "<body name='ball' pos='0 0 1'><freejoint/><geom size='.1'/></body>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{ball}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qvel[0] = 2.0
    then = RenderState.of(model, data)
    mujoco.mj_step(model, data, 100)
    loader = RenderStateLoader()
    assert loader.load(then).body("ball").xpos.tolist() == [0.0, 0.0, 1.0]
    assert loader.load(then, 0.25).body("ball").xpos == pytest.approx([0.5, 0.0, 1.0])
    assert data.body("ball").xpos[2] < 1.0, "the world itself has gone on"
    assert then.equals(replace(then, qpos=then.qpos.copy()))
    assert not then.equals(RenderState.of(model, data))


def test_invalid_options_are_rejected() -> None:
    model, data = scene()
    with pytest.raises(BadValue, match="0 x 10"):
        Renderer(0, 10)
    renderer = Renderer(8, 8)
    with pytest.raises(UnknownName, match=r"no camera 'tap' \(there are: top\); did you mean"):
        renderer.picture(model, data, "tap")
    renderer.close()
    renderer.close()
    with pytest.raises(BadValue, match="closed"):
        renderer.picture(model, data, "top")


def run_python(code: str, **variables: str) -> str:
    """Run ``code`` in a new process; return its output."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    source = str(Path(gl.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=kept | {"PYTHONPATH": source} | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


def test_unknown_back_end_is_reported_in_one_sentence() -> None:
    output = run_python(
        "from grouser.rendering import gl; gl.open_context(8, 8)", MUJOCO_GL="nonsense"
    )
    assert output.splitlines()[-1] == (
        "grouser.errors.UnknownName: MUJOCO_GL: there is no OpenGL back end 'nonsense' "
        "(there are: egl, glfw, osmesa)"
    )


def test_missing_back_end_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_works", lambda _: False)
    gl.back_end.cache_clear()
    with pytest.raises(MissingDependency, match=r"^[^\n]*libegl1 or libosmesa6$"):
        gl.open_context(8, 8)


def test_only_the_selected_back_end_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "OSMesa")
    assert gl.candidates() == ("osmesa",)
    monkeypatch.setenv("MUJOCO_GL", "")
    assert gl.candidates()[0] == "egl"


def test_osmesa_is_used_where_egl_has_no_driver() -> None:
    code = """
import os
from grouser.rendering import gl
from grouser.rendering.renderer import Renderer
from grouser.rendering.render_state import RenderState, RenderStateLoader
from grouser.rendering.viewpoint import Viewpoint
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with Renderer(16, 16) as renderer:
    image = renderer.picture(model, data, Viewpoint((0, 0, 0), 5, 0, 0))
print(gl.back_end(), image[8, 8].max() > 0, os.environ.get("MUJOCO_GL"))
"""
    output = run_python(
        code, __EGL_VENDOR_LIBRARY_DIRS="/nonexistent", __EGL_VENDOR_LIBRARY_FILENAMES=""
    )
    if "libosmesa6" in output:
        pytest.skip("OSMesa is not installed")
    assert output == "osmesa True None\n"


def test_importing_the_renderer_loads_no_opengl() -> None:
    code = (
        "import sys, grouser.rendering.renderer; print([m for m in sys.modules if 'OpenGL' in m])"
    )
    assert run_python(code) == "[]\n"


def gradient(width: int = 64, height: int = 48, shift: int = 0) -> np.ndarray:
    ramp = np.broadcast_to(np.arange(width, dtype=np.uint8) + np.uint8(shift), (height, width))
    return np.stack([ramp, 2 * ramp, 255 - ramp], axis=-1)


def write_video(path: Path, frames: Iterable[np.ndarray]) -> None:
    with Video(path, fps=20) as video:
        for frame in frames:
            video.add(frame)


def test_png_round_trip(tmp_path: Path) -> None:
    write_png(tmp_path / "deep" / "a.png", gradient())
    np.testing.assert_array_equal(np.asarray(Pillow.open(tmp_path / "deep" / "a.png")), gradient())


@pytest.mark.parametrize(("ending", "wide"), [(".mp4", 64), (".webm", 63)])
def test_video_round_trip(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str, wide: int
) -> None:
    cv2 = pytest.importorskip("cv2")
    path = tmp_path / f"a{ending}"
    write_video(
        path, (gradient(63, 48, shift) for shift in range(42))
    )  # an odd width; over two seconds
    assert capfd.readouterr().err == ""
    capture = cv2.VideoCapture(str(path))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 42
    assert capture.get(cv2.CAP_PROP_FPS) == pytest.approx(20)
    for shift in range(42):
        _, frame = capture.read()
        assert frame.shape == (48, wide, 3)
        assert np.abs(frame[:, :63, ::-1].astype(int) - gradient(63, 48, shift)).mean() < 12
    assert not capture.read()[0]
    capture.set(cv2.CAP_PROP_POS_FRAMES, 30)  # a jump, for which there are cues
    assert capture.read()[0]
    capture.release()


def test_webm_needs_no_opencv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    write_video(tmp_path / "a.webm", [gradient(), gradient(shift=9)])
    content = (tmp_path / "a.webm").read_bytes()
    assert content[:4] == bytes.fromhex("1a45dfa3")
    assert b"webm" in content[:128]
    with Video(tmp_path / "b.webm", 20) as video:  # another encoder: the same file
        for shift in (0, 9):
            video.add_coded(vp8_key_frame(gradient(shift=shift)), (48, 64, 3))
    assert (tmp_path / "b.webm").read_bytes() == content


def test_gif_is_small_slow_and_loops(tmp_path: Path) -> None:
    with Video(tmp_path / "a.gif", fps=25) as video:
        for shift in range(10):
            video.add(gradient(960, 640, 9 * shift))
    with Pillow.open(tmp_path / "a.gif") as gif:
        assert (getattr(gif, "n_frames", 1), gif.size, gif.info["loop"]) == (5, (480, 320), 0)
        assert gif.info["duration"] == 80


def test_aborted_video_leaves_no_file(tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    size = [64, 64, 0]
    with pytest.raises(ZeroDivisionError):
        write_video(tmp_path / "a.mp4", (gradient(4096 // width) for width in size))
    with pytest.raises(BadValue, match="this one is"):
        write_video(tmp_path / "a.mp4", [gradient(64), gradient(32)])
    with pytest.raises(BadValue, match="a frame or more"):
        write_video(tmp_path / "a.mp4", [])
    assert list(tmp_path.iterdir()) == []


def test_invalid_video_options_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadValue, match=r"must end in \.webm, \.mp4, \.gif$"):
        Video(tmp_path / "a.avi", 20)
    with pytest.raises(BadValue, match="0 frames per second"):
        Video(tmp_path / "a.mp4", 0)
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingDependency, match=r'pip install "grouser\[video\]"'):
        Video(tmp_path / "a.mp4", 20)
