"""Power balance of belts on one shaft: absorbed power is bounded by the slip of the drums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import mujoco
import numpy as np
import pytest

from grouser.robots.quince import GROUSER, RADIUS
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

SPEED = 0.2
"""m/s."""
FRICTION = 0.6


class BeltMeter:
    """Pull (N) and power (W) of every belt's straight runs and drums, from the contacts."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        model = simulation.model
        self._part = {
            int(model.joint(joint).dofadr[0]): (belt.name, "run" if travel == 1 else "drum")
            for belt in simulation.scene.belts
            for joint, travel in belt.links
        }
        self.pull: Mapping[tuple[str, str], float] = {}
        self.power: Mapping[tuple[str, str], float] = {}
        self.load: Mapping[tuple[str, str], float] = {}

    def measure(self, seconds: float) -> None:
        """Step for ``seconds`` and store the means over this time."""
        simulation, every = self._simulation, 0.002
        model, data = simulation.model, simulation.data
        pull, power, load = (defaultdict[tuple[str, str], float](float) for _ in range(3))
        samples = round(seconds / every)
        force, jacobian = np.zeros(6), np.zeros((3, model.nv))
        for _ in range(samples):
            simulation.step(every)
            for number, contact in enumerate(data.contact):
                body = max(int(model.geom_bodyid[geom]) for geom in contact.geom)
                dof = int(model.body_dofadr[body])
                if dof not in self._part or contact.efc_address < 0:
                    continue
                mujoco.mj_contactForce(model, data, number, force)
                pushed = contact.frame.reshape(3, 3).T @ force[:3]
                if int(model.geom_bodyid[contact.geom[0]]) == body:
                    pushed = -pushed
                mujoco.mj_jac(model, data, jacobian, None, contact.pos, body)
                part = self._part[dof]
                pull[part] += pushed[0] / samples
                load[part] += pushed[2] / samples
                power[part] -= float(pushed @ jacobian[:, dof] * data.qvel[dof]) / samples
        self.pull, self.power, self.load = pull, power, load


def _side(belt: str) -> str:
    return "left" if belt.endswith("left") else "right"


@pytest.mark.parametrize("before", [0.0, -0.3], ids=["from rest", "after reversing"])
def test_power_absorbed_by_belts_of_quince_is_bounded_by_the_slip_of_drums(before: float) -> None:
    entry = RobotEntry(name="q", kind="quince", position=(0.0, 0.0, 0.0))
    terrain = (Flat(friction=FRICTION),)
    simulation = Simulation(World(name="flat", physics=STANDARD, terrain=terrain, robots=(entry,)))
    simulation.command("q", {"forward": before})
    simulation.step(1.0)
    simulation.command("q", {"forward": SPEED})
    simulation.step(3.0)  # three runs of a sub-track; transients of the start have decayed
    meter = BeltMeter(simulation)
    meter.measure(1.0)
    # Tips of bars on a drum move faster than the belt and slip: Coulomb friction, forwards.
    faster = (RADIUS + GROUSER[2]) / RADIUS
    put_in = dict.fromkeys(("left", "right"), 0.0)
    for (belt, part), load in meter.load.items():
        if part == "drum":
            assert meter.pull[belt, part] == pytest.approx(FRICTION * load, rel=0.05)
            expected = FRICTION * load * SPEED * faster
            assert meter.power[belt, part] == pytest.approx(expected, rel=0.07)
            put_in[_side(belt)] += meter.pull[belt, part]
    assert min(put_in.values()) > 0.5  # N; otherwise the test is void
    held = dict.fromkeys(("left", "right"), 0.0)
    for (belt, part), pull in meter.pull.items():
        if part == "run":
            # Runs balance the drums of their side, together and each of them.
            held[_side(belt)] += pull
            assert -1.1 * put_in[_side(belt)] < pull < 0.1, (belt, pull, put_in)
    for side, pushed in put_in.items():
        assert held[side] == pytest.approx(-pushed, abs=0.15)
