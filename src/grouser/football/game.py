"""One game between two teams of players, in one process.

Players receive what a client on the network receives: pictures, joint angles, radio messages and
the referee's announcements. The simulation waits for them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from grouser.errors import BadValue
from grouser.football.own_motion import HEIGHT
from grouser.football.player import PERIOD, Footballer, Tactics
from grouser.football.player_io import (
    Picture,
    PlayerCommand,
    PlayerInput,
    PlayerSetup,
    Role,
    Whistle,
)
from grouser.frames import degrees, rotate
from grouser.perception.landmarks import beacon_name, post_name
from grouser.perception.localise import FieldMap
from grouser.service.radio import Radio
from grouser.simulation.changes.actions import SetGaitParameters
from grouser.simulation.script.referee import Referee
from grouser.simulation.simulation import Simulation
from grouser.world.match import Match, Team
from grouser.world.terrain import league_field

POSSESSION_WITHIN = 0.35
"""Distance of a robot from the ball up to which it may possess it, m."""
UPRIGHT = 0.5
"""Cosine of the tilt of a robot that has not fallen: 60 deg."""


def field_map(field: league_field.LeagueField) -> FieldMap:
    """Return the landmarks of a field."""
    places = {beacon_name(b.upper, b.lower): (b.x, b.y) for b in field.beacons}
    for goal in league_field.GOALS:
        for side, post in zip(("left", "right"), goal.posts, strict=True):
            places[post_name(goal.colour, side)] = post
    return FieldMap(landmarks=places, length=league_field.LENGTH, width=league_field.WIDTH)


def player_setups(match: Match, fields: FieldMap, seed: int) -> dict[str, PlayerSetup]:
    """Return the setup of every player of a match."""
    setups = {}
    for team in match.teams:
        for number, player in enumerate(team.players):
            side = -team.side  # rotates the positions into the team's frame
            setups[player.robot] = PlayerSetup(
                robot=player.robot,
                mates=tuple(p.robot for p in team.players if p is not player),
                role=_role(team, number),
                attacks="sky_blue" if team.defends == "yellow" else "yellow",
                kicks=(side * player.kicks[0], side * player.kicks[1]),
                waits=(side * player.waits[0], side * player.waits[1]),
                field_map=fields,
                seed=seed + number,
            )
    return setups


def _role(team: Team, number: int) -> Role:
    """Return the role of a player: the one that waits in the goal keeps it, every third defends."""
    player = team.players[number]
    if abs(player.waits[0]) > league_field.LENGTH / 2 - league_field.PENALTY[0]:
        return "goalie"
    field_players = [
        p
        for p in team.players
        if abs(p.waits[0]) <= league_field.LENGTH / 2 - league_field.PENALTY[0]
    ]
    deepest = max(field_players, key=lambda p: abs(p.waits[0]))
    return "defender" if player is deepest and len(field_players) > 2 else "attacker"


@dataclass
class GameStatistics:
    """Counts of one game."""

    goals: dict[str, int]
    """By team."""
    falls: dict[str, int]
    possession: dict[str, float]
    """Time in which a robot of the team was the nearest to the ball, within
    `POSSESSION_WITHIN`, s."""
    kicks: dict[str, int]
    throw_ins: int = 0
    penalties: int = 0
    played: float = 0.0
    """Playing time, s."""
    simulated: float = 0.0
    """Simulated time, s."""
    scored_at: list[tuple[float, str]] = field(default_factory=list)
    """Simulated time (s) and team of every goal."""


class FootballGame:
    """A running game; `step` advances it by one turn of the players."""

    def __init__(
        self,
        simulation: Simulation,
        tactics: Mapping[str, Tactics] | None = None,
        *,
        robots: Collection[str] | None = None,
        seed: int = 0,
    ) -> None:
        """Assign players to the robots of the match.

        Args:
            simulation: a world with a match.
            tactics: tactics of the teams, by their names; None: the default ones.
            robots: robots with players; None: all.
            seed: seed of the players' random numbers.

        Raises:
            BadValue: the world has no match.
        """
        match = simulation.world.match
        if match is None:
            raise BadValue("game: this world has no match, such as match_2v2")
        terrain = simulation.world.terrain
        fields = next(t for t in terrain if isinstance(t, league_field.LeagueField))
        chosen = tactics or {}
        self.simulation, self.match = simulation, match
        self._radio = Radio(simulation)
        setups = player_setups(match, field_map(fields), seed)
        self.team = {p.robot: team.name for team in match.teams for p in team.players}
        self.players = {
            name: Footballer(setup, chosen.get(self.team[name]))
            for name, setup in setups.items()
            if robots is None or name in robots
        }
        for name in self.players:
            simulation.apply(SetGaitParameters(name, {"height": HEIGHT}))
        names = match.names
        self.statistics = GameStatistics(
            goals=dict.fromkeys(names, 0),
            falls=dict.fromkeys(names, 0),
            possession=dict.fromkeys(names, 0.0),
            kicks=dict.fromkeys(names, 0),
        )
        self.messages: list[tuple[float, str]] = []
        """Simulated time (s) and text of the referee's messages."""
        self._inbox: dict[str, list[tuple[str, bytes]]] = {name: [] for name in self.team}
        self._picture_times: dict[str, float] = {}
        self._lying: set[str] = set()
        self._kicking: set[str] = set()

    @property
    def finished(self) -> bool:
        """True after the last half."""
        return self._referee.game.state == "finished"

    @property
    def _referee(self) -> Referee:
        referee = self.simulation.events.referee
        if referee is None:  # worlds with a match have one
            raise BadValue("game: this world has no match, such as match_2v2")
        return referee

    def step(self) -> None:
        """Let all players act, and simulate `PERIOD`."""
        self.act()
        self.simulation.step(PERIOD)
        self.count()

    def act(self) -> None:
        """Let all players act; no time passes."""
        for receiver, signal in self._radio.arrived():
            self._inbox[receiver].append((signal.sender, signal.data))
        commands = {name: player.act(self._input(name)) for name, player in self.players.items()}
        for name, command in commands.items():
            self._carry_out(name, command)

    def _input(self, robot: str) -> PlayerInput:
        simulation = self.simulation
        encoder = simulation.read(robot, "encoder")
        shot = simulation.read(robot, "camera")
        picture = None
        if self._picture_times.get(robot) != shot.time and self._needs_picture(robot):
            self._picture_times[robot] = shot.time
            picture = Picture(image=shot["image"], time=shot.time)
        radio, self._inbox[robot] = self._inbox[robot], []
        return PlayerInput(
            time=simulation.time,
            joints={name: float(encoder[name]) for name in ("neck", "pan", "nod")},
            picture=picture,
            radio=radio,
            whistle=self._whistle(robot),
        )

    def _needs_picture(self, robot: str) -> bool:
        if not self.players[robot].wants_picture:
            return False
        return self._referee.game.state in ("set", "playing")

    def _whistle(self, robot: str) -> Whistle:
        game = self._referee.game
        return Whistle(game.state, game.half, game.kicking == self.team[robot], robot in game.out)

    def _carry_out(self, robot: str, command: PlayerCommand) -> None:
        words = {
            "forward": command.forward,
            "sideways": command.left,
            "turn": command.turn,
            "neck_deg": degrees(command.neck),
            "pan_deg": degrees(command.pan),
            "nod_deg": degrees(command.nod),
        }
        if command.kick is not None:
            words["kick"] = 1.0 if command.kick == "left" else -1.0
            if robot not in self._kicking:
                self.statistics.kicks[self.team[robot]] += 1
            self._kicking.add(robot)
        else:
            self._kicking.discard(robot)
        self.simulation.command(robot, words)
        if command.radio is not None:
            for receiver, signal in self._radio.transmit(robot, command.radio, None):
                self._inbox[receiver].append((signal.sender, signal.data))

    # -- statistics --------------------------------------------------------------------------

    def count(self) -> None:
        """Update the statistics after `PERIOD` was simulated."""
        simulation, counts = self.simulation, self.statistics
        simulation.drain_readings()
        for event in simulation.drain_events():
            if event.kind != "message":
                continue
            self.messages.append((event.time, event.text))
            word = event.text.partition(":")[0]
            if word == "goal":
                counts.scored_at.append((simulation.time, event.text.split()[1]))
            elif word == "throw-in":
                counts.throw_ins += 1
            elif word == "penalty":
                counts.penalties += 1
        counts.goals = dict(self._referee.game.score)
        counts.simulated = simulation.time
        self._count_falls()
        if self._referee.game.state == "playing":
            counts.played += PERIOD
            self._count_possession()

    def _count_falls(self) -> None:
        for name in self.team:
            up = rotate(self.simulation.pose(name).wxyz, [0.0, 0.0, 1.0])
            lying = float(up[2]) < UPRIGHT
            if lying and name not in self._lying:
                self.statistics.falls[self.team[name]] += 1
            (self._lying.add if lying else self._lying.discard)(name)

    def _count_possession(self) -> None:
        ball = self.simulation.pose(self.match.ball).position
        far = {
            name: float(np.hypot(*(self.simulation.pose(name).position - ball)[:2]))
            for name in self.team
        }
        nearest = min(far, key=lambda name: far[name])
        if far[nearest] < POSSESSION_WITHIN:
            self.statistics.possession[self.team[nearest]] += PERIOD
