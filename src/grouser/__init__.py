"""Tracked and legged robots on rough ground: find out what will happen before the machine does.

::

    import grouser

    sim = grouser.Simulation(grouser.load("quince_step"))
    sim.command("quince", forward=0.1)
    sim.step(12.0)
    print(sim.read("quince", "truth")["z"])

The public names below are imported when they are first used; importing grouser does no work.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grouser.drives import angle, speed, torque
    from grouser.errors import GrouserError
    from grouser.frames import Pose
    from grouser.sensors.render import Renderer
    from grouser.simulation.simulation import Simulation
    from grouser.trials.threads import run as run_trials
    from grouser.trials.trial import Trial
    from grouser.world.file import load

_PLACES = {
    "GrouserError": "grouser.errors",
    "Pose": "grouser.frames",
    "Renderer": "grouser.sensors.render",
    "Simulation": "grouser.simulation.simulation",
    "Trial": "grouser.trials.trial",
    "angle": "grouser.drives",
    "load": "grouser.world.file",
    "run_trials": "grouser.trials.threads:run",
    "speed": "grouser.drives",
    "torque": "grouser.drives",
}

__all__ = [
    "GrouserError",
    "Pose",
    "Renderer",
    "Simulation",
    "Trial",
    "angle",
    "load",
    "run_trials",
    "speed",
    "torque",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'grouser' has no attribute '{name}'")
    module, _, attribute = _PLACES[name].partition(":")
    return getattr(importlib.import_module(module), attribute or name)
