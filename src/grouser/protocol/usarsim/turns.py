"""What ends a client's turn in lockstep: the one rule, for both ends of the wire.

STEP always does. With ``LOCKSTEP {ByCommand true}`` so does every command that moves the robot, and
the stiffness of a joint is one of them. A question, a setting that moves nothing and a line that a
server cannot read end no turn.
"""

from __future__ import annotations

from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.drive import (
    AckermanDrive,
    AerialDrive,
    BoneDrive,
    JointDrive,
    MultiDrive,
    NauticDrive,
    OmniDrive,
    SkidDrive,
)
from grouser.protocol.usarsim.extensions import Kick, Step
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.package import MovePackage
from grouser.protocol.usarsim.setting import SetJoint, SetStiffness

MOVE_COMMANDS = (
    SkidDrive,
    AckermanDrive,
    OmniDrive,
    AerialDrive,
    NauticDrive,
    JointDrive,
    BoneDrive,
    MultiDrive,
    SetJoint,
    SetStiffness,
    MovePackage,
    Kick,
)
"""What moves a robot, as a server reads it."""


def ends_turn(command: Message | Fault, by_command: bool) -> bool:
    """Return whether ``command`` ends the turn of the client that sent it.

    Args:
        command: as the server reads it. One line may be written by several messages: a client that
            sends a plain `Set` with the type Joint sends what is read as `SetJoint`.
        by_command: whether the client asked that what moves its robot ends its turn.
    """
    return isinstance(command, Step) or (by_command and isinstance(command, MOVE_COMMANDS))
