"""The robot file: one YAML that describes a robot, alone or on top of a URDF or MJCF.

It is read as world files are: strict, with overrides on top, every mistake one sentence with file,
line and key (`grouser.robots.custom.custom_robot`); `grouser.robots.custom.assembly` builds it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from grouser.robots.custom.part_entries import (
    Above,
    CameraEntry,
    EvenBox,
    FlipperEntry,
    HullBox,
    JointEntry,
    Oval,
    Tensor,
    TrackEntry,
    WheelEntry,
)
from grouser.world.field_types import Description, Name, Point, mistake
from grouser.world.validation_errors import AllowedKeys

MODEL_ENDINGS = (".urdf", ".xml", ".mjcf")


class RobotFile(Description):
    """All that a robot file says."""

    name: Name
    """What the robot is called; its class name on the wire, too."""
    description: str = ""
    """What it is, in words."""
    model: str | None = None
    """A URDF or MJCF underneath: a path from this file, or ``package://NAME/PATH`` of an installed
    package. Its links and joints keep their names."""
    bolted: bool = False
    """It is bolted to the world where it is put, as an arm on a table."""
    mass: Above | None = None
    """Whole robot, kg: what its parts do not weigh, the main body does. Left out: the model's."""
    centre: Point | None = None
    """Centre of mass of the whole robot with all joints at 0, in the main body, m. Left out: the
    main body's is in the middle of its box."""
    box: EvenBox | None = None
    """The main body weighs like this even box. Left out: like one round all its hull and tracks."""
    inertia: Tensor | None = None
    """Instead: the main body's inertia about its own centre, kg m²."""
    hull: Annotated[tuple[HullBox, ...], Strict(False)] = ()
    """Boxes that touch the world."""
    tracks: Annotated[tuple[TrackEntry, ...], Strict(False)] = ()
    flippers: Annotated[tuple[FlipperEntry, ...], Strict(False)] = ()
    wheels: Annotated[tuple[WheelEntry, ...], Strict(False)] = ()
    drives: dict[str, JointEntry] = Field(default_factory=dict)
    """What moves the model's joints, by name or pattern."""
    sensors: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """What it always carries beside encoders, as world files say it."""
    equipment: Annotated[tuple[dict[str, Any], ...], Strict(False)] = ()
    """What it carries where a world says ``sensors: standard``."""
    cameras: Annotated[tuple[CameraEntry, ...], Strict(False)] = ()
    """Where pictures may be taken from."""

    @model_validator(mode="after")
    def _makes_sense(self) -> RobotFile:
        if self.model is None:
            if self.mass is None:
                raise mistake("lacks 'mass': what the whole robot weighs, kg")
            if not (self.hull or self.tracks or self.wheels):
                raise mistake("has no parts; give hull, tracks, wheels or a model")
            if self.drives:
                raise mistake("are joints of a model, and there is none", "drives")
        elif not self.model.lower().endswith(MODEL_ENDINGS):
            raise mistake(f"must end in {' or '.join(MODEL_ENDINGS)}", "model")
        if self.inertia and self.box:
            raise mistake("must be left out where the box is given", "inertia")
        if self.tracks and any(wheel.torque for wheel in self.wheels):
            raise mistake("must not be driven beside tracks; leave out their torque", "wheels")
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
    "box": _fields(EvenBox),
    "hull.*": _fields(HullBox),
    "tracks.*": _fields(TrackEntry),
    "tracks.*.oval": _fields(Oval),
    "flippers.*": _fields(FlipperEntry),
    "flippers.*.oval": _fields(Oval),
    "flippers.*.box": _fields(EvenBox),
    "flippers.*.arm": _fields(HullBox),
    "wheels.*": _fields(WheelEntry),
    "cameras.*": _fields(CameraEntry),
}
"""The keys each part of a robot file may have."""
