"""A running world composed anew: somebody joined or left, or something fixed is elsewhere."""

from __future__ import annotations

from grouser.simulation.live_scene import LiveScene
from grouser.simulation.scene import compose
from grouser.simulation.transfer import transfer_memory, transfer_state
from grouser.world.file import World


def recompose(live: LiveScene, world: World, *, started: bool) -> LiveScene:
    """Return ``world``, in which everybody who is in ``live`` goes on and notices nothing.

    Args:
        live: what runs.
        world: what shall run.
        started: whether time has passed; if not, nobody's order of coming leaves a trace.
    """
    scene = compose(world)
    data = scene.initial()
    transfer_state(live.model, live.data, scene.model, data)
    if not started:
        data.qacc_warmstart[:] = 0.0
    recomposed = LiveScene.begin(scene, data)
    transfer_memory(live.stepper, live.memory, recomposed.stepper, recomposed.memory)
    return recomposed
