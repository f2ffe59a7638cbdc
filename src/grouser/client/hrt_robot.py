"""A Kenaf behind a link: what the robot library's calls do. Lengths in mm, angles in deg."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import TextIO

from grouser.client.hrt_control import (
    FIRST_GRIP,
    PACE,
    STALL,
    TURN_SHARE,
    Belts,
    Look,
    Sliding,
    Stalled,
    Straight,
    Turn,
)
from grouser.client.hrt_status import HrtStatus
from grouser.client.links.link import Link
from grouser.errors import BadValue, Disconnected, GrouserError
from grouser.frames import degrees, metres, millimetres, radians
from grouser.protocol.can.messages import (
    BeltMotion,
    BeltSpeeds,
    CameraAim,
    CanCommand,
    FrontFlippers,
    RearFlippers,
    Stop,
)

TICK = 0.02
"""Seconds from one look, and one command, to the next."""
PATIENCE = 10.0
"""Seconds on the link's clock after which a robot that says nothing is lost."""
STOPPING = 5
"""Times that a stop is said: one may be lost on the way."""
FLIPPERS_NEAR = radians(2.0)
"""A flipper has arrived."""
FARTHEST_MM, FURTHEST_DEG = 100_000.0, 36_000.0
"""The longest ways that one call may be asked for."""


class HrtCode(IntEnum):
    """What went wrong: the C library's calls return these."""

    OK = 0
    NOT_OPEN = -1
    NO_LINK = -2
    NO_STATUS = -3
    STALLED = -4
    SLIDING = -5
    BAD_VALUE = -6
    RESTARTED = -7


SENTENCES = {
    HrtCode.OK: "all is well",
    HrtCode.NOT_OPEN: "hrt_kenaf_init was not called, or has failed",
    HrtCode.NO_LINK: "there is no way to the robot",
    HrtCode.NO_STATUS: "the robot says nothing",
    HrtCode.STALLED: "the belts or flippers do not move",
    HrtCode.SLIDING: "the belts run and the robot does not turn",
    HrtCode.BAD_VALUE: "a value is outside what is allowed",
    HrtCode.RESTARTED: "the robot has started anew",
}
"""Code → what it means."""


class HrtError(GrouserError):
    """The robot could not do it; its belts were stopped."""

    def __init__(self, code: HrtCode, detail: str = "") -> None:
        """Keep the code."""
        super().__init__(SENTENCES[code] + (f": {detail}" if detail else ""))
        self.code = code


class Hrt:
    """A Kenaf behind a link; `grouser.client.hrt` has the same as the paper's functions."""

    def __init__(self, link: Link, status_to: TextIO | None = None) -> None:
        """Wait until the robot has said everything about itself once.

        Args:
            link: the way to it.
            status_to: where `show_status` prints; None: standard output.
        """
        self.link = link
        self.status = HrtStatus()
        self._to = status_to
        self._counters: dict[type[CanCommand], int] = {}
        self._belts: Belts = (0.0, 0.0)
        self._flippers: tuple[float, ...] | None = None
        self._camera: tuple[float, float] | None = None
        self._pace = PACE
        self._grip = FIRST_GRIP
        self._slid: float | None = None
        self._said: dict[type[CanCommand], float] = {}
        self._heard = link.time
        while not self.status.complete:
            self._tick()

    # -- the paper's calls -------------------------------------------------------------------

    def show_status(self) -> None:
        """Print how the robot is."""
        self._tick()
        print(self.status.text(self._slid), file=self._to or sys.stdout, flush=True)

    def go_forward(self, distance_mm: float) -> float:
        """Drive straight, by the encoders; return how far it was, mm. Below 0: backwards."""
        _check("hrt_go_forward", distance_mm, FARTHEST_MM)
        motion = Straight(metres(distance_mm), self._look(), self._pace)
        self._carry_out(motion)
        return millimetres(motion.travelled)

    def turning(self, angle_deg: float) -> float:
        """Turn on the spot, by posture; return how far it was, deg. To the left: positive.

        How much the belts slid over the ground is what `slide` says afterwards.
        """
        _check("hrt_turning", angle_deg, FURTHEST_DEG)
        look = self._look()
        if look.yaw is None:
            raise HrtError(HrtCode.NO_STATUS, "posture is not known")
        motion = Turn(radians(angle_deg), look, TURN_SHARE * self._pace, self._grip)
        self._carry_out(motion)
        self._grip = motion.grip
        self._slid = motion.slid if motion.slid is not None else self._slid
        return degrees(motion.turned)

    def stop(self) -> None:
        """Let all six motors stand still."""
        self._belts = (0.0, 0.0)
        self._flippers = None
        for _ in range(STOPPING):
            self._send(Stop(), BeltSpeeds(0.0, 0.0))
            self._pass_time(TICK)

    # -- and what a real one has -------------------------------------------------------------

    def set_pace(self, mm_s: float) -> None:
        """Say how fast the belts run straight on, mm/s: 10 to 500; in turns half as fast."""
        if not 10 <= mm_s <= 500:
            raise HrtError(HrtCode.BAD_VALUE, f"hrt_set_pace: {mm_s:g} mm/s, must be 10 to 500")
        self._pace = metres(mm_s)

    def set_speeds(self, left_mm_s: float, right_mm_s: float) -> None:
        """Let the belts run, mm/s, forwards positive, until 0.3 s after the last call."""
        self._command("hrt_set_speeds", BeltSpeeds(metres(left_mm_s), metres(right_mm_s)))
        self._belts = (metres(left_mm_s), metres(right_mm_s))
        self._tick()

    def set_flippers(
        self, front_left: float, front_right: float, rear_left: float, rear_right: float
    ) -> None:
        """Send the flippers to angles, deg, up positive, without waiting for them."""
        angles = tuple(radians(a) for a in (front_left, front_right, rear_left, rear_right))
        for command in (FrontFlippers(*angles[:2]), RearFlippers(*angles[2:])):
            self._command("hrt_set_flippers", command)
        self._flippers = angles
        self._said.pop(FrontFlippers, None)
        self._tick()

    def move_flippers(
        self, front_left: float, front_right: float, rear_left: float, rear_right: float
    ) -> None:
        """Send the flippers to angles, deg, up positive, and wait until they are there."""
        self.set_flippers(front_left, front_right, rear_left, rear_right)
        assert self._flippers is not None
        best, since = float("inf"), self.status.motion.time
        while True:
            there = zip(self._flippers, self.status.flipper_angles, strict=True)
            left = max(abs(wanted - angle) for wanted, angle in there)
            if left <= FLIPPERS_NEAR:
                return
            if left < best - FLIPPERS_NEAR / 4:
                best, since = left, self.status.motion.time
            elif self.status.motion.time - since > STALL:
                raise HrtError(HrtCode.STALLED, f"flippers are {degrees(left):.0f} deg off")
            self._tick()

    def aim_camera(self, pan_deg: float, tilt_deg: float) -> None:
        """Let the front camera look to the left (pan) and up (tilt), deg."""
        self._command("hrt_aim_camera", CameraAim(radians(pan_deg), radians(tilt_deg)))
        self._camera = (radians(pan_deg), radians(tilt_deg))
        self._said.pop(CameraAim, None)
        self._tick()

    def wait(self, seconds: float) -> None:
        """Let time pass; belts that were told to run keep running."""
        until = self.link.time + seconds
        while self.link.time < until - 1e-9:
            self._tick(min(TICK, until - self.link.time))

    @property
    def encoders(self) -> tuple[float, float]:
        """How far the belts have run, mm: left, right."""
        self._take()
        belts = self.status.encoders
        return millimetres(belts.left), millimetres(belts.right)

    @property
    def speeds(self) -> tuple[float, float]:
        """How fast the belts run, mm/s: left, right."""
        self._take()
        motion = self.status.motion
        return millimetres(motion.left), millimetres(motion.right)

    @property
    def flippers(self) -> tuple[float, float, float, float]:
        """Where the flippers are, deg, up positive: front left and right, rear left and right."""
        self._take()
        front_left, front_right, rear_left, rear_right = self.status.flipper_angles
        return degrees(front_left), degrees(front_right), degrees(rear_left), degrees(rear_right)

    @property
    def posture(self) -> tuple[float, float, float]:
        """Roll, pitch (nose down positive), yaw (to the left positive), deg."""
        self._take()
        lying = self.status.posture
        if lying is None:
            raise HrtError(HrtCode.NO_STATUS, "posture is not known")
        return degrees(lying.roll), degrees(lying.pitch), degrees(lying.yaw)

    @property
    def battery(self) -> int | None:
        """How long the battery will last, s; None: nobody knows."""
        self._take()
        return self.status.battery

    @property
    def slide(self) -> float | None:
        """What share of the belts' way was sliding in the last turn, 0 to 1; None: no turn yet."""
        return self._slid

    def close(self) -> None:
        """Leave the robot."""
        self.link.close()

    # -- how it waits ------------------------------------------------------------------------

    def _carry_out(self, motion: Straight | Turn) -> None:
        try:
            while (belts := motion.step(self._look())) is not None:
                self._belts = belts
                self._tick()
        except Stalled:
            raise HrtError(HrtCode.STALLED) from None
        except Sliding:
            raise HrtError(HrtCode.SLIDING) from None
        finally:
            self._belts = (0.0, 0.0)
            self._send(BeltSpeeds(0.0, 0.0))

    def _look(self) -> Look:
        self._take()
        belts, lying = self.status.encoders, self.status.posture
        yaw = lying.yaw if lying else None
        return Look(belts.left, belts.right, yaw, self.status.motion.time)

    def _tick(self, seconds: float = TICK) -> None:
        """Say again what holds, and let time pass."""
        commands: list[CanCommand] = [BeltSpeeds(*self._belts)]
        if self._flippers is not None and self._due(FrontFlippers):
            commands += [FrontFlippers(*self._flippers[:2]), RearFlippers(*self._flippers[2:])]
        if self._camera is not None and self._due(CameraAim):
            commands.append(CameraAim(*self._camera))
        self._send(*commands)
        self._pass_time(seconds)
        if self.link.time - self._heard > PATIENCE:
            raise HrtError(HrtCode.NO_STATUS)

    def _due(self, kind: type[CanCommand]) -> bool:
        said = self._said.get(kind)
        if said is not None and self.link.time - said < kind.CYCLE - 1e-9:
            return False
        self._said[kind] = self.link.time
        return True

    def _send(self, *commands: CanCommand) -> None:
        frames = []
        for command in commands:
            counter = self._counters[type(command)] = self._counters.get(type(command), -1) + 1
            frames.append(command.frame(counter))
        try:
            self.link.send(frames)
        except Disconnected as error:
            raise HrtError(HrtCode.NO_LINK, str(error)) from None

    def _pass_time(self, seconds: float) -> None:
        try:
            self.link.wait(seconds)
        except Disconnected as error:
            raise HrtError(HrtCode.NO_LINK, str(error)) from None
        self._take()

    def _take(self) -> None:
        """Take in what the robot said."""
        try:
            frames = self.link.receive()
        except Disconnected as error:
            raise HrtError(HrtCode.NO_LINK, str(error)) from None
        # A bridge without a robot says so; only what the motors say is a sign of life.
        if any(frame.id == BeltMotion.ID for frame in frames):
            self._heard = self.link.time
        for frame in frames:
            if self.status.take(frame):
                self._belts = (0.0, 0.0)
                raise HrtError(HrtCode.RESTARTED)

    def _command(self, where: str, command: CanCommand) -> None:
        """Refuse what cannot be sent."""
        try:
            command.frame(0)
        except BadValue as error:
            raise HrtError(HrtCode.BAD_VALUE, f"{where}: {error}") from None


def _check(where: str, value: float, most: float) -> None:
    if not -most <= value <= most:
        raise HrtError(HrtCode.BAD_VALUE, f"{where}: {value:g}, must be within {most:g}")
