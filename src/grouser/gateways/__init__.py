"""Network gateways: one sub-package per wire protocol, between the host and its clients."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
