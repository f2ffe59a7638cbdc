"""Results of a tournament in the terminal, as JSON and as a page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.text import Text

from grouser.cli.terminal import plain_table, result_console
from grouser.football.tournament import GameResult, TournamentResult
from grouser.reports.page import Page
from grouser.reports.table import json_value

STANDINGS = ("team", "won", "95 %", "goals", "per game", "95 %", "possession", "falls", "kicks")
"""Columns of the teams."""


def standings(result: TournamentResult) -> list[list[str]]:
    """Return a row of `STANDINGS` for each team."""
    rows = []
    for team in (0, 1):
        sums = result.standing(team)
        rows.append(
            [
                sums.team,
                f"{sums.wins} of {len(result.games)}",
                "{:.2f} to {:.2f}".format(*sums.win_share),
                str(sums.goals),
                f"{sums.goals_each:.2f}",
                _interval(sums.goals_interval),
                f"{100 * sums.possession:.0f} %",
                str(sums.falls),
                str(sums.kicks),
            ]
        )
    return rows


def summary(result: TournamentResult) -> str:
    """Return draws, goal difference and games with goals in one line."""
    mean, ends = result.difference
    unfinished = sum(not game.finished for game in result.games)
    hung = f"; {unfinished} not finished" if unfinished else ""
    return (
        f"{result.draws} draws; goal difference {mean:+.2f} per game ({_interval(ends)}, 95 %); "
        f"goals in {result.with_goals} of {len(result.games)} games{hung}"
    )


def print_tournament(result: TournamentResult) -> None:
    """Print the standings and the summary."""
    console = result_console()
    table = plain_table(*STANDINGS)
    for row in standings(result):
        table.add_row(*map(Text, row))
    console.print(table)
    console.print(Text(summary(result)), soft_wrap=True)


def to_json(result: TournamentResult) -> dict[str, Any]:
    """Return all games and the standings as JSON values."""
    mean, ends = result.difference
    content = {
        "teams": list(result.teams),
        "games": [_game_json(game) for game in result.games],
        "standings": [asdict(result.standing(team)) for team in (0, 1)],
        "draws": result.draws,
        "games_with_goals": result.with_goals,
        "goal_difference": {"mean": mean, "interval": ends},
    }
    found: dict[str, Any] = json_value(content)
    return found


def _game_json(game: GameResult) -> dict[str, Any]:
    return {
        "number": game.fixture.number,
        "seed": game.fixture.seed,
        "colours": dict(zip(game.colours, game.fixture.teams, strict=True)),
        "finished": game.finished,
        "statistics": asdict(game.statistics),
    }


def tournament_page(result: TournamentResult, command: str) -> Page:
    """Return the page of a tournament."""
    one, two = result.teams
    page = Page(
        f"{one} against {two}", above="Tournament", verdict=summary(result), command=command
    )
    page.add_rows(STANDINGS, standings(result))
    page.add_heading("Games")
    header = ("game", one, two, f"{one} plays as", "falls", "kicks", "throw-ins", "possession")
    page.add_rows(header, [_game_row(game) for game in result.games])
    page.add_text(
        "Teams change colours after every game. Possession: share of the first team in the time in "
        "which a robot was near the ball. Intervals are 95 %: Wilson's of won games, Student's of "
        "goals and of the paired goal difference."
    )
    return page


def _game_row(game: GameResult) -> list[str]:
    counts, first = game.statistics, game.side(0)
    had = sum(counts.possession.values())
    share = f"{100 * counts.possession[first] / had:.0f} %" if had else "-"
    return [
        str(game.fixture.number + 1),
        str(game.goals(0)),
        str(game.goals(1)),
        first,
        str(sum(counts.falls.values())),
        str(sum(counts.kicks.values())),
        str(counts.throw_ins),
        share,
    ]


def _interval(ends: tuple[float, float] | None) -> str:
    return "one game" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"
