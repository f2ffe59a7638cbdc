"""Command line interface: registers all commands and converts errors to one-line messages.

::

    grouser run WORLD          simulate a world; write pictures, videos and logs
    grouser show WORLD         print a world file with all defaults
    grouser show robot ROBOT   print masses, limits and defaulted values of a robot
    grouser check robot ROBOT  check a robot against the robot contract
    grouser new world NAME     write a commented starter file
    grouser view WORLD         show a world in a window, drive with keys
    grouser list KIND          list worlds, robots, sensors, experiments, ...
    grouser plan WORLD         find the safest and cheapest path by simulation
    grouser experiment NAME    reproduce a table or figure of a paper
    grouser bench NAME         measure speed on this machine
    grouser mobility ROBOT     measure obstacle limits of a robot
    grouser sweep ROBOT        sweep one robot parameter against obstacle sizes
    grouser compare REAL SIM   distance between a real log and a simulated one
    grouser calibrate REAL     estimate robot and ground parameters from a log
    grouser console WORLD      type console lines at a world, here or on a server
    grouser check-mesh FILE    collision geometry of a mesh and its error
    grouser export-stl WORLD   write the ground of a world as an STL file
    grouser import-bml FILE    convert a bml_vrep configuration to a world file
    grouser scan CLOUD...      convert depth data to a world
    grouser depth WORLD        simulate a depth camera in a world
    grouser serve WORLD        serve a world to network clients
    grouser motors WORLD       serve a robot's motor drivers on a CAN bus
    grouser control            run the control process for an operator's program
    grouser bridge             drive a simulated Kenaf by a real controller's datagrams
    grouser render-worker      render a server's camera images on this machine

Commands import their modules when called, so that help appears at once. A `GrouserError` is
printed as ``grouser: <message>`` on standard error with exit code 2; Ctrl-C exits with 130.
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
from grouser.cli.commands.import_bml import import_bml
from grouser.cli.commands.list import list_kind
from grouser.cli.commands.mobility import mobility
from grouser.cli.commands.motors import motors
from grouser.cli.commands.new import new
from grouser.cli.commands.plan import plan
from grouser.cli.commands.render_worker import render_worker
from grouser.cli.commands.run import run
from grouser.cli.commands.scan import scan
from grouser.cli.commands.serve import serve
from grouser.cli.commands.show import show
from grouser.cli.commands.sweep import sweep
from grouser.cli.commands.view import view
from grouser.cli.terminal import print_error, result_console, set_command_line
from grouser.errors import GrouserError, PolicyFailed

__all__ = ["app"]


class _ErrorReporting(TyperGroup):
    """Command group that prints a `GrouserError` as one line instead of a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and store them for reports."""
        set_command_line(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except GrouserError as error:
            print_error(str(error))
            raise typer.Exit(1 if isinstance(error, PolicyFailed) else 2) from None
        except KeyboardInterrupt:
            print_error("interrupted")
            raise typer.Exit(130) from None


app = typer.Typer(
    name="grouser",
    cls=_ErrorReporting,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        result_console().print(f"grouser {version('grouser')}")
        raise typer.Exit


@app.callback()
def grouser(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Simulate tracked and legged robots on rough ground.

    Start with [bold cyan]grouser list worlds[/], then run one of them:

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
app.command("render-worker")(render_worker)
app.command("eyes", hidden=True, deprecated=True)(render_worker)
app.command("console")(console)
app.command("check-mesh")(check_mesh)
app.command("scan")(scan)
app.command("depth")(depth)
app.command("export-stl")(export_stl)
app.command("import-bml")(import_bml)
