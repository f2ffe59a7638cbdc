"""The world file: YAML in, frozen and strict models out.

::

    name: one step
    terrain:
      - {kind: flat}
      - {kind: step, x: 1.0, height: 0.12, friction: 0.8}
    robots:
      - {name: quince, kind: quince, position: [0, 0], options: {front_deg: 45}}

Values come from three layers: the models' defaults, the file, and overrides (``path=value``). An
error message is one sentence with file, line, key, given value and allowed values. The kinds of
robot are not checked here: a robot is a name, a kind and options, which the scene validates.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    Strict,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from grouser import files
from grouser.description import Description, display_value, mistake
from grouser.errors import BadValue, WorldFileError, nearest, unknown
from grouser.frames import Pose, radians
from grouser.physics.colour_temperature import Kelvin
from grouser.physics.compliance import Compliance
from grouser.world.events import Event, check_events
from grouser.world.field_types import (
    ROBOT_ENDINGS,
    Coordinate,
    Length,
    Name,
    Point,
    Shade,
    resolve_data_file,
)
from grouser.world.match import Match, check_match
from grouser.world.objects import OBJECTS, AnyObject
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.radio import RadioModel
from grouser.world.terrain.kinds import TERRAINS, Terrain
from grouser.world.triggers import TRIGGERS, AnyTrigger
from grouser.world.validation_errors import world_file_error
from grouser.world.yaml_source import (
    MOST_BYTES,
    AllowedKeys,
    Source,
    SourcePosition,
    override,
    read_yaml,
)

ENDINGS = (".yaml", ".yml")

MOST = {
    "terrain": 2000,
    "objects": 2000,
    "robots": 500,
    "starts": 2000,
    "triggers": 2000,
    "events": 2000,
}
"""Largest number of items per key; more would take minutes to compile."""


GroundPoint = tuple[Coordinate, Coordinate]
"""x, y in the world frame, m."""


def _on_the_ground(value: Any) -> Any:
    """Complete ``[x, y]`` to ``[x, y, 0]``."""
    return [*value, 0.0] if isinstance(value, list | tuple) and len(value) == 2 else value


STANDARD_EQUIPMENT = {"kind": "standard"}
REMOVE = "remove"
"""Key of an entry of a robot's ``sensors`` that removes sensors of its own."""
"""Entry in a robot's list of sensors that stands for the standard equipment of its kind."""


def _sensor_list(value: Any) -> Any:
    """Return the value of ``sensors`` as a list of mappings; the word ``standard`` becomes one."""
    if isinstance(value, str):
        return [_standard(value)]
    if not isinstance(value, list | tuple):
        return value
    for number, item in enumerate(value):
        if isinstance(item, dict) and item.get("kind") == "standard" and len(item) > 1:
            raise mistake("must have no keys beside its kind", number)
    return [
        _standard(item, number) if isinstance(item, str) else item
        for number, item in enumerate(value)
    ]


def _standard(word: str, *inside: int) -> dict[str, Any]:
    if word != STANDARD_EQUIPMENT["kind"]:
        what = "a mapping with a kind" if inside else "a list of sensors"
        raise mistake(f"allowed: standard, or {what}{nearest(word, ['standard'])}", *inside)
    return dict(STANDARD_EQUIPMENT)


def _robot_file(kind: str, info: ValidationInfo) -> str:
    """Return the absolute path of an existing robot file; other kinds are returned unchanged."""
    if not kind.lower().endswith(ROBOT_ENDINGS):
        return kind
    return str(resolve_data_file(kind, info, ROBOT_ENDINGS, "robot"))


class NamedPose(Description):
    """A name and a pose on the ground."""

    name: Name
    """Name, unique in its list."""
    position: Annotated[
        Point, BeforeValidator(_on_the_ground, json_schema_input_type=GroundPoint | Point)
    ]
    """Position in the world frame, m: x, y and optionally z; z = 0: feet or belts on the ground."""
    yaw_deg: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Heading, deg, from x towards y."""
    pitch_deg: Annotated[float, Field(ge=-90, le=90)] = 0.0
    """Nose down, deg, applied before the heading: -20 on a slope that rises by 20."""
    roll_deg: Annotated[float, Field(ge=-180, le=180)] = 0.0
    """Right side down, deg, applied before pitch and heading."""

    @property
    def ground(self) -> Pose:
        """Pose of the ground under it in the world."""
        turns = (self.roll_deg, self.pitch_deg, self.yaw_deg)
        roll, pitch, yaw = (radians(turn) for turn in turns)
        return Pose.at(*self.position, roll=roll, pitch=pitch, yaw=yaw)


class Start(NamedPose):
    """Start pose for robots that join a served world (``INIT {Start …}`` over the wire)."""


class RobotEntry(NamedPose):
    """A robot: name, kind and start pose; its name is unique among robots and objects."""

    kind: Annotated[str, AfterValidator(_robot_file)]
    """Kind of robot, checked by the scene, or the path of a robot file, relative to the world
    file's folder."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the robot kind."""
    sensors: Annotated[
        tuple[dict[str, Any], ...], Strict(False), BeforeValidator(_sensor_list)
    ] = ()
    """Additional sensors: kind, name, mount and so on, checked by the scene. ``standard``, alone
    or in the list, is the standard equipment of the robot's kind; ``{remove: NAME}`` removes
    sensors of the robot's own: a name, a list of names, or ``all``."""
    command: dict[str, float] = Field(default_factory=dict)
    """Initial command, in the drives' units."""
    contact: Compliance | None = None
    """Contact compliance of this robot; None: that of the world's `physics.contact`."""

    def equipped(self) -> RobotEntry:
        """Return this robot with its standard equipment, unless its entry lists sensors."""
        if "sensors" in self.model_fields_set:
            return self
        return self.model_copy(update={"sensors": (dict(STANDARD_EQUIPMENT),)})


class View(Description):
    """Camera of pictures and videos; omitted values are chosen to show the first robot."""

    lookat: Point | None = None
    """Point in the middle of the picture, world frame, m; with `follow`: relative to the followed
    body. None: the followed body, or the first robot, which is then followed."""
    distance: Length | None = None
    """Distance of the camera from that point, m; above 0. None: near enough to fill the picture."""
    azimuth_deg: Annotated[float, Field(ge=-360, le=360)] | None = None
    """Viewing direction about z, deg; 0: along x, 90: along y. None: obliquely from behind."""
    elevation_deg: Annotated[float, Field(ge=-90, le=90)] = -20.0
    """Viewing direction above the horizon, deg; negative looks down."""
    follow: str | None = None
    """Name of the robot or object that the camera follows."""


class World(Description):
    """Contents of a world file."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    """Name of the world."""
    description: str = ""
    """Purpose of the world, as text."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Seed of all random streams of this world; at least 0."""
    physics: PhysicsSettings = STANDARD
    """Solver settings and contact compliance; default: the standard settings."""
    terrain: Annotated[tuple[Terrain, ...], Field(min_length=1), Strict(False)]
    """Pieces of ground, at least one."""
    objects: Annotated[tuple[AnyObject, ...], Strict(False)] = ()
    """Fixed and movable objects."""
    robots: Annotated[tuple[RobotEntry, ...], Strict(False)] = ()
    """Robots."""
    starts: Annotated[tuple[Start, ...], Strict(False)] = ()
    """Start poses for robots that join a served world."""
    triggers: Annotated[tuple[AnyTrigger, ...], Strict(False)] = ()
    """Trigger volumes."""
    events: Annotated[tuple[Event, ...], Strict(False)] = ()
    """Events."""
    match: Match | None = None
    """Football match with a referee; None: no match."""
    light_k: Kelvin | None = None
    """Temperature of the light of sun, sky and headlight, K; None: white for every camera. Cameras
    with ``white_balance_k`` show it: in warmer light their white is reddish."""
    daylight: Shade = 1.0
    """Brightness of sun and sky, 0 (night) to 1 (day)."""
    radio: RadioModel = RadioModel()
    """Radio propagation between robots."""
    view: View = View()
    """Camera of pictures and videos."""

    _source: Source = PrivateAttr(default_factory=Source)

    @property
    def folder(self) -> Path | None:
        """Folder of the world file, from which events import their routines; None: no file."""
        return self._source.folder

    @model_validator(mode="after")
    def _names_agree(self) -> World:
        """Reject duplicate names, undefined events, and a view that follows an unknown name."""
        names: set[str] = set()
        for group, members in (("objects", self.objects), ("robots", self.robots)):
            for i, member in enumerate(members):
                if member.name in names:
                    raise mistake("must be unique among objects and robots", group, i, "name")
                names.add(member.name)
        for i, start in enumerate(self.starts):
            if start.name.lower() in {other.name.lower() for other in self.starts[:i]}:
                raise mistake("must be unique among start places", "starts", i, "name")
        check_events(self.triggers, self.events)
        check_match(
            self.match,
            self.terrain,
            {thing.name: thing for thing in self.objects},
            [robot.name for robot in self.robots],
            [trigger.name for trigger in self.triggers],
        )
        if self.view.follow is not None and self.view.follow not in names:
            allowed = ", ".join(sorted(names)) or "none, the world is empty"
            hint = nearest(self.view.follow, names)
            raise mistake(f"allowed: {allowed}{hint}", "view", "follow")
        return self

    def where(self, *path: str | int) -> str:
        """Return ``"file line N"`` of a key, such as ``where("robots", 0, "kind")``."""
        return self._source.position(path).text or f"world {self.name!r}"

    def with_referee_volumes(self) -> World:
        """Return this world with the trigger volumes of its match's referee."""
        watched = self.match.volumes() if self.match else ()
        known = {trigger.name for trigger in self.triggers}
        fresh = tuple(volume for volume in watched if volume.name not in known)
        return self.changed(triggers=(*self.triggers, *fresh))

    def changed(self, **parts: Any) -> World:
        """Return this world with some of its fields replaced by validated ones.

        If the number of robots or objects changes, errors no longer name lines of the file, because
        indices would refer to other entries.
        """
        world = self.model_copy(update=parts)
        same = len(world.robots) == len(self.robots) and len(world.objects) == len(self.objects)
        world._source = self._source if same else Source(folder=self.folder)
        return world


def _keys(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(model.model_fields)


KIND_KEYS: AllowedKeys = {
    f"{group}.*.{kind}": _keys(model)
    for group, table in (("terrain", TERRAINS), ("objects", OBJECTS), ("triggers", TRIGGERS))
    for kind, model in table.items()
}
"""Allowed keys of each kind of part of a world file: ``terrain.*.step``."""


def shipped() -> dict[str, Path]:
    """Return the shipped worlds, name to file."""
    folder = resources.files("grouser") / "worlds"
    files = (Path(str(entry)) for entry in folder.iterdir()) if folder.is_dir() else ()
    return {file.stem: file for file in sorted(files) if file.suffix in ENDINGS}


def load(source: str | Path, overrides: Sequence[str] = ()) -> World:
    """Read a world.

    Args:
        source: a YAML file, or the name of a shipped world.
        overrides: ``path=value`` each, applied to the file in this order, such as
            ``"terrain.1.height=0.12"`` or ``"robots.quince.options.front_deg=45"``.

    Raises:
        UnknownName: no shipped world has this name.
        WorldFileError: the file or an override is invalid.
    """
    if not isinstance(source, str | Path):
        raise BadValue(f"load: {type(source).__name__} given; a name or a path is needed")
    path, where = _find(source)
    try:
        text = files.read_text(path, MOST_BYTES)
    except BadValue as error:
        raise WorldFileError(f"{where}: {error}") from None
    return parse(text, where=where, folder=path.parent, overrides=overrides)


def as_world(source: World | str | os.PathLike[str] | Mapping[str, Any]) -> World:
    """Return a world from its description, name, path, or contents as a mapping.

    Raises:
        UnknownName: no shipped world has this name.
        WorldFileError: the file or the mapping is invalid.
        BadValue: ``source`` is something else.
    """
    if isinstance(source, World):
        return source
    if isinstance(source, Mapping):
        return _validate(Source(dict(source), {(): SourcePosition(1, "world")}), None)
    if isinstance(source, str | os.PathLike):
        return load(source if isinstance(source, str) else Path(source))
    raise BadValue(
        f"world: {type(source).__name__} given; a World, a name, a path or a mapping is needed"
    )


def parse(
    text: str, *, where: str, folder: Path | None = None, overrides: Sequence[str] = ()
) -> World:
    """Read a world from YAML ``text``.

    Args:
        text: contents of a world file.
        where: name for error messages, such as the file's name.
        folder: folder of its data files (None: the current folder).
        overrides: as for `load`.

    Raises:
        WorldFileError: the text or an override is invalid.
    """
    source = read_yaml(text, where, MOST)
    if source.data is None:
        raise WorldFileError(f"{where}: is empty, a world has at least a name and terrain")
    if not isinstance(source.data, dict):
        given = display_value(source.data)
        raise WorldFileError(f"{where} line 1: the world is {given}, a mapping is needed")
    return _validate(override(source, overrides, KIND_KEYS), folder)


def _validate(source: Source, folder: Path | None) -> World:
    """Return the world that ``source`` describes; data files are relative to ``folder``."""
    try:
        world = World.model_validate(source.data, context={"folder": folder})
    except ValidationError as error:
        raise world_file_error(error, source, KIND_KEYS) from None
    world._source = replace(source, folder=folder)
    return world


def _find(source: str | Path) -> tuple[Path, str]:
    """Return the path of ``source`` and its name for error messages."""
    worlds = shipped()
    if isinstance(source, str) and source in worlds:
        return worlds[source], f"worlds/{worlds[source].name}"
    path = Path(source)
    named = isinstance(source, str) and path.name == source and path.suffix not in ENDINGS
    if named and not os.path.exists(path):
        raise unknown("worlds", "world", str(source), worlds)
    return path, str(source)


DEFAULT = "  # default"
"""End of a line whose value the world file omits."""

RobotDefaults = Callable[[RobotEntry], Mapping[str, Any]]
"""Returns the default options of a robot's kind."""

_PLAIN = re.compile(r"[A-Za-z][\w ./()+-]*")  # needs no quotes, in a list either


def world_text(world: World, robot_defaults: RobotDefaults | None = None) -> str:
    """Return ``world`` as the text of a world file.

    Args:
        world: the world.
        robot_defaults: returns the default options of a robot; None: options are written as the
            file has them, since this package does not depend on the robot kinds.
    """
    return "\n".join(_mapping(world, 0, robot_defaults or (lambda entry: {}))) + "\n"


def _mapping(part: BaseModel, indent: int, robot_defaults: RobotDefaults) -> list[str]:
    """Return the lines of one mapping, including nested ones."""
    lines = []
    keys = sorted(type(part).model_fields, key=lambda key: key not in ("kind", "name"))
    for key in keys:
        value, given = getattr(part, key), key in part.model_fields_set or key == "kind"
        if key == "options" and isinstance(part, RobotEntry):
            lines += _options(part, indent, robot_defaults)
            continue
        head, mark = f"{' ' * indent}{key}:", "" if given else DEFAULT
        if isinstance(value, BaseModel):
            lines += [head + mark, *_mapping(value, indent + 2, robot_defaults)]
        elif isinstance(value, tuple) and any(isinstance(item, BaseModel) for item in value):
            lines.append(head + mark)
            for item in value:
                first, *rest = _mapping(item, indent + 4, robot_defaults)
                lines += [f"{' ' * (indent + 2)}- {first.lstrip()}", *rest]
        else:
            lines.append(f"{head} {_flow(value)}{mark}")
    return lines


def _options(entry: RobotEntry, indent: int, robot_defaults: RobotDefaults) -> list[str]:
    more = {k: v for k, v in robot_defaults(entry).items() if k not in entry.options}
    if not (entry.options or more):
        return [f"{' ' * indent}options: {{}}{DEFAULT}"]
    inside = " " * (indent + 2)
    given = [f"{inside}{key}: {_flow(value)}" for key, value in entry.options.items()]
    rest = [f"{inside}{key}: {_flow(value)}{DEFAULT}" for key, value in more.items()]
    return [f"{' ' * indent}options:", *given, *rest]


def _flow(value: Any) -> str:
    """Return a value as YAML in flow style."""
    if isinstance(value, BaseModel):
        value = {key: getattr(value, key) for key in type(value).model_fields}
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, str):
        return value if _reads_as_itself(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return str(int(value))  # 0 instead of 0.0
    return json.dumps(value)


def _reads_as_itself(text: str) -> bool:
    try:
        return bool(_PLAIN.fullmatch(text)) and read_yaml(text, "").data == text
    except WorldFileError:
        return False
