"""``grouser open``: serve a world to the browser of this machine, and open it there."""

from __future__ import annotations

import asyncio
import math
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight, record_options, serving
from grouser.cli.options import Overrides, Seed, WorldName, speed_factor

if TYPE_CHECKING:
    from grouser.gateways.server import Server

PagePort = Annotated[
    int, typer.Option("--page-port", metavar="N", help="Port of the page; 0: any free one.")
]
WithBrowser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
]


def open_page(
    world: WorldName,
    page_port: PagePort = 8080,
    browser: WithBrowser = True,
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Draw the robots' cameras.")
    ] = True,
    speed: Annotated[
        str, typer.Option(metavar="FACTOR", help="Initial real-time factor; 1.0 is real time.")
    ] = "1.0",
    overrides: Overrides = None,
    seed: Seed = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", show_default="none", help="End after S simulated seconds.")
    ] = math.inf,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="F.json", show_default=False, help="Show the paths of a `grouser plan --json`."
        ),
    ] = None,
    record: record_options.RecordFolder = None,
    verbose: Annotated[int, typer.Option("-v", count=True, help="Log connections.")] = 0,
) -> None:
    """Open a world in the browser: watch it, drive its robots, seek back in time.

    Serves the page to this machine only; [cyan]grouser serve WORLD --page[/] has more ports and
    access for others. For example:

    [cyan]grouser open kenaf_step --record training[/]

    [cyan]grouser open bumps --plan plan.json[/]
    """
    preflight.physics()
    serving.configure_logging(verbose)
    from grouser.gateways.page.gateway import PageGateway
    from grouser.gateways.server import PictureOptions, Server, ServerOptions
    from grouser.service.access import ALL_ROLES
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    factor = speed_factor(speed) or 1.0
    gateway = PageGateway(
        port=serving.port_number("--page-port", page_port), plan="" if plan is None else str(plan)
    )
    options = ServerOptions(
        gateways=(gateway,),
        pictures=PictureOptions() if pictures else None,
        speed=factor,
        open_roles=ALL_ROLES,
    )
    simulation = Simulation(load(world, overrides or []), seed=seed)
    server = Server(simulation, options)
    with record_options.recording(simulation, record, paced=True):
        serve_page(server, seconds, browser=browser)


def serve_page(server: Server, seconds: float, *, browser: bool) -> None:
    """Run a server with a page; print its address, and open it in the browser."""

    def opened() -> None:
        url = page_url(server.ports["page"])
        typer.echo(url)
        if browser:
            webbrowser.open(url)

    asyncio.run(serving.serve_until_ended(server, seconds, opened=opened))


def page_url(port: int) -> str:
    """Return the address of the page on this machine."""
    return f"http://127.0.0.1:{port}/"
