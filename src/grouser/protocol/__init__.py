"""Bytes in, messages out, and back: the wires without a socket.

`grouser.protocol.usarsim` holds the control connection and the ground truth port,
`grouser.protocol.images` the image connection, `grouser.protocol.rendering` what a server and its
drawing processes say to each other, `grouser.protocol.rosbridge` how services are called.
Nothing here waits, reads a clock or opens anything: a caller feeds in the bytes it got and sends
the bytes it is given. Only the standard library is used, so that a client needs nothing else.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
