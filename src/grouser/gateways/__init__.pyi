from grouser.gateways.server import Server as Server
from grouser.gateways.server import ServerOptions as ServerOptions
