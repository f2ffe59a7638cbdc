"""Configurable crawler: two tracks around any pulleys, all numbers from the world file.

::

    kind: crawler
    options:
      mass: 15
      gauge: 0.3
      pulleys: [[-0.2, 0, 0.06], [0.2, 0, 0.06], [0, 0.1, 0.04]]   # x, z, radius in m
      width: 0.08
      grouser: {shape: trapezoid, top: 0.004, base: 0.012, height: 0.01}
      count: 36
      flippers: {front: {reach: 0.2}, rear: {reach: 0.15, tip: 0.04}}   # optional
"""

from __future__ import annotations

from dataclasses import replace

import mujoco

from grouser.description import Description, Items, Positive
from grouser.errors import BadValue
from grouser.frames import Pose, radians
from grouser.physics.command_delay import Delay
from grouser.physics.drives import Drive
from grouser.robots.parts.belt_options import (
    GrouserOptions,
    Pulley,
    SegmentOptions,
    path_extent,
    path_from_options,
)
from grouser.robots.parts.flipper import (
    Flipper,
    FlipperPairs,
    add_arm_drives,
    arm_groups,
    flipper_pair,
)
from grouser.robots.parts.hull import ORANGE, add_hull, exclude_hull_belt_contacts, set_box_mass
from grouser.robots.parts.powertrain import arm_drive, battery, powered_belt_drive
from grouser.robots.robot import Robot, Steering
from grouser.sensors.encoder import Encoder
from grouser.sensors.truth import Truth
from grouser.tracks.drive_defaults import belt_drive, links_of
from grouser.tracks.track import Method, Track, WheelCount, add_track


class Crawler(Description):
    """Options of a crawler; m, kg, N, m/s."""

    mass: Positive
    """Mass of the whole robot."""
    gauge: Positive
    """Distance between the centre lines of the tracks."""
    width: Positive
    """Width of one belt."""
    pulleys: Items[Pulley] = ()
    """x, z, radius of every pulley (outer surface of the belt); alternative to ``segments``."""
    segments: Items[SegmentOptions] = ()
    """Closed chain from the top rear: ``{line: length}`` or ``{arc: [radius, angle_deg]}``."""
    grouser: GrouserOptions | None = None
    """``{shape: …, numbers, round_tip: true}``; None: smooth belts."""
    count: int = 40
    """Grousers per belt."""
    method: Method = "segments"
    """Track method."""
    wheels: WheelCount = 4
    """Wheels per track (method wheels only)."""
    without_top: bool = False
    """Omit the upper run."""
    force: Positive = 150.0
    """Force limit of one belt."""
    speed: Positive = 1.0
    """Speed limit of a belt."""
    inertia: Positive | None = None
    """Mass that each drive accelerates with its belt; default: from mass and force."""
    lead: Positive | None = None
    """Belt travel error at which the force saturates; default: from mass and force."""
    damping: Positive | None = None
    """Speed error at which the force saturates; default: from mass and force."""
    command_delay: Delay = 0.0
    """Time from a command of belts and arms to its effect, s."""
    centre_x: float = 0.0
    """x of the centre of mass in the tracks' frame."""
    centre_z: float = 0.0
    """z of the centre of mass in the tracks' frame."""
    flippers: FlipperPairs = FlipperPairs()
    """``{front: {reach: …}, rear: {reach: …}}``, a pair each (docs/how-to/robots.md)."""

    def build(self) -> Robot:
        """Return the robot: body, two tracks, flippers, sensors."""
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        body = spec.worldbody.add_body(name="body")
        track = self._track()
        low, high = path_extent(track.path)
        half = (
            (high[0] - low[0]) / 2,
            max(self.gauge / 2 - self.width / 2 - 0.005, 0.01),
            (high[2] - low[2]) / 2,
        )
        middle = ((high[0] + low[0]) / 2, 0.0, (high[2] + low[2]) / 2)
        add_hull(body, "hull", (half[0] * 0.7, half[1], half[2] * 0.6), at=middle, rgb=ORANGE)
        mains = {
            side: add_track(spec, body, track, side, Pose.at(0, y, 0))
            for side, y in (("left", self.gauge / 2), ("right", -self.gauge / 2))
        }
        pairs = self._pairs(track)
        flippers = [flipper for pair, _ in pairs.values() for flipper in pair]
        mass = self.mass - sum(belt.mass for belt in mains.values())
        mass -= sum(flipper.mass for flipper in flippers)
        if mass <= 0:
            raise BadValue(f"mass is {self.mass} kg, less than its belts and flippers weigh")
        set_box_mass(
            body, mass, (half[0], self.gauge / 2, half[2]), at=(self.centre_x, 0, self.centre_z)
        )
        hung = [flipper.add(spec, body, mains[flipper.side]) for flipper in flippers]
        exclude_hull_belt_contacts(spec)
        drives = dict.fromkeys(mains, powered_belt_drive(track.drive, self.mass))
        for pair, arm in pairs.values():
            drives |= add_arm_drives(spec, pair, arm_drive(arm, self.mass))
        late = self.command_delay
        drives = {name: replace(drive, command_delay=late) for name, drive in drives.items()}
        starts = {end: radians(each.start_deg) for end, each in self.flippers.by_end().items()}
        return Robot(
            spec=spec,
            root="body",
            mass=self.mass,
            drives=drives,
            limits={each.arm: each.limits for each in flippers if each.limits},
            belts=(*mains.values(), *hung),
            steering=Steering(left=("left",), right=("right",), gauge=self.gauge),
            groups=arm_groups(flippers),
            sensors=(Truth(body="body"), Encoder(drives=tuple(drives))),
            battery=battery(self.mass),
            standing=-float(low[2]) + track.height,
            posture={each.arm: starts[end] for end, (pair, _) in pairs.items() for each in pair},
        )

    def _pairs(self, track: Track) -> dict[str, tuple[tuple[Flipper, Flipper], Drive]]:
        """Return the flipper pair and the arm drive of each end."""
        return {
            end: flipper_pair(end, options, track, self.pulleys, gauge=self.gauge, mass=self.mass)
            for end, options in self.flippers.by_end().items()
        }

    def _track(self) -> Track:
        path = path_from_options(self.pulleys, self.segments)
        drive, inertia = belt_drive(
            force=self.force,
            speed=self.speed,
            links=links_of(self.method, path, self.wheels),
            load=self.mass / 2,
            inertia=self.inertia,
            lead=self.lead,
            damping=self.damping,
        )
        return Track(
            path=path,
            width=self.width,
            drive=drive,
            inertia=inertia,
            mass=self.mass * 0.05,
            grouser=self.grouser.build() if self.grouser else None,
            count=self.count,
            method=self.method,
            wheels=self.wheels,
            without_top=self.without_top,
        )
