"""Selection of the OpenGL back end: EGL, OSMesa or GLFW.

The first back end that creates a MuJoCo context is selected, once per process, so that
``MUJOCO_GL`` need not be set. If ``MUJOCO_GL`` is set, only that back end is used. Back ends are
not tried at import, because physics needs no OpenGL.

MuJoCo reads ``MUJOCO_GL`` at its first import and rejects invalid values with an error of its own.
This module imports MuJoCo only when a back end is tried, so that `candidates` can be called before.
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
_UNSET = ("", "enable", "enabled", "on", "true", "1")  # values for which MuJoCo selects
_WINDOWED = ("glx", "wgl")  # MuJoCo's other names for GLFW
_TINY = (
    "<mujoco><visual><global offwidth='8' offheight='8'/>"
    "<quality shadowsize='0' offsamples='0'/></visual></mujoco>"
)


ONE_THREAD = {"LP_NUM_THREADS": "1"}
"""Environment that keeps Mesa's software renderer from using every core for one picture."""


class GlContext(Protocol):
    """Interface of MuJoCo's ``GLContext`` classes."""

    def make_current(self) -> None:
        """Make this the OpenGL context of the calling thread."""

    def as_current(self) -> AbstractContextManager[None]:
        """Make this the context of the thread within the block and restore the previous one."""

    def free(self) -> None:
        """Release the context; it cannot be used afterwards."""


def open_context(width: int, height: int) -> GlContext:
    """Open an offscreen OpenGL context of ``width`` x ``height`` pixels.

    Raises:
        MissingDependency: no back end works on this machine.
        UnknownName: ``MUJOCO_GL`` names a back end that does not exist.
    """
    return _open(back_end(), width, height)


def candidates() -> tuple[str, ...]:
    """Return the back ends in order of preference, or only ``MUJOCO_GL`` if it is set."""
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
    """Return True if a back end can create a MuJoCo context."""
    # Loading a driver and opening a context is not sufficient, because drawing may fail
    # afterwards.
    try:
        # Outside `_undone_on_failure`: with MUJOCO_GL set, MuJoCo's own import may fail here.
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
    except Exception:  # a missing driver raises ImportError, AttributeError, GLError, …
        return False
    return True


@contextmanager
def _mujoco_uses(name: str) -> Iterator[None]:
    """Set ``MUJOCO_GL`` within the block, in which MuJoCo loads the OpenGL functions once."""
    # Without the variable MuJoCo uses EGL if libEGL is loaded, as it is after EGL has been
    # tried.
    before = os.environ.get("MUJOCO_GL")
    os.environ["MUJOCO_GL"] = name
    try:
        yield
    finally:
        _restore_variable("MUJOCO_GL", before)


@contextmanager
def _undone_on_failure() -> Iterator[None]:
    """Remove the PyOpenGL modules imported within the block if it fails."""
    # PyOpenGL selects its platform at its first import, so that OSMesa would fail after EGL.
    modules, chosen = set(sys.modules), os.environ.get("PYOPENGL_PLATFORM")
    try:
        yield
    except Exception:  # raised again after the imports are removed
        for name in set(sys.modules) - modules:
            if name.startswith(("OpenGL", "mujoco.")):
                del sys.modules[name]
        _restore_variable("PYOPENGL_PLATFORM", chosen)
        raise


def _restore_variable(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value
