"""Command line interface: registers all commands and converts errors to one-line messages.

::

    grouser run WORLD          simulate a world; write pictures, videos and logs
    grouser show WORLD         print a world file with all defaults
    grouser show robot ROBOT   print masses, limits and defaulted values of a robot
    grouser check robot ROBOT  check a robot: contract, driving, turning, parking
    grouser new world NAME     write a commented starter file
    grouser view WORLD         show a world in a window, drive with keys
    grouser open WORLD         open a world in the browser
    grouser replay FOLDER      play, export, verify or continue a recording
    grouser recover FOLDER     repair a recording that was cut off
    grouser list KIND          list worlds, robots, sensors, experiments, ...
    grouser schema KIND        print the JSON schema of world or robot files
    grouser plan WORLD         find the safest and cheapest path by simulation
    grouser experiment NAME    reproduce a table or figure of a paper
    grouser bench NAME         measure speed on this machine
    grouser mobility ROBOT     measure obstacle limits of a robot
    grouser sweep ROBOT        sweep one robot parameter against obstacle sizes
    grouser tournament A B     games between two teams of ERS-7 players
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
from typer.core import TyperCommand, TyperGroup

from grouser import plugins
from grouser.cli.commands.list import docstring_line
from grouser.cli.commands.render_worker import render_worker
from grouser.cli.terminal import print_error, result_console, set_command_line
from grouser.errors import GrouserError, PolicyFailed

__all__ = ["app"]


COMMANDS: dict[str, str] = {
    "run": "grouser.cli.commands.run:run",
    "show": "grouser.cli.commands.show:show",
    "new": "grouser.cli.commands.new:new",
    "check": "grouser.cli.commands.check:check",
    "view": "grouser.cli.commands.view:view",
    "open": "grouser.cli.commands.browser.open_page:open_page",
    "replay": "grouser.cli.commands.recordings.replay:replay",
    "recover": "grouser.cli.commands.recordings.recover:recover",
    "list": "grouser.cli.commands.list:list_kind",
    "schema": "grouser.cli.commands.schema:schema",
    "plan": "grouser.cli.commands.plan:plan",
    "experiment": "grouser.cli.commands.experiment:experiment",
    "bench": "grouser.cli.commands.bench:bench",
    "mobility": "grouser.cli.commands.mobility:mobility",
    "sweep": "grouser.cli.commands.sweep:sweep",
    "tournament": "grouser.cli.commands.football.tournament:tournament",
    "compare": "grouser.cli.commands.compare:compare",
    "calibrate": "grouser.cli.commands.calibrate:calibrate",
    "serve": "grouser.cli.commands.serve:serve",
    "motors": "grouser.cli.commands.motors:motors",
    "control": "grouser.cli.commands.control:control",
    "bridge": "grouser.cli.commands.bridge:bridge",
    "render-worker": "grouser.cli.commands.render_worker:render_worker",
    "console": "grouser.cli.commands.console:console",
    "check-mesh": "grouser.cli.commands.check_mesh:check_mesh",
    "scan": "grouser.cli.commands.scan:scan",
    "calibrate-camera": "grouser.cli.commands.cameras.calibrate_camera:calibrate_camera",
    "depth": "grouser.cli.commands.depth:depth",
    "export-stl": "grouser.cli.commands.export_stl:export_stl",
    "import-bml": "grouser.cli.commands.import_bml:import_bml",
}
"""Command → ``module:function``, in the order of the help."""
_OWN = COMMANDS | {"eyes": COMMANDS["render-worker"]}


class _Commands(TyperGroup):
    """Commands of Grouser and of installed packages; prints a `GrouserError` as one line.

    A package registers a function with annotations for `typer` as an entry point::

        [project.entry-points."grouser.commands"]
        moon-phase = "grouser_moon.phase:phase"

    Help lists the command without importing the package.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, those of packages last."""
        return [*super().list_commands(ctx), *_package_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; that of a package has only its name and help until it is called."""
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        target = _package_commands().get(cmd_name)
        return None if target is None else TyperCommand(cmd_name, help=docstring_line(target))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return name, command and remaining arguments; import the command of a package."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and super().get_command(ctx, name) is None:
            found = plugins.load(name, _OWN, plugins.COMMANDS, "grouser")
            command = _package_command(name, found)
        return name, command, rest

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


def _package_commands() -> dict[str, str]:
    return plugins.entry_point_targets(plugins.COMMANDS, _OWN)


def _package_command(name: str, function: Any) -> Any:
    """Return the command of a package's function."""
    own = typer.Typer(add_completion=False, rich_markup_mode="rich")
    own.command(name)(function)
    return typer.main.get_command(own)


app = typer.Typer(
    name="grouser",
    cls=_Commands,
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


for _name in COMMANDS:
    app.command(_name)(plugins.load(_name, COMMANDS, plugins.COMMANDS, "grouser"))
app.command("eyes", hidden=True, deprecated=True)(render_worker)
