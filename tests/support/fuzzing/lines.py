"""Random lines of clients: well-formed commands of every protocol, with extreme numbers."""

import base64
import json
import random
import re
from collections.abc import Callable, Sequence

KINDS = (
    *("P3AT", "P2DX", "P2AT", "Kenaf", "Quince", "PackBot", "Crawler", "ERS7", "ERS210", "QRIO"),
    *("VelociRoACH", "LuggedRover", "Conveyor", "AirTraffic"),
)
"""Every robot class that the server ships."""
CHEAP = ("P2DX", "P3AT", "Conveyor", "AirTraffic")
"""Classes that compile fast; most robots are of these."""
ROBOTS = ("A", "B", "C", "D", "own", "kenaf", "Witness")
THINGS = ("thing0", "thing1", "thing2")
OBJECTS = ("crate", "wall", "gate", "lamp", *THINGS)
SENSORS = (
    *("Sonar", "IR", "RangeScanner", "INS", "Odometry", "Encoder", "Tachometer", "Touch", "Force"),
    *("AcceleroMeter", "Gyroscope", "MagneticCompass", "RFID", "GroundTruth", "MotionCapture"),
    *("GPS", "VictSensor", "RangeImager", "Camera", "Battery"),
)
SENSOR_NAMES = ("Scanner1", "INS", "Odometry", "F1", "Camera", "ECLeft", "RFID", "Touch")
COMPOSING = re.compile(
    r"^INIT|Type (Create|Kill|KillAll|AbsMove|RelMove|Gait|RFIDReleaser)|spawn|remove|light sun|"
    r"(to|by|reset)( wall| gate| lamp|}| ALL)",
    re.IGNORECASE,
)
"""Lines that may recompile the world."""
JOINTS = {
    "wheels": ("Left", "Right", "Pan", "Tilt"),
    "flippers": ("FRFlipper", "FLFlipper", "RRFlipper", "RLFlipper", "Left", "Right"),
    "legs": ("HeadPan", "HeadTilt", "LFRotor", "LFKnee", "RHAbductor", "NeckTilt", "TailPan"),
    "other": ("Belt", "alljoints", "AllAngles", "Nonesuch"),
}
"""Names of joints on the wire, by the robots that have most of them."""
CARRIED = {
    **dict.fromkeys(("P3AT", "P2DX", "P2AT", "LuggedRover", "VelociRoACH"), "wheels"),
    **dict.fromkeys(("Kenaf", "Quince", "PackBot", "Crawler"), "flippers"),
    **dict.fromkeys(("ERS7", "ERS210", "QRIO"), "legs"),
}
EXTREME = (
    *("0", "-0.0", "1e-320", "5e-324", "-1e-300", "1e-9", "1e-4", "1e5", "-1e6", "1e9", "-1e9"),
    *("1e16", "-1e16", "1e38", "1e154", "1e300", "1e308", "-1e308", "1.7976931348623157e308"),
    *("nan", "inf", "-inf", "2147483647", "-2147483648", "4294967296", "99999999999999999999"),
    *("0.0099", "0.01", "1000", "1000.1", "3.14159265358979", "-3.1416", "90", "360"),
)


class LineSource:
    """Source of random lines."""

    def __init__(self, rng: random.Random, extreme: float = 0.25, composed: float = 1.0) -> None:
        """Use ``rng``.

        Args:
            rng: source of all choices.
            extreme: probability of an extreme number.
            composed: share of the lines that recompile the world, which take a hundred times as
                long as others.
        """
        self._rng, self._extreme, self._composed = rng, extreme, composed
        self.kind = ""
        """Class of the robot of the present client."""

    # -- parts -------------------------------------------------------------------------------

    def number(self, low: float = -2.0, high: float = 2.0) -> str:
        """Return a number: usual, extreme, or close to a limit."""
        rng = self._rng
        if rng.random() < self._extreme:
            return rng.choice(EXTREME)
        return rng.choice((f"{rng.uniform(low, high):.4g}", f"{rng.uniform(low, high):.4g}", "1"))

    def vector(self, low: float = -3.0, high: float = 3.0) -> str:
        return ",".join(self.number(low, high) for _ in range(3))

    def place(self) -> str:
        """Return a location; most of them lie on the floor."""
        rng = self._rng
        if rng.random() < self._extreme / 2:
            return self.vector()
        return f"{rng.uniform(-4, 4):.2f},{rng.uniform(-4, 4):.2f},{rng.choice((0, 0, -0.5))}"

    def some(self, *segments: str) -> str:
        """Return a random subset of ``segments``, in order."""
        return " ".join(segment for segment in segments if self._rng.random() < 0.6)

    def pick(self, words: Sequence[str]) -> str:
        return self._rng.choice(words)

    def flag(self, key: str) -> str:
        return f"{{{key} {self.pick(('true', 'false', 'True', '1', '0'))}}}"

    # -- USARSim -----------------------------------------------------------------------------

    def joint(self) -> str:
        """Return the name of a joint; most of them are of the present kind of robot."""
        near = CARRIED.get(self.kind, "other")
        return self.pick(JOINTS[near if self._rng.random() < 0.8 else self.pick([*JOINTS])])

    def new_kind(self) -> str:
        """Return a class of robot; most compile fast."""
        return self.pick(CHEAP if self._rng.random() < 0.6 else KINDS)

    def init(self, kind: str = "") -> str:
        pick, rng, kind = self.pick, self._rng, kind or self.new_kind()
        rest = self.some(
            f"{{Name {pick(ROBOTS)}}}",
            f"{{Location {self.place()}}}",
            f"{{Rotation {self.vector(-1, 1)}}}",
        )
        if rng.random() < 0.1:
            rest += f" {{Start {pick(('West', 'East', 'Nowhere'))}}}"
        if rng.random() < 0.1:
            rest += f" {{Battery {self.number(0, 5)}}}"
        return f"INIT {{ClassName USARBot.{kind}}} {rest}"

    def drive(self) -> str:
        number, some = self.number, self.some
        return self._rng.choice(
            (
                lambda: f"DRIVE {{Left {number(-9, 9)}}} {{Right {number(-9, 9)}}}",
                lambda: (
                    "DRIVE "
                    + some(
                        f"{{Left {number(-100, 100)}}}",
                        f"{{Right {number(-100, 100)}}}",
                        self.flag("Normalized"),
                        self.flag("Light"),
                        self.flag("Flip"),
                    )
                ),
                lambda: (
                    f"DRIVE {{Speed {number()}}} "
                    + some(f"{{FrontSteer {number(-1, 1)}}}", f"{{RearSteer {number(-1, 1)}}}")
                ),
                lambda: (
                    f"DRIVE {{WheelNumber {number(0, 4)}}} {{WheelSpeed {number()}}} "
                    + some(f"{{WheelSteer {number()}}}", self.flag("Normalized"))
                ),
                lambda: (
                    f"DRIVE {{LinearVelocity {number()}}} "
                    + some(
                        f"{{LateralVelocity {number()}}}",
                        f"{{RotationalVelocity {number(-90, 90)}}}",
                        f"{{AltitudeVelocity {number()}}}",
                        self.flag("Normalized"),
                    )
                ),
                lambda: (
                    f"DRIVE {{Name {self.joint()}}} {{Value {number()}}} "
                    f"{{Order {self.pick(('0', '1', '2', '3', '10', '11', '12'))}}}"
                ),
                lambda: f"DRIVE {{Name A}} {{Bone {self.joint()}}} {{Value {number()}}}",
                lambda: (
                    "MULTIDRIVE "
                    + " ".join(f"{{{joint} {number()}}}" for joint in (self.joint(), self.joint()))
                ),
                lambda: (
                    f"MISPKG {{Name CameraPanTilt}} {{Link {number(0, 3)}}} "
                    f"{{Value {number()}}} {{Order {self.pick(('0', '1', '2'))}}}"
                ),
                lambda: f"KICK {{Paw {self.pick(('Left', 'Right'))}}}",
            )
        )()

    def set(self) -> str:
        number, pick = self.number, self.pick
        named = f" {{Name {pick(SENSOR_NAMES)}}}" if self._rng.random() < 0.3 else ""
        return self._rng.choice(
            (
                lambda: (
                    f"SET {{Type {pick(SENSORS)}}}{named} {{Opcode RATE}} {{Params {number(0, 50)}}}"
                ),
                lambda: f"SET {{Type {pick(SENSORS)}}}{named} {{Opcode RESET}}",
                lambda: (
                    f"SET {{Type INS}}{named} {{Opcode POSE}} "
                    f"{{Params {self.vector()},{self.vector()}}}"
                ),
                lambda: (
                    f"SET {{Type {pick(('RangeScanner', 'RangeImager', 'IRScanner'))}}}{named} "
                    "{Opcode SCAN}"
                ),
                lambda: (
                    f"SET {{Type Joint}} {{Name {self.joint()}}} "
                    f"{{Opcode {pick(('Angle', 'Velocity', 'Torque', '3', 'RelAngle', 'RelVelocity', 'RelTorque', 'Stiffness'))}}} "  # noqa: E501
                    f"{{Params {number()}}}"
                ),
                lambda: (
                    f"SET {{Type Camera}} {{Name Camera}} {{Opcode Zoom}} {{Params {number(0, 2)}}}"
                ),
                lambda: f"SET {{Type Gait}} {{Opcode Walk}} {{Params {self.gait()}}}",
                lambda: "SET {Type RFIDReleaser} {Name Gun} {Opcode Release}",
                lambda: (
                    f"SET {{Type RFID}} {{Opcode {pick(('Read', 'Write'))}}} {{Params 100000 x}}"
                ),
                lambda: f"SET {{Type Viewports}} {{Config {number()}}} {{Viewport1 Camera}}",
            )
        )()

    def gait(self) -> str:
        names = ("period", "lift", "height", "stride", "locus", "sway", "lean", "duty", "ride")
        words = (
            (self.pick(names), self.pick((self.number(0, 0.5), "box", "ellipse")))
            for _ in range(self._rng.randint(1, 3))
        )
        return " ".join(f"{name} {value}" for name, value in words)

    def query(self) -> str:
        kind = self.pick(("Robot", "MisPkg", "Actuator", "Camera", *SENSORS))
        return self.pick((f"GETGEO {{Type {kind}}}", f"GETCONF {{Type {kind}}}", "GETSTARTPOSES"))

    def lockstep(self) -> str:
        if self._rng.random() < 0.2:
            return "LOCKSTEP {Every 0}"
        every = self.number(0, 0.2)
        return f"LOCKSTEP {{Every {every}}} " + self.some(self.flag("ByCommand"))

    def radio(self) -> str:
        data = base64.b64encode(self._rng.randbytes(self._rng.choice((0, 5, 300)))).decode()
        return f"RADIO {self.some(f'{{To {self.pick(ROBOTS)}}}')} {{Data {data}}}"

    def control(self) -> str:
        pick, thing, rng = self.pick, self.pick(THINGS), self._rng
        kinds = ("Crate", "Box", "Ball", "Barrel", "Victim", "WCCrate")
        named, number = f"{{Name {thing}}}", self.number
        return rng.choice(
            (
                lambda: (
                    f"CONTROL {{Type Create}} {{ClassName {pick(kinds)}}} {named} "
                    + self.some(
                        f"{{Location {self.place()}}}",
                        f"{{Rotation {self.vector()}}}",
                        f"{{Scale {pick((number(0.1, 2), self.vector(0.1, 2)))}}}",
                        f"{{Physics {pick(('None', 'RigidBody'))}}}",
                        self.flag("Permanent"),
                    )
                ),
                lambda: f"CONTROL {{Type Kill}} {named}",
                lambda: (
                    "CONTROL {Type KillAll} "
                    + self.some(f"{{MinPos {self.vector()}}}", f"{{MaxPos {self.vector()}}}")
                ),
                lambda: (
                    f"CONTROL {{Type AbsMove}} {named} "
                    + self.some(f"{{Location {self.place()}}}", f"{{Rotation {self.vector()}}}")
                ),
                lambda: (
                    f"CONTROL {{Type RelMove}} {named} "
                    + self.some(f"{{Location {self.vector()}}}", f"{{Rotation {self.vector()}}}")
                ),
                lambda: f"CONTROL {{Type Rotate}} {named} {{Speed {self.vector()}}}",
                lambda: f"CONTROL {{Type Conveyor}} {{Name {pick(ROBOTS)}}} {{Speed {number()}}}",
                lambda: f"CONTROL {{Type AddWP}} {named} {{WP {self.place()};{self.place()}}}",
                lambda: (
                    f"CONTROL {{Type SetWP}} {named} "
                    + self.some(
                        f"{{Speed {number()}}}",
                        f"{{Time {number(0, 5)}}}",
                        self.flag("Loop"),
                        self.flag("ResetOnClear"),
                        self.flag("Moving"),
                    )
                ),
                lambda: f"CONTROL {{Type ClearWP}} {named}",
                lambda: "CONTROL {Type GetSTA} " + self.some(named),
            )
        )()

    # -- console -----------------------------------------------------------------------------

    def console(self) -> str:
        pick, number = self.pick, self.number
        who = pick((*ROBOTS, *OBJECTS))
        line = self._rng.choice(
            (
                lambda: f"move {who} {pick(('to', 'by'))} {number()} {number()} {number(0, 1)}",
                lambda: (
                    f"move {who} to {number()} {number()} yaw {number(-180, 180)} in {number(0, 2)}"
                ),
                lambda: f"glide {who} to {number()} {number()} 0.3 at {number(0, 2)} loop",
                lambda: f"turn {who} {pick(('by', 'at'))} {number(-90, 90)}",
                lambda: f"stop {who}",
                lambda: f"tell {pick(ROBOTS)} forward {number()} turn {number()}",
                lambda: f"motor {pick(ROBOTS)} {pick(('on', 'off'))}",
                lambda: f"belt {pick(ROBOTS)} {number()}",
                lambda: f"open gate {number(0, 1)}",
                lambda: f"light {pick(('lamp', 'sun'))} {pick(('on', 'off', number(0, 1)))}",
                lambda: f"friction {pick(('everywhere', 'terrain/0', 'crate'))} {number(0, 2)}",
                lambda: f"gravity {number(0, 12)}",
                lambda: f"reset {pick((who, who, who, ''))}",
                lambda: f"fire {pick(('alarm', 'chain'))}",
                lambda: f"say {who} {number()}",
                lambda: (
                    f"after {number(0, 0.2)} {pick((f'reset {who}', f'remove {who}', 'say hi'))}"
                ),
                lambda: f"where {who}",
                lambda: f"log {number(0, 9)}",
                lambda: f"list {pick(('robots', 'objects', 'doors', 'lamps', 'events', 'kinds'))}",
                lambda: "inside spot",
                lambda: pick(("hash", "time", "waits", "help", "score", "complete mo", "resume")),
                lambda: self._rare_console(who),
            )
        )()
        return f"CONSOLE {{Line {line.replace('%', '%25')}}}"

    def _rare_console(self, who: str) -> str:
        """Return a line that recompiles the world or stops time."""
        pick, number = self.pick, self.number
        return self._rng.choice(
            (
                lambda: (
                    f"spawn {pick(('ball', 'box', 'cylinder'))} {pick(THINGS)} at "
                    f"{number()} {number()} {number(0, 1)} mass={number(0, 2)} radius={number(0, 1)} "
                    f"friction={number(0, 1)}"
                ),
                lambda: (
                    f"spawn {pick(('p2dx', 'p3at', 'ers7', 'kenaf', 'conveyor'))} {pick(ROBOTS)} at "
                    f"{number()} {number()} yaw {number(-180, 180)}"
                ),
                lambda: f"remove {who}",
                lambda: pick(("pause", "resume", "reset")),
            )
        )()

    def robot(self) -> str:
        """Return a line of a client with a robot."""
        return self._weighted(
            (self.drive, 8), (self.set, 6), (self.query, 1), (self.lockstep, 0.5),
            (lambda: "STEP", 1), (self.radio, 1), (self.console, 2), (self.control, 0.1),
            (self.init, 0.1),
        )  # fmt: skip

    def controller(self) -> str:
        """Return a line of a world controller."""
        return self._weighted(
            (self.control, 8), (self.console, 4), (self.query, 0.2), (self.robot, 1)
        )

    def any_robot(self) -> str:
        """Return a line of a robot client; ``composed`` limits those that recompile the world."""
        return self._limited(self.robot)

    def any_controller(self) -> str:
        """Return a line of a world controller, likewise."""
        return self._limited(self.controller)

    def _limited(self, make: Callable[[], str]) -> str:
        while True:
            line = make()
            if self._rng.random() < self._composed or not COMPOSING.search(line):
                return line

    def _weighted(self, *makers: tuple[Callable[[], str], float]) -> str:
        weights = [weight for _, weight in makers]
        return self._rng.choices([make for make, _ in makers], weights)[0]()

    # -- other ports -------------------------------------------------------------------------

    def truth(self) -> str:
        parts = (f"{{class {self.pick(KINDS)}}}", f"{{name {self.pick((*ROBOTS, *OBJECTS))}}}")
        return self.pick(("", "{Actors}", parts[0], parts[1], " ".join(parts)))

    def can(self) -> str:
        rng, pick = self._rng, self.pick
        size = rng.randint(0, 8)
        data = " ".join(f"{byte:02X}" for byte in rng.randbytes(size))
        id = pick(("100", "101", "102", "103", "104", "110", "7FF", f"{rng.randrange(2**29):08X}"))
        return pick(
            (
                *(f"< send {id} {size} {data} >",) * 4,
                "< open can0 >",
                "< open can1 >",
                "< rawmode >",
                "< bcmmode >",
                "< echo >",
                f"< subscribe 0 0 {id} >",
                f"< subscribe {pick(('1', '0', '99999999999'))} 0 {id} >",
                f"< unsubscribe {id} >",
                f"< add 1 0 {id} {size} {data} >",
            )
        )

    def rosbridge(self) -> str:
        pick = self.pick
        services = ("path_plan", "reset_pose", "drive", "best_path", "drive_time", "energy_used")
        called = f"/{pick(ROBOTS)}/{pick((*services, 'path_found'))}"
        op = pick(("call_service",) * 6 + ("set_level", "subscribe", "publish", "status", "auth"))
        service = pick(
            (called, called, "/rosapi/services", "/rosapi/service_type", "/rosapi/topics")
        )
        content: dict[str, object] = {
            "op": op,
            "service": service,
            "args": pick(({}, [], None, {"service": called}, {"a": 1e308})),  # type: ignore[arg-type]
            "level": pick(("none", "error", "warning", "info", "loud")),
            "id": pick(("x", 3, 1e308, None, [])),  # type: ignore[arg-type]
        }
        for key in list(content):
            if self._rng.random() < 0.1:
                del content[key]
        return json.dumps(content)
