"""Quantities of a simulation that are read directly from the state of its scene."""

from __future__ import annotations

from grouser.simulation.scene_state import SceneState


class StateQueries:
    """Base of `grouser.simulation.simulation.Simulation`."""

    state: SceneState

    def angles(self, robot: str) -> dict[str, float]:
        """Return the position of each of a robot's drives (rad; belts: m), not wrapped."""
        return self.state.angles(robot)

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed mechanical work (J) of each of a robot's drives since the start."""
        return self.state.energy(robot)

    def effort(self, robot: str) -> dict[str, float]:
        """Return the integral of |force x speed| (J) of each of a robot's drives so far."""
        return self.state.effort(robot)

    def power(self, robot: str) -> dict[str, float]:
        """Return the mechanical power of each of a robot's drives, torque x speed, W."""
        return self.state.power(robot)

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        return self.state.fingerprint()
