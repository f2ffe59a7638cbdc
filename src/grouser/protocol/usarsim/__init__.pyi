from grouser.protocol.usarsim.axes import Axes as Axes
from grouser.protocol.usarsim.codec import ClientSide as ClientSide
from grouser.protocol.usarsim.codec import ServerSide as ServerSide
from grouser.protocol.usarsim.dialects import UT2004 as UT2004
from grouser.protocol.usarsim.drive import SkidDrive as SkidDrive
from grouser.protocol.usarsim.extensions import ends_turn as ends_turn
