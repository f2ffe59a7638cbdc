"""Test rig: a Kenaf's motor drivers on a virtual CAN bus, and a controller."""

from grouser.gateways.can.bus import CanBus
from grouser.gateways.can.motor_drivers import MotorDrivers
from grouser.protocol.can.messages import parse_status
from grouser.service.host import Host, HostRules
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


class Controller:
    """Bus node that sends commands and records received frames."""

    def __init__(self, rig, faults=None) -> None:
        self.received, self._counters = [], {}
        self.connection = rig.bus.connect(self, faults, "controller")

    def on_frame(self, frame, time) -> None:
        self.received.append((time, frame))

    def on_batch_end(self) -> None:
        pass

    def send(self, *commands) -> None:
        for command in commands:
            counter = self._counters[command.ID] = self._counters.get(command.ID, 40) + 1
            self.connection.send(command.frame(counter))

    def begin(self, *commands) -> None:
        """Send each command twice: the first after a silence only starts its counter."""
        self.send(*commands, *commands)

    def last(self, kind):
        frames = [frame for _, frame in self.received if frame.id == kind.ID]
        return parse_status(frames[-1])


class Rig:
    """Kenaf on flat ground, its drivers, and one controller."""

    def __init__(self, *sensors, faults=None, kind="kenaf", rate_hz=200.0) -> None:
        given = {"sensors": sensors} if sensors else {"sensors": ()}
        entry = RobotEntry(name="k", kind=kind, position=(0, 0, 0), **given)
        world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(entry,))
        self.sim = Simulation(world, crash_folder=None)
        self.host = Host(self.sim, HostRules())
        self.bus = CanBus(lambda: self.host.time)
        self.drivers = MotorDrivers(self.host, entry, self.bus, rate_hz=rate_hz)
        self.controller = Controller(self, faults)

    def run(self, seconds, *commands, every=0.02) -> None:
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
    def pose(self):
        return self.sim.pose("k")

    def belts(self):
        """Return the belt speed setpoints, m/s."""
        scene = self.sim.scene
        place = [scene.model.actuator(f"k/{side}").id for side in ("left", "right")]
        first = scene.model.actuator_ctrladr[place]
        return self.sim.data.ctrl[first + 1]
