"""Planar crawler on the tips of its grousers: the vibration that their polygon effect explains.

An independent model of a `RandomBelt` without links, roll-backs and couplings. Tips move on the
ideal path with the belt, which has its inertia, servo and losses; both sides are one. Each tip
presses on the ground by the contact law of docs/explanation/contact.md,

    f_n = K depth + B (mu |slip| - v_n),

slides by Coulomb's law, and the body moves in x, z and pitch. All values follow from the geometry,
from mass and inertia of the compiled model and from the standard compliance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.physics.compliance import Compliance
from grouser.physics.drives import Drive
from grouser.simulation.scene import SETTLE_TIME
from support.random_belts import FRICTION, GRAVITY, RandomBelt, path_points

TIMESTEP = 0.0005
"""s."""
STICTION = 0.01
"""Slip speed below which friction grows with it, m/s."""
TABLE = 8192
"""Number of belt positions at which the place of a tip is tabulated."""


@dataclass(frozen=True)
class PlanarCrawler:
    """Body in the plane, with its belts' tips and drums."""

    belt: RandomBelt
    mass: float
    inertia: float
    """About the centre of mass, kg m²."""
    centre: Array
    """Centre of mass (x, z) in the frame of the path, m."""
    drive: Drive
    """Of one belt."""
    belt_mass: float
    """Mass that moves with one belt, kg."""

    @staticmethod
    def of(belt: RandomBelt) -> PlanarCrawler:
        """Return the crawler with mass and inertia of the compiled model."""
        scene = belt.simulation().scene
        model = scene.model
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        masses = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, masses)
        body = int(model.dof_bodyid[0])
        centre = (data.subtree_com[body] - data.xpos[body])[[0, 2]]
        mass = float(masses[0, 0])
        per_metre = np.zeros(model.nv)
        track = scene.belts[0]
        per_metre[model.joint(track.sprocket).dofadr[0]] = 1 / track.gear
        for joint, travel in track.links:
            per_metre[model.joint(joint).dofadr[0]] = travel
        return PlanarCrawler(
            belt,
            mass,
            float(masses[4, 4] - mass * centre @ centre),
            centre,
            scene.drives[track.drive],
            float(per_metre @ masses @ per_metre),
        )

    def vertical_rms(
        self, settling: float, seconds: float, lift: float = 0.0, turning: float = 0.0
    ) -> float:
        """Return the rms of `vertical_speeds`, m/s."""
        speeds = self.vertical_speeds(settling, seconds, lift, turning)
        return float(np.sqrt((speeds**2).mean()))

    def vertical_speeds(
        self, settling: float, seconds: float, lift: float = 0.0, turning: float = 0.0
    ) -> Array:
        """Return the vertical speeds (m/s) of `RandomBelt.drive`, then ``seconds`` more.

        Args:
            settling: time that is not judged, s.
            seconds: time that is judged, s.
            lift: height over the ground at the start, m.
            turning: pitch rate at the start, rad/s.
        """
        belt, path = self.belt, self.belt.path
        tables, radius = self._tips()
        centres = np.array([arc.centre[[0, 2]] for arc in path.arcs.values()]) - self.centre
        radii = np.array([arc.radius for arc in path.arcs.values()])
        spacing = path.length / TABLE
        count, height = int(belt.options["count"]), float(belt.options["grouser"]["height"])
        first = path.best_phase(count, height) + belt.pitch * np.arange(count, dtype=float)
        compliance = Compliance()
        share = belt.pitch / path.bottom() / len(tables)
        stiffness, damping = (
            share * value(self.mass) for value in (compliance.stiffness, compliance.damping)
        )
        lowest = min(float(tables[:, :, 1].min()) - radius, float((centres[:, 1] - radii).min()))
        x_speed = z_speed = angle = travel = speed = setpoint = friction = 0.0
        z = lift - lowest
        ramp = math.ceil(belt.speed / 0.02) * 0.02
        steps, judged = (round(time / TIMESTEP) for time in (ramp + settling + seconds, seconds))
        speeds: Array = np.zeros(steps)
        for step in range(steps):
            command = belt.speed * min(1.0, (step * TIMESTEP + 0.01) / ramp)
            along = ((first + travel) / spacing) % TABLE
            here = along.astype(int)
            part, ahead = (along - here)[:, None], (here + 1) % TABLE
            tips = (tables[:, here] * (1 - part) + tables[:, ahead] * part).reshape(-1, 2)
            moves = ((tables[:, ahead] - tables[:, here]) / spacing).reshape(-1, 2)
            points = np.concatenate([tips, centres])
            moves = np.concatenate([moves, np.zeros_like(centres)])
            below = np.concatenate([np.full(len(tips), radius), radii])
            cos, sin = math.cos(angle), math.sin(angle)
            arms = np.stack(
                [points[:, 0] * cos - points[:, 1] * sin, points[:, 0] * sin + points[:, 1] * cos]
            )
            arms[1] -= below
            depth = -(z + arms[1])
            touching = depth > 0
            (arm, drop), moves, depth = arms[:, touching], moves[touching], depth[touching]
            grip = np.where(np.arange(len(points))[touching] < len(tips), FRICTION, 0.0)
            up, on = moves[:, 0] * sin + moves[:, 1] * cos, moves[:, 0] * cos - moves[:, 1] * sin
            rising = z_speed + turning * arm + up * speed
            slip = x_speed - turning * drop + on * speed
            upward = np.where(np.abs(slip) > STICTION, grip * np.abs(slip), 0.0)
            force = np.maximum(0.0, stiffness * depth + damping * (upward - rising))
            pull = -grip * force * np.clip(slip / STICTION, -1.0, 1.0)
            x_speed += float(pull.sum()) / self.mass * TIMESTEP
            z_speed += (float(force.sum()) / self.mass - GRAVITY) * TIMESTEP
            turning += float(force @ arm - pull @ drop) / self.inertia * TIMESTEP
            setpoint += command * TIMESTEP
            push = float(force @ up + pull @ on)
            servo, speed = self._belt(speed, command, setpoint - travel, push, friction)
            if step % round(SETTLE_TIME / TIMESTEP) == 0:
                friction = self._friction(servo, speed, float(force.sum()))
            z, angle, travel = (
                z + z_speed * TIMESTEP,
                angle + turning * TIMESTEP,
                travel + speed * TIMESTEP,
            )
            speeds[step] = z_speed
        return speeds[-judged:]

    def _belt(
        self, speed: float, command: float, lag: float, push: float, friction: float
    ) -> tuple[float, float]:
        """Return the servos' force (N) and the belts' speed after a step.

        Args:
            speed: of the belts, m/s.
            command: speed of the setpoint, m/s.
            lag: distance of the setpoint ahead of the belts, m.
            push: force of the ground on the belts, N.
            friction: largest dry friction of both belts, N.
        """
        drive = self.drive
        force = drive.stiffness * lag + drive.viscosity * (command - speed)
        damped = drive.viscosity if abs(force) < drive.force else 0.0
        force = 2 * min(max(force, -drive.force), drive.force)
        mobility = TIMESTEP / (2 * (self.belt_mass + damped * TIMESTEP))
        speed += mobility * (force + push)
        return force, math.copysign(max(0.0, abs(speed) - mobility * friction), speed)

    def _friction(self, force: float, speed: float, load: float) -> float:
        """Return the dry friction (N) of both belts (docs/explanation/energy.md)."""
        losses = self.drive.losses
        assert losses is not None
        rolling = losses.rolling * (1 + losses.rolling_growth * abs(speed)) * load
        return 2 * losses.coulomb + losses.transmission * abs(force) + rolling

    def _tips(self) -> tuple[Array, float]:
        """Return the points of a tip along the path, (points, `TABLE`, 2), and their radius, m."""
        path, grouser = self.belt.path, self.belt.options["grouser"]
        along = np.arange(TABLE, dtype=float) * (path.length / TABLE)
        height, half = float(grouser["height"]), float(grouser["length"]) / 2
        if grouser["shape"] == "rounded":
            return path_points(path, along, height - half)[None] - self.centre, half
        tip = path_points(path, along, height)
        outward = (tip - path_points(path, along, 0.0)) / height
        ahead = half * np.stack([outward[:, 1], -outward[:, 0]], axis=1)
        return np.stack([tip - ahead, tip + ahead]) - self.centre, 0.0
