"""``grouser serve``: serve a world to network clients, each with its own robot."""

from __future__ import annotations

import asyncio
import math
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from grouser.cli import preflight, record_options, serving
from grouser.cli import serve_options as options
from grouser.cli.options import (
    LogFile,
    LogRate,
    Overrides,
    Seed,
    WorldName,
    check_log_rate,
    parse_numbers,
    speed_factor,
)
from grouser.cli.policy_options import (
    PolicyRate,
    RobotPolicies,
    controlled_simulation,
    raise_failure,
)
from grouser.errors import BadValue, nearest, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from grouser.gateways.gateway import Gateway
    from grouser.gateways.images.mosaic import Layout
    from grouser.gateways.server import PictureOptions
    from grouser.gateways.usarsim.port_profile import PortProfile
    from grouser.protocol.images import ImageType
    from grouser.service.rate_limiter import Limits
    from grouser.simulation.simulation import Simulation
    from grouser.trials.plan import PlanSettings

    ProfiledPort = tuple[int, PortProfile]

MOST_TILES = 16
"""Largest number of columns and rows of the mosaic."""
INFORMED_TIMEOUT = 10.0
"""Default command time-out of clients that use Grouser messages, simulated s."""

Given = tuple[str, str]
"""Name and value of an option, or of a part of one."""


def serve(
    world: WorldName,
    host: options.Address = "127.0.0.1",
    port: options.ControlPort = 3000,
    dialect: options.DialectName = "ut2004",
    axes: options.AxesName = "z-down",
    units: options.UnitsName = "si",
    also: options.FurtherPorts = None,
    images: options.ImagePortNumber = 5003,
    truth: options.TruthPortNumber = 3989,
    render_workers: options.WorkerPortNumber = -1,
    page: options.WithPage = False,
    page_port: options.PagePortNumber = 8080,
    gateways: options.FurtherGateways = None,
    rosbridge: options.RosbridgePortNumber = -1,
    rosbridge_origin: options.RosbridgeOrigins = None,
    goal: options.Goals = None,
    plan: options.PlanValues = None,
    speed: options.SpeedFactor = "1.0",
    players: options.Players = 0,
    longest_wait: options.LongestWait = 10.0,
    beat_ms: options.BeatMs = None,
    command_timeout: options.CommandTimeout = None,
    strict: options.Strict = False,
    picture_type: options.PictureType = None,
    fps: options.PicturesPerSecond = math.inf,
    render_processes: options.RenderProcesses = 1,
    legacy_images: options.LegacyImages = False,
    own_pictures: options.OwnPictures = False,
    tiles: options.Tiles = "2x2",
    token_file: options.TokenFile = None,
    open_roles: options.OpenRoles = None,
    certificate: options.Certificate = None,
    key: options.CertificateKey = None,
    lines_per_second: options.LinesPerSecond = 2000.0,
    connections: options.Connections = 512,
    equipment: options.Equipment = True,
    robots: options.RobotFiles = None,
    ground_truth: options.GroundTruth = False,
    seconds: options.EndAfter = math.inf,
    log: LogFile = None,
    log_rate: LogRate = 50.0,
    overrides: Overrides = None,
    seed: Seed = None,
    console: options.WithConsole = False,
    policy: RobotPolicies = None,
    policy_rate: PolicyRate = None,
    record: record_options.RecordFolder = None,
    record_hz: record_options.RecordRate = 25.0,
    record_topics: record_options.RecordTopics = None,
    compress: record_options.Compression = "zstd",
    verbose: options.Verbosity = 0,
) -> None:
    """Serve a world: clients join with their robots over the USARSim protocol.

    The first printed line lists the ports. Ctrl-C ends it. For example:

    [cyan]grouser serve pioneer_room --dialect udk --also 3001:ut2004:z-up --speed max[/]
    """
    from grouser.gateways.server import Server, ServerOptions

    _prepare(verbose)
    service = ServerOptions(
        address=host,
        gateways=(
            *_robot_gateways(_ports(port, dialect, axes, units, also), truth, ground_truth),
            *_picture_gateways(images, render_workers, legacy_images, own_pictures),
            *_page_gateways(page, page_port),
            *_further_gateways(gateways, rosbridge, rosbridge_origin, goal, plan),
        ),
        pictures=picture_options(images, picture_type, render_processes, fps, tiles),
        **_pace(speed, beat_ms) | _timeouts(command_timeout, longest_wait, strict, players),
        **_robots(equipment, robots),
        **_access(token_file, open_roles, certificate, key, _limits(lines_per_second, connections)),
    )
    simulation, controls = controlled_simulation(world, overrides, seed, policy, policy_rate)
    to = record, record_hz, record_topics, compress
    with record_options.recording(simulation, *to, paced=True), _log(simulation, log, log_rate):
        asyncio.run(serving.serve_until_ended(Server(simulation, service), seconds, console))
    raise_failure(controls)


def _prepare(verbose: int) -> None:
    """Check the physics engine, and begin to log."""
    preflight.physics()
    serving.configure_logging(verbose)


def _pace(speed: str, beat_ms: float | None) -> dict[str, Any]:
    """Return real-time factor and tick of the server."""
    return {"speed": speed_factor(speed) or math.inf, "tick": serving.beat_seconds(beat_ms)}


def _robots(equipment: bool, files: list[Path] | None) -> dict[str, Any]:
    """Return the options of robots that clients add."""
    return {"equipment": equipment, "robot_files": _robot_files(files or ())}


def _log(
    simulation: Simulation, path: Path | None, rate_hz: float
) -> AbstractContextManager[object]:
    """Return a context in which the robots of ``simulation`` are logged; None: they are not."""
    from grouser.simulation.run_log import RunLog

    check_log_rate(rate_hz)
    if path is None:
        return nullcontext()
    return RunLog(simulation, path, rate_hz=rate_hz, by_robot=True)


def _access(
    token_file: Path | None,
    open_roles: str | None,
    certificate: Path | None,
    key: Path | None,
    limits: Limits,
) -> dict[str, Any]:
    """Return tokens, open roles, TLS context and limits of the server."""
    from grouser.service.access import parse_roles, tokens

    return {
        "open_roles": None if open_roles is None else parse_roles("--open", open_roles),
        "tls": serving.tls_context(certificate, key),
        "tokens": tokens(token_file),
        "limits": limits,
    }


def _robot_files(files: Iterable[Path]) -> tuple[str, ...]:
    """Return the absolute paths of robot files; raise if one does not build."""
    from grouser.robots.kinds import describe

    for file in files:
        describe(str(file), {}, "--robot").build()
    return tuple(str(file.resolve()) for file in files)


def _limits(lines_per_second: float, connections: int) -> Limits:
    from grouser.service.rate_limiter import Limits

    lines = serving.above(lines_per_second, "--lines-per-second")
    return Limits(lines_per_second=lines, connections=connections)


def _layout(tiles: str) -> Layout:
    """Return the grid of the mosaic."""
    from grouser.gateways.images.mosaic import Layout

    columns, cross, rows = tiles.partition("x")
    if not (cross and columns.isdecimal() and rows.isdecimal()):
        raise BadValue(f"--tiles is '{tiles}', must be COLUMNSxROWS, for example 4x1")
    if not (1 <= int(columns) <= MOST_TILES and 1 <= int(rows) <= MOST_TILES):
        raise BadValue(f"--tiles is '{tiles}', both must be from 1 to {MOST_TILES}")
    return Layout(columns=int(columns), rows=int(rows))


def picture_options(
    port: int, kind: str | None, workers: int, fps: float, tiles: str
) -> PictureOptions | None:
    """Return the rendering options; None without an image port."""
    from grouser.gateways.server import PictureOptions

    pictures = PictureOptions(
        type=_picture_type(kind),
        workers=workers,
        fps=serving.above(fps, "--fps"),
        layout=_layout(tiles),
    )
    return pictures if port >= 0 else None


def _timeouts(
    command_timeout: float | None, longest_wait: float, strict: bool, players: int
) -> dict[str, Any]:
    """Return the number of players in lockstep, and the time-outs of turns and commands."""
    given = serving.not_below(command_timeout or 0.0, "--command-timeout")
    usual: dict[str, Any] = {
        "players": players,
        "longest_wait": serving.not_below(longest_wait, "--longest-wait"),
        "command_timeout": 0.0,
    }
    if strict or command_timeout is not None:
        return usual | {"command_timeout": 0.0 if strict else given, "informed_timeout": 0.0}
    return usual | {"informed_timeout": INFORMED_TIMEOUT}


def _robot_gateways(
    ports: tuple[ProfiledPort, ...], truth: int, ground_truth: bool
) -> Iterator[Gateway]:
    """Yield the gateways of robot clients and of the truth port."""
    from grouser.gateways.usarsim.gateway import UsarsimGateway
    from grouser.gateways.usarsim.truth_port import TruthGateway

    yield UsarsimGateway(ports=ports, ground_truth=ground_truth)
    if serving.is_open("--truth", truth):
        yield TruthGateway(port=truth, profile=ports[0][1])


def _picture_gateways(
    images: int, render_workers: int, legacy: bool, own_only: bool
) -> Iterator[Gateway]:
    """Yield the gateways of images and render workers."""
    from grouser.gateways.images.gateway import ImageGateway, RenderWorkerGateway

    if render_workers >= 0 and images < 0:
        raise BadValue(
            f"--eyes is {render_workers}, but --images is {images}: render workers need an "
            "image port"
        )
    if serving.is_open("--images", images):
        yield ImageGateway(port=images, legacy=legacy, own_only=own_only)
    if serving.is_open("--eyes", render_workers):
        yield RenderWorkerGateway(port=render_workers)


def _page_gateways(page: bool, port: int) -> Iterator[Gateway]:
    """Yield the gateway of the browser page."""
    if page:
        from grouser.gateways.page.gateway import PageGateway

        yield PageGateway(port=serving.port_number("--page-port", port))


def _further_gateways(
    named: list[str] | None,
    port: int,
    origins: list[str] | None,
    goals: list[str] | None,
    plan: list[str] | None,
) -> Iterable[Gateway]:
    """Return the gateway of rosbridge, and those of ``--gateway``."""
    further = list(map(_gateway, named or ()))
    if serving.is_open("--rosbridge", port):
        from grouser.gateways.rosbridge.gateway import RosbridgeGateway

        further.insert(0, RosbridgeGateway(port=port, origins=tuple(origins or ())))
    elif origins:
        raise BadValue("--rosbridge-origin needs --rosbridge PORT")
    return _with_plans(further, goals, plan) if goals or plan else further


def _with_plans(
    gateways: list[Gateway], goals: list[str] | None, plan: list[str] | None
) -> Iterator[Gateway]:
    """Yield gateways, those with planning services with the given goals and settings."""
    from grouser.gateways.ros_graph.planning_gateway import PlanningGateway

    if not any(isinstance(gateway, PlanningGateway) for gateway in gateways):
        raise BadValue(
            f"{'--goal' if goals else '--plan'} needs --rosbridge PORT or a gateway ros2"
        )
    given = {"goals": tuple(map(_goal, goals or ())), "settings": _plan_settings(plan or ())}
    for gateway in gateways:
        planning = isinstance(gateway, PlanningGateway)
        yield gateway.model_copy(update=given) if planning else gateway


def _gateway(text: str) -> Gateway:
    """Return the gateway of ``NAME[:KEY=VALUE,…]``; the values are YAML."""
    from grouser.gateways.gateway import describe_gateway
    from grouser.world.yaml_source import read_yaml

    where = f"--gateway {text}"
    name, _, rest = text.partition(":")
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not (key and equals):
            raise BadValue(f"{where}: {part!r} must be KEY=VALUE, such as port=4000")
        given[key] = read_yaml(value, where).data
    return describe_gateway(name, given, where)


def _plan_settings(given: Iterable[str]) -> PlanSettings:
    """Return the planning settings; omitted ones have their defaults."""
    from grouser.trials.plan import PlanSettings

    values: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in options.PLAN_VALUES:
            raise unknown(f"--plan {text}", "setting", name, options.PLAN_VALUES)
        if name != "planner" and not value.isdecimal():
            raise BadValue(f"--plan {text}: must be a whole number, such as {name}=2")
        values[name] = value if name == "planner" else int(value)
    return PlanSettings(**values)


def _goal(text: str) -> tuple[str, tuple[float, float]]:
    """Return robot and position of a goal."""
    robot, _, place = text.rpartition(":")
    x, y = parse_numbers("--goal", place, 2, example="roach:1.6,0 (m)")
    return robot, (x, y)


def _profile(dialect: Given, axes: Given, units: Given) -> PortProfile:
    from grouser.gateways.usarsim.port_profile import PortProfile
    from grouser.protocol.usarsim.axes import Axes
    from grouser.protocol.usarsim.dialects import DIALECTS

    name = _one_of(*dialect, options.DIALECTS)
    return PortProfile(
        DIALECTS[name.removesuffix(options.EARLY)],
        Axes(_one_of(*axes, options.AXES)),
        _one_of(*units, options.UNITS) == "unreal",
        early=name.endswith(options.EARLY),
    )


def _ports(
    port: int, dialect: str, axes: str, units: str, also: list[str] | None
) -> tuple[ProfiledPort, ...]:
    """Return the control ports; the main port is first."""
    profile = _profile(("--dialect", dialect), ("--axes", axes), ("--units", units))
    return (serving.port_number("--port", port), profile), *map(_additional_port, also or ())


def _additional_port(value: str) -> ProfiledPort:
    number, *words = value.split(":")
    if not number.isdecimal() or not 1 <= len(words) <= 3:
        raise BadValue(f"--also is '{value}', must be N:DIALECT[:AXES[:UNITS]], such as 3001:udk")
    dialect, axes, units = (
        (f"--also {value}: {name}", word)
        for name, word in zip(
            ("DIALECT", "AXES", "UNITS"),
            (*words, *("ut2004", "z-down", "si")[len(words) :]),
            strict=True,
        )
    )
    return serving.port_number("--also", int(number)), _profile(dialect, axes, units)


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> str:
    if value.lower() in allowed:
        return value.lower()
    raise BadValue(
        f"{option} is '{value}', allowed: {', '.join(allowed)}{nearest(value.lower(), allowed)}"
    )


def _picture_type(value: str | None) -> ImageType:
    from grouser.protocol.images import ImageType

    if value is None:
        return ImageType.NORMAL
    return ImageType[_one_of("--picture-type", value, options.TYPES).upper()]
