"""Robot file schema: a YAML file that describes a robot, alone or with a URDF or MJCF.

Files are read as world files are: strict, with overrides; every error names file, line and key
(`grouser.robots.custom.custom_robot`). `grouser.robots.custom.assembly` builds the robot.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from grouser.robots.custom.part_entries import (
    Above,
    CameraEntry,
    FlipperEntry,
    HullBox,
    JointEntry,
    Oval,
    Tensor,
    TrackEntry,
    UniformBox,
    WheelEntry,
)
from grouser.world.field_types import Description, Name, Point, mistake
from grouser.world.yaml_source import AllowedKeys

MODEL_ENDINGS = (".urdf", ".xml", ".mjcf")


class RobotFile(Description):
    """Content of a robot file."""

    name: Name
    """Name of the robot; also its class name on the wire."""
    description: str = ""
    """Free text."""
    model: str | None = None
    """URDF or MJCF model: a path relative to this file, or ``package://NAME/PATH`` of an installed
    package. Its links and joints keep their names."""
    bolted: bool = False
    """True: the main body is fixed to the world, as an arm on a table."""
    mass: Above | None = None
    """Mass of the whole robot, kg; the main body has the remainder. Default: the model's."""
    centre: Point | None = None
    """Centre of mass of the whole robot with all joints at 0, in the main body, m. Default: the
    centre of the main body's box."""
    box: UniformBox | None = None
    """Inertia box of the main body. Default: bounding box of its hull and tracks."""
    inertia: Tensor | None = None
    """Alternative: inertia of the main body about its own centre, kg m²."""
    hull: Annotated[tuple[HullBox, ...], Strict(False)] = ()
    """Collision boxes."""
    tracks: Annotated[tuple[TrackEntry, ...], Strict(False)] = ()
    flippers: Annotated[tuple[FlipperEntry, ...], Strict(False)] = ()
    wheels: Annotated[tuple[WheelEntry, ...], Strict(False)] = ()
    drives: dict[str, JointEntry] = Field(default_factory=dict)
    """Drives of the model's joints, by name or pattern."""
    sensors: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """Sensors that are always present beside encoders, in the format of world files."""
    equipment: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """Additional sensors with ``sensors: standard`` in the world file."""
    cameras: Annotated[tuple[CameraEntry, ...], Strict(False)] = ()
    """Viewpoints for pictures and videos."""

    @model_validator(mode="after")
    def _check_consistency(self) -> RobotFile:
        if self.model is None:
            if self.mass is None:
                raise mistake("lacks 'mass': mass of the whole robot, kg")
            if not (self.hull or self.tracks or self.wheels):
                raise mistake("has no parts; give hull, tracks, wheels or a model")
            if self.drives:
                raise mistake("need a model that has these joints", "drives")
        elif not self.model.lower().endswith(MODEL_ENDINGS):
            raise mistake(f"must end in {' or '.join(MODEL_ENDINGS)}", "model")
        if self.inertia and self.box:
            raise mistake("must not be given together with box", "inertia")
        if self.tracks and any(wheel.torque for wheel in self.wheels):
            raise mistake("must not be driven beside tracks; remove their torque", "wheels")
        if self.flippers and not self.tracks:
            raise mistake("need a track that their belts are geared to", "flippers")
        for group in ("hull", "tracks", "flippers", "wheels", "cameras"):
            names = [part.name for part in getattr(self, group)]
            for number, name in enumerate(names):
                if name is not None and name in names[:number]:
                    raise mistake(f"must be unique among {group}", group, number, "name")
        return self


def _fields(model: type[Description]) -> frozenset[str]:
    return frozenset(model.model_fields)


KEYS: AllowedKeys = {
    "": _fields(RobotFile),
    "box": _fields(UniformBox),
    "hull.*": _fields(HullBox),
    "tracks.*": _fields(TrackEntry),
    "tracks.*.oval": _fields(Oval),
    "flippers.*": _fields(FlipperEntry),
    "flippers.*.oval": _fields(Oval),
    "flippers.*.box": _fields(UniformBox),
    "flippers.*.arm": _fields(HullBox),
    "wheels.*": _fields(WheelEntry),
    "cameras.*": _fields(CameraEntry),
}
"""Allowed keys of each part of a robot file."""
