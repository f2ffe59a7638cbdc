"""Motors of any robot on a CAN bus: identifiers by drive order, watchdog, DBC file."""

import math
from pathlib import Path
from typing import Any

import cantools
import pytest
from support.can_fixtures import Controller
from support.cli_runner import grouser as cli

from grouser.errors import BadValue
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.drive_motors import DriveMotors, bus_layout
from grouser.protocol.can.dbc import kenaf_dbc
from grouser.protocol.can.drive_messages import BusDrive, DriveClock, DriveHealth, DriveLayout
from grouser.protocol.can.messages import SILENT, STOPPED, CanCommand, CanFrame, Posture, Stop
from grouser.service.host import Host, HostRules
from grouser.simulation.changes.actions import Reset
from grouser.simulation.simulation import Simulation
from grouser.world.file import load, shipped


class DriveRig:
    """The first robot of a world, its motors on a bus, and one controller."""

    def __init__(self, world: str) -> None:
        self.sim = Simulation(load(world), crash_folder=None)
        entry = self.sim.world.robots[0]
        self.name = entry.name
        self.host = Host(self.sim, HostRules())
        self.bus = CanBus(lambda: self.host.time)
        self.motors = DriveMotors(self.host, entry, self.bus, rate_hz=200.0)
        self.controller = Controller(self.bus)
        self.layout = self.motors.layout

    def command(self, drive: str, quantity: str, value: float) -> CanCommand:
        """Return the command of one quantity of a drive, SI."""
        for number, (described, named) in self.layout.targets.items():
            if (described.name, named) == (drive, quantity):
                return self.layout.commands[number](value)  # type: ignore[call-arg]
        raise AssertionError(drive)

    def run(self, seconds: float, *commands: CanCommand) -> None:
        """Advance time while the controller repeats ``commands``."""
        end, due = self.host.time + seconds, self.host.time
        while self.host.time < end - 1e-9:
            if commands and self.host.time >= due - 1e-9:
                self.controller.send(*commands)
                due += 0.02
            self.host.advance()
            while self.host.publish_next():
                pass

    def frames(self, number: int) -> list[CanFrame]:
        return [frame for _, frame in self.controller.received if frame.id == number]

    def motion(self, drive: str) -> tuple[float, float]:
        """Return the last reported position and speed of a drive."""
        names = [described.name for described in self.layout.drives]
        kind = self.layout.motions[names.index(drive)]
        position, rate = kind.parse(self.frames(kind.ID)[-1].data).values()
        return position, rate


def test_wheels_are_driven_and_reported() -> None:
    rig = DriveRig("pioneer_room")
    wheels = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    rig.run(1.0, *(rig.command(wheel, "speed", 2.0) for wheel in wheels))
    true = rig.sim.robots[rig.name].angles
    assert true["front_left"] > 1.0
    position, rate = rig.motion("front_left")
    assert position == pytest.approx(true["front_left"], abs=0.02)
    assert rate == pytest.approx(2.0, abs=0.3)
    clocks = [DriveClock.parse(frame.data).time for frame in rig.frames(DriveClock.ID)]
    assert clocks == sorted(clocks)
    assert len(clocks) == pytest.approx(200, abs=3)
    assert len(rig.frames(Posture.ID)) == pytest.approx(100, abs=3)


def test_a_leg_moves_to_an_angle_and_stays_there_in_silence() -> None:
    rig = DriveRig("aibo_kick")
    assert len(rig.layout.drives) == 20
    drive = rig.layout.drives[-1].name
    low, high = rig.layout.drives[-1].low, rig.layout.drives[-1].high
    target = low + 0.6 * (high - low)
    rig.run(0.5, rig.command(drive, "position", target))
    rig.run(1.0)
    position, _ = rig.motion(drive)
    assert position == pytest.approx(target, abs=math.radians(3))


@pytest.mark.parametrize(("quantity", "value"), [("speed", 0.4), ("torque", 80.0)])
def test_the_watchdog_stops_a_drive_that_is_not_commanded(quantity: str, value: float) -> None:
    rig = DriveRig("quince_step")
    sides = [rig.command(side, quantity, value) for side in ("left", "right")]
    rig.run(0.5, *sides)
    assert rig.motion("left")[1] > 0.05
    rig.run(0.25)
    assert rig.sim.robots["quince"].drives["left"].power > 0.0
    rig.run(1.0)
    assert rig.motion("left")[1] == pytest.approx(0.0, abs=0.02)
    health = DriveHealth.parse(rig.frames(DriveHealth.ID)[-1].data)
    assert health.flags & SILENT


def test_stop_holds_all_drives_until_the_next_command() -> None:
    rig = DriveRig("quince_step")
    forward = rig.command("left", "speed", 0.2), rig.command("right", "speed", 0.2)
    rig.run(0.5, *forward)
    rig.controller.begin(Stop())
    rig.run(0.4)
    assert rig.motion("left")[1] == pytest.approx(0.0, abs=0.02)
    assert DriveHealth.parse(rig.frames(DriveHealth.ID)[-1].data).flags & STOPPED
    rig.run(0.6, *forward)
    assert rig.motion("left")[1] == pytest.approx(0.2, abs=0.05)
    assert not DriveHealth.parse(rig.frames(DriveHealth.ID)[-1].data).flags & STOPPED


def test_invalid_frames_move_nothing_and_are_counted() -> None:
    rig = DriveRig("quince_step")
    good = rig.command("left", "speed", 0.2).frame(1)
    damaged = CanFrame(good.id, good.data[:-1] + bytes([good.data[-1] ^ 1]))
    for frame in (damaged, CanFrame(good.id, good.data[:-1]), CanFrame(0x77F, good.data)):
        rig.controller.connection.send(frame)
    rig.run(0.5)
    health = DriveHealth.parse(rig.frames(DriveHealth.ID)[-1].data)
    assert (health.wrong_crc, health.wrong_value, health.wrong_counter) == (1, 1, 0)
    with pytest.raises(BadValue, match="left_speed is 5, must be from -1.6 to 1.6"):
        rig.command("left", "speed", 5.0).frame(0)


def test_a_reset_of_the_world_is_a_power_on() -> None:
    rig = DriveRig("quince_step")
    rig.run(0.5, rig.command("left", "speed", 0.2))
    rig.host.apply(Reset())
    rig.run(0.2)
    assert rig.motion("left")[0] < 0.05
    assert rig.motors.gate.accepted == 0


@pytest.mark.parametrize("name", ["qrio_walk", "roach_circle", "pioneer_room", "conveyor"])
def test_the_dbc_file_describes_every_frame(name: str) -> None:
    rig = DriveRig(name)
    database: Any = cantools.database.load_string(rig.layout.dbc(rig.name), "dbc")
    rig.run(0.2, *(rig.command(drive.name, "speed", 0.0) for drive in rig.layout.drives))
    assert {frame.id for _, frame in rig.controller.received} <= {
        message.frame_id for message in database.messages
    }
    for _, frame in rig.controller.received:
        database.decode_message(frame.id, frame.data)  # raises an exception on failure
    for number, (drive, quantity) in rig.layout.targets.items():
        kind = rig.layout.commands[number]
        [signal] = kind.SIGNALS
        largest = signal.high * signal.unit.si
        value = 0.5 * largest if math.isfinite(largest) and largest < 1e3 else 0.25
        frame = kind(value).frame(3)  # type: ignore[call-arg]
        read = database.decode_message(number, frame.data, scaling=False)
        assert read[signal.name] * signal.unit.si == pytest.approx(value, abs=signal.unit.si)
        assert read[f"{kind.__name__}Counter"] == 3, (drive, quantity)


def test_every_shipped_robot_has_a_layout_with_names_that_tools_accept() -> None:
    kinds = set()
    for name in shipped():
        world = load(name)
        if not world.robots or world.robots[0].kind in kinds:
            continue
        kinds.add(world.robots[0].kind)
        scene = Simulation(world, crash_folder=None).scene
        robot = world.robots[0].name
        if not scene.robots[robot].drives:
            continue
        text = bus_layout(scene, robot).dbc(robot)
        database: Any = cantools.database.load_string(text, "dbc", strict=True)
        messages = database.messages
        names = [signal.name for message in messages for signal in message.signals]
        assert max(map(len, names)) <= 32
        assert len({message.name for message in messages}) == len(messages)


def test_robots_with_too_many_drives_are_refused() -> None:
    drive = {"linear": False, "rolling": False, "speed": 1.0, "force": 1.0}
    with pytest.raises(BadValue, match="has 33 drives, must have 1 to 32"):
        DriveLayout([BusDrive(name=f"d{n}", **drive) for n in range(33)])  # type: ignore[arg-type]


def test_the_command_writes_the_dbc_file(tmp_path: Path) -> None:
    file = tmp_path / "pioneer.dbc"
    done = cli("motors", "pioneer_room", "--robot", "pioneer", "--dbc", file)
    assert done.exit_code == 0, done.output
    database: Any = cantools.database.load_file(file)
    assert database.get_message_by_name("front_left_speed").frame_id == 0x140
    assert cli("motors", "kenaf_step", "--dbc", file).exit_code == 0
    assert file.read_text() == kenaf_dbc()
