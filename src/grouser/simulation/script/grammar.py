"""The console's language: a typed line → an action.

The same lines stand in world files (``do: ["open gate"]``), are typed in the console and come over
the wire, so all of them become the same `actions`. Lengths are m, times s, angles deg (they are
typed by people), speeds m/s and deg/s. A pure function of the line and of the names in the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

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
    Say,
    SetDaylight,
    SetDoor,
    SetFriction,
    SetGravity,
    Shift,
    Spin,
    StopMotion,
    SwitchLamp,
    SwitchMotors,
)
from grouser.simulation.script.tokens import SUN, Names, Words
from grouser.world.field_types import Description
from grouser.world.file import KEYS, RobotEntry
from grouser.world.objects import AnyObject
from grouser.world.validation_errors import world_file_error
from grouser.world.yaml_source import Source, SourcePosition


@dataclass(frozen=True)
class Phrase:
    """One word of the console and what may follow it."""

    form: str
    """What may be typed; words in capitals stand for others, those in brackets may be left out."""
    help: str
    """What it does, in one line."""
    example: str
    """A line that does it."""
    parse: Callable[[Words], Action]


def parse(line: str, names: Names, *, trusted: bool = False) -> Action:
    """Return what ``line`` asks for.

    Args:
        line: as it was typed.
        names: what there is in the world.
        trusted: whether it may call Python routines; never for lines that come over a wire.

    Raises:
        UnknownName: a word or a name that does not exist, with the nearest that does.
        BadValue: anything else that is wrong with it.
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


def _tell(words: Words) -> Action:
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
    """What may be spawned, checked as in a world file."""

    robots: tuple[RobotEntry, ...] = ()
    objects: tuple[AnyObject, ...] = ()


def _spawn(words: Words) -> Action:
    kind, name = words.name("kind", "KIND"), words.word("name")
    if not words.skip("at"):
        raise BadValue("spawn: where is missing, such as 'at 1 0'")
    place = words.numbers()
    if not place:
        raise BadValue("spawn: where is missing after 'at', such as 'at 1 0'")
    said: dict[str, Any] = {"kind": kind, "name": name, "position": place}
    if words.skip("yaw"):
        said["yaw_deg"] = words.number("yaw")
    settings = words.settings()
    group = "robots" if kind in robot_kinds() else "objects"
    if group == "robots":
        outer = RobotEntry.model_fields
        said |= {key: value for key, value in settings.items() if key in outer}
        said["options"] = {key: value for key, value in settings.items() if key not in outer}
    else:
        said |= settings
    source = Source({group: [said]}, {(): SourcePosition(1, "spawn")})
    try:
        made = _Spawned.model_validate(source.data, strict=False)
    except ValidationError as error:
        sentence = str(world_file_error(error, source, KEYS)).replace(f"{group}.0", f"'{name}'")
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
        raise BadValue(f"call: '{routine}' is no routine, module:function is needed")
    return CallRoutine(routine)


def _after(words: Words) -> Action:
    seconds = words.number("time")
    if seconds < 0:
        raise BadValue(f"after: the time is {seconds:g} s, must be at least 0")
    line = words.rest("what to do then")
    return Delayed(seconds, parse(line, words.names, trusted=words.trusted))


def _stop(words: Words) -> Action:
    return StopMotion(words.name("robot or object", "NAME")) if words else RefereeCall("stop")


def _called(words: Words, order: Literal["kickoff", "goal"]) -> Action:
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
        "Switch motors off, so that they swing free, or on, so that they hold.",
        "motor rex off",
        _motor,
    ),
    "tell": Phrase("ROBOT WORD NUMBER …", "Drive a robot.", "tell rex forward 0.2 turn 0.1", _tell),
    "belt": Phrase("ROBOT SPEED", "Let a conveyor run at a speed, m/s.", "belt line 0.3", _belt),
    "move": Phrase(
        "NAME to|by X Y [Z] [yaw DEG] [in S]",
        "Put something elsewhere, at once or gliding in some time.",
        "move crate by 0 0.5 0 in 2",
        _move,
    ),
    "glide": Phrase(
        "NAME to X Y Z [to X Y Z …] at SPEED [loop]",
        "Carry something along a way, once or round and round.",
        "glide crate to 1 0 0.2 to 1 1 0.2 at 0.5 loop",
        _glide,
    ),
    "turn": Phrase(
        "NAME by|at DEG [in S]",
        "Turn something by an angle, or keep it turning at so many deg/s.",
        "turn crate at 30",
        _turn,
    ),
    "stop": Phrase(
        "[NAME]",
        "Let go of what glides or turns; without a name, the game stops.",
        "stop crate",
        _stop,
    ),
    "spawn": Phrase(
        "KIND NEW at X Y [Z] [yaw DEG] [KEY=VALUE …]",
        "Let a robot or an object join.",
        "spawn ball orange at 1 0 0.5 radius=0.05 mass=0.1 friction=0.5",
        _spawn,
    ),
    "remove": Phrase(
        "NAME",
        "Take a robot or an object out of the world.",
        "remove crate",
        lambda words: Leave(words.name("robot or object", "NAME")),
    ),
    "reset": Phrase("[NAME]", "Start over: everything, or one robot or object.", "reset", _reset),
    "friction": Phrase(
        "SURFACE NUMBER", "Change how much something rubs.", "friction everywhere 0.2", _friction
    ),
    "gravity": Phrase(
        "NUMBER",
        "Change how strongly things fall, m/s².",
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
        "Tell everybody something.",
        "say two minutes left",
        lambda words: Say(words.rest("what")),
    ),
    "call": Phrase("MODULE:FUNCTION", "Call a Python routine.", "call goals:count", _call),
    "after": Phrase("S LINE", "Do a line later.", "after 3 light lamp off", _after),
    "start": Phrase(
        "", "Let the game begin, or go on.", "start", lambda words: RefereeCall("start")
    ),
    "kickoff": Phrase(
        "TEAM", "Let a team kick off.", "kickoff blue", lambda words: _called(words, "kickoff")
    ),
    "goal": Phrase(
        "TEAM", "Count a goal for a team.", "goal blue", lambda words: _called(words, "goal")
    ),
    "penalty": Phrase(
        "ROBOT [S]", "Take a robot out of the game for some time.", "penalty rex", _penalty
    ),
    "pardon": Phrase(
        "ROBOT",
        "Let a robot that was taken out come back now.",
        "pardon rex",
        lambda words: RefereeCall("pardon", words.name("robot", "ROBOT")),
    ),
    "whistle": Phrase(
        "half|finish",
        "End this half, or the game.",
        "whistle half",
        _whistle,
    ),
    "judge": Phrase(
        "yellow|sky_blue|out",
        "Tell the referee where the ball went.",
        "judge out",
        lambda words: RefereeCall("ball", words.one_of("where", ("yellow", "sky_blue", "out"))),
    ),
    "pause": Phrase("", "Let the world wait.", "pause", lambda words: Pause(True)),
    "resume": Phrase("", "Let the world go on.", "resume", lambda words: Pause(False)),
}
"""Every word that does something."""
