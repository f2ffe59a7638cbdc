"""An AIBO ERS-7 walks to a ball, stops, and kicks it.

Prints the positions of the robot and the ball, and writes ``aibo.png``.
"""

import grouser
from grouser.rendering import write_png

simulation = grouser.Simulation(
    grouser.load(
        "aibo_kick", ["objects.ball.position=[0.558, 0.063, 0.0425]", "robots.rex.command={}"]
    )
)


def command_and_report(seconds: float, **command: float) -> None:
    """Command ``rex``, simulate, and print the positions."""
    simulation.command("rex", command)
    simulation.step(seconds)
    robot, ball = (simulation.pose(name).position for name in ("rex", "ball"))
    print(
        f"{simulation.time:5.2f} s   {command}   rex is at x {robot[0]:.3f} m, "
        f"the ball at x {ball[0]:.3f} m"
    )


# Walk until the ball is where the left paw kicks: 158 mm ahead, 63 mm to the left. The robot stops
# within 30 mm.
while (ball := simulation.pose("rex").inverse().apply(simulation.pose("ball").position))[0] > 0.19:
    simulation.command("rex", forward=0.12, sideways=ball[1] - 0.063)
    simulation.step(0.1)
command_and_report(1.5, forward=0.0)
paws = [leg for leg in ("lf", "lh", "rf", "rh") if simulation.read("rex", f"paw_{leg}")["touch"]]
print(
    f"standing on {len(paws)} paws; the chest's infrared sensor measures "
    f"{simulation.read('rex', 'ir_chest')['range']:.2f} m to the floor"
)
command_and_report(4.0, kick=1)
command_and_report(0.5, pan_deg=40)  # a joint by name, in degrees

with grouser.Renderer(960, 540) as renderer:
    write_png("aibo.png", renderer.picture(simulation.model, simulation.data, simulation.view()))
print("picture: aibo.png")
