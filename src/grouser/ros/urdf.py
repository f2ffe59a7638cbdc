"""URDF of one robot of a composed model: links named as in the tree of frames, joints, shapes.

A joint has the name of the drive that moves it, as in ``joint_states``, else its own. Its position
is that of MuJoCo. A body with several joints has a link without mass for each further one; a ball
joint becomes three of them, about z, y and x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import mujoco
import numpy as np

from grouser.frames import Array, Pose, axis_angle, to_rpy
from grouser.ros.markers import DRAWN_GROUPS, geom_colour
from grouser.ros.messages import BASE, ros_name

_GEOM, _JOINT = mujoco.mjtGeom, mujoco.mjtJoint
_AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))

MeshAddress = Callable[[int], str]
"""Number of a mesh → its address, such as ``file:///tmp/wheel.stl``."""


@dataclass(frozen=True)
class UrdfJoint:
    """Joint of a URDF with one degree of freedom."""

    name: str
    kind: str
    """revolute, continuous or prismatic."""
    body: int
    joint: int
    """Joint of the model."""
    component: int
    """Axis of a ball joint, 0 to 2; else 0."""


def robot_bodies(model: mujoco.MjModel, robot: str, root: str) -> list[int]:
    """Return the bodies of a robot, parents first."""
    first = model.body(f"{robot}/{root}").id
    inside = {first}
    for body in range(first + 1, model.nbody):
        if int(model.body_parentid[body]) in inside:
            inside.add(body)
    return sorted(inside)


def urdf_joints(model: mujoco.MjModel, robot: str, root: str) -> list[UrdfJoint]:
    """Return the moving joints of a robot's URDF; its root is fixed or free."""
    names = _joint_names(model, robot)
    found = []
    for body in robot_bodies(model, robot, root)[1:]:
        start = int(model.body_jntadr[body])
        for joint in range(start, start + int(model.body_jntnum[body])):
            match _JOINT(model.jnt_type[joint]):
                case _JOINT.mjJNT_HINGE:
                    kind = "revolute" if model.jnt_limited[joint] else "continuous"
                    found.append(UrdfJoint(names[joint], kind, body, joint, 0))
                case _JOINT.mjJNT_SLIDE:
                    found.append(UrdfJoint(names[joint], "prismatic", body, joint, 0))
                case _JOINT.mjJNT_BALL:
                    found += [
                        UrdfJoint(f"{names[joint]}_{'zyx'[i]}", "continuous", body, joint, i)
                        for i in range(3)
                    ]
                case _:
                    raise ValueError(f"body {body}: a free joint inside of a robot")
    return found


def urdf_positions(model: mujoco.MjModel, qpos: Array, joints: list[UrdfJoint]) -> dict[str, float]:
    """Return the position of every joint of a URDF in a state of MuJoCo."""
    positions = {}
    for joint in joints:
        address = int(model.jnt_qposadr[joint.joint])
        if model.jnt_type[joint.joint] == _JOINT.mjJNT_BALL:
            roll, pitch, yaw = to_rpy(qpos[address : address + 4])
            positions[joint.name] = float((yaw, pitch, roll)[joint.component])
        else:
            positions[joint.name] = float(qpos[address])
    return positions


def robot_urdf(
    model: mujoco.MjModel, robot: str, root: str, mesh_address: MeshAddress | None = None
) -> str:
    """Return the URDF of a robot.

    Args:
        model: the composed model.
        robot: name of the robot.
        root: its root body.
        mesh_address: addresses of meshes; None: a mesh is drawn as its bounding box.
    """
    bodies = robot_bodies(model, robot, root)
    links = {body: ros_name(model.body(body).name or f"{robot}/body_{body}") for body in bodies}
    links[bodies[0]] = ros_name(f"{robot}/{BASE}")
    joints: dict[int, list[UrdfJoint]] = {}
    for joint in urdf_joints(model, robot, root):
        joints.setdefault(joint.body, []).append(joint)
    top = Element("robot", name=ros_name(robot))
    for body in bodies:
        _add_link(top, model, body, links[body], mesh_address)
        if body != bodies[0]:
            parent = links[int(model.body_parentid[body])]
            _add_joints(top, model, body, parent, links[body], joints.get(body, []))
    indent(top)
    return tostring(top, encoding="unicode")


def _joint_names(model: mujoco.MjModel, robot: str) -> dict[int, str]:
    """Return the name of every joint: that of its drive, else its own."""
    prefix = f"{robot}/"
    names = {
        joint: ros_name(model.joint(joint).name.removeprefix(prefix) or f"joint_{joint}")
        for joint in range(model.njnt)
    }
    for actuator in range(model.nu):
        if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT:
            drive = model.actuator(actuator).name
            if drive.startswith(prefix):
                names[int(model.actuator_trnid[actuator, 0])] = drive.removeprefix(prefix)
    return names


# -- joints ----------------------------------------------------------------------------------------


def _add_joints(
    top: Element, model: mujoco.MjModel, body: int, parent: str, link: str, joints: list[UrdfJoint]
) -> None:
    """Add the chain of joints from the parent's link to a body's."""
    X_PB = Pose(model.body_pos[body].copy(), model.body_quat[body].copy())
    if not joints:
        _joint_element(top, f"{link}_fixed".replace("/", "_"), "fixed", parent, link, X_PB)
        return
    # Each joint acts at its anchor; `X` is the pose of the next joint's frame in the link before.
    X, here = X_PB, parent
    for number, joint in enumerate(joints):
        anchor = Pose(model.jnt_pos[joint.joint].copy(), Pose().wxyz)
        child = f"{link}_{number}"
        top.append(Element("link", name=child))
        element = _joint_element(top, joint.name, joint.kind, here, child, X @ anchor)
        _add_axis(element, model, joint)
        X, here = _offset(model, joint) @ anchor.inverse(), child
    _joint_element(top, f"{link}_fixed".replace("/", "_"), "fixed", here, link, X)


def _offset(model: mujoco.MjModel, joint: UrdfJoint) -> Pose:
    """Return the motion by minus the reference position, at which MuJoCo's joint has no effect."""
    if model.jnt_type[joint.joint] == _JOINT.mjJNT_BALL:
        return Pose()
    reference = float(model.qpos0[model.jnt_qposadr[joint.joint]])
    axis = model.jnt_axis[joint.joint]
    if joint.kind == "prismatic":
        return Pose(-reference * axis, Pose().wxyz)
    return Pose(np.zeros(3), axis_angle(axis, -reference))


def _add_axis(element: Element, model: mujoco.MjModel, joint: UrdfJoint) -> None:
    ball = model.jnt_type[joint.joint] == _JOINT.mjJNT_BALL
    axis = _AXES[joint.component] if ball else model.jnt_axis[joint.joint].tolist()
    SubElement(element, "axis", xyz=_numbers(axis))
    if joint.kind != "continuous":
        low, high = model.jnt_range[joint.joint].tolist()
        if not model.jnt_limited[joint.joint]:
            low, high = -1e3, 1e3  # URDF demands limits of slides
        limits = {"lower": _number(low), "upper": _number(high)}
        SubElement(element, "limit", limits, effort="0", velocity="0")


def _joint_element(top: Element, name: str, kind: str, parent: str, child: str, X: Pose) -> Element:
    element = SubElement(top, "joint", name=name, type=kind)
    _add_origin(element, X)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    return element


# -- links -----------------------------------------------------------------------------------------


def _add_link(
    top: Element, model: mujoco.MjModel, body: int, name: str, mesh_address: MeshAddress | None
) -> None:
    link = SubElement(top, "link", name=name)
    if model.body_mass[body] > 0:
        inertial = SubElement(link, "inertial")
        _add_origin(inertial, Pose(model.body_ipos[body].copy(), model.body_iquat[body].copy()))
        SubElement(inertial, "mass", value=_number(model.body_mass[body]))
        x, y, z = map(_number, model.body_inertia[body].tolist())
        SubElement(inertial, "inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")
    start = int(model.body_geomadr[body])
    for geom in range(start, start + int(model.body_geomnum[body])):
        if model.geom_group[geom] not in DRAWN_GROUPS or geom_colour(model, geom)[3] == 0:
            continue
        X_BG = Pose(model.geom_pos[geom].copy(), model.geom_quat[geom].copy())
        for X_GS, tag, sizes in _shapes(model, geom, mesh_address):
            visual = SubElement(link, "visual")
            _add_origin(visual, X_BG @ X_GS)
            SubElement(SubElement(visual, "geometry"), tag, dict(sizes))
            material = SubElement(visual, "material", name=f"colour_{geom}")
            SubElement(material, "color", rgba=_numbers(geom_colour(model, geom)))


def _shapes(
    model: mujoco.MjModel, geom: int, mesh_address: MeshAddress | None
) -> Iterator[tuple[Pose, str, Mapping[str, str]]]:
    """Yield pose in the geom, tag and attributes of the shapes of a geom."""
    a, b, c = model.geom_size[geom].tolist()
    round_ = {"radius": _number(a)}
    match _GEOM(model.geom_type[geom]):
        case _GEOM.mjGEOM_BOX:
            yield Pose(), "box", {"size": _numbers((2 * a, 2 * b, 2 * c))}
        case _GEOM.mjGEOM_SPHERE:
            yield Pose(), "sphere", round_
        case _GEOM.mjGEOM_CYLINDER:
            yield Pose(), "cylinder", round_ | {"length": _number(2 * b)}
        case _GEOM.mjGEOM_CAPSULE:
            yield Pose(), "cylinder", round_ | {"length": _number(2 * b)}
            for end in (-b, b):
                yield Pose.at(z=end), "sphere", round_
        case _GEOM.mjGEOM_MESH if mesh_address is not None:
            yield Pose(), "mesh", {"filename": mesh_address(int(model.geom_dataid[geom]))}
        case _:
            centre, half = model.geom_aabb[geom].reshape(2, 3)
            yield Pose(centre.copy()), "box", {"size": _numbers((2 * half).tolist())}


def _add_origin(element: Element, X: Pose) -> None:
    """Add an ``origin``; URDF's angles are those of `Pose.at`."""
    place = {"xyz": _numbers(X.position.tolist()), "rpy": _numbers(to_rpy(X.wxyz).tolist())}
    SubElement(element, "origin", place)


def _number(value: float) -> str:
    return repr(float(value))


def _numbers(values: Iterator[float] | tuple[float, ...] | list[float]) -> str:
    return " ".join(map(_number, values))
