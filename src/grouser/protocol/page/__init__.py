"""Protocol of the browser page, version 1: one websocket, JSON texts and binary frames.

`grouser.protocol.page.messages` is the control part, one JSON object per text message;
`grouser.protocol.page.frames` are the binary frames: poses, meshes, pictures. Documented in
``docs/reference/page-protocol.md``.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
