"""The host: who is there, who commands, who hears what; it knows no wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.service.access import AccessControl, Role, Token
    from grouser.service.console import Console
    from grouser.service.host import Host, HostRules
    from grouser.service.limits import Limits
    from grouser.service.participant import Participant, ParticipantListener
    from grouser.service.radio import Radio, RadioSignal

_PLACES = {
    "AccessControl": "grouser.service.access",
    "Console": "grouser.service.console",
    "Host": "grouser.service.host",
    "HostRules": "grouser.service.host",
    "Limits": "grouser.service.limits",
    "Participant": "grouser.service.participant",
    "ParticipantListener": "grouser.service.participant",
    "Radio": "grouser.service.radio",
    "RadioSignal": "grouser.service.radio",
    "Role": "grouser.service.access",
    "Token": "grouser.service.access",
}

__all__ = [
    "AccessControl",
    "Console",
    "Host",
    "HostRules",
    "Limits",
    "Participant",
    "ParticipantListener",
    "Radio",
    "RadioSignal",
    "Role",
    "Token",
]

__getattr__ = lazily(__name__, _PLACES)
