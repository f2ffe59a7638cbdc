"""Player of the four-legged league: attacker, defender, goalie; passes to team-mates by radio."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from grouser.football import head, skills
from grouser.football.own_motion import Step
from grouser.football.player_io import Paw, PlayerCommand, PlayerInput, PlayerSetup, Point
from grouser.football.sight import Sight
from grouser.football.skills import STAND

GOAL_LINE, GOAL_HALF, SIDE_LINE = 2.1, 0.3, 1.35  # m   of the field
PERIOD = 0.1
"""Time between two decisions, s."""
LOST_AFTER = 1.2  # s without a sighting, after which the ball is searched
KICK_TIME = 2.5  # s, from the command to the end of the kick
SEARCH_HERE = 6.0  # s of search, after which the player walks to the middle of the field
SEARCH_PERIOD, FORWARD_TIME = 7.0, 1.5  # s of search, the last of them straight ahead
BACK_TIME = 1.5  # s of walking backwards when a near ball was lost
GLANCE_AFTER, GLANCE_TIME = 2.0, 0.45  # s without a landmark, s at landmarks
HIT_TIME = 1.4  # s, from the command to the hit, when the robot stood
AFTER_KICK: Point = (0.9, 0.0)  # m, point at which the camera aims once the ball is hit
RADIO_EVERY = 0.19  # s
RADIO_AGE = 1.0  # s, age of the oldest message that counts
GOALIE_X, GOALIE_REACH = -1.93, 0.24  # m, place of the goalie and its way to either side
CLEAR_WITHIN = 0.75  # m, distance of the ball from the own goal at which the goalie clears it
NEAR_GOAL = 1.3  # m, distance from which a kick reaches the goal
AIM_NEAR = 0.2  # rad, accepted error of a kick near the goal
ROOM = 0.12  # m, distance from the border in which a robot can stand
DETOURS = tuple(sign * 0.3 * step for step in range(7) for sign in (1, -1))
FREE_AIM = 0.4  # rad, accepted error of a shot from afar
APART = 0.5  # m, distance from the ball of the robots that do not play it
HURRY_AFTER = 2.0  # s, time for aiming, after which a less exact pose will do
SPIN_AFTER, SPIN_EVERY, SPIN_TIME = 3.0, 2.0, 0.7
"""Turns that sweep the ball out of a duel, s: time of aiming before, period, duration."""
BUSY = ("approach", "pass", "spin", "clear", "survey", "search")
"""Behaviours that evaluate every picture."""
GOAL_FRESH = 2.5  # s, time for which this direction is better than that by the pose
GOAL_AGE = 6.0  # s, time for which the direction of a goal that was seen is used
BLOCKED_WITHIN = 0.3  # m, distance of the ball after a kick in vain
PLAY_ANYWAY = 0.6  # m, distance of the ball at which a lost robot plays it first
MATE_APART = 0.6  # m, distance that supporting robots keep from team-mates
SURVEY_TIME, SURVEY_PAUSE = 2.5, 4.0  # s of looking around, s of play until the next time


@dataclass(frozen=True, kw_only=True)
class Tactics:
    """Parameters of a team's play."""

    passes: bool = True
    """Kick to a team-mate that is nearer to the goal."""
    hasty: bool = False
    """Kick from inexact poses at once."""
    press: bool = False
    """True: every field player goes for the ball."""


@dataclass(frozen=True)
class RadioReport:
    """Radio message of a player, in the team's frame."""

    time: float
    """Time of reception, s."""
    place: Point
    ball: Point | None
    cost: float
    """Estimated time to the ball, s."""
    passed_to: str
    """Receiver of a pass; empty: none."""

    def encode(self) -> bytes:
        """Return the message."""
        fields = {
            "place": [round(part, 2) for part in self.place],
            "ball": None if self.ball is None else [round(part, 2) for part in self.ball],
            "cost": round(self.cost, 2),
            "pass": self.passed_to,
        }
        return json.dumps(fields).encode()

    @staticmethod
    def decode(data: bytes, time: float) -> RadioReport | None:
        """Return the message; None: it is none."""
        try:
            fields = json.loads(data)
            x, y = fields["place"]
            ball = fields["ball"]
            there = None if ball is None else (float(ball[0]), float(ball[1]))
            place = float(x), float(y)
            return RadioReport(time, place, there, float(fields["cost"]), str(fields["pass"]))
        except (ValueError, KeyError, TypeError, IndexError):
            return None


class Footballer:
    """One robot's program. Call `act` every `PERIOD` of simulated time."""

    def __init__(self, setup: PlayerSetup, tactics: Tactics | None = None) -> None:
        self.setup, self.tactics = setup, tactics or Tactics()
        self.sight = Sight(setup)
        self.doing = "stand"
        """Present behaviour, for logs."""
        self._command: Step = STAND
        self._time: float | None = None
        self._calls = 0
        self._state = "initial"
        self._out = False
        self._reports: dict[str, RadioReport] = {}
        self._kick: tuple[Paw, float] | None = None
        self._paw: Paw | None = None
        self._aiming_since: float | None = None
        self._sent = -math.inf
        self._pass_to = ""
        self._pass_until = -math.inf
        self._attacking = False
        self._search_side = 1.0
        self._glance_until = -math.inf
        self._survey_began = -math.inf
        self._spin_until = -math.inf

    @property
    def wants_picture(self) -> bool:
        """True if the player evaluates the next picture; far from the ball every second one.

        A real ERS-7 evaluates all of its 30 pictures a second. Pictures are the largest part of a
        game's computing time, and half of them change the play of the others little.
        """
        return self._calls % 2 == 0 or self.doing in BUSY

    def act(self, given: PlayerInput) -> PlayerCommand:
        """Return the next command."""
        seconds = PERIOD if self._time is None else max(1e-3, given.time - self._time)
        self._time = given.time
        self._calls += 1
        self._follow_whistle(given)
        self.sight.update(given, self._command, seconds)
        for sender, data in given.radio:
            report = RadioReport.decode(data, given.time)
            if sender in self.setup.mates and report is not None:
                self._reports[sender] = report
        speeds, kick = self._decide(given)
        self._command = speeds
        neck, pan, nod = self._head(given.time)
        forward, left, turn = speeds
        return PlayerCommand(
            forward=forward,
            left=left,
            turn=turn,
            kick=kick,
            neck=neck,
            pan=pan,
            nod=nod,
            radio=self._message(given.time),
        )

    # -- the game ----------------------------------------------------------------------------

    def _follow_whistle(self, given: PlayerInput) -> None:
        """Follow the referee; it places robots at the kick-off and after penalties."""
        whistle, sight = given.whistle, self.sight
        if whistle.half != sight.half:
            sight.half = whistle.half
        entered = whistle.state != self._state
        self._state, was_out, self._out = whistle.state, self._out, whistle.penalized
        if entered and whistle.state == "set":
            spot = self.setup.kicks if whistle.own_kickoff else self.setup.waits
            sight.place((*spot, 0.0), given.time)
            self._forget_ball()
            sight.ball.place, sight.ball.seen = sight.to_robot((0.0, 0.0)), given.time
        if was_out and not self._out:
            self._forget_ball()
            sight.displace()

    def _forget_ball(self) -> None:
        self.sight.ball.place, self.sight.ball.velocity = None, (0.0, 0.0)
        self._kick, self._aiming_since, self._pass_to = None, None, ""

    def _message(self, time: float) -> bytes | None:
        if time - self._sent < RADIO_EVERY or not self.setup.mates:
            return None
        self._sent = time
        sight = self.sight
        fresh = self._sees_ball(time) and sight.ball.place is not None
        ball = sight.to_team(sight.ball.place) if fresh and sight.ball.place else None
        to = self._pass_to if time < self._pass_until else ""
        return RadioReport(time, sight.pose[:2], ball, self._cost(time), to).encode()

    def _sees_ball(self, time: float) -> bool:
        return time - self.sight.ball.seen < LOST_AFTER

    def _seen_goal(self, time: float, age: float) -> Point | None:
        """Return the goal in the direction in which it was seen within ``age`` (s)."""
        goal, sight = self.sight.goal, self.sight
        if goal is None or time - sight.goal_seen > age:
            return None
        far = math.hypot(*sight.to_robot((GOAL_LINE, 0.0)))
        share = (1.0 if sight.lost else max(0.4, far)) / max(0.1, math.hypot(*goal))
        return goal[0] * share, goal[1] * share

    def _ball(self, time: float) -> Point | None:
        """Return the ball in the robot's axes: seen, or reported by a team-mate."""
        if self.sight.ball.place is not None and self._sees_ball(time):
            return self.sight.ball.place
        reports = [r for r in self._recent(time).values() if r.ball is not None]
        if reports:
            nearest = min(reports, key=lambda r: r.cost)
            if nearest.ball is not None:
                return self.sight.to_robot(nearest.ball)
        return None

    def _recent(self, time: float) -> dict[str, RadioReport]:
        return {name: r for name, r in self._reports.items() if time - r.time < RADIO_AGE}

    def _cost(self, time: float) -> float:
        """Return the estimated time until this robot can kick the ball towards the goal, s."""
        if self._kick is not None:
            return 0.0
        ball = self._ball(time)
        if ball is None or self._out or self.setup.role == "goalie":
            return 99.0
        there = self.sight.to_team(ball)
        goal = self.sight.to_robot((GOAL_LINE, 0.0))
        turn = abs(skills.wrap(math.atan2(goal[1] - ball[1], goal[0] - ball[0])))
        cost = math.hypot(*ball) / 0.25 + turn
        if not self._sees_ball(time):
            cost += 2.0
        if self.setup.role == "defender" and there[0] > 0.8:
            cost += 4.0
        return cost - (1.0 if self._attacking else 0.0)

    # -- decisions ---------------------------------------------------------------------------

    def _decide(self, given: PlayerInput) -> tuple[Step, Paw | None]:
        time = given.time
        if self._state != "playing" or self._out:
            self.doing, self._kick = "stand", None
            return STAND, None
        if self._kick is not None:
            paw, begun = self._kick
            if time - begun < KICK_TIME:
                self.doing = "kick"
                return STAND, paw if time - begun < KICK_TIME / 2 else None
            self._kick = None
            there = self._ball(time)
            if there is not None and math.hypot(*there) < BLOCKED_WITHIN:
                self._spin_until = time + SPIN_TIME
        ball = self._ball(time)
        if self.setup.role == "goalie":
            return self._keep(ball, time)
        if ball is None:
            return self._search(time), None
        near = math.hypot(*ball) < PLAY_ANYWAY and self._seen_goal(time, GOAL_AGE) is not None
        if self.sight.lost and not near and (survey := self._survey(time)) is not None:
            return survey, None
        mine = self._cost(time)
        others = [r.cost for r in self._recent(time).values()]
        self._attacking = self.tactics.press or mine <= min(others, default=math.inf)
        if self._attacking:
            return self._attack(ball, time)
        self._aiming_since = None
        return self._clear_of_mates(self._support(ball, time), time), None

    def _survey(self, time: float) -> Step | None:
        """Look around for landmarks for some seconds; None: go on without, for a while."""
        if time - self._survey_began > SURVEY_TIME + SURVEY_PAUSE:
            self._survey_began = time
        if time - self._survey_began > SURVEY_TIME:
            return None
        self.doing, self._aiming_since = "survey", None
        ball = self.sight.ball.place
        crowded = ball is not None and self._sees_ball(time) and math.hypot(*ball) < APART + 0.2
        return (-0.12 if crowded else 0.0), 0.0, 0.7

    def _search(self, time: float) -> Step:
        self.doing, self._aiming_since = "search", None
        ball = self.sight.ball.place
        if ball is not None:
            self._search_side = 1.0 if ball[1] >= 0 else -1.0
        lost = time - self.sight.ball.seen
        if lost < LOST_AFTER + BACK_TIME and ball is not None and math.hypot(*ball) < 0.4:
            return -0.2, 0.0, 0.0  # the ball may be under the chin
        if (lost - LOST_AFTER) % SEARCH_PERIOD > SEARCH_PERIOD - FORWARD_TIME:
            return 0.25, 0.0, 0.0  # away from a ball under the belly
        if lost < SEARCH_HERE:
            return 0.0, 0.0, 0.9 * self._search_side
        x, y, _ = self.sight.pose
        if math.hypot(x, y) > 0.8:
            return skills.walk_to(self.sight.to_robot((0.0, 0.0)), 0.0)
        return 0.0, 0.0, 0.9 * self._search_side

    def _attack(self, ball: Point, time: float) -> tuple[Step, Paw | None]:
        pressed = self._aiming_since is not None and time - self._aiming_since > HURRY_AFTER
        target = self._target(ball, time, pressed)
        aim = self.sight.to_robot(target)
        fresh = GOAL_AGE if self.sight.lost else GOAL_FRESH
        if not self._pass_to and (seen := self._seen_goal(time, fresh)) is not None:
            aim = seen
        direction = self._playable(ball, self._shot(ball, aim))
        far = math.hypot(*ball)
        if far < 0.5 and self._aiming_since is None:
            self._aiming_since = time
        elif far > 0.8:
            self._aiming_since = None
        waited = 0.0 if self._aiming_since is None else time - self._aiming_since
        blocked = waited > SPIN_AFTER and waited % SPIN_EVERY < SPIN_TIME
        if far < 0.27 and (blocked or time < self._spin_until):
            self.doing = "spin"
            return skills.spin(ball, direction), None
        error = AIM_NEAR if self._near_goal(ball) else skills.CHANCE
        if (paw := skills.chance(ball, direction, error)) is not None:
            return self._start_kick(paw, time)
        self.doing = "approach" if not self._pass_to else "pass"
        hurried = self.tactics.hasty or waited > HURRY_AFTER
        return self._shoot(ball, direction, time, hurried=hurried)

    def _shoot(
        self, ball: Point, direction: float, time: float, *, hurried: bool = True
    ) -> tuple[Step, Paw | None]:
        """Walk to the pose for a kick in ``direction`` (rad), and kick."""
        self._paw = skills.better_paw(ball, direction, self._paw)
        speeds = skills.approach(ball, direction, self._paw, hurried=hurried)
        if speeds is not None:
            return speeds, None
        return self._start_kick(self._paw, time)

    def _start_kick(self, paw: Paw, time: float) -> tuple[Step, Paw | None]:
        self._kick, self._aiming_since = (paw, time), None
        self._pass_until = time + 4.0
        self.doing = "kick"
        return STAND, paw

    def _target(self, ball: Point, time: float, pressed: bool) -> Point:
        """Return where the ball should go, in the team's frame."""
        x, y = self.sight.to_team(ball)
        goal = GOAL_LINE + 0.1, skills.limit(0.4 * y, 0.12)
        self._pass_to = ""
        to_goal = math.hypot(GOAL_LINE - x, y)
        if to_goal > NEAR_GOAL and self.tactics.passes and not pressed:
            for name, report in self._recent(time).items():
                px, py = report.place
                length = math.hypot(px - x, py - y)
                if px > x + 0.4 and 0.6 < length < 1.6:
                    self._pass_to = name
                    return px + 0.15, py
        return goal

    def _shot(self, ball: Point, aim: Point) -> float:
        """Return the direction of a shot in the robot's axes, rad.

        Far from the goal any direction towards it will do, and the nearest to the robot's heading
        takes the least time.
        """
        to = aim[0] - ball[0], aim[1] - ball[1]
        direction = math.atan2(to[1], to[0])
        free = min(FREE_AIM, math.atan2(0.5 * GOAL_HALF, math.hypot(*to)))
        if math.hypot(*to) > NEAR_GOAL and not self._pass_to:
            free = FREE_AIM
        return direction - skills.limit(direction, free)

    def _near_goal(self, ball: Point) -> bool:
        x, y = self.sight.to_team(ball)
        return math.hypot(GOAL_LINE - x, y) < NEAR_GOAL

    def _playable(self, ball: Point, direction: float) -> float:
        """Return the direction nearest to the wanted one for which the kick's pose is on the field.

        At the border there is no room behind the ball; it is kicked along the border then.
        """
        for turn in DETOURS:
            (x, y), _ = skills.kick_pose(ball, direction + turn, self._paw or "left")
            there = self.sight.to_team((x, y))
            if abs(there[0]) < GOAL_LINE - ROOM and abs(there[1]) < SIDE_LINE - ROOM:
                return direction + turn
        return direction

    def _support(self, ball: Point, time: float) -> Step:
        """Stand where a pass can be received, or between ball and own goal."""
        self.doing = "support"
        bx, by = self.sight.to_team(ball)
        if any(r.passed_to == self.setup.robot for r in self._recent(time).values()):
            self.doing = "receive"
            return skills.face(ball)
        if self.setup.role == "defender" or bx < -0.5:
            share = 0.5
            spot = (max(-1.6, min(0.0, bx + share * (-GOAL_LINE - bx))), by * (1.0 - share))
        else:
            side = -1.0 if by > 0 else 1.0
            spot = min(1.4, bx + 0.1), skills.limit(by + side * 0.9, SIDE_LINE - 0.25)
        there = self.sight.to_robot(spot)
        bearing = math.atan2(ball[1], ball[0])
        if math.hypot(*ball) < APART:  # leave the ball to the other one
            return -0.15 * math.cos(bearing), -0.15 * math.sin(bearing), skills.face(ball)[2]
        return skills.walk_to(skills.around(ball, there, APART), bearing, near=0.2)

    def _clear_of_mates(self, speeds: Step, time: float) -> Step:
        """Return speeds that also lead away from near team-mates."""
        forward, left, turn = speeds
        for report in self._recent(time).values():
            x, y = self.sight.to_robot(report.place)
            far = math.hypot(x, y)
            if far < MATE_APART:
                away = 0.3 * (1.0 - far / MATE_APART) / max(far, 0.05)
                forward, left = forward - away * x, left - away * y
        return skills.limit(forward, 0.2), skills.limit(left, 0.2), turn

    def _keep(self, ball: Point | None, time: float) -> tuple[Step, Paw | None]:
        """Guard the goal; clear balls near it."""
        sight = self.sight
        if sight.lost and self._survey(time) is not None:
            return STAND, None  # by the head alone
        if ball is not None and self._sees_ball(time):
            x, y = sight.to_team(ball)
            if math.hypot(x + GOAL_LINE, y) < CLEAR_WITHIN:
                out = sight.to_robot((x + 0.8, y + (0.5 if y >= 0 else -0.5)))
                direction = math.atan2(out[1] - ball[1], out[0] - ball[0])
                self.doing = "clear"
                return self._shoot(ball, direction, time)
            spot = GOALIE_X, self._guarded_y(x, y)
        else:
            spot = GOALIE_X, 0.0
        self.doing = "guard"
        there = sight.to_robot(spot)
        ahead = skills.wrap(-sight.pose[2])
        heading = ahead if ball is None else math.atan2(ball[1], ball[0])
        return skills.walk_to(there, heading, gain=2.0, near=0.05), None

    def _guarded_y(self, x: float, y: float) -> float:
        """Return y at which the ball, or the line from it to the goal, passes the goalie."""
        sight = self.sight
        speed = math.hypot(*sight.ball.velocity)
        if speed > 0.25:
            ahead = sight.to_team(sight.ball.velocity)
            vx, vy = ahead[0] - sight.pose[0], ahead[1] - sight.pose[1]
            if vx < -0.15:
                return skills.limit(y + vy * (GOALIE_X - x) / vx, GOALIE_REACH)
        share = (GOALIE_X + GOAL_LINE) / max(0.3, x + GOAL_LINE)
        return skills.limit(y * share * 2.0, GOALIE_REACH)

    def _head(self, time: float) -> head.Joints:
        """Return the angles of the head's joints."""
        if self.doing == "survey":
            return head.sweep(time, level=True)
        if self._kick is not None and time - self._kick[1] > HIT_TIME:
            return head.aim(AFTER_KICK, 0.0)
        ball = self.sight.ball
        if ball.place is None or time - ball.seen > 0.6:
            reported = self._ball(time)
            if reported is not None and int(time / 1.6) % 2:
                return head.at_ball(reported)
            return head.sweep(time)
        if time - self.sight.oriented > GLANCE_AFTER and self._glance_until < time - GLANCE_AFTER:
            self._glance_until = time + GLANCE_TIME * (3.0 if self.sight.lost else 1.0)
        if time < self._glance_until and self.doing != "kick":
            goal = self.sight.to_robot((GOAL_LINE, 0.0))
            if self._attacking and not self.sight.lost and goal[0] > 0.2 * abs(goal[1]):
                return head.aim(goal, 0.2)
            return head.sweep(time) if self.sight.lost else head.aim(self._landmark(), 0.3)
        return head.at_ball(ball.place)

    def _landmark(self) -> Point:
        """Return the landmark that is the least to the side, in the robot's axes."""
        places = [self.sight.from_field(p) for p in self.setup.field_map.landmarks.values()]
        there = [self.sight.to_robot(place) for place in places]
        return min(there, key=lambda p: abs(math.atan2(p[1], p[0])) - 0.1 * math.hypot(*p))
