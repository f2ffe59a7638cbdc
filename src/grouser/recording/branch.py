"""Continuation of a recorded run from any of its moments."""

from __future__ import annotations

from dataclasses import replace

from grouser.errors import BadValue
from grouser.recording.recording import Recording
from grouser.simulation.observers import replay
from grouser.simulation.simulation import Simulation


def continue_run(recording: Recording, time: float) -> Simulation:
    """Return a simulation at ``time`` (s) of a recording; it continues from there.

    The last snapshot before is loaded, and the recorded actions are repeated up to ``time``.

    Raises:
        BadValue: the time is outside the recording, or the recording is not trusted.
    """
    timestep = recording.timestep
    first, last = recording.begin * timestep, recording.end * timestep
    if not first <= time <= last + timestep / 2:
        raise BadValue(f"--from is {time:g}, the recording is from {first:g} to {last:g} s")
    target = round(time / timestep)
    past = [one for one in recording.snapshots() if one.passed <= target]
    if not past:
        raise BadValue(f"{recording.folder}: has no snapshot before {time:g} s")
    nearest = past[-1]
    snapshot = recording.load_snapshot(nearest)
    simulation = Simulation.from_snapshot(snapshot, crash_folder=None)
    offset = nearest.passed - simulation.passed
    records = [
        replace(one, passed=one.passed - offset, scheduled=one.scheduled - nearest.scheduled)
        for one in recording.action_records()[nearest.actions :]
        if one.passed < target and not one.internal
    ]
    return replay(simulation, records, until=(target - offset) * timestep)
