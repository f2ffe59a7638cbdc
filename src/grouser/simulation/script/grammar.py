"""Console grammar: parse a line into an action.

The same lines are used in world files (``do: ["open gate"]``), in the console and over the network.
Lengths are in m, times in s, angles in deg (people type them), speeds in m/s and deg/s. `parse` is
a pure function of the line and of the names in the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from grouser.description import Description
from grouser.errors import BadValue, nearest
from grouser.frames import radians
from grouser.robots.kinds import robot_kinds
from grouser.simulation.changes.actions import (
    Action,
    CallRoutine,
    Command,
    Delayed,
    FireEvent,
    Glide,
    Join,
    Leave,
    Move,
    Pause,
    RefereeCall,
    Reset,
    Restart,
    SendMessage,
    SetDaylight,
    SetDoor,
    SetFriction,
    SetGravity,
    SetLinkFaults,
    Shift,
    Spin,
    StopMotion,
    SwitchLamp,
    SwitchMotors,
)
from grouser.simulation.script.tokens import SUN, Names, Words
from grouser.world.file import KIND_KEYS, RobotEntry
from grouser.world.objects import AnyObject
from grouser.world.validation_errors import world_file_error
from grouser.world.yaml_source import Source, SourcePosition


@dataclass(frozen=True)
class Phrase:
    """One word of the console and its arguments."""

    form: str
    """Syntax; words in capitals are placeholders, those in brackets are optional."""
    help: str
    """Description in one line."""
    example: str
    """Example of a line."""
    parse: Callable[[Words], Action]


def parse(line: str, names: Names, *, trusted: bool = False) -> Action:
    """Return the action of ``line``.

    Args:
        line: as it was typed.
        names: in the world.
        trusted: allow Python routines; never for lines that come over the network.

    Raises:
        UnknownName: a name does not exist; with the nearest match.
        BadValue: any other error.
    """
    words = Words(line, names, trusted=trusted)
    if words.verb not in PHRASES:
        raise BadValue(
            f"console: there is no word '{words.verb}' (there are: {', '.join(PHRASES)})"
            f"{nearest(words.verb, PHRASES)}"
        )
    action = PHRASES[words.verb].parse(words)
    words.end()
    return action


def _open(words: Words) -> Action:
    door = words.name("door", "DOOR")
    share = words.number("how far") if words else 1.0
    if not 0 <= share <= 1:
        raise BadValue(f"open: how far is {share:g}, must be 0 to 1")
    return SetDoor(door, share)


def _light(words: Words) -> Action:
    lamp = words.name("lamp", "LAMP")
    if lamp != SUN:
        return SwitchLamp(lamp, words.switch("on or off"))
    if words.peek() in ("on", "off"):
        return SetDaylight(float(words.switch("on or off")))
    return SetDaylight(words.number("daylight"))


def _motor(words: Words) -> Action:
    robot, on = words.name("robot", "ROBOT"), words.switch("on or off")
    drives = []
    while words:
        drives.append(words.word("drive"))
    return SwitchMotors(robot, on, tuple(drives))


def _link(words: Words) -> Action:
    robot = words.name("robot", "ROBOT")
    numbers: dict[str, float] = {}
    if words.skip("clear"):
        return SetLinkFaults(robot)
    while words or not numbers:
        what = words.one_of("what", ("delay", "jitter", "loss", "clear"))
        if what == "clear":
            raise BadValue("link: 'clear' stands alone, after the robot")
        numbers[what] = words.number(what)
    return SetLinkFaults(robot, **numbers)


def _command(words: Words) -> Action:
    robot = words.name("robot", "ROBOT")
    command: dict[str, float] = {}
    while words or not command:
        key = words.word("what to do")
        command[key] = words.number(key)
    return Command(robot, command)


def _belt(words: Words) -> Action:
    return Command(words.name("conveyor", "ROBOT"), {"belt": words.number("speed")})


def _move(words: Words) -> Action:
    name, way = words.name("robot or object", "NAME"), words.one_of("to or by", ("to", "by"))
    place = words.numbers()
    if len(place) not in (2, 3):
        raise BadValue(f"move: {len(place)} numbers after '{way}', x y or x y z is needed")
    yaw = radians(words.number("yaw")) if words.skip("yaw") else None
    seconds = _seconds(words)
    if way == "by":
        by = (place[0], place[1], place[2] if len(place) == 3 else 0.0)
        return Shift(name, by, yaw or 0.0, seconds)
    return Move(name, place[0], place[1], place[2] if len(place) == 3 else None, yaw, seconds)


def _seconds(words: Words) -> float:
    seconds = words.number("time") if words.skip("in") else 0.0
    if seconds < 0:
        raise BadValue(f"{words.verb}: the time is {seconds:g} s, must be at least 0")
    return seconds


def _glide(words: Words) -> Action:
    name, places = words.name("robot or object", "NAME"), []
    while words.skip("to"):
        place = words.numbers()
        if len(place) != 3:
            raise BadValue(f"glide: {len(place)} numbers after 'to', x y z is needed")
        places.append((place[0], place[1], place[2]))
    if not places:
        raise BadValue("glide: where to is missing, such as 'to 1 0 0.5'")
    if not words.skip("at"):
        raise BadValue("glide: the speed is missing, such as 'at 0.5'")
    speed = words.number("speed")
    if speed <= 0:
        raise BadValue(f"glide: the speed is {speed:g} m/s, must be above 0")
    return Glide(name, tuple(places), speed, bool(words.skip("loop")))


def _turn(words: Words) -> Action:
    name, way = words.name("robot or object", "NAME"), words.one_of("by or at", ("by", "at"))
    angle = radians(words.number("angle"))
    if way == "at":
        return Spin(name, angle)
    return Shift(name, turn=angle, seconds=_seconds(words))


class _Spawned(Description):
    """Spawned robot or object, validated as in a world file."""

    robots: tuple[RobotEntry, ...] = ()
    objects: tuple[AnyObject, ...] = ()


def _spawn(words: Words) -> Action:
    kind, name = words.name("kind", "KIND"), words.word("name")
    if not words.skip("at"):
        raise BadValue("spawn: where is missing, such as 'at 1 0'")
    place = words.numbers()
    if not place:
        raise BadValue("spawn: where is missing after 'at', such as 'at 1 0'")
    entry: dict[str, Any] = {"kind": kind, "name": name, "position": place}
    if words.skip("yaw"):
        entry["yaw_deg"] = words.number("yaw")
    settings = words.settings()
    group = "robots" if kind in robot_kinds() else "objects"
    if group == "robots":
        outer = RobotEntry.model_fields
        entry |= {key: value for key, value in settings.items() if key in outer}
        entry["options"] = {key: value for key, value in settings.items() if key not in outer}
    else:
        entry |= settings
    source = Source({group: [entry]}, {(): SourcePosition(1, "spawn")})
    try:
        made = _Spawned.model_validate(source.data, strict=False)
    except ValidationError as error:
        sentence = str(world_file_error(error, source, KIND_KEYS)).replace(
            f"{group}.0", f"'{name}'"
        )
        raise BadValue(sentence) from None
    return Join((*made.robots, *made.objects)[0])


def _reset(words: Words) -> Action:
    return Restart(words.name("robot or object", "NAME")) if words else Reset()


def _friction(words: Words) -> Action:
    return SetFriction(words.name("terrain or object", "SURFACE"), words.number("friction"))


def _call(words: Words) -> Action:
    if not words.trusted:
        raise BadValue("call: routines are called from world files and Python only")
    routine = words.word("module:function")
    if ":" not in routine:
        raise BadValue(f"call: '{routine}' is not a routine, module:function is needed")
    return CallRoutine(routine)


def _after(words: Words) -> Action:
    seconds = words.number("time")
    if seconds < 0:
        raise BadValue(f"after: the time is {seconds:g} s, must be at least 0")
    line = words.rest("what to do then")
    return Delayed(seconds, parse(line, words.names, trusted=words.trusted))


def _stop(words: Words) -> Action:
    return StopMotion(words.name("robot or object", "NAME")) if words else RefereeCall("stop")


def _referee_call(words: Words, order: Literal["kickoff", "goal"]) -> Action:
    return RefereeCall(order, words.name("team", "TEAM"))


def _penalty(words: Words) -> Action:
    robot = words.name("robot", "ROBOT")
    seconds = words.number("time") if words else None
    if seconds is not None and seconds <= 0:
        raise BadValue(f"penalty: the time is {seconds:g} s, must be above 0")
    return RefereeCall("penalty", robot, seconds)


def _whistle(words: Words) -> Action:
    return RefereeCall("half" if words.one_of("what", ("half", "finish")) == "half" else "finish")


PHRASES: dict[str, Phrase] = {
    "open": Phrase("DOOR [SHARE]", "Open a door, all the way or in part.", "open gate", _open),
    "close": Phrase(
        "DOOR",
        "Close a door.",
        "close gate",
        lambda words: SetDoor(words.name("door", "DOOR"), 0.0),
    ),
    "light": Phrase(
        "LAMP on|off",
        "Switch a lamp, or the sun, which may also be 0 to 1.",
        "light lamp off",
        _light,
    ),
    "motor": Phrase(
        "ROBOT on|off [DRIVE …]",
        "Switch motors off (no torque) or on (hold).",
        "motor rex off",
        _motor,
    ),
    "link": Phrase(
        "ROBOT clear|delay|jitter|loss NUMBER …",
        "Disturb the link to a robot's driver on the page (s, s, share), or clear it.",
        "link rex delay 0.5 loss 0.2",
        _link,
    ),
    "tell": Phrase(
        "ROBOT WORD NUMBER …", "Drive a robot.", "tell rex forward 0.2 turn 0.1", _command
    ),
    "belt": Phrase("ROBOT SPEED", "Set the speed of a conveyor, m/s.", "belt line 0.3", _belt),
    "move": Phrase(
        "NAME to|by X Y [Z] [yaw DEG] [in S]",
        "Move a robot or object, at once or in a given time.",
        "move crate by 0 0.5 0 in 2",
        _move,
    ),
    "glide": Phrase(
        "NAME to X Y Z [to X Y Z …] at SPEED [loop]",
        "Move a robot or object along a path, once or in a loop.",
        "glide crate to 1 0 0.2 to 1 1 0.2 at 0.5 loop",
        _glide,
    ),
    "turn": Phrase(
        "NAME by|at DEG [in S]",
        "Turn a robot or object by an angle, or continuously in deg/s.",
        "turn crate at 30",
        _turn,
    ),
    "stop": Phrase(
        "[NAME]",
        "End a motion of glide or turn; without a name, stop the game.",
        "stop crate",
        _stop,
    ),
    "spawn": Phrase(
        "KIND NEW at X Y [Z] [yaw DEG] [KEY=VALUE …]",
        "Add a robot or an object.",
        "spawn ball orange at 1 0 0.5 radius=0.05 mass=0.1 friction=0.5",
        _spawn,
    ),
    "remove": Phrase(
        "NAME",
        "Remove a robot or an object from the world.",
        "remove crate",
        lambda words: Leave(words.name("robot or object", "NAME")),
    ),
    "reset": Phrase("[NAME]", "Reset the world, or restart one robot or object.", "reset", _reset),
    "friction": Phrase(
        "SURFACE NUMBER", "Set the friction of a surface.", "friction everywhere 0.2", _friction
    ),
    "gravity": Phrase(
        "NUMBER",
        "Set gravity, m/s².",
        "gravity 1.62",
        lambda words: SetGravity(words.number("gravity")),
    ),
    "fire": Phrase(
        "EVENT",
        "Fire an event.",
        "fire alarm",
        lambda words: FireEvent(words.name("event", "EVENT")),
    ),
    "say": Phrase(
        "TEXT",
        "Send a message to all.",
        "say two minutes left",
        lambda words: SendMessage(words.rest("what")),
    ),
    "call": Phrase("MODULE:FUNCTION", "Call a Python routine.", "call goals:count", _call),
    "after": Phrase("S LINE", "Run a line after some seconds.", "after 3 light lamp off", _after),
    "start": Phrase("", "Start or resume the game.", "start", lambda words: RefereeCall("start")),
    "kickoff": Phrase(
        "TEAM",
        "Give the kick-off to a team.",
        "kickoff blue",
        lambda words: _referee_call(words, "kickoff"),
    ),
    "goal": Phrase(
        "TEAM", "Count a goal for a team.", "goal blue", lambda words: _referee_call(words, "goal")
    ),
    "penalty": Phrase(
        "ROBOT [S]", "Remove a robot from the game for some time.", "penalty rex", _penalty
    ),
    "pardon": Phrase(
        "ROBOT",
        "End the penalty of a robot now.",
        "pardon rex",
        lambda words: RefereeCall("pardon", words.name("robot", "ROBOT")),
    ),
    "whistle": Phrase("half|finish", "End this half, or the game.", "whistle half", _whistle),
    "judge": Phrase(
        "yellow|sky_blue|out",
        "Report to the referee where the ball went.",
        "judge out",
        lambda words: RefereeCall("ball", words.one_of("where", ("yellow", "sky_blue", "out"))),
    ),
    "pause": Phrase("", "Pause the simulation.", "pause", lambda words: Pause(True)),
    "resume": Phrase("", "Resume the simulation.", "resume", lambda words: Pause(False)),
}
"""All words of the console."""
