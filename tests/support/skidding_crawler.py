"""Link of the robot library to a skidding crawler in closed form, without physics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from grouser.client.hrt_control import GAUGE
from grouser.protocol.can.messages import (
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    BeltSpeeds,
    CanCommand,
    CanFrame,
    CommandGate,
    FlipperAngles,
    FrontFlippers,
    Health,
    Posture,
    RearFlippers,
    Stop,
)

ARM_SPEED = 1.0  # rad/s
COARSE: dict[str, Any] = {"tick": math.radians(1) * 0.075, "step": 0.01, "late": 0.2}
"""Resolution and delay of sensor data on a bus, and over USARSim."""


class Crawler:
    """Link to a skidding crawler in closed form, without physics.

    Encoders count in ticks; posture is quantized and has its own rate, as over USARSim.
    """

    def __init__(
        self,
        *,
        grip: float = 0.42,
        tick: float = 1e-6,
        step: float = 1e-6,
        late: float = 0.0,
        stuck: bool = False,
    ) -> None:
        self.time, self.grip, self.stuck = 0.0, grip, stuck
        self.tick, self.step, self.late = tick, step, late
        self.belts, self.travel, self.yaw = (0.0, 0.0), [0.0, 0.0], 0.0
        self.place = [0.0, 0.0]
        self.flippers, self.wanted = [0.0] * 4, [0.0] * 4
        self.gate = CommandGate()
        self.posture, self.restarted = (0.0, 0.0), 0.0
        self.commands: list[CanCommand] = []

    def send(self, frames: Sequence[CanFrame]) -> None:
        for frame in frames:
            command = self.gate.check(frame, self.time)
            if command is not None:
                self.commands.append(command)
            match command:
                case BeltSpeeds(left, right):
                    self.belts = (left, right)
                case Stop():
                    self.belts, self.wanted = (0.0, 0.0), list(self.flippers)
                case FrontFlippers(left, right):
                    self.wanted[:2] = left, right
                case RearFlippers(left, right):
                    self.wanted[2:] = left, right

    def wait(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds / 0.01))):
            self._advance(0.01)

    def _advance(self, dt: float) -> None:
        self.time += dt
        if self.gate.is_silent(self.time):
            self.belts = (0.0, 0.0)
        if not self.stuck:
            for side in (0, 1):
                self.travel[side] += self.belts[side] * dt
            forward = sum(self.belts) / 2 * dt
            self.place[0] += forward * math.cos(self.yaw)
            self.place[1] += forward * math.sin(self.yaw)
            self.yaw += self.grip * (self.belts[1] - self.belts[0]) / GAUGE * dt
            for place, wanted in enumerate(self.wanted):
                left = wanted - self.flippers[place]
                self.flippers[place] += max(-ARM_SPEED * dt, min(ARM_SPEED * dt, left))
        if self.time - self.posture[0] >= self.late:
            self.posture = (self.time, round(self.yaw / self.step) * self.step)

    def receive(self) -> list[CanFrame]:
        left, right = (math.floor(way / self.tick) * self.tick for way in self.travel)
        yaw = math.remainder(self.posture[1], math.tau)
        return [
            BeltEncoders(left, right).frame(),
            BeltMotion(*self.belts, self.time - self.restarted).frame(),
            FlipperAngles(*self.flippers).frame(),
            Posture(0.0, 0.0, yaw).frame(),
            BatteryLeft.of(600).frame(),
            Health(0).frame(),
        ]

    def close(self) -> None:
        self.time = math.inf
