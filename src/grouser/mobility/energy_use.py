"""Energy use of a robot on level ground: energy per metre, endurance and range on its battery."""

from __future__ import annotations

from dataclasses import dataclass

from grouser.frames import hours, kilometres
from grouser.mobility.suite import Candidate
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

SETTLED, DRIVEN = 1.0, 2.0
"""Time before and during the measurement, s."""
GRAVITY = STANDARD.gravity


@dataclass(frozen=True, kw_only=True)
class EnergyUse:
    """Energy use at the driving speed of the tests, on level ground."""

    speed: float
    """m/s."""
    mechanical: float
    """Mechanical work per metre, J/m."""
    transport_cost: float
    """Mechanical work / (weight x distance), -."""
    electric: float | None
    """Electric energy of the motors per metre, J/m; None: without motors."""
    endurance: float | None
    """Time until a full battery is empty, electronics included, s; None: without a battery."""

    @property
    def reach(self) -> float | None:
        """Distance on a full battery, m; None: without a battery."""
        return None if self.endurance is None else self.endurance * self.speed

    def figures(self) -> dict[str, object]:
        """Return the figures by name and unit, for a sheet."""
        shown: dict[str, object] = {
            "mechanical_J/m": round(self.mechanical, 2),
            "cost_of_transport": round(self.transport_cost, 3),
        }
        if self.electric is not None:
            shown["electric_J/m"] = round(self.electric, 2)
        if self.endurance is not None and self.reach is not None:
            shown["endurance_h"] = round(hours(self.endurance), 1)
            shown["range_km"] = round(kilometres(self.reach), 1)
        return shown

    def line(self) -> str:
        """Return the figures as one line."""
        parts = [f"{self.mechanical:.3g} J/m mechanical (cost of transport "]
        parts.append(f"{self.transport_cost:.3f})")
        if self.electric is not None:
            parts.append(f", {self.electric:.3g} J/m electric")
        if self.endurance is not None and self.reach is not None:
            parts.append(
                f", {hours(self.endurance):.1f} h or {kilometres(self.reach):.1f} km on a "
            )
            parts.append("full battery")
        return "".join(parts)


def measure_energy_use(candidate: Candidate) -> EnergyUse | None:
    """Drive ``candidate`` on level ground; None: it cannot be tested or does not move."""
    if candidate.cannot:
        return None
    entry = RobotEntry(
        name=candidate.name,
        kind=candidate.kind,
        position=(0, 0, 0),
        options=dict(candidate.options),
        command={"forward": candidate.speed},
    )
    physics = STANDARD.model_copy(update={"timestep": candidate.timestep})
    terrain = (Flat(friction=candidate.friction),)
    simulation = Simulation(
        World(name="level", physics=physics, terrain=terrain, robots=(entry,)), crash_folder=None
    )
    robot = simulation.robots[candidate.name]
    simulation.step(simulation.round_to_steps(SETTLED))
    start, work, electric = robot.pose.position[0], robot.energy, robot.electric_energy
    begun = simulation.time
    simulation.step(simulation.round_to_steps(DRIVEN))
    seconds, metres = simulation.time - begun, float(robot.pose.position[0] - start)
    if metres <= 0:
        return None
    spent = (
        (robot.electric_energy - electric) if simulation.state.electric_energy(robot.name) else None
    )
    battery = simulation.scene.batteries.get(robot.name)
    endurance = None
    if battery is not None:
        power = battery.idle + (spent or 0.0) / seconds
        endurance = battery.endurance(power)
    mechanical = (robot.energy - work) / metres
    return EnergyUse(
        speed=metres / seconds,
        mechanical=mechanical,
        transport_cost=mechanical / (robot.description.mass * GRAVITY),
        electric=None if spent is None else spent / metres,
        endurance=endurance,
    )
