"""One attacker against three defenders and a goalie, and a referee who knows the rules.

The goalie is taken out for 30 s, the attacker shoots, the referee counts, blue kicks off. The
attacker looks at where things really are; one of your own has only its sensors. Run it from
anywhere; it prints what the referee says and writes ``match.png``.
"""

import math

import grouser
from grouser.frames import Pose, to_rpy
from grouser.rendering import write_png
from grouser.service import Console

BALL_AHEAD, BALL_LEFT = 0.158, 0.063  # m   where a kick with the left fore paw wants the ball
VEER = 0.1  # rad   how far to the right of its heading such a kick sends it
NEAR = (0.012, 0.012, 0.04)  # m, m, rad   how well the attacker stands before it kicks

world = grouser.load("match_1v3", ["match.ready=2.0", "match.hold=1.0"])
simulation = grouser.Simulation(world)
console = Console(simulation)


def step(seconds: float) -> None:
    """Let time pass and print what was said."""
    simulation.step(seconds)
    for happened in simulation.drain_events():
        if happened.kind == "message":
            print(happened)


def on_the_ground(pose: Pose) -> Pose:
    """Return place and heading alone."""
    x, y, _ = pose.position
    return Pose.at(x, y, yaw=to_rpy(pose.wxyz)[2])


def missing(goal: tuple[float, float]) -> tuple[float, float, float]:
    """Return how far (ahead, to the left: m; to be turned: rad) the attacker is from a shot."""
    (x, y, _), me = simulation.pose("ball").position, simulation.pose("red_attacker")
    heading = math.atan2(goal[1] - y, goal[0] - x) + VEER
    stand = Pose.at(x, y, yaw=heading) @ Pose.at(-BALL_AHEAD, -BALL_LEFT)
    way = on_the_ground(me).inverse() @ stand
    return way.position[0], way.position[1], to_rpy(way.wxyz)[2]


def shoot(goal: tuple[float, float]) -> None:
    """Walk up to the ball, slower and slower, stand, and kick."""
    for _ in range(200):
        way = missing(goal)
        if all(abs(part) < near for part, near in zip(way, NEAR, strict=True)):
            break
        ahead, left, turn = (1.2 * part for part in way)
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
console.execute("move ball to 1.35 0.3 0.0425")  # a free kick, so that this does not take long
console.execute("move red_attacker to 0.75 0.3 0")
shoot((2.3, 0.05))

with grouser.Renderer(960, 540) as renderer:
    write_png("match.png", renderer.picture(simulation.model, simulation.data, simulation.view()))
step(2.5)  # blue's kick-off
print(console.execute("score"))
print(console.execute("where ball"))
print("picture: match.png")
