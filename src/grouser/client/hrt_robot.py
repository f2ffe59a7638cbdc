"""Robot library object: a Kenaf behind a link, with its status. Lengths in mm, angles in deg."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import TextIO

from grouser.client import hrt_control
from grouser.client.links import Link
from grouser.errors import BadValue, Disconnected, GrouserError
from grouser.frames import degrees, metres, millimetres, radians
from grouser.protocol.can import messages as can

TICK = 0.02
"""Control interval, s."""
STATUS_TIMEOUT = 10.0
"""Time without motor status after which the robot is lost, s on the link's clock."""
STOP_REPEATS = 5
"""Number of repeated stop commands, since frames may be lost."""
FLIPPERS_NEAR = radians(2.0)
"""Tolerance of a flipper angle, rad."""
FARTHEST_MM, FURTHEST_DEG = 100_000.0, 36_000.0
"""Limits of one call."""


class HrtCode(IntEnum):
    """Error codes, also returned by the C library."""

    OK = 0
    NOT_OPEN = -1
    NO_LINK = -2
    NO_STATUS = -3
    STALLED = -4
    SLIDING = -5
    BAD_VALUE = -6
    RESTARTED = -7


SENTENCES = {
    HrtCode.OK: "no error",
    HrtCode.NOT_OPEN: "hrt_kenaf_init was not called, or has failed",
    HrtCode.NO_LINK: "no link to the robot",
    HrtCode.NO_STATUS: "no status from the robot",
    HrtCode.STALLED: "the belts or flippers do not move",
    HrtCode.SLIDING: "the belts run and the robot does not turn",
    HrtCode.BAD_VALUE: "a value is out of range",
    HrtCode.RESTARTED: "the robot has restarted",
}
"""Code -> message."""


class HrtError(GrouserError):
    """A call failed; the belts were stopped."""

    def __init__(self, code: HrtCode, detail: str = "") -> None:
        """Store the code."""
        super().__init__(SENTENCES[code] + (f": {detail}" if detail else ""))
        self.code = code


class Hrt:
    """Kenaf behind a link; `grouser.client.hrt` has the functions of the paper."""

    def __init__(self, link: Link, status_to: TextIO | None = None) -> None:
        """Wait for the first complete status.

        Args:
            link: transport to the robot.
            status_to: output of `show_status`; None: standard output.
        """
        self.link = link
        self.status = HrtStatus()
        self._to = status_to
        self._counters: dict[type[can.CanCommand], int] = {}
        self._belts: hrt_control.Belts = (0.0, 0.0)
        self._flippers: tuple[float, ...] | None = None
        self._camera: tuple[float, float] | None = None
        self._zoom: float | None = None
        self._pace = hrt_control.PACE
        self._grip = hrt_control.FIRST_GRIP
        self._slid: float | None = None
        self._sent: dict[type[can.CanCommand], float] = {}
        self._last_status = link.time
        while not self.status.complete:
            self._tick()

    # -- calls of the paper ------------------------------------------------------------------

    def show_status(self) -> None:
        """Print the status of the robot."""
        self._tick()
        print(self.status.text(self._slid), file=self._to or sys.stdout, flush=True)

    def go_forward(self, distance_mm: float) -> float:
        """Drive straight by the encoders, mm, backwards negative; return the driven distance."""
        _check("hrt_go_forward", distance_mm, FARTHEST_MM)
        motion = hrt_control.Straight(metres(distance_mm), self._observe(), self._pace)
        self._run_motion(motion)
        return millimetres(motion.travelled)

    def turning(self, angle_deg: float) -> float:
        """Turn on the spot by the posture sensor, deg, left positive; return the angle."""
        _check("hrt_turning", angle_deg, FURTHEST_DEG)
        look = self._observe()
        if look.yaw is None:
            raise HrtError(HrtCode.NO_STATUS, "posture is unknown")
        motion = hrt_control.Turn(
            radians(angle_deg), look, hrt_control.TURN_SHARE * self._pace, self._grip
        )
        self._run_motion(motion)
        self._grip = motion.grip
        self._slid = motion.slid if motion.slid is not None else self._slid
        return degrees(motion.turned)

    def stop(self) -> None:
        """Stop all six motors."""
        self._belts = (0.0, 0.0)
        self._flippers = None
        for _ in range(STOP_REPEATS):
            self._send(can.Stop(), can.BeltSpeeds(0.0, 0.0))
            self._pass_time(TICK)

    # -- further calls -----------------------------------------------------------------------

    def set_pace(self, mm_s: float) -> None:
        """Set the belt speed of straight motions, mm/s: 10 to 500; turns use half of it."""
        if not 10 <= mm_s <= 500:
            raise HrtError(HrtCode.BAD_VALUE, f"hrt_set_pace: {mm_s:g} mm/s, must be 10 to 500")
        self._pace = metres(mm_s)

    def set_speeds(self, left_mm_s: float, right_mm_s: float) -> None:
        """Set the belt speeds, mm/s, forwards positive; belts stop 0.3 s after the last call."""
        self._check_command("hrt_set_speeds", can.BeltSpeeds(metres(left_mm_s), metres(right_mm_s)))
        self._belts = (metres(left_mm_s), metres(right_mm_s))
        self._tick()

    def set_flippers(
        self, front_left: float, front_right: float, rear_left: float, rear_right: float
    ) -> None:
        """Set the flipper angles, deg, up positive, without waiting."""
        angles = tuple(radians(a) for a in (front_left, front_right, rear_left, rear_right))
        for command in (can.FrontFlippers(*angles[:2]), can.RearFlippers(*angles[2:])):
            self._check_command("hrt_set_flippers", command)
        self._flippers = angles
        self._sent.pop(can.FrontFlippers, None)
        self._tick()

    def move_flippers(
        self, front_left: float, front_right: float, rear_left: float, rear_right: float
    ) -> None:
        """Set the flipper angles, deg, up positive, and wait until they are reached."""
        self.set_flippers(front_left, front_right, rear_left, rear_right)
        targets = tuple(radians(a) for a in (front_left, front_right, rear_left, rear_right))
        best, since = float("inf"), self.status.motion.time
        while True:
            pairs = zip(targets, self.status.flipper_angles, strict=True)
            left = max(abs(target - angle) for target, angle in pairs)
            if left <= FLIPPERS_NEAR:
                return
            if left < best - FLIPPERS_NEAR / 4:
                best, since = left, self.status.motion.time
            elif self.status.motion.time - since > hrt_control.STALL:
                raise HrtError(HrtCode.STALLED, f"flippers are {degrees(left):.0f} deg off")
            self._tick()

    def aim_camera(self, pan_deg: float, tilt_deg: float) -> None:
        """Aim the front camera: pan to the left and tilt up, deg."""
        self._check_command("hrt_aim_camera", can.CameraAim(radians(pan_deg), radians(tilt_deg)))
        self._camera = (radians(pan_deg), radians(tilt_deg))
        self._sent.pop(can.CameraAim, None)
        self._tick()

    def zoom_camera(self, view_deg: float) -> None:
        """Set the horizontal field of view of the front camera, deg; 0: that of its lens."""
        self._check_command("hrt_zoom_camera", can.CameraZoom(radians(view_deg)))
        self._zoom = radians(view_deg)
        self._sent.pop(can.CameraZoom, None)
        self._tick()

    def wait(self, seconds: float) -> None:
        """Wait; running belts keep running."""
        until = self.link.time + seconds
        while self.link.time < until - 1e-9:
            self._tick(min(TICK, until - self.link.time))

    @property
    def encoders(self) -> tuple[float, float]:
        """Travel of the left and right belt, mm."""
        self._receive()
        belts = self.status.encoders
        return millimetres(belts.left), millimetres(belts.right)

    @property
    def speeds(self) -> tuple[float, float]:
        """Speed of the left and right belt, mm/s."""
        self._receive()
        motion = self.status.motion
        return millimetres(motion.left), millimetres(motion.right)

    @property
    def flippers(self) -> tuple[float, float, float, float]:
        """Flipper angles, deg, up positive: front left and right, rear left and right."""
        self._receive()
        front_left, front_right, rear_left, rear_right = self.status.flipper_angles
        return degrees(front_left), degrees(front_right), degrees(rear_left), degrees(rear_right)

    @property
    def posture(self) -> tuple[float, float, float]:
        """Roll, pitch (nose down positive), yaw (to the left positive), deg."""
        self._receive()
        lying = self.status.posture
        if lying is None:
            raise HrtError(HrtCode.NO_STATUS, "posture is unknown")
        return degrees(lying.roll), degrees(lying.pitch), degrees(lying.yaw)

    @property
    def battery(self) -> int | None:
        """Remaining battery time, s; None: unknown."""
        self._receive()
        return self.status.battery

    @property
    def slide(self) -> float | None:
        """Slip of the belts in the last turn, 0 to 1; None: no turn yet."""
        return self._slid

    def close(self) -> None:
        """Close the link."""
        self.link.close()

    # -- control loop ------------------------------------------------------------------------

    def _run_motion(self, motion: hrt_control.Straight | hrt_control.Turn) -> None:
        try:
            while (belts := motion.step(self._observe())) is not None:
                self._belts = belts
                self._tick()
        except hrt_control.Stalled:
            raise HrtError(HrtCode.STALLED) from None
        except hrt_control.Sliding:
            raise HrtError(HrtCode.SLIDING) from None
        finally:
            self._belts = (0.0, 0.0)
            self._send(can.BeltSpeeds(0.0, 0.0))

    def _observe(self) -> hrt_control.Observation:
        self._receive()
        belts, lying = self.status.encoders, self.status.posture
        yaw = lying.yaw if lying else None
        return hrt_control.Observation(belts.left, belts.right, yaw, self.status.motion.time)

    def _tick(self, seconds: float = TICK) -> None:
        """Repeat the present commands and wait."""
        commands: list[can.CanCommand] = [can.BeltSpeeds(*self._belts)]
        if self._flippers is not None and self._due(can.FrontFlippers):
            commands += [
                can.FrontFlippers(*self._flippers[:2]),
                can.RearFlippers(*self._flippers[2:]),
            ]
        if self._camera is not None and self._due(can.CameraAim):
            commands.append(can.CameraAim(*self._camera))
        if self._zoom is not None and self._due(can.CameraZoom):
            commands.append(can.CameraZoom(self._zoom))
        self._send(*commands)
        self._pass_time(seconds)
        if self.link.time - self._last_status > STATUS_TIMEOUT:
            raise HrtError(HrtCode.NO_STATUS)

    def _due(self, kind: type[can.CanCommand]) -> bool:
        sent = self._sent.get(kind)
        if sent is not None and self.link.time - sent < kind.CYCLE - 1e-9:
            return False
        self._sent[kind] = self.link.time
        return True

    def _send(self, *commands: can.CanCommand) -> None:
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
        self._receive()

    def _receive(self) -> None:
        """Process received frames."""
        try:
            frames = self.link.receive()
        except Disconnected as error:
            raise HrtError(HrtCode.NO_LINK, str(error)) from None
        # A bridge without a robot also sends frames; only motor frames reset the time-out.
        if any(frame.id == can.BeltMotion.ID for frame in frames):
            self._last_status = self.link.time
        for frame in frames:
            if self.status.update(frame):
                self._belts = (0.0, 0.0)
                raise HrtError(HrtCode.RESTARTED)

    def _check_command(self, where: str, command: can.CanCommand) -> None:
        """Raise if a command cannot be encoded."""
        try:
            command.frame(0)
        except BadValue as error:
            raise HrtError(HrtCode.BAD_VALUE, f"{where}: {error}") from None


def _check(where: str, value: float, most: float) -> None:
    if not -most <= value <= most:
        raise HrtError(HrtCode.BAD_VALUE, f"{where}: {value:g}, must be within {most:g}")


RESTART_GAP = 0.5
"""Backward step of the motors' clock (s) that indicates a restart; less is a late frame."""


class HrtStatus:
    """Newest status frame of each kind; SI units and radians."""

    def __init__(self) -> None:
        self.encoders = can.BeltEncoders(0.0, 0.0)
        self.motion = can.BeltMotion(0.0, 0.0, 0.0)
        self.posture: can.Posture | None = None
        self.health = can.Health(0)
        self.refused = 0
        """Number of invalid frames."""
        self._flippers = can.FlipperAngles(0.0, 0.0, 0.0, 0.0)
        self._battery = can.BatteryLeft.of(None)
        self._received: set[type] = set()

    @property
    def complete(self) -> bool:
        """True after belts, flippers and posture were received."""
        return {can.BeltEncoders, can.BeltMotion, can.FlipperAngles, can.Posture} <= self._received

    @property
    def flipper_angles(self) -> tuple[float, float, float, float]:
        """Front left and right, rear left and right, rad, up positive."""
        now = self._flippers
        return now.front_left, now.front_right, now.rear_left, now.rear_right

    @property
    def battery(self) -> int | None:
        """Remaining battery time, s; None: unknown."""
        left = self._battery.seconds
        return None if left == can.UNKNOWN_BATTERY else round(left)

    def update(self, frame: can.CanFrame) -> bool:
        """Store a frame; return True if the robot has restarted."""
        try:
            status = can.parse_status(frame)
        except can.FrameFault:
            self.refused += 1
            return False
        self._received.add(type(status))
        match status:
            case can.BeltEncoders():
                self.encoders = status
            case can.BeltMotion():
                back = self.motion.time - status.time
                self.motion = status
                return back > RESTART_GAP
            case can.FlipperAngles():
                self._flippers = status
            case can.Posture():
                self.posture = status
            case can.BatteryLeft():
                self._battery = status
            case can.Health():
                self.health = status
        return False

    def text(self, slid: float | None = None) -> str:
        """Return the status as text; ``slid``: slip of the last turn, 0 to 1."""
        belts, motion, lying = self.encoders, self.motion, self.posture
        flippers = " ".join(f"{degrees(angle):.1f}" for angle in self.flipper_angles)
        battery = "unknown" if self.battery is None else f"{self.battery} s"
        lines = [
            f"time      {motion.time:.2f} s",
            f"encoders  {millimetres(belts.left):.1f} {millimetres(belts.right):.1f} mm",
            f"speeds    {millimetres(motion.left):.1f} {millimetres(motion.right):.1f} mm/s",
            f"flippers  {flippers} deg",
        ]
        if lying is not None:
            angles = (degrees(angle) for angle in (lying.roll, lying.pitch, lying.yaw))
            lines.append("posture   {:.1f} {:.1f} {:.1f} deg".format(*angles))
        lines.append(f"battery   {battery}")
        if slid is not None:
            lines.append(f"slid      {100 * slid:.0f} % in the last turn")
        lines += [f"warning   {text}" for bit, text in can.FLAGS.items() if self.health.flags & bit]
        lines += [
            f"warning   the motor {motor} is stalled"
            for place, motor in enumerate(can.MOTORS)
            if self.health.stalled >> place & 1
        ]
        return "\n".join(lines)
