from grouser.gateways.usarsim.gateway import UsarsimGateway as UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile as PortProfile
