"""Modules, packages, imports and import rules of the source tree."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "grouser"

FOUNDATIONS = {
    "array_files",
    "cores",
    "description",
    "errors",
    "exports",
    "frames",
    "files",
    "plugins",
    "tls",
}
PARTS = FOUNDATIONS | {"physics"}
BODIES = PARTS | {"world", "tracks", "locomotion", "rendering", "sensors.imaging", "sensors"}
ROBOTS = BODIES | {"robots.robot", "robots.parts", "robots.custom", "robots", "robots.kinds"}
RUNNING = ROBOTS | {
    "simulation",
    "simulation.changes",
    "simulation.script",
    "simulation.changes.execution",
    "simulation.observers",
    "simulation.robot_handle",
    "simulation.divergence",
    "simulation.simulation",
}
ARRAYS = {"cores", "errors", "exports", "frames"}
LOGS = ARRAYS | {"array_files", "files"}
PLANNED = RUNNING | {"simulation.divergence.recovery", "planning.driver", "planning"}
SERVED = PLANNED | {"trials", "service"}
WIRED = SERVED | {
    "protocol",
    "render_workers",
    "gateways.client_socket",
    "gateways.listening_port",
    "gateways.websocket",
}
GATEWAYS = WIRED | {
    "gateways.images",
    "gateways.gateway",
    "gateways.images.gateway",
    "gateways.usarsim",
    "ros",
    "gateways.ros_graph",
    "gateways.rosbridge",
    "gateways.ros2",
    "gateways.can",
    "gateways.game_controller",
    "gateways.page",
    "gateways.urbi",
    "gateways.vrpn",
}
EVERYTHING = GATEWAYS | {
    "recording",
    "simulation.run_log",
    "mobility",
    "sweeps",
    "calibration",
    "gateways.server",
    "gateways",
    "client",
    "perception",
    "evaluation",
    "reports",
    "scan",
    "scan.ground",
    "scan.simulated_camera",
    "football",
    "football.remote",
    "football.teams",
    "football.game",
    "football.tournament",
}

MAY_IMPORT: dict[str, set[str]] = {
    # 0
    "array_files": {"errors"},
    "cores": set(),
    "description": {"errors"},
    "errors": set(),
    "exports": set(),
    "frames": set(),
    "files": {"errors"},
    "plugins": {"errors"},
    "tls": {"errors"},
    "physics": FOUNDATIONS,
    "protocol": {"errors", "exports"},
    # 1
    "world": PARTS,
    "tracks": PARTS,
    "locomotion": ARRAYS,
    "rendering": PARTS,
    "sensors.imaging": PARTS | {"rendering"},
    "sensors": PARTS | {"rendering", "sensors.imaging"},
    # 2
    "robots.robot": PARTS | {"tracks", "sensors"},
    "robots.parts": PARTS | {"tracks", "locomotion", "sensors.imaging", "sensors", "robots.robot"},
    "robots.custom": BODIES | {"robots.robot", "robots.parts"},
    "robots.kinds": BODIES | {"robots.robot", "robots.custom"},
    "robots": BODIES - {"world"} | {"robots.robot", "robots.parts"},
    # 3
    "simulation": ROBOTS,
    "simulation.changes": ROBOTS | {"simulation"},
    "simulation.script": ROBOTS | {"simulation", "simulation.changes"},
    "simulation.changes.execution": ROBOTS
    | {"simulation", "simulation.changes", "simulation.script"},
    "simulation.observers": ROBOTS | {"simulation", "simulation.changes", "simulation.script"},
    "simulation.robot_handle": ROBOTS | {"simulation", "simulation.changes"},
    "simulation.divergence": ROBOTS | {"simulation", "simulation.changes"},
    "simulation.simulation": RUNNING,
    "simulation.divergence.recovery": RUNNING,
    "simulation.run_log": RUNNING,
    # 4
    "trials": PLANNED,
    "mobility": RUNNING | {"trials", "evaluation"},
    "calibration": RUNNING | {"trials", "evaluation"},
    "sweeps": PLANNED | {"trials", "mobility", "evaluation"},
    "render_workers": RUNNING | {"protocol"},
    "ros": RUNNING,
    "recording": RUNNING | {"ros"},
    # 5
    "service": PLANNED | {"trials"},
    # 6
    "gateways.client_socket": SERVED | {"gateways.listening_port"},
    "gateways.listening_port": SERVED,
    "gateways.malloc": set(),
    "gateways.websocket": SERVED | {"gateways.client_socket", "gateways.listening_port"},
    "gateways.images": WIRED,
    "gateways.gateway": WIRED | {"gateways.images"},
    "gateways.images.gateway": WIRED | {"gateways.images", "gateways.gateway"},
    "gateways.usarsim": WIRED | {"gateways.images", "gateways.gateway"},
    "gateways.ros_graph": WIRED | {"ros", "gateways.images", "gateways.gateway"},
    "gateways.rosbridge": WIRED
    | {"ros", "gateways.images", "gateways.gateway", "gateways.ros_graph"},
    "gateways.ros2": WIRED | {"ros", "gateways.images", "gateways.gateway", "gateways.ros_graph"},
    "gateways.game_controller": WIRED | {"gateways.images", "gateways.gateway"},
    "gateways.can": WIRED | {"gateways.images", "gateways.gateway"},
    "gateways.page": WIRED | {"gateways.images", "gateways.gateway", "gateways.ros_graph"},
    "gateways.urbi": WIRED | {"ros", "gateways.images", "gateways.gateway", "gateways.ros_graph"},
    "gateways.vrpn": WIRED | {"gateways.images", "gateways.gateway"},
    "gateways.server": GATEWAYS | {"gateways.malloc"},
    "gateways": GATEWAYS | {"gateways.server"},
    # 7
    "experiments": EVERYTHING,
    "benches": EVERYTHING | {"experiments"},
    "cli": EVERYTHING | {"experiments", "benches"},
    "__main__": {"cli"},
    # beside
    "client": ARRAYS | {"tls", "protocol", "planning.driver"},
    "planning.driver": ARRAYS,
    "planning": ARRAYS | {"planning.driver", "plugins"},
    "perception": ARRAYS,
    "football": ARRAYS | {"perception"},
    "football.remote": ARRAYS | {"perception", "football", "client", "protocol"},
    "football.teams": PLANNED | {"football"},
    "football.game": SERVED | {"perception", "football"},
    "football.tournament": SERVED | {"football", "football.teams", "football.game"},
    "evaluation": LOGS,
    "reports": LOGS | {"evaluation"},
    "scan": LOGS | {"world"},
    "scan.ground": LOGS | {"world", "scan", "reports"},
    "scan.simulated_camera": RUNNING | {"scan"},
}
"""Zone → zones it may import. A zone is a package, a sub-package or a module with a rule of its
own; a module without an entry belongs to the package around it."""

PURE = {
    *("protocol", "client", "perception", "football", "evaluation", "reports", "locomotion"),
    *("planning.driver", "planning"),
}
"""Zones that must not import MuJoCo."""

BARE = {"protocol"}
"""Zones that import only the standard library: a client needs no other package."""


def paths() -> list[Path]:
    """Return every module's file."""
    return sorted(SOURCE.rglob("*.py"))


def module(path: Path) -> str:
    """Return a file's name for ``import``."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Return every module by its name for ``import``."""
    return {module(path): path for path in paths()}


def package(name: str) -> str:
    """Return the package of a module: the part after ``grouser``, empty for grouser itself."""
    return [*name.split("."), ""][1]


def zone(name: str) -> str:
    """Return the zone of a module: the longest part of its name that has a rule of its own."""
    parts = name.split(".")[1:]
    for length in range(len(parts), 0, -1):
        if (candidate := ".".join(parts[:length])) in MAY_IMPORT:
            return candidate
    return ".".join(parts)


def package_zones(name: str) -> set[str]:
    """Return all zones of a package."""
    return {other for other in MAY_IMPORT if other.split(".")[0] == name}


@cache
def tree(path: Path) -> ast.Module:
    """Return a file's syntax."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _type_checking(path: Path) -> set[ast.AST]:
    """Return the nodes under ``if TYPE_CHECKING``."""
    tests = [node for node in ast.walk(tree(path)) if isinstance(node, ast.If)]
    return {
        inner
        for node in tests
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }


@cache
def imports(path: Path) -> set[str]:
    """Return every module that ``path`` imports: in functions and for type checkers as well.

    Imports of its own package for type checkers only are left out: they cannot close a cycle.
    """
    known, found = modules(), set()
    own = f"grouser.{package(module(path))}"
    for node in ast.walk(tree(path)):
        if node in _type_checking(path) and getattr(node, "module", "").startswith(own):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module, path
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {member if member in known else node.module for member in members}
    return found


def is_init(path: Path) -> bool:
    """Return whether a file is the ``__init__`` of a package."""
    return path.name == "__init__.py"
