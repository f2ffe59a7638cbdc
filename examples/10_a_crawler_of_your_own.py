"""Parametric crawler: triangular tracks and soft trapezoid grousers, described by options only.

Pulleys, grousers, drives and the track method of a ``crawler`` are options. Three track methods
drive against the same kerb: the belts climb it (``segments``, ``surface``), wheels get stuck.
"""

import grouser
from grouser.trials import Goal
from grouser.world import STANDARD, Flat, RobotEntry, Step, World

OPTIONS = {
    "mass": 15.0,
    "gauge": 0.36,
    "width": 0.08,
    "pulleys": [[-0.22, 0, 0.06], [0.22, 0, 0.06], [0, 0.10, 0.04]],  # x, z, radius
    "grouser": {"shape": "trapezoid", "top": 0.004, "base": 0.012, "height": 0.012},
    "count": 36,
    "wheels": 5,
}


def kerb_trial(method: str) -> grouser.Trial:
    """Return a trial of one track method on a kerb of 60 mm."""
    crawler = RobotEntry(
        name="crawler",
        kind="crawler",
        position=(0.0, 0.0, 0.0),
        options={**OPTIONS, "method": method},
        contact={"frequency": 200.0},  # rad/s, bounce frequency: deflection g/200² = 0.25 mm
        command={"forward": 0.2},
    )
    terrain = (Flat(friction=0.7), Step(x=0.5, height=0.06, friction=0.7))
    world = World(name="kerb", physics=STANDARD, terrain=terrain, robots=(crawler,))
    goal = Goal(x=0.8, z=0.06)
    return grouser.Trial(world=world, robot="crawler", limit=8.0, goal=goal, stuck_after=2.0)


methods = ("segments", "surface", "wheels")
for method, outcome in zip(
    methods, grouser.run_trials([kerb_trial(m) for m in methods]), strict=True
):
    print(f"{method:10s} {outcome.verdict:10s} after {outcome.time:.1f} s, {outcome.work:.0f} J")
