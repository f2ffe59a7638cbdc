"""Kenaf crosses rubble where the straight way is a trap that geometry cannot see.

A sheet of wet steel leans over the middle of the field like a roof. It is smooth and gentle enough
to stand on, so a planner that knows shapes leads straight over it; rubble on both sides looks
worse. Physics knows better: belts that find a friction of 0.15 do not climb 24 degrees. What the
first round's trials fail at is what the second round plans around, over the rubble, flippers up.
"""

import numpy as np

from grouser.trials import plan, plan_task
from grouser.world import STANDARD, Flat, Ridge, RobotEntry, Rubble, World

world = World(
    name="a trap in the rubble",
    physics=STANDARD.model_copy(update={"timestep": 0.002}),
    terrain=(
        Flat(friction=0.7),
        Rubble(x=0.7, length=1.0, width=2.6, height=0.05, seed=3, friction=0.7),
        Ridge(x=1.2, length=1.1, height=0.25, width=0.9, friction=0.15),  # estimate: wet steel
    ),
    robots=(
        RobotEntry(
            name="kenaf",
            kind="kenaf",
            position=(0.0, 0.0, 0.0),
            options={"front_deg": 45, "rear_deg": 45},
        ),
    ),
)
task = plan_task.plan_task(
    world, "kenaf", (0.0, 0.0), (2.4, 0.0), bounds=(-0.4, -1.4, 2.8, 1.4), limit=40.0
)


def watch(at: plan.PlanProgress) -> None:
    """SendMessage how far it is."""
    print(f"round {at.round}: {at.finished} of {at.of} trials")


result = plan.plan(task, plan.PlanSettings(candidates=3, trials=1, rounds=2), watch=watch)
for record in result.records:
    aside = float(np.abs(record.path.waypoints[:, 1]).max())
    print(
        f"{record.source} (round {record.found_in}), {record.path.length:.2f} m, "
        f"up to {aside:.2f} m aside: {record.verdicts()}"
    )
best = result.best
if best is None or best.energy is None:
    raise SystemExit("nobody arrived")
print(f"chosen: {best.path.length:.2f} m, {best.energy:.0f} J, found in round {best.found_in}")
