"""Test rig: a Kenaf's motor drivers on a virtual CAN bus, and a controller."""

from typing import Any, TypeVar

from grouser.frames import Array, Pose
from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.motor_drivers import MotorDrivers
from grouser.protocol.can.messages import BeltSpeeds, CanCommand, CanFrame, CanStatus, parse_status
from grouser.protocol.link_faults import LinkFaults
from grouser.service.host import Host, HostRules
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

Status = TypeVar("Status", bound=CanStatus)


class Controller:
    """Bus node that sends commands and records received frames."""

    def __init__(self, bus: CanBus, faults: LinkFaults | None = None) -> None:
        self.received: list[tuple[float, CanFrame]] = []
        """Time (s) and frame."""
        self._counters: dict[int, int] = {}
        self.connection = bus.connect(self, faults, "controller")

    def on_frame(self, frame: CanFrame, time: float) -> None:
        self.received.append((time, frame))

    def on_batch_end(self) -> None:
        pass

    def send(self, *commands: CanCommand) -> None:
        for command in commands:
            counter = self._counters[command.ID] = self._counters.get(command.ID, 40) + 1
            self.connection.send(command.frame(counter))

    def begin(self, *commands: CanCommand) -> None:
        """Send each command twice: the first after a silence only starts its counter."""
        self.send(*commands, *commands)

    def last(self, kind: type[Status]) -> Status:
        """Return the newest status of a kind."""
        frames = [frame for _, frame in self.received if frame.id == kind.ID]
        status = parse_status(frames[-1])
        assert isinstance(status, kind)
        return status


class Rig:
    """Kenaf on flat ground, its drivers, and one controller."""

    def __init__(
        self,
        *sensors: dict[str, Any],
        faults: LinkFaults | None = None,
        kind: str = "kenaf",
        rate_hz: float = 200.0,
    ) -> None:
        entry = RobotEntry(name="k", kind=kind, position=(0, 0, 0), sensors=sensors)
        world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(entry,))
        self.sim = Simulation(world, crash_folder=None)
        self.host = Host(self.sim, HostRules())
        self.bus = CanBus(lambda: self.host.time)
        self.drivers = MotorDrivers(self.host, entry, self.bus, rate_hz=rate_hz)
        self.controller = Controller(self.bus, faults)

    def run(self, seconds: float, *commands: CanCommand, every: float = 0.02) -> None:
        """Advance time while the controller repeats ``commands``."""
        end, due = self.host.time + seconds, self.host.time
        while self.host.time < end - 1e-9:
            if commands and self.host.time >= due - 1e-9:
                self.controller.send(*commands)
                due += every
            self.host.advance()
            while self.host.publish_next():
                pass

    @property
    def pose(self) -> Pose:
        """Pose of the robot in the world."""
        return self.sim.pose("k")

    def belts(self) -> Array:
        """Return the belt speed setpoints, m/s."""
        scene = self.sim.scene
        place = [scene.model.actuator(f"k/{side}").id for side in ("left", "right")]
        first = scene.model.actuator_ctrladr[place]
        setpoints: Array = self.sim.data.ctrl[first]
        return setpoints


def drive_over_can(port: int) -> None:
    """Send three commands of the belts on the bus of a server."""
    import can

    with can.Bus(
        interface="socketcand", channel="can0", host="127.0.0.1", port=port, tcp_tune=True
    ) as bus:
        for counter in range(3):
            frame = BeltSpeeds(0.2, 0.1).frame(counter)
            bus.send(can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False))
            bus.recv(1.0)
