"""Status datagrams as a controller takes them: each once, and none that is older than the last."""

from __future__ import annotations

from collections import Counter

from grouser.protocol.can.datagram import DatagramKind, is_newer, unpack
from grouser.protocol.can.messages import CanFrame, FrameFault

RESTART = 64
"""So many old datagrams in a row are no old ones: the bridge has started anew."""


class StatusInbox:
    """Frames of the bridge's datagrams, in their order."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """What was wrong → how many datagrams: "datagram", or "counter" for old and doubled."""
        self._counter: int | None = None
        self._old = 0
        self._frames: list[CanFrame] = []

    def put(self, data: bytes) -> None:
        """Take in a datagram; what is wrong with it is counted."""
        try:
            datagram = unpack(data)
            if datagram.kind is not DatagramKind.STATUS:
                raise FrameFault("datagram", "it is no status")
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return
        if self._counter is not None and not is_newer(datagram.counter, self._counter):
            self.refused["counter"] += 1
            self._old += 1
            if self._old < RESTART:
                return
        self._old = 0
        self._counter = datagram.counter
        self._frames += datagram.frames

    def take(self) -> list[CanFrame]:
        """Return what has come since the last call."""
        frames, self._frames = self._frames, []
        return frames
