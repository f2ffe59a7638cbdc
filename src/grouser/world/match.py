"""Football match: teams, kick-off formations, periods and positions for restarts.

"We intend to implement tools like a game controller interface and a virtual referee placing the
robots for the RoboCup soccer setting" (Zaratti et al. 2006, section 6). This module describes the
match and computes positions on the four-legged league's field; scoring and the course of the game
are in `grouser.simulation.script.referee`. Times are simulated seconds.

Numbers marked "league" are from an undated copy of the four-legged league's rules of the ERS-7's
time; the others are estimates. Positions in the world file are for the first half, and are rotated
about the centre spot when the teams change ends (league).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from grouser.description import Description, mistake
from grouser.errors import nearest
from grouser.frames import degrees
from grouser.world.events import Time
from grouser.world.field_types import Coordinate, Length, Name
from grouser.world.terrain.league_field import (
    BALL_RADIUS,
    BEACON_OUTSIDE,
    CIRCLE,
    CORNER,
    GOAL_DEPTH,
    GOAL_HEIGHT,
    GOAL_WIDTH,
    GOALS,
    LENGTH,
    WALL_SLOPE,
    WIDTH,
)
from grouser.world.triggers import BoxTrigger

PREFIX = "referee_"
"""Prefix of the names of the referee's trigger volumes."""
APART = 0.25
"""Smallest distance between two kick-off positions, m; estimate: an AIBO is 0.18 m wide."""
ROOM = 0.4
"""Smallest distance of a relocated robot from others, m; estimate: an AIBO is 0.32 m long."""
STUCK_WITHIN = 0.3
"""Distance that the ball of a game that is not stuck moves, m; estimate."""
HEADROOM = 3.0
"""Height up to which a ball counts as inside the field, m."""

Duration = Annotated[float, Field(gt=0, le=100_000)]
"""A duration, s; above 0."""
Spot = tuple[float, float]
"""x and y in the field's frame, m."""
Stand = tuple[float, float, float]
"""x and y (m) and heading (rad) in the field's frame."""


FieldPoint = Annotated[tuple[Coordinate, Coordinate], Strict(False)]
"""x, y on the field, m."""


class Player(Description):
    """A robot of a team."""

    robot: Name
    """Name of the robot in the world."""
    kicks: FieldPoint
    """Position when its own team kicks off, m; in its own half."""
    waits: FieldPoint
    """Position when the other team kicks off, m; in its own half, outside the centre circle."""


class Team(Description):
    """A team."""

    name: Name
    """Name of the team."""
    defends: Literal["yellow", "sky_blue"]
    """Own goal in the first half."""
    players: Annotated[tuple[Player, ...], Field(min_length=1, max_length=11), Strict(False)]
    """Robots of the team."""

    @property
    def side(self) -> int:
        """Own half in the first half: -1: that of the yellow goal, 1: the other one."""
        return -1 if self.defends == "yellow" else 1


class Match(Description):
    """Teams, ball and periods of a match."""

    teams: Annotated[tuple[Team, Team], Strict(False)]
    """Two teams; the first kicks off, unless `kickoff` names the other."""
    ball: Name = "ball"
    """Name of the ball."""
    kickoff: str | None = None
    """The team that kicks off the first half; the other one kicks off the second."""
    begins: Time | None = None
    """Simulated time at which the game begins, s; None: on the console command ``start``."""
    halves: Annotated[int, Field(ge=1, le=2)] = 2
    """Number of halves."""
    half: Duration = 600.0
    """Duration of a half, s (league: 10 minutes; the clock stops while the game is interrupted)."""
    half_time: Duration = 600.0
    """Duration of the break between halves, s (league: 10 minutes)."""
    ready: Duration = 15.0
    """Time for robots to walk to their positions before a kick-off, s; estimate."""
    hold: Duration = 5.0
    """Time between placing the robots and the kick-off, s; estimate."""
    penalty: Duration = 30.0
    """Duration of a penalty, s; estimate: RoboCup's usual 30 s."""
    lift_after: Duration | None = None
    """Time after which the referee rights a fallen robot, s; None: never."""
    stuck_after: Duration | None = None
    """Time in which the ball must move by `STUCK_WITHIN`; otherwise the referee drops it on the
    halfway line, s; None: never. RoboCup's rule of a stuck game; the distance is an estimate."""
    throw_in: Length = 0.3
    """Distance inside the border at which a ball that went out is replaced, m; estimate."""

    @model_validator(mode="after")
    def _agrees(self) -> Match:
        one, two = self.teams
        if one.name == two.name:
            raise mistake("must be another name than the first team's", "teams", 1, "name")
        if one.defends == two.defends:
            raise mistake("must be the goal that the other team does not defend", *_AT_SECOND)
        if self.kickoff not in (None, one.name, two.name):
            hint = nearest(str(self.kickoff), (one.name, two.name))
            raise mistake(f"allowed: {one.name}, {two.name}{hint}", "kickoff")
        robots = self.robots
        for i, team in enumerate(self.teams):
            for j, player in enumerate(team.players):
                path = ("teams", i, "players", j)
                if robots.count(player.robot) > 1:
                    raise mistake("must play in one place only", *path, "robot")
                _check_place(player.kicks, team.side, 0.0, (*path, "kicks"))
                _check_place(player.waits, team.side, CIRCLE / 2, (*path, "waits"))
        for kicking in (one.name, two.name):
            _check_room(self.formation(kicking, changed=False))
        return self

    # -- teams -----------------------------------------------------------------------------------

    @property
    def robots(self) -> list[str]:
        """Return the names of all players, team by team."""
        return [player.robot for team in self.teams for player in team.players]

    @property
    def names(self) -> tuple[str, str]:
        """Return the two teams' names."""
        return self.teams[0].name, self.teams[1].name

    @property
    def first(self) -> str:
        """Return the team that kicks off the first half."""
        return self.kickoff or self.teams[0].name

    def other(self, team: str) -> str:
        """Return the name of the team that ``team`` plays against."""
        one, two = self.names
        return two if team == one else one

    def attacker(self, goal: str, changed: bool) -> str:
        """Return the team that attacks ``goal``; ``changed``: the teams have changed ends."""
        defender = next(team for team in self.teams if (team.defends == goal) != changed)
        return self.other(defender.name)

    # -- positions -------------------------------------------------------------------------------

    def formation(self, kicking: str, changed: bool) -> dict[str, Stand]:
        """Return each robot's pose when ``kicking`` kicks off; all face the opponent's goal."""
        turned = -1 if changed else 1
        stands = {}
        for team in self.teams:
            heading = 0.0 if team.side * turned < 0 else math.pi
            for player in team.players:
                x, y = player.kicks if team.name == kicking else player.waits
                stands[player.robot] = (turned * x, turned * y, heading)
        return stands

    def bench(self, robot: str, changed: bool) -> Stand:
        """Return the pose of a penalized robot: beyond a side line, in its own half."""
        turned = -1 if changed else 1
        team, number = next(
            (team, number)
            for team in self.teams
            for number, player in enumerate(team.players)
            if player.robot == robot
        )
        side = team.side * turned
        return side * ROOM * (number + 1), -WIDTH / 2 - BEACON_OUTSIDE - ROOM, math.pi / 2

    def comeback(self, robot: str, changed: bool, ball: Spot, taken: Iterable[Spot]) -> Stand:
        """Return the pose after a penalty: on the halfway line, at the side away from the ball.

        If the position is occupied, the nearest free one towards the robot's own goal is returned.
        """
        turned = -1 if changed else 1
        side = turned * next(t.side for t in self.teams for p in t.players if p.robot == robot)
        border = -math.copysign(1.0, ball[1])
        y = border * (WIDTH / 2 - ROOM / 2)
        x, _ = _free([(side * ROOM * step / 2, y) for step in range(9)], taken)
        return x, y, -border * math.pi / 2

    def restart(self, ball: Spot, taken: Iterable[Spot]) -> Spot:
        """Return the position at which a ball that went out at ``ball`` is replaced."""
        x, y = LENGTH / 2 - self.throw_in, WIDTH / 2 - self.throw_in
        x, y = min(x, max(-x, ball[0])), min(y, max(-y, ball[1]))
        reach = LENGTH / 2 + WIDTH / 2 - CORNER - math.sqrt(2) * self.throw_in
        if abs(x) + abs(y) > reach:
            x = math.copysign(reach - abs(y), x)  # the same distance from a cut corner
        towards = -math.copysign(ROOM / 2, x)
        return _free([(x + towards * step, y) for step in range(9)], taken)

    def drop(self, taken: Iterable[Spot]) -> Spot:
        """Return the position at which the ball of a stuck game is dropped."""
        beside = [side * ROOM * step for step in range(1, 3) for side in (1, -1)]
        return _free([(0.0, 0.0), *((0.0, y) for y in beside)], taken)

    def volumes(self) -> tuple[BoxTrigger, ...]:
        """Return the referee's trigger volumes: two goals, the field, and the cut corners.

        A ball is in a goal when all of it has passed the goal line. It is out when its centre has
        passed the top of the border; a ball on the slope rolls back.
        """
        field = (LENGTH + 2 * WALL_SLOPE, WIDTH + 2 * WALL_SLOPE, 2 * HEADROOM)
        watched = [self._volume("field", (0.0, 0.0), field, "out", on="leave")]
        deep = GOAL_DEPTH - BALL_RADIUS
        for goal in GOALS:
            middle = goal.x + math.copysign(BALL_RADIUS + deep / 2, goal.x)
            size = (deep, GOAL_WIDTH, 2 * GOAL_HEIGHT)
            watched.insert(0, self._volume(goal.colour, (middle, 0.0), size, goal.colour))
        size = (CORNER, 2 * (CORNER / 2 + WALL_SLOPE), 2 * HEADROOM)
        for number, (i, j) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
            # From the middle of the border's foot, along the diagonal, to the volume's centre.
            beyond = (WALL_SLOPE + CORNER / 2) / math.sqrt(2)
            at = (i * (LENGTH / 2 - CORNER / 2 + beyond), j * (WIDTH / 2 - CORNER / 2 + beyond))
            yaw = degrees(math.atan2(j, i))
            watched.append(self._volume(f"corner_{number}", at, size, "out", yaw_deg=yaw))
        return tuple(watched)

    def _volume(
        self, name: str, at: Spot, size: tuple[float, float, float], judged: str, **more: Any
    ) -> BoxTrigger:
        return BoxTrigger(
            name=PREFIX + name,
            position=(*at, 0.0),
            size=size,
            by=(self.ball,),
            do=(f"judge {judged}",),
            **more,
        )


_AT_SECOND = ("teams", 1, "defends")


def check_match(
    match: Match | None,
    terrain: Sequence[Any],
    objects: Mapping[str, Any],
    robots: Iterable[str],
    triggers: Iterable[str],
) -> None:
    """Reject a match without its field, ball or robots."""
    if match is None:
        return
    if not any(piece.kind == "league_field" for piece in terrain):
        raise mistake("must be played on a piece of terrain of kind league_field", "match")
    balls = [name for name, thing in objects.items() if thing.kind == "ball"]
    if match.ball not in balls:
        allowed = ", ".join(balls) or "none, there are no balls"
        raise mistake(f"allowed: {allowed}{nearest(match.ball, balls)}", "match", "ball")
    ball = objects[match.ball]
    if ball.fixed or not math.isclose(ball.radius, BALL_RADIUS):
        raise mistake(f"must be free to roll and of radius {BALL_RADIUS:g} m", "match", "ball")
    known = list(robots)
    for i, team in enumerate(match.teams):
        for j, player in enumerate(team.players):
            if player.robot not in known:
                allowed = ", ".join(known) or "none, there are no robots"
                raise mistake(
                    f"allowed: {allowed}{nearest(player.robot, known)}",
                    *("match", "teams", i, "players", j, "robot"),
                )
    for i, name in enumerate(triggers):
        if name.startswith(PREFIX):
            raise mistake(f"must not begin with {PREFIX} in a match", "triggers", i, "name")


def _check_place(place: Spot, side: int, circle: float, path: tuple[str | int, ...]) -> None:
    x, y = place
    if x * side < 0:
        raise mistake(
            f"must be in its own half, x {'at most' if side < 0 else 'at least'} 0", *path
        )
    if abs(x) > LENGTH / 2 or abs(y) > WIDTH / 2:
        raise mistake(f"must be on the field, x ±{LENGTH / 2:g} and y ±{WIDTH / 2:g} m", *path)
    if math.hypot(x, y) < circle:
        raise mistake(f"must be outside the centre circle, {circle:g} m from its middle", *path)


def _check_room(stands: Mapping[str, Stand]) -> None:
    names = list(stands)
    for i, name in enumerate(names):
        for other in names[:i]:
            if math.dist(stands[name][:2], stands[other][:2]) < APART:
                raise mistake(
                    f"must keep {other} and {name} {APART:g} m apart at every kick-off", "teams"
                )


def _free(spots: Sequence[Spot], taken: Iterable[Spot]) -> Spot:
    """Return the first of ``spots`` that is free, or the one with the largest clearance."""
    others = list(taken)

    def clearance(spot: Spot) -> float:
        return min((math.dist(spot, other) for other in others), default=math.inf)

    return next((spot for spot in spots if clearance(spot) >= ROOM), max(spots, key=clearance))
