"""Wire formats: encoders and decoders between bytes and messages, without I/O (sans-I/O).

`grouser.protocol.usarsim` is the control connection and the ground truth port,
`grouser.protocol.images` the image connection, `grouser.protocol.rendering` the connection between
a server and its render workers, `grouser.protocol.rosbridge` service calls over rosbridge,
`grouser.protocol.can` Kenaf's CAN bus, `grouser.protocol.vrpn` motion capture. No module reads a
clock or opens a socket: the caller passes received bytes in and sends the bytes that are returned.
Only the standard library is used.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
