"""The OpenGL back end: EGL, else OSMesa, else GLFW, found by trying once per process.

Whoever wants a picture should not have to know what ``MUJOCO_GL`` is. The first back end that
really makes a MuJoCo context is taken and remembered; a user who did set ``MUJOCO_GL`` gets that
one or an error, never another. Nothing is tried at import: physics alone needs no OpenGL.

MuJoCo reads ``MUJOCO_GL`` when it is first imported and refuses nonsense with an error of its
own. This module does not import MuJoCo until it must, so that `candidates` can be asked first.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from grouser.errors import MissingDependency, unknown

_BEST_FIRST = {"Linux": ("egl", "osmesa", "glfw"), "Darwin": ("cgl", "glfw"), "Windows": ("glfw",)}
_UNSET = ("", "enable", "enabled", "on", "true", "1")  # to MuJoCo, "whichever you like"
_WINDOWED = ("glx", "wgl")  # MuJoCo's other names for GLFW
_TINY = (
    "<mujoco><visual><global offwidth='8' offheight='8'/>"
    "<quality shadowsize='0' offsamples='0'/></visual></mujoco>"
)


class GlContext(Protocol):
    """What MuJoCo's ``GLContext`` classes have in common."""

    def make_current(self) -> None:
        """Let this thread's OpenGL calls draw here."""

    def as_current(self) -> AbstractContextManager[None]:
        """Draw here inside the block; afterwards the thread draws where it did before."""

    def free(self) -> None:
        """Give the context back; it cannot be used again."""


def open_context(width: int, height: int) -> GlContext:
    """Open an offscreen OpenGL context of ``width`` x ``height`` pixels.

    Raises:
        MissingDependency: no back end works on this machine.
        UnknownName: ``MUJOCO_GL`` names a back end that does not exist.
    """
    return _open(back_end(), width, height)


def candidates() -> tuple[str, ...]:
    """Return the back ends that may be tried, best first: ``MUJOCO_GL`` alone where it is set."""
    known = _BEST_FIRST.get(platform.system(), ("glfw",))
    wanted = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wanted in _UNSET:
        return known
    if wanted in _WINDOWED:
        return ("glfw",)
    if wanted not in known:
        raise unknown("MUJOCO_GL", "OpenGL back end", wanted, known)
    return (wanted,)


@cache
def back_end() -> str:
    """Return the name of the first back end that works in this process."""
    tried = candidates()
    for name in tried:
        if _works(name):
            return name
    raise MissingDependency(
        f"pictures need OpenGL and none works here (tried {', '.join(tried)}): "
        "install Debian's libegl1 or libosmesa6"
    )


def _open(name: str, width: int, height: int) -> GlContext:
    opened: GlContext = import_module(f"mujoco.{name}").GLContext(width, height)
    return opened


def _works(name: str) -> bool:
    """Try a back end for real: a driver may load, open a context and still not draw."""
    try:
        # Imported outside the undoing: with MUJOCO_GL set, MuJoCo's own import may fail here.
        mujoco: Any = import_module("mujoco")
        with _undone_on_failure(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # GLFW warns where there is no display
            trial = _open(name, 8, 8)
            try:
                with trial.as_current(), _mujoco_uses(name):
                    model = mujoco.MjModel.from_xml_string(_TINY)
                    mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100).free()
            finally:
                trial.free()
    except Exception:  # a driver's absence shows as ImportError, AttributeError, GLError, …
        return False
    return True


@contextmanager
def _mujoco_uses(name: str) -> Iterator[None]:
    """Tell MuJoCo's C library where to find OpenGL's functions; it asks once, at the first use.

    Left alone it takes EGL's wherever libEGL is loaded, which it is after EGL has been tried.
    """
    before = os.environ.get("MUJOCO_GL")
    os.environ["MUJOCO_GL"] = name
    try:
        yield
    finally:
        _put_back("MUJOCO_GL", before)


@contextmanager
def _undone_on_failure() -> Iterator[None]:
    """Undo the block's imports of PyOpenGL if it fails.

    PyOpenGL settles on one platform when it is first imported, so a failed EGL would take OSMesa
    down with it. What had been imported before stays: it belongs to somebody else.
    """
    modules, chosen = set(sys.modules), os.environ.get("PYOPENGL_PLATFORM")
    try:
        yield
    except Exception:  # whatever it was: it goes on up when this is undone
        for name in set(sys.modules) - modules:
            if name.startswith(("OpenGL", "mujoco.")):
                del sys.modules[name]
        _put_back("PYOPENGL_PLATFORM", chosen)
        raise


def _put_back(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value
