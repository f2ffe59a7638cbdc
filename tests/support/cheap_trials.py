"""Cheap trials of different length for tests of runners and sweeps."""

from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def cheap_trials(count: int) -> list[Trial]:
    """Return trials of a PackBot without grousers on flat ground, 0.1 to 0.6 s long."""
    robot = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0))
    physics = STANDARD.model_copy(update={"timestep": 0.002})
    world = World(name="flat", physics=physics, terrain=(Flat(friction=0.6),), robots=(robot,))
    return [
        Trial(
            world=world,
            robot="packbot",
            limit=0.1 + 0.5 * (number % 17) / 16,
            schedule=((0.0, {"forward": 0.1 + 0.3 * number / count}),),
            case={"number": number},
        )
        for number in range(count)
    ]
