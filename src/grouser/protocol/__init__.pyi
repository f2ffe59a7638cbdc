from grouser.protocol.images import Region as Region
from grouser.protocol.link_faults import LinkFaults as LinkFaults
from grouser.protocol.operation import OperatorCommand as OperatorCommand
