"""Policies from files and modules: ``FILE.py:CLASS`` and ``package.module:CLASS``.

A `PolicySource` is a picklable factory of policies; `equip` gives a robot the sensors that a policy
reads.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from grouser.errors import BadValue, nearest, unknown
from grouser.plugins import reason
from grouser.robots.kinds import describe
from grouser.simulation.policy import (
    PolicyFactory,
    PolicyFunction,
    declaration,
    declared_sensors,
    make_policy,
)
from grouser.world.file import STANDARD_EQUIPMENT, RobotEntry, World


@dataclass(frozen=True)
class PolicySource:
    """Factory of the policies that a text names; equal in every process that has the file."""

    text: str
    """``FILE.py:CLASS`` or ``package.module:CLASS``."""
    folder: Path
    """Folder of relative file names and of packages."""
    where: str = "policy"
    """Location for errors."""
    own_rate_hz: float | None = None
    """Rate that replaces the one that the policy declares, Hz."""
    arguments: tuple[tuple[str, Any], ...] = ()
    """Keyword arguments of the class or function."""
    what: str = "policy"
    """Kind of object, for errors."""

    @property
    def target(self) -> Any:
        """Class or function of the text.

        Raises:
            BadValue: there is no such file, module or class, or it cannot be imported.
        """
        place, colon, name = self.text.rpartition(":")
        if not (colon and place and name.isidentifier()):
            raise BadValue(
                f"{self.where} is '{self.text}', must be FILE.py:CLASS or package.module:CLASS"
            )
        is_file = place.endswith(".py")
        module = self._file(place) if is_file else self._module(place)
        if not hasattr(module, name):
            public = [
                other
                for other, value in vars(module).items()
                if not other.startswith("_") and getattr(value, "__module__", "") == module.__name__
            ]
            raise unknown(f"{self.where}: {place}", self.what, name, public)
        found = getattr(module, name)
        if not callable(found):
            raise BadValue(
                f"{self.where}: '{name}' in {place} is a value of type {type(found).__name__}, "
                "must be the class of a policy"
            )
        return found

    def __call__(self) -> PolicyFunction:
        """Return a new policy."""
        target = self.target
        chosen = dict(self.arguments)
        return make_policy(partial(target, **chosen) if chosen else target, self.where)

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors that the policy declares."""
        return declared_sensors(self.target)

    @property
    def equipment(self) -> Any:
        """Sensors that the policy brings along."""
        return declaration(self.target, "equipment")

    @property
    def truth(self) -> bool:
        """True if the policy requests the true state."""
        return bool(declaration(self.target, "truth"))

    @property
    def rate_hz(self) -> float | None:
        """Rate of the policy, Hz."""
        declared_rate: float | None = declaration(self.target, "rate_hz")
        return declared_rate if self.own_rate_hz is None else self.own_rate_hz

    def _file(self, place: str) -> ModuleType:
        path = (self.folder / place).resolve()
        if not path.is_file():
            beside = [other.name for other in path.parent.glob("*.py")]
            raise BadValue(f"{self.where}: there is no file {place}{nearest(path.name, beside)}")
        return self._import(lambda: _load_file(path), path.parent, place)

    def _module(self, place: str) -> ModuleType:
        return self._import(lambda: importlib.import_module(place), self.folder, place)

    def _import(self, load: Any, folder: Path, place: str) -> ModuleType:
        try:
            with _import_path(folder):
                module: ModuleType = load()
        except ModuleNotFoundError as error:
            if error.name and (place == error.name or place.startswith(f"{error.name}.")):
                raise BadValue(
                    f"{self.where}: there is no module '{error.name}' on the import path or in "
                    "this folder; a file is named with its ending, FILE.py:CLASS"
                ) from error
            raise BadValue(f"{self.where}: {place} cannot be imported ({reason(error)})") from error
        except Exception as error:  # user code may raise anything
            raise BadValue(f"{self.where}: {place} cannot be imported ({reason(error)})") from error
        return module


def load_policy(text: str, *, where: str = "policy", rate_hz: float | None = None) -> PolicySource:
    """Return the factory of the policies that ``text`` names; checked by making one.

    Args:
        text: ``FILE.py:CLASS``, relative to the working folder, or ``package.module:CLASS``.
        where: location for errors, such as ``--policy``.
        rate_hz: replaces the rate that the policy declares, Hz.

    Raises:
        BadValue: there is no such file, module or class, or it makes no policy.
    """
    source = PolicySource(text, Path.cwd(), where, rate_hz)
    source()
    return source


def equip(world: World, robot: str, factory: PolicyFactory) -> World:
    """Return ``world`` with the sensors on ``robot`` that a policy declares and the robot lacks.

    A missing sensor comes from the policy's ``equipment``, else from the standard equipment of the
    robot's kind.

    Raises:
        UnknownName: the world has no such robot, or a sensor is in neither of them.
    """
    entries = {entry.name: entry for entry in world.robots}
    if robot not in entries:
        raise unknown("policy", "robot", robot, entries)
    fitted = _add_sensors(entries[robot], factory)
    robots = (fitted if entry.name == robot else entry for entry in world.robots)
    return world if fitted is entries[robot] else world.changed(robots=tuple(robots))


def _add_sensors(entry: RobotEntry, factory: PolicyFactory) -> RobotEntry:
    built = describe(entry.kind, entry.options, "policy").build()
    own = [sensor.name for sensor in built.sensors]
    own += [sensor.get("name", sensor.get("kind", "")) for sensor in entry.sensors]
    standard = [sensor.name for sensor in built.equipment]
    equipment = [dict(sensor) for sensor in declaration(factory, "equipment")]
    brought = {sensor.get("name", sensor.get("kind")): sensor for sensor in equipment}
    if STANDARD_EQUIPMENT in entry.sensors:
        own += standard
    added: list[dict[str, Any]] = []
    for name in declared_sensors(factory):
        if name in own:
            continue
        if name in brought:
            added.append(brought[name])
        elif name in standard:
            added.append(dict(STANDARD_EQUIPMENT))
            own += standard
        else:
            raise unknown(f"policy of robot '{entry.name}'", "sensor", name, [*own, *standard])
    return entry.model_copy(update={"sensors": (*entry.sensors, *added)}) if added else entry


@cache
def _load_file(path: Path) -> ModuleType:
    """Import a file once; its name among the modules contains its folder, so that it is unique."""
    name = "grouser_policy_" + "_".join(part for part in path.with_suffix("").parts if part != "/")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _import_path(folder: Path) -> Iterator[None]:
    """Put ``folder`` first on the import path."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
