"""Football match with a referee: one attacker against three defenders and a goalie.

The goalie is penalised for 30 s and the ball is placed before the goal. The attacker finds ball and
goal by its camera and kicks; the referee counts the goal, blue kicks off. The other robots stand
still. Prints the referee's messages and writes ``match.png``.
"""

import grouser
from grouser.football import FootballGame
from grouser.rendering import write_png
from grouser.service import Console

ATTACKER = "red_attacker"
LIMIT = 30.0  # s, simulated time for the shot

world = grouser.load("match_1v3", ["match.ready=2.0", "match.hold=1.0"])
simulation = grouser.Simulation(world)
console = Console(simulation)
game = FootballGame(simulation, robots=[ATTACKER])


def play(seconds: float) -> None:
    """Let the player act, and print the referee's messages; a goal ends it."""
    until = simulation.time + seconds
    while simulation.time < until and not game.statistics.scored_at:
        game.step()
        while game.messages:
            time, text = game.messages.pop(0)
            print(f"{time:5.1f} s   {text}")


console.execute("start")
play(3.1)  # ready, set, playing
console.execute("penalty blue_goalie")
console.execute("move ball to 1.65 0.25 0.0425")  # a free kick shortens the example
console.execute(f"move {ATTACKER} to 1.3 0.25 0")
game.players[ATTACKER].sight.displace()  # the player does not know where it was put
play(LIMIT)

with grouser.Renderer(960, 540) as renderer:
    write_png("match.png", renderer.picture(simulation.model, simulation.data, simulation.view()))
simulation.step(2.5)  # blue's kick-off
print(console.execute("score"))
print(console.execute("where ball"))
print("picture: match.png")
