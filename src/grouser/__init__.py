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

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.errors import GrouserError
    from grouser.frames import Pose
    from grouser.physics.drives import angle, speed, torque
    from grouser.rendering.renderer import Renderer
    from grouser.simulation.simulation import Simulation
    from grouser.trials.threads import run as run_trials
    from grouser.trials.trial import Trial
    from grouser.world.file import load

_PLACES = {
    "GrouserError": "grouser.errors",
    "Pose": "grouser.frames",
    "Renderer": "grouser.rendering.renderer",
    "Simulation": "grouser.simulation.simulation",
    "Trial": "grouser.trials.trial",
    "angle": "grouser.physics.drives",
    "load": "grouser.world.file",
    "run_trials": "grouser.trials.threads:run",
    "speed": "grouser.physics.drives",
    "torque": "grouser.physics.drives",
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


__getattr__ = lazily(__name__, _PLACES)
