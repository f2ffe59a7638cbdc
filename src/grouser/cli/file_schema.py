"""JSON schemas of world, robot and sweep files, with the options of all kinds.

Robots and sensors are checked in several steps when a file is read, because a world does not depend
on the kinds that exist. Here the steps are joined to one model, whose schema editors and other
programs can use. Plug-ins that cannot be used are left out.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from grouser.description import Description
from grouser.errors import BadValue
from grouser.robots.custom.robot_file import RobotFile
from grouser.robots.kinds import load_robot_kind, robot_kinds
from grouser.sensors.sensor import MountKeys, SensorDescription, load_sensor, sensor_kinds
from grouser.sweeps.sweep_file import KINDS, SweepFile
from grouser.world.field_types import ROBOT_ENDINGS
from grouser.world.file import RobotEntry, World

DIALECT = "https://json-schema.org/draft/2020-12/schema"


ANY_OPTIONS: Any = (dict[str, Any], Field(default_factory=dict))
"""Options of a robot whose kind is a file."""


class StandardEquipment(Description):
    """The standard equipment of the robot's kind."""

    kind: Literal["standard"]


def world_schema() -> dict[str, Any]:
    """Return the JSON schema of world files."""
    item = _union([*_sensors(), StandardEquipment]) | Literal["standard"]
    robots = _tuple(_robot_entries(_tuple(item) | Literal["standard"]))
    fields: dict[str, Any] = {"robots": (robots, ())}
    return _schema(create_model("World", __base__=World, __doc__=World.__doc__, **fields))


def robot_schema() -> dict[str, Any]:
    """Return the JSON schema of robot files."""
    sensors = _tuple(_union(_sensors()))
    fields: dict[str, Any] = {"sensors": (sensors, ()), "equipment": (sensors, ())}
    robot = create_model("Robot", __base__=RobotFile, __doc__=RobotFile.__doc__, **fields)
    schema = _schema(robot)
    mounts = MountKeys.model_fields.keys()
    for part in schema["$defs"].values():  # a sensor with a place is on the main body by default
        if part.get("properties", {}).keys() > mounts:
            part["required"] = [key for key in part.get("required", ()) if key != "mount"]
    return schema


def sweep_schema() -> dict[str, Any]:
    """Return the JSON schema of sweep files."""
    return _schema(SweepFile) | {"oneOf": [{"required": [kind]} for kind in KINDS]}


class _Generator(GenerateJsonSchema):
    """Generator without infinite defaults, which JSON cannot represent."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return the schema of a field with a default."""
        made = super().default_schema(schema)
        if made.get("default") == math.inf:
            del made["default"]
        return made


def _schema(model: type[Description]) -> dict[str, Any]:
    return {"$schema": DIALECT, **model.model_json_schema(schema_generator=_Generator)}


def _sensors() -> Iterator[type[SensorDescription]]:
    for kind in sensor_kinds():
        try:
            yield load_sensor(kind, "schema")
        except BadValue:
            continue


def _robot_entries(sensors: Any) -> Any:
    """Return the type of a robot of a world: one entry for each kind, and one for files."""
    entries = []
    for kind in robot_kinds():
        try:
            found = load_robot_kind(kind, "schema")
        except BadValue:
            continue
        options = ANY_OPTIONS
        name, doc = kind, None
        if isinstance(found, type):
            needed = any(field.is_required() for field in found.model_fields.values())
            options = (found, ... if needed else Field(default_factory=dict))
            name, doc = found.__name__, found.__doc__
        entries.append(_entry(f"{name}Entry", doc, Literal[kind], options, sensors))
    endings = "|".join(map(_any_case, ROBOT_ENDINGS))
    file = Annotated[str, Field(pattern=f"({endings})$")]
    return _union(entries) | _entry("RobotFileEntry", "A robot file.", file, ANY_OPTIONS, sensors)


def _entry(name: str, doc: str | None, kind: Any, options: Any, sensors: Any) -> Any:
    return create_model(
        name,
        __base__=RobotEntry,
        __doc__=doc,
        kind=(kind, ...),
        options=options,
        sensors=(sensors, ()),
    )


def _union(kinds: Iterable[Any]) -> Any:
    """Return the union of models, discriminated by ``kind``."""
    return Annotated[functools.reduce(operator.or_, kinds), Field(discriminator="kind")]


def _tuple(kind: Any) -> Any:
    """Return the type of a list of ``kind``."""
    items: Any = tuple
    return Annotated[items[kind, ...], Strict(False)]


def _any_case(ending: str) -> str:
    """Return a pattern for a file's ending in any case; JSON schemas have no flags."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else re.escape(c) for c in ending)
