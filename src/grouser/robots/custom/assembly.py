"""Builder for robot files: `RobotFile` to `Robot` (bodies, belts, wheels, drives)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import mujoco

from grouser.errors import BadValue, UnknownName, unknown
from grouser.frames import Pose, radians
from grouser.physics.contacts import SLIPPERY
from grouser.physics.drives import Drive
from grouser.robots.custom.mass_properties import TrialBuild
from grouser.robots.custom.model_files import read_model, resolve_model
from grouser.robots.custom.model_joints import ModelJoints, driven_joints
from grouser.robots.custom.robot_file import BeltEntry, FlipperEntry, RobotFile, TrackEntry
from grouser.robots.parts.backlash import add_backlash
from grouser.robots.parts.flipper import Flipper, arm_inside, middle_of_mass, outline
from grouser.robots.parts.hull import ORANGE, Vector, add_hull, exclude_hull_belt_contacts
from grouser.robots.parts.wheel import Wheel
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.sensor import Sensor, describe_sensor
from grouser.sensors.truth import Truth
from grouser.tracks.drive_defaults import belt_drive, links_of
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Belt, Track, add_track

SIDES = {"left": 1, "right": -1}
PITCH = 0.03
"""m; default grouser pitch where a file gives neither pitch nor count; estimate: three times a
typical height."""
ROOT = "body"
"""Name of the main body of a robot without a model."""


def assemble(robot_file: RobotFile, path: Path) -> Robot:
    """Build the robot of the file at ``path``."""
    try:
        return _Assembly(robot_file, path).robot()
    except (BadValue, UnknownName) as error:
        where = "" if str(error).startswith(path.name) else f"{path.name}: "
        raise type(error)(f"{where}{error}") from error


class _Assembly:
    """State of one build."""

    def __init__(self, robot_file: RobotFile, path: Path) -> None:
        self.robot_file = robot_file
        self.joints = ModelJoints.empty()
        if robot_file.model is not None:
            self.joints = read_model(resolve_model(path.parent, robot_file.model), robot_file)
            self.spec = self.joints.spec
        else:
            self.spec = mujoco.MjSpec()
            self.spec.compiler.degree = False
            self.spec.worldbody.add_body(name=ROOT)
        self.root = self.spec.worldbody.first_body()
        self.belts: dict[str, Belt] = {}
        self.drives: dict[str, Drive] = {}
        self.limits: dict[str, tuple[float, float]] = {}
        self.posture: dict[str, float] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.rolling: dict[str, list[str]] = {"left": [], "right": []}
        self.gauge = 0.0

    def robot(self) -> Robot:
        """Return the robot."""
        robot_file = self.robot_file
        for number, box in enumerate(robot_file.hull):
            x, y, z = box.size
            half = (x / 2, y / 2, z / 2)
            name = box.name or f"hull{number}"
            add_hull(self._body(box.on), name, half, at=box.at, rgb=box.rgb)
        for number, track in enumerate(robot_file.tracks):
            self._add_tracks(track, number)
        arms = [
            arm
            for flipper in robot_file.flippers
            for arm in (self._add_flippers(flipper) if flipper.axis else ())
        ]
        for flipper in robot_file.flippers:
            if flipper.joints:
                self._add_belts_on_links(flipper)
        radius = self._add_wheels()
        exclude_hull_belt_contacts(self.spec)
        self._add_cameras()
        for arm, drive in arms:
            drive.add(self.spec, arm, arm)
        self._drive_joints()
        trial = TrialBuild(self.spec, self.root, robot_file)
        mass = trial.set_root_mass()
        steering = None
        if self.rolling["left"] and self.rolling["right"]:
            left, right = (tuple(self.rolling[side]) for side in ("left", "right"))
            steering = Steering(left=left, right=right, gauge=self.gauge, radius=radius)
        return Robot(
            spec=self.spec,
            root=self.root.name,
            mass=mass,
            drives=self.drives,
            limits=self.limits,
            belts=tuple(self.belts.values()),
            steering=steering,
            groups=self.groups,
            sensors=self._sensors(),
            equipment=tuple(self._sensor(options) for options in robot_file.equipment),
            standing=trial.standing(self.posture),
            posture=self.posture,
            battery=robot_file.battery,
            free=not robot_file.bolted,
        )

    def _body(self, name: str | None) -> mujoco.MjsBody:
        """Return the body that carries a part; None: the main body."""
        if name is None:
            return self.root
        body = self.spec.body(name)
        if body is None:
            raise unknown("on", "link", name, [body.name for body in self.spec.bodies[1:]])
        return body

    def _sensors(self) -> tuple[Sensor, ...]:
        own = (Truth(body=self.root.name), Encoder(drives=tuple(self.drives)))
        return (*own, *(self._sensor(options) for options in self.robot_file.sensors))

    def _sensor(self, options: Mapping[str, object]) -> Sensor:
        """Return a sensor; with ``at`` but without ``mount`` it is on the main body."""
        place = {"mount": self.root.name} if "at" in options else {}
        return describe_sensor({**place, **options}, "sensors")

    # -- belts -------------------------------------------------------------------------------

    def _track(self, entry: TrackEntry) -> Track:
        path, mass = entry.path(1), self.robot_file.mass
        belts = sum(2 if each.side == "both" else 1 for each in self.robot_file.tracks)
        drive, inertia = belt_drive(
            force=entry.force,
            speed=entry.speed,
            links=links_of(entry.method, path, entry.wheels),
            load=None if mass is None else mass / belts,
            inertia=entry.inertia,
            lead=entry.lead,
            damping=entry.damping,
        )
        return Track(
            path=path,
            width=entry.width,
            drive=replace(
                drive, losses=entry.losses, motor=entry.motor, command_delay=entry.command_delay
            ),
            inertia=inertia,
            grouser=entry.build_grouser(),
            count=_count(entry, path),
            method=entry.method,
            wheels=entry.wheels,
            without_top=entry.without_top,
            friction=_friction(entry),
        )

    def _add_tracks(self, entry: TrackEntry, number: int) -> None:
        body, track = self._body(entry.on), self._track(entry)
        x, y, z = entry.at
        stem = f"{entry.name}_" if entry.name and number else ""
        if entry.side == "middle":
            name = entry.name or f"track{number}"
            self._register_belt(
                add_track(self.spec, body, track, name, Pose.at(x, y, z)), track.drive
            )
            for side in SIDES:
                self.rolling[side].append(name)
            return
        for side, sign in SIDES.items():
            if entry.side in ("both", side):
                name = f"{stem}{side}" if stem or not number else f"track{number}_{side}"
                belt = add_track(self.spec, body, track, name, Pose.at(x, sign * y, z))
                self._register_belt(belt, track.drive)
                self.rolling[side].append(name)
        self.gauge = max(self.gauge, 2 * abs(y))

    def _register_belt(self, belt: Belt, drive: Drive) -> None:
        self.belts[belt.name], self.drives[belt.name] = belt, drive

    def _flipper_track(self, entry: FlipperEntry) -> Track:
        """Return the belt of a flipper: same method as its track and driven by the same motor."""
        main = self._track(self.robot_file.tracks[0])
        path = entry.path(entry.forward)
        return Track(
            path=path,
            width=entry.width,
            drive=main.drive,
            geared=True,
            inertia=entry.inertia,
            carried_by=2 * main.ground_run,
            grouser=entry.build_grouser() or main.grouser,
            count=_count(entry, path, main.pitch),
            method=main.method,
            wheels=entry.wheels,
            friction=_friction(entry),
        )

    def _main(self, side: str) -> Belt:
        """Return the belt that the flippers of a side are geared to."""
        if not self.rolling[side]:
            raise BadValue(f"flippers: no track on the {side} to be geared to")
        return self.belts[self.rolling[side][0]]

    def _add_flippers(self, entry: FlipperEntry) -> list[tuple[str, Drive]]:
        """Add both flippers; return the drives of their arms, to be added later."""
        if entry.axis is None or entry.mass is None:
            return []
        x, y, z = entry.axis
        arms = []
        for side, sign in SIDES.items():
            place = f"{entry.name}_{side}"
            flipper = self._flipper(entry, entry.mass, place, (x, sign * y, z))
            self.belts[flipper.place] = flipper.add(self.spec, self.root, self._main(side))
            arms.append((f"{flipper.place}_arm", _arm_drive(entry)))
        self._register_arms(entry, [arm for arm, _ in arms])
        self.drives.update(arms)
        self.posture.update(dict.fromkeys(dict(arms), radians(entry.start_deg)))
        return arms

    def _flipper(self, entry: FlipperEntry, mass: float, place: str, axis: Vector) -> Flipper:
        track = self._flipper_track(entry)
        forward = entry.forward
        half, middle = outline(track)
        arm_half, arm_at = _arm_box(entry, half, middle)
        at = (_centre_of_mass_x(entry) * forward if entry.pulleys else middle, 0.0, 0.0)
        if entry.box:
            half, at = _half_edges(entry.box.size), _mirror_x(entry.box.at, forward)
        if entry.arm:
            arm_half, arm_at = _half_edges(entry.arm.size), _mirror_x(entry.arm.at, forward)
        return Flipper(
            place=place,
            axis=axis,
            forward=forward,
            track=track,
            mass=mass,
            half=half,
            at=at,
            arm_half=arm_half,
            arm_at=arm_at,
            armature=entry.armature,
            limits=_limits(entry),
            rgb=entry.arm.rgb if entry.arm else ORANGE,
        )

    def _register_arms(self, entry: FlipperEntry, arms: list[str]) -> None:
        """Register limits and groups: the pair by its name, and as ``front`` or ``rear``."""
        end = "front" if entry.forward > 0 else "rear"
        self.groups[entry.name] = tuple(arms)
        if entry.name != end:
            self.groups[end] = (*self.groups.get(end, ()), *arms)
        if limits := _limits(entry):
            self.limits.update(dict.fromkeys(arms, limits))

    def _add_belts_on_links(self, entry: FlipperEntry) -> None:
        """Add belts around the links of the model's flipper joints, and drives to those joints.

        Joints are renamed and their axes oriented as for all flippers: up is positive.
        """
        arms = []
        for side, name in zip(SIDES, entry.joints or (), strict=True):
            link, up = self.joints.arm(name, entry.forward)
            place, arm = f"{entry.name}_{side}", f"{entry.name}_{side}_arm"
            joint = self.spec.joint(name)
            joint.name, joint.axis, joint.armature = arm, up * joint.axis, entry.armature
            track, X_LT = self._flipper_track(entry), Pose(joint.pos.copy())
            self.belts[place] = add_track(
                self.spec, link, track, place, X_LT, shaft=self._main(side)
            )
            given = self.joints.limits.get(name)
            low, high = sorted(up * limit for limit in given) if given else (0.0, 0.0)
            limits = _limits(entry) or ((low, high) if given else None)
            if limits:
                joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, limits
                self.limits[arm] = limits
            self.joints.claim(name)
            self.drives[arm] = _arm_drive(entry)
            self.drives[arm].add(self.spec, arm, arm)
            self.posture[arm] = radians(entry.start_deg)
            arms.append(arm)
        self._register_arms(entry, arms)

    def _drive_joints(self) -> None:
        """Add drives to the model's other joints as the robot file specifies."""
        for name, driven in driven_joints(self.joints, self.robot_file.drives).items():
            joint = self.spec.joint(name)
            joint.armature = max(float(joint.armature), driven.armature)
            add_backlash(joint.parent, joint, driven.backlash_deg)
            if driven.limits:
                joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
                joint.range = driven.limits
            if driven.start:
                self.posture[name] = driven.start
            if driven.drive is None:
                continue
            driven.drive.add(self.spec, name, name)
            self.drives[name] = driven.drive
            if driven.limits:
                self.limits[name] = driven.limits

    # -- wheels, cameras -----------------------------------------------------------------------

    def _add_wheels(self) -> float:
        """Add all wheels; return the travel per unit of the drives, m."""
        radius = 1.0
        for entry in self.robot_file.wheels:
            wheel = Wheel(
                radius=entry.radius,
                width=entry.width,
                mass=entry.mass,
                armature=entry.armature,
                damping=entry.friction_torque,
            )
            x, y, z = entry.at
            signs: Mapping[str, int] = SIDES if entry.side != "middle" else {"middle": 1}
            for side, sign in signs.items():
                if entry.side not in ("both", side):
                    continue
                name = entry.name if side == "middle" else f"{entry.name}_{side}"
                wheel.add(self.spec, self.root, name, (x, sign * y, z))
                add_backlash(self.spec.body(name), self.spec.joint(name), entry.backlash_deg)
                if entry.torque is None:
                    continue
                drive = Drive(
                    force=entry.torque,
                    speed=entry.speed,
                    saturation_error=radians(2),
                    damping=entry.speed / 10,
                    losses=entry.losses,
                    motor=entry.motor,
                    rim=entry.radius,
                    command_delay=entry.command_delay,
                )
                drive.add(self.spec, name, name)
                self.drives[name] = drive
                for each in SIDES if side == "middle" else (side,):
                    self.rolling[each].append(name)
                radius = entry.radius
            self.gauge = max(self.gauge, 2 * abs(y)) if entry.torque else self.gauge
        return radius

    def _add_cameras(self) -> None:
        for entry in self.robot_file.cameras:
            down = radians(entry.down_deg)
            body = self._body(entry.on)
            made = body.add_camera(name=entry.name, pos=entry.at, fovy=entry.opening_deg)
            made.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
            # MuJoCo's cameras look along their -z with x to the right.
            made.alt.xyaxes = [0.0, -1.0, 0.0, math.sin(down), 0.0, math.cos(down)]


def _count(entry: BeltEntry, path: BeltPath, pitch: float = PITCH) -> int:
    return entry.count or max(2, round(path.length / (entry.pitch or pitch)))


def _friction(entry: BeltEntry) -> float:
    return SLIPPERY if entry.friction is None else entry.friction


def _arm_drive(entry: FlipperEntry) -> Drive:
    return Drive(
        force=entry.torque,
        speed=radians(entry.speed_deg),
        saturation_error=radians(entry.lead_deg),
        damping=entry.damping,
        losses=entry.losses,
        motor=entry.motor,
        command_delay=entry.command_delay,
    )


def _limits(entry: FlipperEntry) -> tuple[float, float] | None:
    if entry.limits_deg is None:
        return None
    return radians(entry.limits_deg[0]), radians(entry.limits_deg[1])


def _centre_of_mass_x(entry: FlipperEntry) -> float:
    """Return the distance (m) of a flipper's centre of mass from its axis."""
    return middle_of_mass([(x, radius) for x, _, radius in entry.pulleys])


def _arm_box(entry: FlipperEntry, half: Vector, middle: float) -> tuple[Vector, Vector]:
    """Return half edges and centre of an arm box inside the belt."""
    if not entry.pulleys:
        return (half[0] * 0.7, entry.width * 0.4, half[2] * 0.7), (middle, 0.0, 0.0)
    pulleys = [(entry.forward * x, radius) for x, _, radius in entry.pulleys]
    return arm_inside(pulleys, entry.width)


def _half_edges(size: Vector) -> Vector:
    return size[0] / 2, size[1] / 2, size[2] / 2


def _mirror_x(at: Vector, forward: int) -> Vector:
    return forward * at[0], at[1], at[2]
