"""``grouser tournament``: games between two teams of players."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import JsonFile, Overrides
from grouser.cli.terminal import command_line, counting_bar, print_written, write_json
from grouser.errors import BadValue

TeamName = Annotated[
    str,
    typer.Argument(
        metavar="TEAM",
        show_default=False,
        help="passers, shooters, hasty, pressers, or FILE.py:FUNCTION that returns Tactics.",
    ),
]
Games = Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="Number of games.")]
Minutes = Annotated[
    float, typer.Option(min=0.05, max=60.0, metavar="M", help="Playing time of a game, minutes.")
]
MatchWorld = Annotated[
    str, typer.Option("--world", metavar="WORLD", help="World with a match of ERS-7s.")
]
FirstSeed = Annotated[
    int, typer.Option(min=0, metavar="N", help="Seed of the first game; each game has the next.")
]
GameRunner = Annotated[
    str | None,
    typer.Option(
        "--runner",
        metavar="processes:N",
        show_default="processes, one per core",
        help="Where games run; the results are the same.",
    ),
]
ReportFolder = Annotated[
    Path | None, typer.Option("--report", metavar="DIR", help="Write a page, DIR/index.html.")
]


def tournament(
    team_a: TeamName,
    team_b: TeamName,
    games: Games = 20,
    minutes: Minutes = 4.0,
    world: MatchWorld = "match_2v2",
    overrides: Overrides = None,
    seed: FirstSeed = 0,
    runner: GameRunner = None,
    json_file: JsonFile = None,
    report: ReportFolder = None,
) -> None:
    """Let two teams of ERS-7s play games, and count goals, falls, possession.

    Players have only their camera, joint angles, radio and the referee's announcements.
    Teams change colours after every game. Intervals are 95 %: Wilson's for the share of
    won games, Student's for goals and for the paired goal difference.

    For example:

    [cyan]grouser tournament passers hasty --games 10[/]

    [cyan]grouser tournament shooters mine.py:team --world match_4v4 --report page[/]
    """
    preflight.pictures()
    preflight.writable(json_file)
    preflight.writable_page(report)
    from grouser.cli import tournament_report as reporting
    from grouser.football.tournament import run_tournament

    settings = [*(overrides or ()), f"match.half={60 * minutes:g}"]
    with counting_bar("tournament") as bar:
        result = run_tournament(
            (team_a, team_b),
            games,
            world,
            settings,
            seed=seed,
            processes=processes_of(runner),
            progress=partial(bar, "games"),
        )
    reporting.print_tournament(result)
    if json_file is not None:
        write_json(json_file, reporting.to_json(result))
    if report is not None:
        print_written(reporting.tournament_page(result, command_line()).write(report))


def processes_of(runner: str | None) -> int:
    """Return the number of processes of ``--runner``; 0: one per core."""
    name, _, text = (runner or "processes").partition(":")
    if name != "processes":
        raise BadValue(
            f"--runner is '{runner}', must be processes or processes:N: a game has cameras, which "
            "need a process of their own"
        )
    from grouser.trials.threads import parse_workers

    try:
        return parse_workers(name, text)
    except BadValue as error:
        raise BadValue(f"--runner '{runner}': {error}") from error
