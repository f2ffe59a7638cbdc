"""Tournament of two teams: games in parallel processes, and their statistics.

The teams change colours after every game: a match need not be symmetric. A game depends on its
number and on the seed alone, not on the number of processes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from grouser.cores import Progress, cores
from grouser.errors import BadValue
from grouser.football.game import FootballGame, GameStatistics
from grouser.football.player import Tactics
from grouser.football.teams import find_team
from grouser.simulation.simulation import Simulation
from grouser.trials.intervals import mean_interval, wilson
from grouser.world.file import World, load
from grouser.world.match import Match

TIME_LIMIT = 3.0
"""Longest simulated time of a game, in durations of a half for each half."""
SETTINGS = (
    "match.begins=0.1",
    "match.halves=1",
    "match.ready=2.0",
    "match.hold=2.0",
    "match.lift_after=3.0",
    "match.stuck_after=15.0",
)
"""Settings of a tournament's games: one half, short kick-offs, robots and balls are freed."""


@dataclass(frozen=True, kw_only=True)
class Fixture:
    """One game of a tournament."""

    number: int
    """From 0."""
    world: str
    settings: tuple[str, ...]
    """Settings of the world, ``KEY=VALUE``."""
    teams: tuple[str, str]
    """Teams that play as the match's first and second team."""
    seed: int


@dataclass(frozen=True)
class GameResult:
    """Statistics of one game by team name of the tournament."""

    fixture: Fixture
    colours: tuple[str, str]
    """Names of the match's teams."""
    statistics: GameStatistics
    finished: bool
    """False: the game did not end within `TIME_LIMIT`."""

    def side(self, team: int) -> str:
        """Return the match's name of a team of the tournament (0 or 1) in this game."""
        return self.colours[(team + self.fixture.number) % 2]

    def goals(self, team: int) -> int:
        """Return the goals of a team of the tournament (0 or 1)."""
        return self.statistics.goals[self.side(team)]


@dataclass(frozen=True)
class Standing:
    """Sums over all games of one team of the tournament."""

    team: str
    wins: int
    win_share: tuple[float, float]
    """Wilson's 95 % interval of the probability to win a game."""
    goals: int
    goals_each: float
    goals_interval: tuple[float, float] | None
    """95 % interval of the mean number of goals in a game; None: one game only."""
    possession: float
    """Share of the time of possession of both teams; 0 if no team ever had the ball."""
    falls: int
    kicks: int


@dataclass(frozen=True)
class TournamentResult:
    """All games of a tournament."""

    teams: tuple[str, str]
    games: tuple[GameResult, ...]

    @property
    def draws(self) -> int:
        """Number of draws."""
        return sum(game.goals(0) == game.goals(1) for game in self.games)

    @property
    def with_goals(self) -> int:
        """Number of games with at least one goal."""
        return sum(sum(game.statistics.goals.values()) > 0 for game in self.games)

    @property
    def difference(self) -> tuple[float, tuple[float, float] | None]:
        """Mean goal difference of a game, first team minus second, and its 95 % interval.

        Games are paired: both teams play in each.
        """
        margins = [game.goals(0) - game.goals(1) for game in self.games]
        return sum(margins) / len(margins), mean_interval(margins)

    def standing(self, team: int) -> Standing:
        """Return the sums of a team, 0 or 1."""
        games = self.games
        wins = sum(game.goals(team) > game.goals(1 - team) for game in games)
        goals = [game.goals(team) for game in games]
        had = [
            sum(game.statistics.possession[game.side(each)] for game in games) for each in (0, 1)
        ]
        return Standing(
            team=self.teams[team],
            wins=wins,
            win_share=wilson(wins, len(games)),
            goals=sum(goals),
            goals_each=sum(goals) / len(games),
            goals_interval=mean_interval(goals),
            possession=had[team] / sum(had) if sum(had) else 0.0,
            falls=sum(game.statistics.falls[game.side(team)] for game in games),
            kicks=sum(game.statistics.kicks[game.side(team)] for game in games),
        )


def fixtures(
    teams: tuple[str, str], games: int, world: str, settings: Sequence[str], seed: int
) -> list[Fixture]:
    """Return the games of a tournament; the teams change colours after each."""
    return [
        Fixture(
            number=number,
            world=world,
            settings=(*SETTINGS, *settings),
            teams=teams if number % 2 == 0 else (teams[1], teams[0]),
            seed=seed + number,
        )
        for number in range(games)
    ]


def match_world(name: str, settings: Sequence[str]) -> World:
    """Load a world and require its match.

    Raises:
        BadValue: the world has no match, or a player is not an ERS-7.
    """
    world = load(name, list(settings))
    kinds = {entry.name: entry.kind for entry in world.robots}
    for robot in _match_of(world).robots:
        if kinds[robot] != "ers7":
            raise BadValue(f"world '{name}': player '{robot}' is a {kinds[robot]}, must be an ers7")
    return world


def _match_of(world: World) -> Match:
    if world.match is None:
        raise BadValue(
            f"world '{world.name}' has no match: a tournament needs one, such as match_2v2"
        )
    return world.match


def play(fixture: Fixture) -> GameResult:
    """Play one game."""
    world = match_world(fixture.world, fixture.settings)
    match = _match_of(world)
    tactics: dict[str, Tactics] = {
        colour: find_team(team) for colour, team in zip(match.names, fixture.teams, strict=True)
    }
    with Simulation(world, seed=fixture.seed) as simulation:
        game = FootballGame(simulation, tactics, seed=fixture.seed)
        limit = TIME_LIMIT * match.half * match.halves
        while not game.finished and simulation.time < limit:
            game.step()
    return GameResult(fixture, match.names, game.statistics, game.finished)


def run_tournament(
    teams: tuple[str, str],
    games: int,
    world: str = "match_2v2",
    settings: Sequence[str] = (),
    *,
    seed: int = 0,
    processes: int = 0,
    progress: Progress | None = None,
    work: Callable[[Fixture], GameResult] = play,
) -> TournamentResult:
    """Play all games of a tournament.

    Args:
        teams: names of the teams, as in `find_team`.
        games: number of games.
        world: a world with a match.
        settings: settings of the world, ``KEY=VALUE``, after `SETTINGS`.
        seed: seed of the first game; each further game has the next one.
        processes: number of processes; 0: one per core, 1: this process.
        progress: called after every game.
        work: function that plays a game, picklable for several processes.
    """
    for name in teams:
        find_team(name)
    match_world(world, (*SETTINGS, *settings))
    listed = fixtures(teams, games, world, settings, seed)
    workers = min(processes or cores(), games)
    report = progress or _no_progress
    report(0, games)
    found: dict[int, GameResult] = {}
    if workers == 1:
        for fixture in listed:
            found[fixture.number] = work(fixture)
            report(len(found), games)
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            jobs = [pool.submit(partial(work, fixture)) for fixture in listed]
            try:
                for job in as_completed(jobs):
                    result = job.result()
                    found[result.fixture.number] = result
                    report(len(found), games)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    return TournamentResult(teams, tuple(found[number] for number in range(games)))


def _no_progress(done: int, of: int) -> None:
    """Ignore progress."""
