"""One robot with chosen sensors in a world of boxes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from grouser.frames import Pose, Triple
from grouser.sensors.sensor import SensorContext
from grouser.simulation.changes.actions import SetPose
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import AnyObject, Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def block(name: str, position: Triple, size: Triple, **more: Any) -> Box:
    """Return a fixed box."""
    return Box(name=name, friction=1, fixed=True, position=position, size=size, **more)


def simulation(
    *sensors: dict[str, Any],
    objects: Sequence[AnyObject] = (),
    seed: int = 0,
    kind: str = "packbot",
    **command: float,
) -> Simulation:
    """Return a world with one robot, ``a``, at the origin, that carries ``sensors``."""
    robot = RobotEntry(name="a", kind=kind, position=(0, 0, 0), sensors=sensors, command=command)
    world = World(
        name="test",
        physics=STANDARD,
        terrain=(Flat(friction=0.8),),
        robots=(robot,),
        objects=tuple(objects),
    )
    return Simulation(world, seed=seed)


def put(sim: Simulation, x: float = 0.0, y: float = 0.0, z: float = 0.09, **turn: float) -> None:
    """Place the robot; ``turn`` has roll, pitch and yaw, rad."""
    sim.apply(SetPose("a", Pose.at(x, y, z, **turn)))
    mujoco.mj_kinematics(sim.model, sim.data)


def reader(sim: Simulation, name: str, seed: int = 0) -> Callable[[], Mapping[str, Any]]:
    """Return a function that reads a sensor repeatedly at the present instant."""
    _, bound = sim.scene.sensors["a", name]
    rng = np.random.default_rng(seed)
    context = SensorContext(
        sim.model,
        sim.data,
        sim.state.stepper.drives.names,
        sim.state.stepper.odometer(sim.state.arrays, sim.state.memory),
        sim.state.memory.effort[0],
    )
    return lambda: bound.read(context, rng)
