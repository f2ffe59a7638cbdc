"""What a client may say, sorted by what a session makes of it."""

from __future__ import annotations

from grouser.protocol import additions, commands, drive, setting
from grouser.protocol.package import MovePackage

CONTROLLER = "worldcontroller"
"""Class, in lower case, whose INIT makes no robot but opens the world to CONTROL."""

MOVES = (
    drive.SkidDrive, drive.AckermanDrive, drive.OmniDrive, drive.AerialDrive, drive.NauticDrive,
    drive.JointDrive, drive.BoneDrive, drive.MultiDrive, setting.SetJoint, setting.SetStiffness,
    MovePackage,
)  # fmt: skip
"""What moves a robot: the commands that may end a turn."""

POWERED = (*MOVES, setting.Setting, commands.GetGeometry, commands.GetConfiguration)
"""What a robot with an empty battery does not hear (reference: UDK)."""

QUESTIONS = (
    commands.Login, commands.GetGeometry, commands.GetConfiguration, commands.GetStartPoses,
    additions.Lockstep,
)  # fmt: skip
"""What is seen to at once, also in lockstep: it does not change the world."""

OWN = (
    commands.Login, additions.Lockstep, additions.Step, additions.Typed, additions.Transmit,
)  # fmt: skip
"""Lines of Grouser's own: who sends one is told what is wrong, which old clients never are."""
