"""Priority of the processes of a recorder: they must not delay the simulation."""

from __future__ import annotations

import ctypes
import os
import platform

SLICE = 0.1
"""Time slice of a process that others may interrupt at once, s: the longest that Linux has."""
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""Machine → number of Linux's system call."""


class _Attributes(ctypes.Structure):
    """Linux's struct sched_attr."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def run_behind(increment: int) -> bool:
    """Increase the niceness, and let processes that wake up interrupt this one at once.

    Linux lets a process finish its time slice of some milliseconds unless the other one's slice is
    shorter (since 6.12). The share of processor time stays the same.

    Returns:
        True if the slice was set.
    """
    if hasattr(os, "nice"):
        os.nice(increment)
    number = _SCHED_SETATTR.get(platform.machine())
    if platform.system() != "Linux" or number is None:
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    size = ctypes.sizeof(_Attributes)
    attributes = _Attributes(size=size, nice=nice, runtime=round(SLICE * 1e9))
    done: int = ctypes.CDLL(None).syscall(number, 0, ctypes.byref(attributes), 0)
    return done == 0


def become_idle() -> None:
    """Run only while the machine has nothing else to do, where the system has such a class."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
