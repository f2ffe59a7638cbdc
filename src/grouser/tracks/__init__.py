"""Four ways to turn a track (segments, surface, wheels, plates): same call, same contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.tracks.geoms import ContactSurface
    from grouser.tracks.grouser import Grouser, PathElement
    from grouser.tracks.path import ArcStep, BeltPath, StraightStep
    from grouser.tracks.track import TRACKS, Belt, Track, add_track

_PLACES = {
    "TRACKS": "grouser.tracks.track",
    "ArcStep": "grouser.tracks.path",
    "Belt": "grouser.tracks.track",
    "BeltPath": "grouser.tracks.path",
    "ContactSurface": "grouser.tracks.geoms",
    "Grouser": "grouser.tracks.grouser",
    "PathElement": "grouser.tracks.grouser",
    "StraightStep": "grouser.tracks.path",
    "Track": "grouser.tracks.track",
    "add_track": "grouser.tracks.track",
}

__all__ = [
    "TRACKS",
    "ArcStep",
    "Belt",
    "BeltPath",
    "ContactSurface",
    "Grouser",
    "PathElement",
    "StraightStep",
    "Track",
    "add_track",
]

__getattr__ = lazily(__name__, _PLACES)
