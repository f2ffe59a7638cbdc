"""Which command frames may move a robot: each must be whole, newer than the last, and in range."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grouser.protocol.can.frame import CanFrame
from grouser.protocol.can.messages import COMMANDS, BeltSpeeds, CanCommand, FrameFault, Stop

SILENCE = 0.3
"""Seconds without a valid command after which belts are stopped and counters may begin again."""

NEWER = 127
"""Steps of a counter that are taken as progress; more would be a frame of the past."""


@dataclass(slots=True)
class _Seen:
    """The last whole frame of one identifier."""

    counter: int
    time: float


class CommandGate:
    """Lets valid commands of one controller through, and counts the others.

    A counter that did not advance is a doubled or a late frame. Behind a silence of `SILENCE` any
    counter is taken as a beginning: such a frame is remembered, and moves nothing before a second
    one has followed it. A stop is obeyed whatever its counter is.

    The caller says what time it is, s, on any clock that only goes forwards.
    """

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """What was wrong (`messages.FAULTS`) → how many frames."""
        self.accepted = 0
        """Valid frames, those that began a counter among them."""
        self.belts_told: float | None = None
        """When the belts' last command came that was obeyed; None: never."""
        self._seen: dict[int, _Seen] = {}

    def check(self, frame: CanFrame, now: float) -> CanCommand | None:
        """Return what a frame commands; None if nothing may move by it."""
        try:
            return self._check(frame, now)
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return None

    def is_silent(self, now: float) -> bool:
        """Return whether the belts' last command is `SILENCE` or longer ago, or never was.

        Other commands do not keep belts running.
        """
        return self.belts_told is None or now - self.belts_told >= SILENCE

    def _check(self, frame: CanFrame, now: float) -> CanCommand | None:
        kind = COMMANDS.get(frame.id)
        if kind is None or frame.extended:
            raise FrameFault("id", f"identifier {frame.id:#05x} is no command")
        command, counter = kind.parse(frame.data)
        seen = self._seen.get(frame.id)
        begins = seen is None or now - seen.time >= SILENCE
        if seen is not None and not begins and not 1 <= (counter - seen.counter) % 256 <= NEWER:
            if kind is Stop:
                return command
            raise FrameFault("counter", f"{kind.__name__} has counter {counter}")
        self._seen[frame.id] = _Seen(counter, now)
        self.accepted += 1
        if begins and kind is not Stop:
            return None
        if kind is BeltSpeeds:
            self.belts_told = now
        return command
