"""Window that plays a recording: pause, speed, seek, followed robot."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from grouser.cli.window import (
    COMMA,
    END,
    FASTEST,
    HOME,
    LEFT,
    MAX_FRAME_TIME,
    PERIOD,
    RATE,
    RIGHT,
    SLOWEST,
    SPACE,
    SimulationWindow,
)
from grouser.recording.playback import Playback
from grouser.service.pace import RealTimePacer

HINT = "Space: pause   arrows: seek 5 s   Home: start   , . : speed   End: next robot"
SEEK = 5.0
"""Time that a press of an arrow key seeks, s."""


@dataclass
class PlaybackKeys:
    """State of a playback that keys change."""

    time: float
    """Recorded time that is shown, s."""
    factor: float
    """Real-time factor."""
    paused: bool = False
    follow_next: bool = False

    def press(self, key: int, begin: float, end: float) -> None:
        """Process a key press; unassigned keys are ignored."""
        if key == SPACE:
            self.paused = not self.paused
        elif key in (COMMA, PERIOD):
            faster = 2.0 if key == PERIOD else 0.5
            self.factor = min(FASTEST, max(SLOWEST, self.factor * faster))
        elif key in (LEFT, RIGHT):
            moved = self.time + (SEEK if key == RIGHT else -SEEK)
            self.time = min(end, max(begin, moved))
        elif key == HOME:
            self.time = begin
        elif key == END:
            self.follow_next = True

    @property
    def status(self) -> str:
        """Time and pace, for display."""
        return f"{self.time:.2f} s, {'paused' if self.paused else f'{self.factor:g} x real time'}"


def play(playback: Playback, factor: float) -> None:
    """Show a recording in a window until it is closed; ``factor`` is the real-time factor."""
    keys = PlaybackKeys(playback.begin, factor)
    simulation = playback.show(keys.time)
    window = SimulationWindow(simulation, HINT)
    pacer, frames = RealTimePacer(factor, max_lag=MAX_FRAME_TIME), RealTimePacer(RATE, max_lag=0.0)
    try:
        for frame in itertools.count(1):
            if not window.is_open:
                break
            before = keys.time, keys.factor, keys.paused
            for key in window.drain_keys():
                keys.press(key, playback.begin, playback.end)
            if keys.follow_next:
                keys.follow_next = False
                playback.follow_next()
            if keys.paused or (keys.time, keys.factor, keys.paused) != before:
                pacer.restart(keys.time, keys.factor)
            else:
                keys.time = min(playback.end, keys.time + pacer.due(keys.time))
            simulation = playback.show(keys.time)
            if window.shows is not simulation.model:
                window.close()
                window = SimulationWindow(simulation, HINT)
            window.update(simulation, keys.status)
            frames.sleep(frame)
    finally:
        window.close()
