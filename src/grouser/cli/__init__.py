"""The command line: the one place that prints, and the one that turns errors into sentences.

::

    grouser run WORLD          let a world run; pictures and videos of it
    grouser show WORLD         what a world file means, defaults and all
    grouser show robot ROBOT   what a robot is, and what nobody chose about it
    grouser check robot ROBOT  does it keep the contract that all robots keep?
    grouser new world NAME     a world file to begin with, explained line by line
    grouser view WORLD         watch it in a window, drive with keys
    grouser list KIND          what there is
    grouser plan WORLD         the path that physics says is safest and cheapest
    grouser experiment NAME    a paper's table, ours beside it
    grouser bench NAME         how fast it is here
    grouser mobility ROBOT     what a robot can get over
    grouser sweep ROBOT        which size of a robot gets over what
    grouser compare REAL SIM   how far a simulated run is from the real one
    grouser bridge             a real controller's datagrams drive a simulated Kenaf
    grouser eyes --server HOST draw a server's pictures here
    grouser calibrate REAL     what a log tells about a robot and its ground
    grouser console WORLD      type lines at a world, here or at a server
    grouser check-mesh FILE    what a mesh collides as, and how well that fits
    grouser export-stl WORLD   the ground of a world as an STL file
    grouser import-bml FILE    a configuration of bml_vrep becomes a world file
    grouser scan CLOUD...      what a depth camera saw becomes a world
    grouser depth WORLD        what a depth camera would see of a world
    grouser serve WORLD        a world for robots that are driven over the network
    grouser motors WORLD       a robot's motor drivers on a CAN bus
    grouser control            the control process of a robot, for an operator's program

A command imports what it needs when it is called, so that help appears at once. Whatever Grouser
refuses becomes ``grouser: <one sentence>`` on the error stream and exit code 2; Ctrl-C is 130.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from grouser.cli.commands.bench import bench
from grouser.cli.commands.bridge import bridge
from grouser.cli.commands.calibrate import calibrate
from grouser.cli.commands.check import check
from grouser.cli.commands.check_mesh import check_mesh
from grouser.cli.commands.compare import compare
from grouser.cli.commands.console import console
from grouser.cli.commands.control import control
from grouser.cli.commands.depth import depth
from grouser.cli.commands.experiment import experiment
from grouser.cli.commands.export_stl import export_stl
from grouser.cli.commands.eyes import eyes
from grouser.cli.commands.import_bml import import_bml
from grouser.cli.commands.list import list_kind
from grouser.cli.commands.mobility import mobility
from grouser.cli.commands.motors import motors
from grouser.cli.commands.new import new
from grouser.cli.commands.plan import plan
from grouser.cli.commands.run import run
from grouser.cli.commands.scan import scan
from grouser.cli.commands.serve import serve
from grouser.cli.commands.show import show
from grouser.cli.commands.sweep import sweep
from grouser.cli.commands.view import view
from grouser.cli.terminal import complain, result_console
from grouser.cli.typed_command import remember_typed
from grouser.errors import GrouserError

__all__ = ["app"]


class _OneSentence(TyperGroup):
    """Tells a user's mistake in one sentence instead of a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, and keep them for reports."""
        remember_typed(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except GrouserError as error:
            complain(str(error))
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(130) from None


app = typer.Typer(
    name="grouser",
    cls=_OneSentence,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from grouser.benches.machine import version

        result_console().print(f"grouser {version('grouser')}")
        raise typer.Exit


@app.callback()
def grouser(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
        ),
    ] = False,
) -> None:
    """Tracked and legged robots on rough ground: find out what will happen before the machine does.

    Begin with [bold cyan]grouser list worlds[/], then run one of them:

    [cyan]grouser run quince_step --picture step.png[/]
    """


app.command("run")(run)
app.command("show")(show)
app.command("new")(new)
app.command("check")(check)
app.command("view")(view)
app.command("list")(list_kind)
app.command("plan")(plan)
app.command("experiment")(experiment)
app.command("bench")(bench)
app.command("mobility")(mobility)
app.command("sweep")(sweep)
app.command("compare")(compare)
app.command("calibrate")(calibrate)
app.command("serve")(serve)
app.command("motors")(motors)
app.command("control")(control)
app.command("bridge")(bridge)
app.command("eyes")(eyes)
app.command("console")(console)
app.command("check-mesh")(check_mesh)
app.command("scan")(scan)
app.command("depth")(depth)
app.command("export-stl")(export_stl)
app.command("import-bml")(import_bml)
