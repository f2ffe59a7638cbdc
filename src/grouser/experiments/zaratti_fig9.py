"""Zaratti et al. 2006, Fig. 9: cost of a collision of three AIBOs; picture strips of Figs 6, 7.

"The graph in Fig. 9 corresponds to the collision of 3 AIBOs. It is very jagged and each performance
drop corresponds to a contact between two or more robots." Three robots walk towards one point and
keep pushing. Frames are timed as in Fig. 8. An identical run is profiled with MuJoCo's timers.

The share of collision detection and response hardly depends on the collision, because feet on the
ground are contacts, too. So the time of a step with robots in contact is also compared with that of
a step without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from matplotlib.figure import Figure

from grouser.experiments import ers7_pack
from grouser.experiments.run_options import RunOptions
from grouser.experiments.stage_timer import StageTimer
from grouser.frames import milliseconds
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import above, at_most
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, load

ROBOTS = 3  # Fig. 7, Fig. 9
START = 0.55  # m   distance from the meeting point
SPEED = 0.15  # m/s
SECONDS, QUICK_SECONDS = 10.0, 4.0
PAPER_SHARE = 0.75  # sec. 5: "more than 75% of CPU time is devoted to collision detection and …"

VIEW = Viewpoint((0.0, 0.0, 0.1), 1.5, 60.0, -30.0)
KICK_VIEW = Viewpoint((0.4, 0.05, 0.08), 1.3, 110.0, -22.0)


@dataclass(frozen=True)
class CollisionCost:
    """Cost of the collision of three robots."""

    share: float
    """Share of a step for collision detection and response while robots are in contact."""
    share_apart: float
    """The same share while no robots are in contact."""
    detection: float
    """Share of collision detection alone while robots are in contact."""
    touching_us: float | None
    """Mean time of a step with robots in contact; None: there was none."""
    apart_us: float | None
    """Mean time of a step without robots in contact."""
    worst_ms: float
    """Longest time of a frame."""

    @property
    def slower(self) -> float | None:
        """Ratio of the times of steps with and without robots in contact."""
        if self.touching_us is None or self.apart_us is None:
            return None
        return self.touching_us / self.apart_us


def run(run_options: RunOptions) -> Report:
    """Let three robots collide twice: once timed, once profiled."""
    seconds = QUICK_SECONDS if run_options.quick else SECONDS
    run_options.progress("colliding", 0, 3)
    times, contacts = _time_frames(seconds)
    touching = contacts > 0
    run_options.progress("profiling", 1, 3)
    cost = _cost(times, *_profile(seconds))
    figures = {
        "worst_frame_ms_3_colliding": cost.worst_ms,
        "frame_ms_touching": _median_ms(times[touching]),
        "frame_ms_apart": _median_ms(times[~touching]),
        "step_touching_over_apart": cost.slower,
        "frames_touching": int(touching.sum()),
        "contacts_of_robots": float(contacts[touching].mean()) if touching.any() else None,
        "collision_share": cost.share,
        "collision_share_apart": cost.share_apart,
        "collision_detection_share": cost.detection,
    }
    table = Table(
        "zaratti-fig9",
        "Zaratti et al. 2006, Figs 6, 7 and 9",
        "Three AIBOs collide",
        table_rows(cost),
        figures,
        (
            "The curve of Fig. 9 is not printed as numbers; its text gives the rows.",
            "The share is nearly the same without a collision, because feet on the ground are "
            "contacts, too; only the ratio of step times depends on the collision.",
        ),
    )
    report = Report(table)
    report.add_plot(_plot(times, touching), "Frame rate while three collide (Fig. 9)")
    if run_options.pictures:
        run_options.progress("drawing", 2, 3)
        report.add_picture(_film(load("aibo_kick"), KICK_VIEW, 0.3), "AIBO kicks the ball (Fig. 6)")
        report.add_picture(_film(collision(), VIEW, 1.0), "Three AIBOs collide (Fig. 7)")
    return report


def table_rows(cost: CollisionCost) -> tuple[Row, ...]:
    """Return the rows for the cost of a collision."""
    frame_ms = 1e3 / ers7_pack.RATE
    full_rate = at_most(round(frame_ms, 1), "ms")
    return (
        Row(
            {"figure": "share of a step for collision detection and response, 3 colliding"},
            f"> {PAPER_SHARE:.0%}",
            f"{cost.share:.0%}",
            above().judge(PAPER_SHARE, cost.share),
            "detection, constraints and their solution, feet on the ground included; "
            f"detection alone {cost.detection:.0%}; without robots in contact "
            f"{cost.share_apart:.0%}",
        ),
        Row(
            {"figure": "time of a step with robots in contact over without"},
            "> 1: each drop is a contact",
            cost.slower,
            above("1").judge(1.0, cost.slower),
            "the share of a step that the collision itself costs: "
            + ("-" if cost.slower is None else f"{1 - 1 / cost.slower:.0%}"),
        ),
        Row(
            {"figure": "3 colliding at the full frame rate"},
            "yes",
            "yes" if full_rate.holds(frame_ms, cost.worst_ms) else "no",
            full_rate.judge(frame_ms, cost.worst_ms),
            f"worst frame {cost.worst_ms:.1f} ms of {frame_ms:.1f}",
        ),
    )


def collision() -> World:
    """Return a world of three robots that walk towards one point from three sides."""
    around = [2 * math.pi * number / ROBOTS for number in range(ROBOTS)]
    robots = (
        ers7_pack.ers7_entry(
            f"dog{number}",
            START * math.cos(angle),
            START * math.sin(angle),
            angle + math.pi,
            forward=SPEED,
        )
        for number, angle in enumerate(around)
    )
    return ers7_pack.pack_world(*robots)


def robot_contacts(simulation: Simulation) -> int:
    """Return the number of contacts between two robots."""
    model, data = simulation.model, simulation.data
    pairs = data.contact.geom[: data.ncon]
    roots = model.body_rootid[model.geom_bodyid[pairs]]
    return int(((roots[:, 0] != roots[:, 1]) & (roots > 0).all(axis=1)).sum())


def _time_frames(seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the time of each frame (s) and the number of contacts between robots at its end."""
    times, contacts = [], []
    with ers7_pack.one_core(), Renderer(*ers7_pack.PIXELS, shadows=False, smooth=False) as renderer:
        frames = ers7_pack.TimedFrames(Simulation(collision()), VIEW, renderer)
        frames.next()  # uploads the model to the renderer
        for _ in range(round(seconds * ers7_pack.RATE)):
            times.append(frames.next())
            contacts.append(robot_contacts(frames.simulation))
    return np.array(times), np.array(contacts)


def _median_ms(times: np.ndarray) -> float | None:
    """Return the median of times (s) in ms; None without any."""
    return milliseconds(float(np.median(times))) if len(times) else None


def _cost(times: np.ndarray, touching: StageTimer, apart: StageTimer) -> CollisionCost:
    """Return the cost from frame times (s) and the profiles with and without robots in contact."""

    def handling(part: dict[str, float]) -> float:
        if not part:
            return math.nan
        return sum(part[f"share_{stage}"] for stage in ("collision", "constraint_rows", "solver"))

    return CollisionCost(
        share=handling(touching.shares()),
        share_apart=handling(apart.shares()),
        detection=touching.shares().get("share_collision", math.nan),
        touching_us=touching.step_time,
        apart_us=apart.step_time,
        worst_ms=milliseconds(float(times.max())),
    )


def _profile(seconds: float) -> tuple[StageTimer, StageTimer]:
    """Return the profiles of the steps with robots in contact, and without."""
    simulation, touching, rest = Simulation(collision()), StageTimer(), StageTimer()
    while simulation.time < seconds:
        (touching if robot_contacts(simulation) else rest).step(simulation, 1 / ers7_pack.RATE)
    return touching, rest


def _plot(times: np.ndarray, touching: np.ndarray) -> Figure:
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots()
    at = np.arange(len(times)) / ers7_pack.RATE
    axes.plot(at, 1 / times, color="#e07a1f", linewidth=0.9)
    axes.fill_between(
        at, 0, 1, where=list(touching), transform=axes.get_xaxis_transform(), alpha=0.15,
        color="#222222", label="robots touch",
    )  # fmt: skip
    axes.axhline(
        ers7_pack.RATE, color="#222222", linewidth=0.8, linestyle="--", label="full rate, 30 fps"
    )
    axes.set(xlabel="simulated time [s]", ylabel="frames per second", ylim=(0, None))
    axes.legend()
    return figure


def _film(world: World, view: Viewpoint, every: float) -> np.ndarray:
    """Return a strip of eight pictures of a world, taken ``every`` seconds."""
    simulation = Simulation(world)
    frames, captions = [], []
    with Renderer(360, 270) as renderer:
        for _ in range(8):
            mujoco.mj_forward(simulation.model, simulation.data)
            frames.append(renderer.picture(simulation.model, simulation.data, view))
            captions.append(f"{simulation.time:.2f} s")
            simulation.step(simulation.round_to_steps(every))
    return picture_strip(frames, captions=captions, columns=4)
