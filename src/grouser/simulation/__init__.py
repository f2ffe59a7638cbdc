"""Simulation of a world: scene, stepping, sensing, gaits; no wall clock, thread or socket."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={
        "LiveScene": "grouser.simulation.scene_state:SceneState",
        "Retune": "grouser.simulation.changes.actions:SetGaitParameters",
        "Say": "grouser.simulation.changes.actions:SendMessage",
    },
)
