"""Football over the network: a player on every robot of a served match, in lockstep.

Prints the referee's messages. ``--server HOST`` uses a running server of ``match_2v2``,
``--seconds`` is the simulated time.
"""

import argparse
from contextlib import ExitStack

import grouser
from grouser.client import serving
from grouser.football import RemoteFootballer, field_map, player_setups
from grouser.world import LeagueField

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
parser.add_argument("--seconds", type=float, default=12.0)
given = parser.parse_args()

WORLD = "match_2v2"
RULES = ("match.begins=0.5", "match.ready=1.0", "match.hold=1.0")
match = grouser.load(WORLD).match
setups = player_setups(match, field_map(LeagueField(year=2004)), seed=0)
teams = {player.robot: team.name for team in match.teams for player in team.players}
options = [word for rule in RULES for word in ("--set", rule)]
options += ["--speed", "max", "--picture-type", "raw", "--longest-wait", "60"]
options += ["--players", str(len(setups))]  # time begins when all have joined

with ExitStack() as stack:
    ports = stack.enter_context(serving(WORLD, *options, at=given.server))
    players = {
        name: stack.enter_context(RemoteFootballer(setup, teams[name], ports))
        for name, setup in setups.items()
    }
    time, printed = 0.0, 0
    while time < given.seconds:
        time = min(player.step() for player in players.values())
        doing = {name: player.player.doing for name, player in players.items()}
        first = next(iter(players.values()))
        for notice in first.robot.notices[printed:]:
            print(f"{time:5.1f} s   {notice.text}")
        printed = len(first.robot.notices)
    print(", ".join(f"{name}: {what}" for name, what in doing.items()))
