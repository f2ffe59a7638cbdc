"""Everything that the robot library has heard of its robot, the newest of each."""

from __future__ import annotations

from grouser.frames import degrees, millimetres
from grouser.protocol.can.messages import (
    FLAGS,
    MOTORS,
    UNKNOWN_BATTERY,
    BatteryLeft,
    BeltEncoders,
    BeltMotion,
    CanFrame,
    FlipperAngles,
    FrameFault,
    Health,
    Posture,
    parse_status,
)

BACK = 0.5
"""Seconds by which the motors' clock may go back: late frames; more is a restart."""


class HrtStatus:
    """The newest of each status frame; SI units and radians."""

    def __init__(self) -> None:
        self.encoders = BeltEncoders(0.0, 0.0)
        self.motion = BeltMotion(0.0, 0.0, 0.0)
        self.posture: Posture | None = None
        self.health = Health(0)
        self.refused = 0
        """Frames that were no status."""
        self._flippers = FlipperAngles(0.0, 0.0, 0.0, 0.0)
        self._battery = BatteryLeft.of(None)
        self._heard: set[type] = set()

    @property
    def complete(self) -> bool:
        """Whether belts, flippers and posture were heard."""
        return {BeltEncoders, BeltMotion, FlipperAngles, Posture} <= self._heard

    @property
    def flipper_angles(self) -> tuple[float, float, float, float]:
        """Front left and right, rear left and right, rad, up positive."""
        now = self._flippers
        return now.front_left, now.front_right, now.rear_left, now.rear_right

    @property
    def battery(self) -> int | None:
        """How long the battery will last, s; None: nobody knows."""
        left = self._battery.seconds
        return None if left == UNKNOWN_BATTERY else round(left)

    def take(self, frame: CanFrame) -> bool:
        """Note what a frame says; return True if the robot has started anew."""
        try:
            said = parse_status(frame)
        except FrameFault:
            self.refused += 1
            return False
        self._heard.add(type(said))
        match said:
            case BeltEncoders():
                self.encoders = said
            case BeltMotion():
                back = self.motion.time - said.time
                self.motion = said
                return back > BACK
            case FlipperAngles():
                self._flippers = said
            case Posture():
                self.posture = said
            case BatteryLeft():
                self._battery = said
            case Health():
                self.health = said
        return False

    def text(self, slid: float | None = None) -> str:
        """Return how the robot is, in lines; ``slid``: in its last turn, 0 to 1."""
        belts, motion, lying = self.encoders, self.motion, self.posture
        flippers = " ".join(f"{degrees(angle):.1f}" for angle in self.flipper_angles)
        battery = "not known" if self.battery is None else f"{self.battery} s"
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
        lines += [f"warning   {text}" for bit, text in FLAGS.items() if self.health.flags & bit]
        lines += [
            f"warning   the motor {motor} is stalled"
            for place, motor in enumerate(MOTORS)
            if self.health.stalled >> place & 1
        ]
        return "\n".join(lines)
