"""Bytes in, messages out, and back: USARSim's wire protocol without a socket.

`grouser.protocol.usarsim.codec` holds the two ends of a control connection,
`grouser.protocol.images` those of an image connection and `grouser.protocol.usarsim.truth` those of
the ground truth port. Nothing here waits, reads a clock or opens anything: a caller feeds in the
bytes it got and sends the bytes it is given. Only the standard library is used, so that a client
needs nothing else.
"""
