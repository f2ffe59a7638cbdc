"""Model files (URDF, MJCF) of robot files: read into a spec with one root body and named joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np

from grouser.errors import BadValue, nearest
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.robots.custom.model_joints import ModelJoint, ModelJoints, has_explicit_limits
from grouser.robots.custom.robot_file import RobotFile
from grouser.robots.custom.urdf_file import (
    LARGE_MESH,
    read_urdf,
    urdf_faults,
    urdf_model,
    urdf_warnings,
)
from grouser.robots.custom.xml_lines import XmlElement, read_xml
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS

MOST_COPIES = 2000
"""Largest number of copies that an element of an MJCF may make, with repetitions around it."""
MOST_CELLS = 1 << 24
"""Largest number of grid points or pixels of an element of an MJCF."""
PACKAGE = "package://"
"""URL prefix of a model in an installed package: ``package://example-robot-data/a1.urdf``."""


def resolve_model(folder: Path, model: str) -> Path:
    """Return the path of a model file, which may not exist.

    ``model`` is relative to ``folder``, or ``package:

    NAME/PATH``: the only file of the installed package NAME whose path ends with PATH.
    """
    if not model.startswith(PACKAGE):
        return folder / model
    name, _, inside = model.removeprefix(PACKAGE).partition("/")
    try:
        provided = metadata.files(name) or []
    except metadata.PackageNotFoundError:
        raise BadValue(
            f"model is in the package '{name}', which is not installed: pip install {name}"
        ) from None
    found = [file for file in provided if f"/{file.as_posix()}".endswith(f"/{inside}")]
    if len(found) == 1:
        return Path(str(found[0].locate())).resolve()
    if found:
        several = ", ".join(file.as_posix() for file in found[:4])
        raise BadValue(f"model is '{inside}', of which package '{name}' has several: {several}")
    ending = Path(inside).suffix
    alike = {file.name for file in provided if file.suffix == ending}
    hint = nearest(Path(inside).name, alike)
    raise BadValue(f"model is '{inside}', which package '{name}' does not provide{hint}")


def read_model(path: Path, robot_file: RobotFile) -> ModelJoints:
    """Read the model at ``path``; the error names the first fault and counts the others."""
    if path.suffix.lower() == ".urdf":
        urdf = read_urdf(path)
        faults = urdf_faults(
            urdf, _limited_joints([joint.name for joint in urdf.joints], robot_file)
        )
        if faults:
            more = f" (and {len(faults) - 1} more: grouser check robot lists all)"
            raise BadValue(faults[0] + (more if len(faults) > 1 else ""))
        model = urdf_model(urdf)
        model.notes += urdf_warnings(urdf)
    else:
        model = mjcf_model(path)
    root = model.spec.worldbody.first_body()
    for geom in model.spec.geoms:
        _make_hull(geom)
    _exclude_own_contacts(model.spec)
    if robot_file.mass is None:
        compiled = model.spec.copy().compile()
        if not compiled.body_mass.sum() > 0:
            raise BadValue(f"{path.name}: '{root.name}' has no mass; give the robot's mass")
    model.notes += _large_meshes(model.spec, path)
    return model


def all_faults(path: Path, robot_file: RobotFile) -> list[str]:
    """Return every fault of the model at ``path``; for an MJCF only the first."""
    try:
        if path.suffix.lower() == ".urdf":
            urdf = read_urdf(path)
            return urdf_faults(
                urdf, _limited_joints([joint.name for joint in urdf.joints], robot_file)
            )
        read_model(path, robot_file)
    except BadValue as error:
        return [str(error)]
    return []


def model_file_paths(path: Path, including: tuple[Path, ...] = ()) -> list[Path]:
    """Return the model file and all existing files that it references.

    ``including`` are the files through which it is included.
    """
    named = [path]
    if path.suffix.lower() == ".urdf":
        for link in read_urdf(path).links:
            named += [s.file for s in (*link.visuals, *link.collisions) if s.file]
    else:
        folder, including = path.parent, (*including, path.resolve())
        root = read_xml(path)
        _check_counts(root, path.name)
        elements = list(root.walk())
        compiler = next((e for e in elements if e.tag == "compiler"), None)
        folders = compiler.attributes if compiler else {}
        for element in elements:
            if file := element.attributes.get("file"):
                included = element.tag == "include"
                key = "texturedir" if element.tag == "texture" else "meshdir"
                below = "" if included else folders.get(key, folders.get("assetdir", ""))
                found = folder / below / file
                if included and found.resolve() in including:
                    raise BadValue(f"{path.name} line {element.line}: {file} includes itself")
                inside = included and found.is_file()
                named += model_file_paths(found, including) if inside else [found]
    return [file for file in dict.fromkeys(named) if file.is_file()]


def _check_counts(element: XmlElement, name: str, copies: float = 1.0) -> None:
    """Reject repetitions and grids of an MJCF that would take minutes or gigabytes to compile."""
    copies *= _product(element, ("count",))
    cells = _product(element, ("nrow", "ncol")) * _product(element, ("width", "height"))
    for number, most, what in ((copies, MOST_COPIES, "copies"), (cells, MOST_CELLS, "cells")):
        if number > most:
            raise BadValue(
                f"{name} line {element.line}: {element.tag} has {number:g} {what}, at most "
                f"{most:,} are allowed"
            )
    for child in element.children:
        _check_counts(child, name, copies)


def _product(element: XmlElement, keys: Sequence[str]) -> float:
    """Return the product of all numbers in attributes; 1 if one is no number: MuJoCo reports it."""
    words = [word for key in keys for word in element.attributes.get(key, "").split()]
    try:
        return math.prod(max(float(word), 1.0) for word in words)
    except ValueError:
        return 1.0


def _limited_joints(joints: list[str], robot_file: RobotFile) -> set[str]:
    """Return the joints whose limits the robot file gives."""
    arms = {
        name: flipper.limits_deg for flipper in robot_file.flippers for name in flipper.joints or ()
    }
    return {name for name, limits in arms.items() if limits} | {
        name for name in joints if name not in arms and has_explicit_limits(name, robot_file.drives)
    }


def mjcf_model(path: Path) -> ModelJoints:
    """Return the robot of an MJCF without its actuators, sensors, lights and ground."""
    model_file_paths(path)  # clearer errors than MuJoCo's, and limits of size
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        folder = path.parent.resolve()
        spec.meshdir, spec.texturedir = str(folder / spec.meshdir), str(folder / spec.texturedir)
        spec.compile()
        # In the saved XML all angles are radians and all defaults are resolved.
        spec = mujoco.MjSpec.from_string(spec.to_xml())
        _name_all(spec)
        model = spec.compile()
    except (ValueError, OSError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadValue(f"{path.name}: MuJoCo cannot read it ({reason})") from None
    bodies = list(_children(spec.worldbody))
    if len(bodies) != 1:
        names = ", ".join(body.name for body in bodies) or "none"
        raise BadValue(f"{path.name}: exactly one body is needed in the world, found: {names}")
    torques = _torques(model)
    bodies[0].pos, bodies[0].quat = [0, 0, 0], [1, 0, 0, 0]  # the world sets the robot's pose
    for group in (spec.actuators, spec.sensors, spec.keys, spec.lights, spec.worldbody.geoms):
        for element in list(group):
            spec.delete(element)
    spec.nkey = 0
    for joint in list(bodies[0].joints):
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            spec.delete(joint)
    joints = {}
    for joint in spec.joints:
        if joint.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            raise BadValue(f"{path.name}: joint '{joint.name}' is neither a hinge nor a slide")
        compiled = model.joint(joint.name)
        ends = bool(model.jnt_limited[compiled.id])
        low, high = compiled.range.tolist()
        joints[joint.name] = ModelJoint(
            name=joint.name,
            slides=joint.type == mujoco.mjtJoint.mjJNT_SLIDE,
            limits=(low, high) if ends else None,
            torque=torques.get(compiled.id),
        )
    return ModelJoints(spec=spec, joints=joints)


def _name_all(spec: mujoco.MjSpec) -> None:
    """Name all unnamed bodies and joints."""
    for word, things in (("body", spec.bodies[1:]), ("joint", spec.joints)):
        taken = {thing.name for thing in things}
        for number, thing in enumerate(things):
            if not thing.name:
                thing.name = next(
                    name
                    for name in (f"{word}{number}", f"{word}{number}_unnamed")
                    if name not in taken
                )


def _children(body: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    found, child = [], body.first_body()
    while child is not None:
        found.append(child)
        child = body.next_body(child)
    return found


def _torques(model: mujoco.MjModel) -> dict[int, float]:
    """Return the torque limits of the model by joint."""
    found = {}
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            found[joint] = float(np.abs(model.jnt_actfrcrange[joint]).max())
    for motor in range(model.nu):
        if model.actuator_trntype[motor] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        joint, gear = int(model.actuator_trnid[motor, 0]), abs(model.actuator_gear[motor, 0])
        if model.actuator_forcelimited[motor]:
            most = float(np.abs(model.actuator_forcerange[motor]).max()) * float(gear)
            found[joint] = min(most, found.get(joint, most))
        elif _is_direct_drive(model, motor) and model.actuator_ctrllimited[motor]:
            gain = abs(float(model.actuator_gainprm[motor, 0])) * float(gear)
            most = float(np.abs(model.actuator_ctrlrange[motor]).max()) * gain
            found[joint] = min(most, found.get(joint, most))
    return found


def _is_direct_drive(model: mujoco.MjModel, motor: int) -> bool:
    """Return whether a motor's torque is proportional to its control."""
    fixed = model.actuator_gaintype[motor] == mujoco.mjtGain.mjGAIN_FIXED
    return bool(fixed and model.actuator_biastype[motor] == mujoco.mjtBias.mjBIAS_NONE)


def _make_hull(geom: mujoco.MjsGeom) -> None:
    """Set a colliding geom to the contact class of hulls; leave visual geoms unchanged."""
    if not (geom.contype or geom.conaffinity):
        return
    geom.contype, geom.conaffinity, geom.condim = HULL, HULL_TOUCHES, 3
    geom.friction, geom.solmix = [SLIPPERY, 0, 0], GROUND_SOFTNESS_WINS


def _exclude_own_contacts(spec: mujoco.MjSpec) -> None:
    """Exclude contacts between the model's own parts, whose shapes overlap at the joints."""
    solid = [body.name for body in spec.bodies[1:] if any(geom.contype for geom in body.geoms)]
    known = {frozenset((pair.bodyname1, pair.bodyname2)) for pair in spec.excludes}
    for number, one in enumerate(solid):
        for other in solid[number + 1 :]:
            if frozenset((one, other)) not in known:
                spec.add_exclude(name=f"{one}|{other}", bodyname1=one, bodyname2=other)


def _large_meshes(spec: mujoco.MjSpec, path: Path) -> list[str]:
    """Return warnings for meshes so large that they are likely in millimetres."""
    try:
        model = spec.copy().compile()
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise BadValue(f"{path.name}: MuJoCo cannot build it ({reason})") from None
    notes = []
    for mesh in range(model.nmesh):
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        size = float(np.ptp(model.mesh_vert[first : first + count], axis=0).max())
        if size > LARGE_MESH:
            name = model.mesh(mesh).name
            notes.append(
                f"{path.name}: mesh '{name}' is {size:.0f} m large: in millimetres? "
                'then give it scale="0.001 0.001 0.001"'
            )
    return notes
