"""Random lines of clients: well-formed messages of every protocol, with extreme numbers.

A form is a line with placeholders: ``$(-2..2)`` is a number, mostly of this range, ``$(a|b)`` one
of several words, ``$(joint)`` the result of the method ``joint`` of `LineSource`; ``[[…]]`` may be
left out.
"""

import base64
import json
import random
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from grouser.gateways.ros_graph.robot_commands import COMMAND_TYPES
from grouser.gateways.ros_graph.robot_services import SERVICES
from grouser.gateways.rosbridge.rosapi import ROSAPI
from grouser.gateways.usarsim.wire_names import APPEARANCES
from grouser.protocol.can.drive_messages import BASES
from grouser.protocol.can.messages import COMMANDS, Stop, frame_crc

KINDS = tuple(appearance.class_name for appearance in APPEARANCES.values())
"""Every robot class that the server ships."""
CHEAP = ("P2DX", "P3AT", "Conveyor", "AirTraffic")
"""Classes that compile fast; most robots are of these."""
REFUSED = ("AirRobot", "KR6", "Nonesuch")
"""Classes that the server does not have."""
ROS_TOPICS = ("odom", "joint_states", "robot_description", "plan", "scan", "camera", "cmd_vel")
TOPIC_OPERATIONS = (
    *("publish", "publish", "publish", "subscribe", "subscribe", "unsubscribe"),
    *("advertise", "unadvertise", "fragment", "call_service"),
)
"""Operations of rosbridge about topics, and services of the world."""
ROBOTS = ("A", "B", "C", "D", "own", "kenaf", "Witness")
THINGS = ("thing0", "thing1", "thing2")
OBJECTS = ("crate", "wall", "gate", "lamp", "ball", *THINGS)
SENSORS = (
    *("Sonar", "IR", "RangeScanner", "INS", "Odometry", "Encoder", "Tachometer", "Touch", "Force"),
    *("AcceleroMeter", "Gyroscope", "MagneticCompass", "RFID", "GroundTruth", "MotionCapture"),
    *("GPS", "VictSensor", "RangeImager", "Camera", "Battery"),
)
JOINTS = {
    "wheels": ("Left", "Right", "Pan", "Tilt"),
    "flippers": ("FRFlipper", "FLFlipper", "RRFlipper", "RLFlipper", "Left", "Right"),
    "legs": ("HeadPan", "HeadTilt", "LFRotor", "LFKnee", "RHAbductor", "NeckTilt", "TailPan"),
    "other": ("Belt", "alljoints", "AllAngles", "Nonesuch"),
}
"""Names of joints on the wire, by the robots that have most of them."""
CARRIED = {
    **dict.fromkeys(("P3AT", "P2DX", "P2AT", "LuggedRover", "VelociRoACH"), "wheels"),
    **dict.fromkeys(("ATRVJr", "Zerg"), "wheels"),
    **dict.fromkeys(("Kenaf", "Quince", "PackBot", "Crawler"), "flippers"),
    **dict.fromkeys(("Talon", "TeleMax", "Tarantula"), "flippers"),
    **dict.fromkeys(("ERS7", "ERS210", "QRIO"), "legs"),
}
CAN_COMMANDS = sorted(
    {*COMMANDS, *(base + drive for base in BASES.values() for drive in range(4))} - {Stop.ID}
)
"""Identifiers of commands with 4 bytes: those of Kenaf, and those of the first drives of others."""
EXTREME = (
    *("0", "-0.0", "1e-320", "5e-324", "-1e-300", "1e-9", "1e-4", "1e5", "-1e6", "1e9", "-1e9"),
    *("1e16", "-1e16", "1e38", "1e154", "1e300", "1e308", "-1e308", "1.7976931348623157e308"),
    *("nan", "inf", "-inf", "2147483647", "-2147483648", "4294967296", "99999999999999999999"),
    *("0.0099", "0.01", "1000", "1000.1", "3.14159265358979", "-3.1416", "90", "360"),
)

WORDS = {
    "robot": ROBOTS,
    "thing": THINGS,
    "who": (*ROBOTS, *OBJECTS),
    "sensor": SENSORS,
    "flag": ("true", "false", "True", "1", "0"),
    "order": ("0", "1", "2", "3", "10", "11", "12"),
    "opcode": ("Angle", "Velocity", "Torque", "3", "RelAngle", "RelVelocity", "RelTorque"),
    "named": ("", "", "", " {Name Scanner1}", " {Name INS}", " {Name Odometry}", " {Name F1}"),
    "shape": (
        *("Crate", "Box", "Ball", "Barrel", "Victim", "WCCrate", "WCCrateRed", "KitTray"),
        *("PartTray", "WCObjectBin"),
    ),
    "gait_name": ("period", "lift", "height", "stride", "locus", "sway", "lean", "duty", "ride"),
    "can_id": ("100", "101", "102", "103", "104", "110", "7FF", "1FFFFFFF", "00000100"),
}
"""Placeholder -> its values."""

FORMS: dict[str, tuple[str, ...]] = {
    "init": (
        "INIT {ClassName USARBot.$(kind)} [[{Name $(robot)}]] [[{Location $(place)}]] "
        "[[{Rotation $(vector)}]]",
        "INIT {ClassName USARBot.$(kind)} {Start $(West|East|PlayerStart|Nowhere)} "
        "{Battery $(0..5)}",
    ),
    "drive": (
        "DRIVE {Left $(-9..9)} {Right $(-9..9)}",
        "DRIVE [[{Left $(-100..100)}]] [[{Right $(-100..100)}]] [[{Normalized $(flag)}]] "
        "[[{Light $(flag)}]] [[{Flip $(flag)}]]",
        "DRIVE {Speed $(-2..2)} [[{FrontSteer $(-1..1)}]] [[{RearSteer $(-1..1)}]]",
        "DRIVE {WheelNumber $(0..4)} {WheelSpeed $(-2..2)} [[{WheelSteer $(-2..2)}]]",
        "DRIVE {LinearVelocity $(-2..2)} [[{LateralVelocity $(-2..2)}]] "
        "[[{RotationalVelocity $(-90..90)}]] [[{AltitudeVelocity $(-2..2)}]] "
        "[[{Normalized $(flag)}]]",
        "DRIVE {Name $(joint)} {Value $(-2..2)} {Order $(order)}",
        "DRIVE {Name A} {Bone $(joint)} {Value $(-2..2)}",
        "DRIVE {Propeller $(-2..2)}",
        "MULTIDRIVE {$(joint) $(-2..2)} {$(joint) $(-2..2)}",
        "MISPKG {Name CameraPanTilt} {Link $(0..3)} {Value $(-2..2)} {Order $(0|1|2)}",
        "KICK {Paw $(Left|Right)}",
    ),
    "set": (
        "SET {Type $(sensor)}$(named) {Opcode RATE} {Params $(0..50)}",
        "SET {Type $(sensor)}$(named) {Opcode RESET}",
        "SET {Type INS} {Opcode POSE} {Params $(vector),$(vector)}",
        "SET {Type $(RangeScanner|RangeImager|IRScanner)}$(named) {Opcode SCAN}",
        "SET {Type Joint} {Name $(joint)} {Opcode $(opcode)} {Params $(-2..2)}",
        "SET {Type Joint} {Name $(joint)} {Opcode Stiffness} {Params $(0..1)}",
        "SET {Type Camera} {Name Camera} {Opcode Zoom} {Params $(0..2)}",
        "SET {Type Gait} {Opcode Walk} {Params $(gait_name) $(0..1) [[$(gait_name) $(0..1)]]}",
        "SET {Type Gait} {Opcode Walk} {Params locus $(box|ellipse|round)}",
        "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}",
        "SET {Type RFID} {Opcode $(Read|Write)} {Params 100000 x}",
        "SET {Type Viewports} {Config $(0..2)} {Viewport1 Camera}",
    ),
    "query": (
        "GETGEO {Type $(sensor)}",
        "GETCONF {Type $(sensor)}",
        "GETGEO {Type $(Robot|MisPkg|Actuator)}",
        "GETCONF {Type $(Robot|MisPkg|Actuator)}",
        "GETSTARTPOSES",
    ),
    "lockstep": (
        "LOCKSTEP {Every $(0..0.2)} [[{ByCommand $(flag)}]]",
        "LOCKSTEP {Every 0.02}",
        "LOCKSTEP {Every 0}",
    ),
    "step": ("STEP",),
    "radio": ("RADIO [[{To $(robot)}]] {Data $(data)}",),
    "control": (
        "CONTROL {Type Create} {ClassName $(shape)} {Name $(thing)} [[{Location $(place)}]] "
        "[[{Rotation $(vector)}]] [[{Scale $(0.1..2)}]] [[{Physics $(None|RigidBody)}]] "
        "[[{Permanent $(flag)}]]",
        "CONTROL {Type Create} {ClassName $(shape)} {Name $(thing)} {Scale $(vector)}",
        "CONTROL {Type Kill} {Name $(thing)}",
        "CONTROL {Type KillAll} [[{MinPos $(vector)}]] [[{MaxPos $(vector)}]]",
        "CONTROL {Type AbsMove} {Name $(thing)} [[{Location $(place)}]] [[{Rotation $(vector)}]]",
        "CONTROL {Type RelMove} {Name $(thing)} [[{Location $(vector)}]] [[{Rotation $(vector)}]]",
        "CONTROL {Type Rotate} {Name $(thing)} {Speed $(vector)}",
        "CONTROL {Type Conveyor} {Name $(robot)} {Speed $(-2..2)}",
        "CONTROL {Type AddWP} {Name $(thing)} {WP $(place);$(place)}",
        "CONTROL {Type SetWP} {Name $(thing)} [[{Speed $(0..2)}]] [[{Time $(0..5)}]] "
        "[[{Loop $(flag)}]] [[{ResetOnClear $(flag)}]] [[{Moving $(flag)}]]",
        "CONTROL {Type ClearWP} {Name $(thing)}",
        "CONTROL {Type GetSTA} [[{Name $(thing)}]]",
    ),
    "console": tuple(
        f"CONSOLE {{Line {line}}}"
        for line in (
            "move $(who) $(to|by) $(-2..2) $(-2..2) $(0..1)",
            "move $(who) to $(-2..2) $(-2..2) yaw $(-180..180) in $(0..2)",
            "glide $(who) to $(-2..2) $(-2..2) 0.3 at $(0..2) loop",
            "turn $(who) $(by|at) $(-90..90)",
            "stop $(who)",
            "tell $(robot) forward $(-2..2) turn $(-2..2)",
            "motor $(robot) $(on|off)",
            "link $(robot) $(delay|jitter|loss|clear) $(-2..2)",
            "link $(robot) clear",
            "belt $(robot) $(-2..2)",
            "open gate $(0..1)",
            "light $(lamp|sun) $(on|off)",
            "light sun $(0..1)",
            "friction $(everywhere|terrain/0|crate) $(0..2)",
            "gravity $(0..12)",
            "reset $(who)",
            "fire $(alarm|chain)",
            "say $(who) $(-2..2)",
            "after $(0..0.2) $(reset|remove) $(who)",
            "after $(0..0.2) say hi",
            "where $(who)",
            "log $(0..9)",
            "list $(robots|objects|doors|lamps|events|triggers|kinds)",
            "$(start|stop|whistle half|whistle finish|kickoff red|kickoff blue|goal red)",
            "$(penalty|pardon) $(robot)",
            "penalty $(robot) $(0..2)",
            "judge $(out|yellow|sky_blue)",
            "inside spot",
            "$(hash|time|waits|help|score|complete mo|resume|resume|pause|reset)",
            "spawn $(ball|box|cylinder) $(thing) at $(-2..2) $(-2..2) $(0..1) mass=$(0..2) "
            "radius=$(0..1) friction=$(0..1)",
            "spawn $(console_kind) $(robot) at $(-2..2) $(-2..2) yaw $(-180..180)",
            "remove $(who)",
        )
    ),
    "truth": ("", "{Actors}", "[[{class $(kind)}]] [[{name $(who)}]]"),
    "can": (
        "< send $(can_command) >",
        "< send $(can_command) >< send $(can_command) >",
        "< send 080 2 $(stop) >",
        "< send $(can_id) 8 $(bytes8) >",
        "< send $(can_id) 4 $(bytes4) >",
        "< send $(100|101|102) 8 $(bytes8) >",
        "< $(open can0|open can1|rawmode|bcmmode|controlmode|echo) >",
        "< statistics $(0|1|20|5000|99999999999) >",
        "< subscribe $(0|0|1|99999999999) $(0|0|1|5000) $(can_id) >",
        "< unsubscribe $(can_id) >",
        "< add $(0|0|1|99999999999) $(0|1|999|1000|20000) $(can_id) 4 $(bytes4) >",
        "< update $(can_id) 4 $(bytes4) >",
        "< delete $(can_id) >",
    ),
}
"""Kind of line -> its forms."""

ROBOT_LINES = {
    **{"drive": 8.0, "set": 6.0, "query": 1.0, "lockstep": 0.5, "step": 1.0, "radio": 1.0},
    **{"console": 2.0, "control": 0.1, "init": 0.1},
}
"""Kinds of lines of a client with a robot, by frequency."""
CONTROLLER_LINES = {"control": 8.0, "console": 4.0, "query": 0.2, "drive": 0.5, "set": 0.5}
"""Kinds of lines of a world controller, by frequency."""

COMPOSING = re.compile(
    r"^INIT|Type (Create|Kill|KillAll|AbsMove|RelMove|Gait|RFIDReleaser)|spawn|remove|light sun|"
    r"(move|reset|Line reset) ?(wall|gate|lamp|})",
    re.IGNORECASE,
)
"""Lines that may recompile the world."""

_OPTIONAL = re.compile(r"\[\[(.*?)\]\]")
_PLACEHOLDER = re.compile(r"\$\((.*?)\)")


class LineSource:
    """Source of random lines."""

    def __init__(
        self, rng: random.Random, extreme: float = 0.25, composed: float = 1.0, cheap: float = 0.6
    ) -> None:
        """Use ``rng``.

        Args:
            rng: source of all choices.
            extreme: probability of an extreme number.
            composed: share of the lines that recompile the world, which take a hundred times as
                long as others.
            cheap: share of `CHEAP` among the classes of robots.
        """
        self._rng, self._extreme, self._composed, self._cheap = rng, extreme, composed, cheap
        self.kind_of_client = ""
        """Class of the robot of the present client."""
        self._sent = 0
        """Number of CAN commands."""

    def line(self, kind: str) -> str:
        """Return a line of one kind, such as ``drive``."""
        form = self._rng.choice(FORMS[kind])
        form = _OPTIONAL.sub(lambda found: found[1] if self._rng.random() < 0.6 else "", form)
        return _PLACEHOLDER.sub(lambda found: self._fill(found[1]), form)

    def one_of(self, frequencies: Mapping[str, float]) -> str:
        """Return a line of one of several kinds; few of them recompile the world."""
        while True:
            kind = self._rng.choices([*frequencies], [*frequencies.values()])[0]
            line = self.line(kind)
            if self._rng.random() < self._composed or not COMPOSING.search(line):
                return line

    def _fill(self, placeholder: str) -> str:
        if placeholder in WORDS:
            return self._rng.choice(WORDS[placeholder])
        if ".." in placeholder:
            low, high = map(float, placeholder.split(".."))
            return self.number(low, high)
        if "|" in placeholder:
            return self._rng.choice(placeholder.split("|"))
        made: str = getattr(self, placeholder)()
        return made

    # -- placeholders ------------------------------------------------------------------------

    def number(self, low: float = -2.0, high: float = 2.0) -> str:
        """Return a number: usual, extreme, or close to a limit."""
        rng = self._rng
        if rng.random() < self._extreme:
            return rng.choice(EXTREME)
        return rng.choice((f"{rng.uniform(low, high):.4g}", f"{rng.uniform(low, high):.4g}", "1"))

    def vector(self) -> str:
        return ",".join(self.number() for _ in range(3))

    def place(self) -> str:
        """Return a location; most of them lie on the floor."""
        rng = self._rng
        if rng.random() < self._extreme / 2:
            return self.vector()
        return f"{rng.uniform(-4, 4):.2f},{rng.uniform(-4, 4):.2f},{rng.choice((0, 0, -0.5))}"

    def joint(self) -> str:
        """Return the name of a joint; most of them are of the present kind of robot."""
        near = CARRIED.get(self.kind_of_client, "other")
        group = near if self._rng.random() < 0.8 else self._rng.choice([*JOINTS])
        return self._rng.choice(JOINTS[group])

    def kind(self) -> str:
        """Return a class of robot; most compile fast, few do not exist."""
        if self._rng.random() < self._cheap:
            return self._rng.choice(CHEAP)
        return self._rng.choice(KINDS if self._rng.random() < 0.98 else REFUSED)

    def console_kind(self) -> str:
        """Return a kind of robot, as the console names it."""
        cheap = self._rng.random() < self._cheap
        return self._rng.choice(("p2dx", "p3at", "conveyor") if cheap else [*APPEARANCES])

    def data(self) -> str:
        size = self._rng.choice((0, 5, 300))
        return base64.b64encode(self._rng.randbytes(size)).decode()

    def bytes8(self) -> str:
        return self._rng.randbytes(8).hex(" ").upper()

    def bytes4(self) -> str:
        return self._rng.randbytes(4).hex(" ").upper()

    def can_command(self) -> str:
        """Return a command frame with the next counter and its checksum."""
        small = struct.pack("<hh", *(self._rng.randint(-5000, 5000) for _ in range(2)))
        content = self._rng.choice((small, small, self._rng.randbytes(4), bytes(4)))
        id = self._rng.choice(CAN_COMMANDS)
        return f"{id:03X} 6 {self._checked(id, content)}"

    def stop(self) -> str:
        return self._checked(Stop.ID, b"")

    def _checked(self, id: int, content: bytes) -> str:
        """Return data with counter and checksum."""
        self._sent += 1
        counted = content + bytes([self._sent % 256])
        return (counted + bytes([frame_crc(id, counted)])).hex(" ").upper()

    # -- rosbridge ---------------------------------------------------------------------------

    def rosbridge(self) -> str:
        """Return a message of a rosbridge client."""

        def pick(values: Sequence[Any]) -> Any:
            return self._rng.choice(values)

        robot = "own" if self._rng.random() < 0.4 else pick(ROBOTS)
        called = f"/{robot}/{pick((*SERVICES, 'path_plan', 'drive', 'drive'))}"
        if self._rng.random() < 0.5:
            return json.dumps(self._topic_message(robot))
        other = ("set_level", "subscribe", "publish", "advertise", "status", "auth", "png")
        content = {
            "op": "call_service" if self._rng.random() < 0.6 else pick(other),
            "service": pick((called, called, f"/{pick(tuple(ROSAPI))}")),
            "args": pick(({}, [], None, {"service": called}, {"a": 1e308}, {"node": "/x"})),
            "level": pick(("none", "error", "warning", "info", "loud")),
            "topic": pick((called, "", 3)),
            "id": pick(("x", 3, 1e308, None, [])),
        }
        for key in list(content):
            if self._rng.random() < 0.1:
                del content[key]
        return json.dumps(content)

    def _topic_message(self, robot: str) -> dict[str, Any]:
        """Return a message of a rosbridge client about a topic."""
        pick, operation = self._rng.choice, self._rng.choice(TOPIC_OPERATIONS)
        published = operation in ("publish", "advertise", "unadvertise")
        own = pick(tuple(COMMAND_TYPES) if published else ROS_TOPICS)
        topic = pick((f"/{robot}/{own}", f"/{robot}/{own}", "/tf", "/clock", "/markers", "/x"))
        content: dict[str, Any] = {"op": operation, "topic": topic, "id": pick(("a", "b", None))}
        if operation == "publish":
            number = pick((0.1, -0.3, 2, 1e308, float("nan"), "x", None))
            poses = [{"pose": {"position": {"x": pick((0, 1, -2)), "y": number}}} for _ in range(3)]
            drives = {"name": [pick(("Left", "left_wheel", "x")), "y"], "velocity": [number, 1.0]}
            twist = {"linear": {"x": number}, "angular": {"z": 0.2}}
            content["msg"] = pick((twist, {"twist": twist}, {"poses": poses}, drives, {}, 3))
        elif operation == "subscribe":
            content |= {
                "compression": pick(("none", "png", "cbor", "cbor-raw", "zip")),
                "throttle_rate": pick((0, 10, 100, -1)),
                "queue_length": pick((0, 1, 5, 1e9)),
                "fragment_size": pick((None, 1, 1000)),
            }
        elif operation == "fragment":
            text = json.dumps({"op": "unsubscribe", "topic": topic})
            half, number = len(text) // 2, pick((0, 1))
            content |= {"data": (text[:half], text[half:])[number], "num": number, "total": 2}
        elif operation == "call_service":
            content["service"] = pick(("/reset", "/rosapi/topics", "/rosapi/message_details"))
            content["args"] = {"type": pick(("nav_msgs/Odometry", "x"))}
        return content
