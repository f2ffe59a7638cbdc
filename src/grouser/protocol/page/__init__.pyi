from grouser.protocol.page.frames import PoseFrame as PoseFrame
from grouser.protocol.page.frames import decode as decode
from grouser.protocol.page.frames import unpack_pose as unpack_pose
from grouser.protocol.page.messages import VERSION as VERSION
