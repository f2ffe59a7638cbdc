"""Referee of a football match: a state machine with calls as inputs and actions as outputs.

It has no world, socket or clock. Inputs come from trigger volumes ("the ball is in the yellow
goal"), from people (``kickoff blue``) and from timers that it has set. Outputs move robots and the
ball, send messages and set timers. Every message begins with a word for programs: the new state
(``initial``, ``ready``, ``set``, ``playing``, ``finished``), or ``goal``, ``throw-in``,
``in``, ``penalty``, ``back``, ``lifted``, ``dropped``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, rotate, to_rpy
from grouser.simulation.changes.actions import (
    Action,
    Delayed,
    Move,
    RefereeCall,
    Restart,
    SendMessage,
)
from grouser.world.match import STUCK_WITHIN, Match, Spot, Stand
from grouser.world.terrain.league_field import BALL_RADIUS

State = Literal["initial", "ready", "set", "playing", "finished"]
"""States of RoboCup's game controller: before the game; robots walk to their positions; robots
stand still; play; game over."""


@dataclass(frozen=True)
class Game:
    """State of a game; replaced by the referee only."""

    kicking: str
    """The team that kicks off next, or did last."""
    score: Mapping[str, int]
    """Goals by team, in the match's order."""
    state: State = "initial"
    since: float = 0.0
    """Simulated time at which the state began, s."""
    half: int = 1
    played: float = 0.0
    """Playing time of this half until `since`, s."""
    calls: int = 0
    """Number of timers that were set."""
    clock: int = 0
    """Number of the timer that ends this state; earlier ones are ignored."""
    out: Mapping[str, int] = field(default_factory=dict)
    """Robots that are out, and the number of the timer that ends their penalty."""
    thrown: float = -math.inf
    """Time of the last throw-in, s."""
    followed: bool = False
    """True: a GameController decides on states, goals and penalties."""

    @property
    def changed(self) -> bool:
        """True in the second half: the teams have changed ends."""
        return self.half == 2

    def elapsed(self, time: float) -> float:
        """Return the playing time of this half at ``time``, s."""
        return self.played + (time - self.since if self.state == "playing" else 0.0)

    @property
    def result(self) -> str:
        """Score as text: ``red 1 : 0 blue``."""
        (one, goals), (two, others) = self.score.items()
        return f"{one} {goals} : {others} {two}"

    def summary(self, time: float) -> str:
        """Return the state at ``time`` as one line of text."""
        parts = [f"half {self.half}", f"{self.elapsed(time):.0f} s played", self.result]
        if self.state in ("initial", "ready", "set"):
            parts.append(f"{self.kicking} kicks off")
        if self.out:
            parts.append(f"{' and '.join(self.out)} out")
        return f"{self.state}: {', '.join(parts)}"


NAME = "referee"
STATES: tuple[State, ...] = ("initial", "ready", "set", "playing", "finished")
"""All states."""
NEVER = -1
"""Number of the timer of a state without a time limit."""
FALL_CHECK_PERIOD = 0.5
"""Time between two checks for fallen robots, s."""
UPRIGHT = 0.5
"""Cosine of the tilt from which on a robot has fallen: 60 deg."""

Places = Mapping[str, Pose]
"""Poses of all robots and of the ball that are in the world."""


class Referee:
    """Referee of one match, from one reset to the next."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.game = Game(match.first, dict.fromkeys(match.names, 0))
        self._lying: dict[str, float] = {}
        """Fallen robots -> time of the fall, s."""
        self._ball_since: tuple[Spot, float] | None = None
        """Position of the ball, and the time since which it is near it, s; None: no play."""

    def start(self) -> list[Action]:
        """Return the actions before the first step."""
        actions: list[Action] = []
        if self.match.begins is not None:
            actions += self._clock(self.match.begins)
        if self.match.lift_after is not None or self.match.stuck_after is not None:
            actions.append(Delayed(FALL_CHECK_PERIOD, RefereeCall("look")))
        return actions

    def handle(self, call: RefereeCall, time: float, places: Places) -> list[Action]:
        """Return the actions for an input at ``time`` (s).

        Raises:
            BadValue: the input is not allowed in this state.
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
                return self._kickoff(self._team(call.subject), time)
            case "goal":
                self._must_go_on("goal")
                return self._goal(self._team(call.subject), time)
            case "ball":
                return self._ball(call.subject, time, places)
            case "penalty":
                return self._penalty(self._player(call.subject), call.seconds, places)
            case "pardon":
                return self._pardon(self._player(call.subject), call.number, places)
            case "half" | "finish":
                self._must_go_on(call.order)
                return self._end(time, last=call.order == "finish")
            case "control":
                return self._control(call, time, places)
            case "score":
                return self._score(self._team(call.subject), call.number)
            case "look":
                return self._look(time, places)

    # -- states of the game ----------------------------------------------------------------------

    def _next(self, time: float, places: Places) -> list[Action]:
        """Enter the next state after the time limit of the present one."""
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
        """Stop the game at the present positions until the input ``start``."""
        if self.game.state != "playing":
            raise BadValue(f"stop: the game is not running, the state is {self.game.state}")
        self.game = replace(
            self.game, state="set", since=time, played=self.game.elapsed(time), clock=NEVER
        )
        return [self._say(f"set: the game is stopped, half {self.game.half}, {self.game.result}")]

    def _kickoff(self, team: str, time: float) -> list[Action]:
        self._must_go_on("kickoff")
        self.game = replace(self.game, kicking=team)
        return self._enter("ready", time)

    def _goal(self, team: str, time: float) -> list[Action]:
        """Count a goal; the other team kicks off."""
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
        return [self._state_message(), *self._clock(self.match.half_time)]

    def _enter(self, state: State, time: float) -> list[Action]:
        """Enter a state: send a message and set its timer."""
        played = self.game.elapsed(time)
        self.game = replace(self.game, state=state, since=time, played=played, clock=NEVER)
        left = {
            "ready": self.match.ready,
            "set": self.match.hold,
            "playing": max(0.0, self.match.half - played),
        }
        clock = self._clock(left[state]) if state in left else []
        return [self._state_message(), *clock]

    def _clock(self, seconds: float) -> list[Action]:
        """Set the timer that ends the present state."""
        call = self._call()
        self.game = replace(self.game, clock=call)
        return [Delayed(seconds, RefereeCall("next", number=call))]

    # -- RoboCup's GameController ----------------------------------------------------------------

    def _control(self, call: RefereeCall, time: float, places: Places) -> list[Action]:
        """Enter a state that a GameController has set; no timer ends it."""
        if call.subject not in STATES:
            raise unknown(NAME, "state", call.subject, STATES)
        before, state = self.game, STATES[STATES.index(call.subject)]
        half = 1 if call.number is None else call.number
        left = self.match.half if call.seconds is None else call.seconds
        self.game = replace(
            before,
            state=state,
            since=time,
            half=min(2, max(1, half)),
            kicking=self._team(call.kicking) if call.kicking else before.kicking,
            played=self.match.half - left,
            clock=NEVER,
            followed=True,
        )
        after = self.game
        if (before.state, before.half, before.kicking) == (after.state, after.half, after.kicking):
            return []
        entered_set = state == "set" and before.state != "set"
        return [self._state_message(), *(self._line_up(places) if entered_set else [])]

    def _score(self, team: str, goals: int | None) -> list[Action]:
        """Set the goals of a team that a GameController has counted."""
        score = {**self.game.score, team: goals or 0}
        scored = score[team] > self.game.score[team]
        self.game = replace(self.game, score=score)
        event = f"{team} scores" if scored else "corrected"
        return [self._say(f"goal: {event}, {self.game.result}")]

    # -- positions -------------------------------------------------------------------------------

    def _line_up(self, places: Places) -> list[Action]:
        """Place all players at their kick-off positions and the ball in the centre."""
        stands = self.match.formation(self.game.kicking, self.game.changed)
        actions: list[Action] = []
        for robot, stand in stands.items():
            if robot in places and robot not in self.game.out:
                actions += _put(robot, stand)
        return actions + self._put_ball((0.0, 0.0), places)

    def _ball(self, where: str, time: float, places: Places) -> list[Action]:
        """Process a ball that has entered a goal or left the field."""
        if self.game.state != "playing":
            return []  # ignored
        if where != "out":
            if self.game.followed:  # its operator decides
                return [self._say(f"in goal: the ball is in the {where} goal")]
            return self._goal(self.match.attacker(where, self.game.changed), time)
        if time == self.game.thrown or self.match.ball not in places:
            return []  # two volumes report the same ball
        self.game = replace(self.game, thrown=time)
        spot = self.match.restart(_spot(places[self.match.ball]), self._occupied_spots(places))
        message = f"throw-in: the ball is put at x {spot[0]:.2f}, y {spot[1]:.2f} m"
        return [self._say(message), *self._put_ball(spot, places)]

    def _put_ball(self, spot: Spot, places: Places) -> list[Action]:
        if self.match.ball not in places:
            return []
        return [Move(self.match.ball, *spot, BALL_RADIUS)]

    def _penalty(self, robot: str, seconds: float | None, places: Places) -> list[Action]:
        """Remove a robot from play; a second penalty restarts its time."""
        seconds = self.match.penalty if seconds is None else seconds
        call = self._call()
        self.game = replace(self.game, out={**self.game.out, robot: call})
        put = _put(robot, self.match.bench(robot, self.game.changed)) if robot in places else []
        message = self._say(f"penalty: {robot} is out for {seconds:g} s")
        if self.game.followed:  # its operator ends the penalty
            return [message, *put]
        return [message, *put, Delayed(seconds, RefereeCall("pardon", robot, number=call))]

    def _pardon(self, robot: str, call: int | None, places: Places) -> list[Action]:
        """Return a robot to play; ``call``: number of its timer, None: a person ended it."""
        if robot not in self.game.out:
            if call is None:
                raise BadValue(f"pardon: {robot} is not out")
            return []
        if call not in (None, self.game.out[robot]):
            return []
        out = {name: since for name, since in self.game.out.items() if name != robot}
        self.game = replace(self.game, out=out)
        message = self._say(f"back: {robot} may play")
        if robot not in places:
            return [message]
        ball = _spot(places[self.match.ball]) if self.match.ball in places else (0.0, 0.0)
        taken = [*self._occupied_spots(places, without=robot), ball]
        return [message, *_put(robot, self.match.comeback(robot, self.game.changed, ball, taken))]

    def _look(self, time: float, places: Places) -> list[Action]:
        """Stand up robots that have been lying for too long."""
        actions: list[Action] = [Delayed(FALL_CHECK_PERIOD, RefereeCall("look"))]
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
        return actions + self._end_stuck_game(time, places)

    def _end_stuck_game(self, time: float, places: Places) -> list[Action]:
        """Drop the ball anew if it has not moved for too long."""
        limit, ball = self.match.stuck_after, places.get(self.match.ball)
        if limit is None or ball is None or self.game.state != "playing":
            self._ball_since = None
            return []
        spot = _spot(ball)
        if self._ball_since is None or math.dist(spot, self._ball_since[0]) > STUCK_WITHIN:
            self._ball_since = spot, time
        if time - self._ball_since[1] < limit - 1e-9:
            return []
        self._ball_since = None
        x, y = self.match.drop(self._occupied_spots(places))
        message = f"dropped: the game is stuck, the ball is put at x {x:.2f}, y {y:.2f} m"
        return [self._say(message), *self._put_ball((x, y), places)]

    def _occupied_spots(self, places: Places, without: str = "") -> list[Spot]:
        """Return the positions of all robots except ``without``."""
        others = (name for name in places if name not in (self.match.ball, without))
        return [_spot(places[name]) for name in others]

    # -- messages --------------------------------------------------------------------------------

    def _state_message(self) -> Action:
        game, limit = self.game, self.match.half
        teams = f"{game.kicking} kicks off, "
        message = {
            "initial": f"initial: half {game.half} comes, {teams}{game.result}",
            "ready": f"ready: {teams}half {game.half}, {game.result}",
            "set": f"set: {teams}half {game.half}, {game.result}",
            "playing": f"playing: half {game.half}, {limit - game.played:.0f} s left",
            "finished": f"finished: {game.result}",
        }
        return self._say(message[game.state])

    def _say(self, text: str) -> Action:
        return SendMessage(text, NAME)

    def _call(self) -> int:
        """Return the number of a new timer."""
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
    """Place a robot upright and at rest."""
    x, y, yaw = stand
    return [Restart(robot), Move(robot, x, y, 0.0, yaw)]


def _spot(pose: Pose) -> Spot:
    x, y, _ = pose.position.tolist()
    return x, y
