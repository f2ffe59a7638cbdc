"""A robot with some sensors in a world of boxes: what the tests of single sensors share."""

import mujoco
import numpy as np

from grouser.frames import Pose
from grouser.sensors.sensor import SensorContext
from grouser.simulation.changes.actions import SetPose
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def block(name, position, size, **more):
    return Box(name=name, friction=1, fixed=True, position=position, size=size, **more)


def simulation(*sensors, objects=(), seed=0, kind="packbot", **command):
    """Return a world with one robot, ``a``, at the origin, that carries ``sensors``."""
    robot = RobotEntry(name="a", kind=kind, position=(0, 0, 0), sensors=sensors, command=command)
    world = World(
        name="test",
        physics=STANDARD,
        terrain=(Flat(friction=0.8),),
        robots=(robot,),
        objects=objects,
    )
    return Simulation(world, seed=seed)


def put(sim, x=0.0, y=0.0, z=0.09, **turn) -> None:
    """Stand the robot somewhere."""
    sim.apply(SetPose("a", Pose.at(x, y, z, **turn)))
    mujoco.mj_kinematics(sim.model, sim.data)


def reader(sim, name, seed=0):
    """Return a call that reads a sensor again and again without time passing."""
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
