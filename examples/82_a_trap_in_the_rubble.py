"""Plan loop on rubble with a trap that geometry does not reveal.

A roof-shaped sheet of wet steel lies in the middle of the field. Its slope of 24 degrees is valid
for a geometric planner, which prefers it to the rubble on both sides. At a friction of 0.15 Kenaf
cannot climb it: all trials of round 1 fail, and round 2 plans around it, over the rubble.
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
    """Print the progress."""
    print(f"round {at.round}: {at.finished} of {at.of} trials")


result = plan.plan(task, plan.PlanSettings(candidates=3, trials=1, rounds=2), watch=watch)
for record in result.records:
    offset = float(np.abs(record.path.waypoints[:, 1]).max())
    print(
        f"{record.source} (round {record.found_in}), {record.path.length:.2f} m, "
        f"lateral offset up to {offset:.2f} m: {record.verdicts()}"
    )
best = result.best
if best is None or best.energy is None:
    raise SystemExit("no trial arrived")
print(f"chosen: {best.path.length:.2f} m, {best.energy:.0f} J, found in round {best.found_in}")
