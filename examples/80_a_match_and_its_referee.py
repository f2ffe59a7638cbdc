"""Football match with a referee: one attacker against three defenders and a goalie.

The goalie is penalised for 30 s, the attacker shoots, the referee counts the goal, blue kicks off.
The attacker uses true poses; a real player has only its sensors. Prints the referee's messages and
writes ``match.png``.
"""

import math

import grouser
from grouser.frames import Pose, to_rpy
from grouser.rendering import write_png
from grouser.service import Console

BALL_AHEAD, BALL_LEFT = 0.158, 0.063  # m, ball position for a kick with the left fore paw
VEER = 0.1  # rad, direction of such a kick, to the right of the heading
NEAR = (0.012, 0.012, 0.04)  # m, m, rad: accepted pose error before the kick

world = grouser.load("match_1v3", ["match.ready=2.0", "match.hold=1.0"])
simulation = grouser.Simulation(world)
console = Console(simulation)


def step(seconds: float) -> None:
    """Simulate, and print messages."""
    simulation.step(seconds)
    for event in simulation.drain_events():
        if event.kind == "message":
            print(event)


def ground_pose(pose: Pose) -> Pose:
    """Return position and heading only."""
    x, y, _ = pose.position
    return Pose.at(x, y, yaw=to_rpy(pose.wxyz)[2])


def pose_error(goal: tuple[float, float]) -> tuple[float, float, float]:
    """Return the attacker's error from the kick pose: ahead, left (m), turn (rad)."""
    (x, y, _), me = simulation.pose("ball").position, simulation.pose("red_attacker")
    heading = math.atan2(goal[1] - y, goal[0] - x) + VEER
    stand = Pose.at(x, y, yaw=heading) @ Pose.at(-BALL_AHEAD, -BALL_LEFT)
    error = ground_pose(me).inverse() @ stand
    return error.position[0], error.position[1], to_rpy(error.wxyz)[2]


def shoot(goal: tuple[float, float]) -> None:
    """Walk to the ball with decreasing speed, stop, and kick."""
    for _ in range(200):
        error = pose_error(goal)
        if all(abs(part) < near for part, near in zip(error, NEAR, strict=True)):
            break
        ahead, left, turn = (1.2 * part for part in error)
        walk = {"forward": min(0.25, ahead), "sideways": max(-0.12, min(0.12, left)), "turn": turn}
        simulation.command("red_attacker", walk)
        step(0.1)
    simulation.command("red_attacker", forward=0, sideways=0, turn=0)
    step(0.5)
    simulation.command("red_attacker", kick=1)
    step(2.5)


console.execute("start")
step(3.1)  # ready, set, playing
console.execute("penalty blue_goalie")
console.execute("move ball to 1.65 0.25 0.0425")  # a free kick shortens the example
console.execute("move red_attacker to 1.3 0.25 0")
shoot((2.3, 0.05))

with grouser.Renderer(960, 540) as renderer:
    write_png("match.png", renderer.picture(simulation.model, simulation.data, simulation.view()))
step(2.5)  # blue's kick-off
print(console.execute("score"))
print(console.execute("where ball"))
print("picture: match.png")
