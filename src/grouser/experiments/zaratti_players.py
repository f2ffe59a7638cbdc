"""Zaratti et al. 2006, secs. 5 and 6: frame rate of matches with players.

"We have used the simulator to evaluate different situations, such as an attacker robot against
three defenders and a goalie, two attacker robots against two defenders and a goalie. … We believe
that with increasing CPU power it will soon be possible to simulate a 4 vs. 4 game." Every robot has
a player, which sees by its camera. Frames are those of Fig. 8, and also contain the players and the
pictures of all cameras. Everything runs on one core.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from grouser.experiments.ers7_pack import PIXELS, RATE, one_core
from grouser.experiments.run_options import RunOptions
from grouser.football.game import FootballGame
from grouser.football.player import PERIOD
from grouser.rendering.renderer import Renderer
from grouser.reports.report import Report
from grouser.reports.rules import above
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

WORLDS = ("match_1v3", "match_2v2", "match_4v4")
TURNS, QUICK_TURNS = 100, 10
"""Timed turns of the players, after the kick-off."""
SETTINGS = ("match.begins=0.1", "match.ready=0.5", "match.hold=0.5")
PAPER_ROBOTS, PAPER_RATE = 5, 25.0  # sec. 5: five AIBOs, "still greater than 25 fps"


@dataclass(frozen=True)
class MatchRate:
    """Frame rate of one match."""

    robots: int
    fps: float
    """Frames per second of processor time."""
    players_share: float
    """Share of the time that players and the pictures of their cameras take, 0 to 1."""


def run(run_options: RunOptions) -> Report:
    """Time a part of every match."""
    turns = QUICK_TURNS if run_options.quick else TURNS
    rates: dict[str, MatchRate] = {}
    with one_core(), Renderer(*PIXELS, shadows=False, smooth=False) as renderer:
        for done, world in enumerate(WORLDS):
            run_options.progress(world, done, len(WORLDS))
            rates[world] = measure(world, turns, renderer, run_options.seed)
    table = Table(
        "zaratti-players",
        "Zaratti et al. 2006, secs. 5 and 6",
        "Frames per second of matches with players, one core",
        table_rows(rates),
        {f"fps_{world}": round(rate.fps, 1) for world, rate in rates.items()},
        (
            "The paper prints a frame rate for five walking AIBOs only, without players and "
            "without cameras in our reading; matches of five robots are compared with it.",
            f"A frame is 1/{RATE:g} s of physics, one view, and a third of a turn: the players act "
            f"every {PERIOD:g} s.",
        ),
    )
    return Report(table)


def measure(world: str, turns: int, renderer: Renderer, seed: int) -> MatchRate:
    """Return the frame rate of a match from its kick-off on."""
    with Simulation(load(world, list(SETTINGS)), seed=seed) as simulation:
        game = FootballGame(simulation, seed=seed)
        while not any(text.startswith("playing") for _, text in game.messages):
            game.step()
        frames_per_turn = round(PERIOD * RATE)
        view = simulation.view()
        renderer.picture(simulation.model, simulation.data, view)  # uploads the model
        start, playing = time.process_time(), 0.0
        for _ in range(turns):
            begin = time.process_time()
            game.act()
            playing += time.process_time() - begin
            end = simulation.time + PERIOD
            for left in range(frames_per_turn, 0, -1):
                simulation.step(simulation.round_to_steps((end - simulation.time) / left))
                renderer.picture(simulation.model, simulation.data, view)
            game.count()
        seconds = time.process_time() - start
    frames = turns * frames_per_turn
    return MatchRate(len(game.players), frames / seconds, playing / seconds)


def table_rows(rates: Mapping[str, MatchRate]) -> tuple[Row, ...]:
    """Return a row for every match."""
    return tuple(_row(world, rate) for world, rate in rates.items())


def _row(world: str, rate: MatchRate) -> Row:
    printed = rate.robots == PAPER_ROBOTS
    return Row(
        {"match": world.removeprefix("match_"), "robots": rate.robots},
        f"> {PAPER_RATE:g}" if printed else None,
        round(rate.fps, 1),
        above().judge(PAPER_RATE, rate.fps) if printed else None,
        f"{rate.fps / RATE:.1f} x the full rate; players and their pictures take "
        f"{100 * rate.players_share:.0f} % of the time",
    )
