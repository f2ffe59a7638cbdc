"""Recordings for the browser page: their states and events."""

from __future__ import annotations

from collections.abc import Iterator

from grouser.errors import BadValue
from grouser.gateways.page.session_events import MOST_EVENTS, SessionEvent, event_of
from grouser.gateways.page.timeline import RecordedStates
from grouser.recording.playback import Playback
from grouser.recording.recording import Recording


def page_states(recording: Recording, ghost: Recording | None = None) -> RecordedStates:
    """Return states and events of a recording, with a second one as its ghost."""
    playback = Playback(recording)
    return RecordedStates(
        playback.begin,
        playback.end,
        playback.show,
        events=sorted(_events(recording), key=lambda one: one.at)[-MOST_EVENTS:],
        ghost=None if ghost is None else page_states(ghost),
    )


def _events(recording: Recording) -> Iterator[SessionEvent]:
    """Yield the events of the log, and the actions that the page lists."""
    for message in recording.messages("/events"):
        time = message.time / 10**9
        name, text = str(message.content.name), str(message.content.msg)
        kind = name if name in ("message", "reset") else "event"
        yield SessionEvent(time, time, kind, text)
    try:
        records = recording.action_records()
    except BadValue as error:
        yield SessionEvent(0.0, 0.0, "failed", f"actions are not listed: {error}")
        return
    for record in records:
        if (event := event_of(record, record.passed * recording.timestep)) is not None:
            yield event
