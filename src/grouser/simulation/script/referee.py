"""The referee of a football match: what is heard in, actions out.

A state machine without a world, a socket or a clock of its own. It hears what volumes say ("the
ball is in the yellow goal"), what people say (``kickoff blue``) and what clocks say that it has set
itself; it answers with actions: somebody is put somewhere, something is said, a clock is set. All
it says begins with one word that programs can go by: the new state (``initial``, ``ready``,
``set``, ``playing``, ``finished``), or ``goal``, ``throw-in``, ``penalty``, ``back``, ``lifted``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, rotate, to_rpy
from grouser.simulation.changes.actions import Action, Delayed, Move, RefereeCall, Restart, Say
from grouser.simulation.script.game import Game, State
from grouser.world.match import Match, Spot, Stand
from grouser.world.terrain.league_field import BALL_RADIUS

NAME = "referee"
NEVER = -1
"""The call of a state that no clock ends."""
LOOK_EVERY = 0.5
"""How often the referee looks for robots that have fallen, s."""
UPRIGHT = 0.5
"""A robot lies when its own up points less far up than this (cosine): tilted by over 60 deg."""

Places = Mapping[str, Pose]
"""Where every robot and the ball are; who has left the world is missing."""


class Referee:
    """Looks after one match, from one reset to the next."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.game = Game(match.first, dict.fromkeys(match.names, 0))
        self._lying: dict[str, float] = {}
        """Who lies, and since when, s."""

    def start(self) -> list[Action]:
        """Return what is done before the first step."""
        actions: list[Action] = []
        if self.match.begins is not None:
            actions += self._clock(self.match.begins)
        if self.match.lift_after is not None:
            actions.append(Delayed(LOOK_EVERY, RefereeCall("look")))
        return actions

    def handle(self, call: RefereeCall, time: float, places: Places) -> list[Action]:
        """Return what is done about something heard at ``time`` (s).

        Raises:
            BadValue: somebody asks for what cannot be in this state.
            UnknownName: there is no such team, or no such player.
        """
        match call.order:
            case "next":
                return self._next(time, places) if call.number == self.game.clock else []
            case "start":
                return self._begin(time, places)
            case "stop":
                return self._stop(time)
            case "kickoff":
                return self._kickoff(self._team(call.who), time)
            case "goal":
                self._must_go_on("goal")
                return self._goal(self._team(call.who), time)
            case "ball":
                return self._ball(call.who, time, places)
            case "penalty":
                return self._penalty(self._player(call.who), call.seconds, places)
            case "pardon":
                return self._pardon(self._player(call.who), call.number, places)
            case "half" | "finish":
                self._must_go_on(call.order)
                return self._end(time, last=call.order == "finish")
            case "look":
                return self._look(time, places)

    # -- the course of a game --------------------------------------------------------------------

    def _next(self, time: float, places: Places) -> list[Action]:
        """Go on from a state whose time is over."""
        match self.game.state:
            case "initial":
                return self._enter("ready", time)
            case "ready":
                return self._enter("set", time) + self._line_up(places)
            case "set":
                return self._enter("playing", time)
            case "playing":
                return self._end(time)
            case "finished":
                return []

    def _begin(self, time: float, places: Places) -> list[Action]:
        self._must_go_on("start")
        if self.game.state == "playing":
            raise BadValue("start: the game is on already")
        return self._next(time, places)

    def _stop(self, time: float) -> list[Action]:
        """Let everybody stand where they are until somebody says ``start``."""
        if self.game.state != "playing":
            raise BadValue(f"stop: nobody plays, the state is {self.game.state}")
        self.game = replace(
            self.game, state="set", since=time, played=self.game.elapsed(time), clock=NEVER
        )
        return [self._say(f"set: the game is stopped, half {self.game.half}, {self.game.result}")]

    def _kickoff(self, team: str, time: float) -> list[Action]:
        self._must_go_on("kickoff")
        self.game = replace(self.game, kicking=team)
        return self._enter("ready", time)

    def _goal(self, team: str, time: float) -> list[Action]:
        """Count a goal; those who were scored against kick off."""
        score = dict(self.game.score)
        score[team] += 1
        self.game = replace(self.game, score=score, kicking=self.match.other(team))
        return [self._say(f"goal: {team} scores, {self.game.result}"), *self._enter("ready", time)]

    def _end(self, time: float, *, last: bool = False) -> list[Action]:
        """End a half; after the last one, the game."""
        if last or self.game.half >= self.match.halves:
            return self._enter("finished", time)
        kicking, half = self.match.other(self.match.first), self.game.half + 1
        self.game = replace(
            self.game, state="initial", since=time, half=half, played=0.0, kicking=kicking
        )
        return [self._said(), *self._clock(self.match.half_time)]

    def _enter(self, state: State, time: float) -> list[Action]:
        """Say that another state begins, and set the clock that ends it."""
        played = self.game.elapsed(time)
        self.game = replace(self.game, state=state, since=time, played=played, clock=NEVER)
        left = {
            "ready": self.match.ready,
            "set": self.match.hold,
            "playing": max(0.0, self.match.half - played),
        }
        clock = self._clock(left[state]) if state in left else []
        return [self._said(), *clock]

    def _clock(self, seconds: float) -> list[Action]:
        """Set the clock that ends the present state."""
        call = self._call()
        self.game = replace(self.game, clock=call)
        return [Delayed(seconds, RefereeCall("next", number=call))]

    # -- who is where ----------------------------------------------------------------------------

    def _line_up(self, places: Places) -> list[Action]:
        """Put everybody who is in the game at kick-off places, and the ball in the middle."""
        stands = self.match.formation(self.game.kicking, self.game.changed)
        actions: list[Action] = []
        for robot, stand in stands.items():
            if robot in places and robot not in self.game.out:
                actions += _put(robot, stand)
        return actions + self._put_ball((0.0, 0.0), places)

    def _ball(self, where: str, time: float, places: Places) -> list[Action]:
        """Judge a ball that has gone into a goal or out of the field."""
        if self.game.state != "playing":
            return []  # it counts for nothing
        if where != "out":
            return self._goal(self.match.attacker(where, self.game.changed), time)
        if time == self.game.thrown or self.match.ball not in places:
            return []  # two volumes have seen the same ball
        self.game = replace(self.game, thrown=time)
        spot = self.match.restart(_spot(places[self.match.ball]), self._taken(places))
        said = f"throw-in: the ball is put at x {spot[0]:.2f}, y {spot[1]:.2f} m"
        return [self._say(said), *self._put_ball(spot, places)]

    def _put_ball(self, spot: Spot, places: Places) -> list[Action]:
        if self.match.ball not in places:
            return []
        return [Move(self.match.ball, *spot, BALL_RADIUS)]

    def _penalty(self, robot: str, seconds: float | None, places: Places) -> list[Action]:
        """Take a robot out; the time of one who is out already begins anew."""
        seconds = self.match.penalty if seconds is None else seconds
        call = self._call()
        self.game = replace(self.game, out={**self.game.out, robot: call})
        put = _put(robot, self.match.bench(robot, self.game.changed)) if robot in places else []
        back = Delayed(seconds, RefereeCall("pardon", robot, number=call))
        return [self._say(f"penalty: {robot} is out for {seconds:g} s"), *put, back]

    def _pardon(self, robot: str, call: int | None, places: Places) -> list[Action]:
        """Let a robot come back; ``call``: whose clock says so, None: somebody does."""
        if robot not in self.game.out:
            if call is None:
                raise BadValue(f"pardon: {robot} is not out")
            return []
        if call not in (None, self.game.out[robot]):
            return []
        out = {name: since for name, since in self.game.out.items() if name != robot}
        self.game = replace(self.game, out=out)
        said = self._say(f"back: {robot} may play")
        if robot not in places:
            return [said]
        ball = _spot(places[self.match.ball]) if self.match.ball in places else (0.0, 0.0)
        taken = [*self._taken(places, without=robot), ball]
        return [said, *_put(robot, self.match.comeback(robot, self.game.changed, ball, taken))]

    def _look(self, time: float, places: Places) -> list[Action]:
        """Stand up who has lain for too long."""
        actions: list[Action] = [Delayed(LOOK_EVERY, RefereeCall("look"))]
        for robot in self.match.robots:
            if robot not in places or rotate(places[robot].wxyz, [0.0, 0.0, 1.0])[2] >= UPRIGHT:
                self._lying.pop(robot, None)
                continue
            since = self._lying.setdefault(robot, time)
            if self.match.lift_after is not None and time - since >= self.match.lift_after - 1e-9:
                del self._lying[robot]
                yaw = float(to_rpy(places[robot].wxyz)[2])
                actions += [self._say(f"lifted: {robot} stands again")]
                actions += _put(robot, (*_spot(places[robot]), yaw))
        return actions

    def _taken(self, places: Places, without: str = "") -> list[Spot]:
        """Return where robots are, but for one."""
        others = (name for name in places if name not in (self.match.ball, without))
        return [_spot(places[name]) for name in others]

    # -- words -----------------------------------------------------------------------------------

    def _said(self) -> Action:
        game, limit = self.game, self.match.half
        teams = f"{game.kicking} kicks off, "
        said = {
            "initial": f"initial: half {game.half} comes, {teams}{game.result}",
            "ready": f"ready: {teams}half {game.half}, {game.result}",
            "set": f"set: {teams}half {game.half}, {game.result}",
            "playing": f"playing: half {game.half}, {limit - game.played:.0f} s left",
            "finished": f"finished: {game.result}",
        }
        return self._say(said[game.state])

    def _say(self, text: str) -> Action:
        return Say(text, NAME)

    def _call(self) -> int:
        """Return a number that no clock has had before."""
        self.game = replace(self.game, calls=self.game.calls + 1)
        return self.game.calls

    def _must_go_on(self, order: str) -> None:
        if self.game.state == "finished":
            raise BadValue(f"{order}: the game is over ({self.game.result}), 'reset' starts anew")

    def _team(self, name: str) -> str:
        if name not in self.match.names:
            raise unknown(NAME, "team", name, self.match.names)
        return name

    def _player(self, name: str) -> str:
        if name not in self.match.robots:
            raise unknown(NAME, "player", name, self.match.robots)
        return name


def _put(robot: str, stand: Stand) -> list[Action]:
    """Put a robot on its feet somewhere, at rest, whatever it was doing."""
    x, y, yaw = stand
    return [Restart(robot), Move(robot, x, y, 0.0, yaw)]


def _spot(pose: Pose) -> Spot:
    x, y, _ = pose.position.tolist()
    return x, y
