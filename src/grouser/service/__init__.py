"""Multi-client host: clients, their robots and permissions, and the pace of simulated time.

Independent of any wire format; gateways translate between the host and one protocol.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
