"""Link of the robot library to a simulated Kenaf, in memory, without sockets.

Datagrams pass through `Bridge`; its messages are sent as USARSim lines to the adapter of the
server, and sensor readings take the same way back. The clock is that of the simulation.
"""

from collections.abc import Sequence

from grouser.client.bridge import Bridge
from grouser.client.kenaf_wire import KenafWire
from grouser.client.links import StatusInbox
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults
from grouser.protocol.usarsim.message import Message
from grouser.robots.drive_modes import SkidSteering
from support.wire_fixtures import WireRobot

STATE_PERIOD = 0.2
"""Time between two state messages, s."""


class SimulatedLink:
    """Link for `Hrt` to a Kenaf on flat ground."""

    def __init__(
        self, faults: LinkFaults | None = None, step: float = 0.01, friction: float = 0.65
    ) -> None:
        ins = {"kind": "ins", "name": "INS", "mount": "body", "rate_hz": 5.0}
        self.robot = WireRobot("kenaf", ins, friction=friction)
        self.sim, self.step_s = self.robot.sim, step
        self.bridge = Bridge()
        drive_mode = self.robot.layout.drive_mode
        assert isinstance(drive_mode, SkidSteering)
        self.bridge.attach_robot(KenafWire(drive_mode.radius))
        self.sim.drain_readings()
        self.out: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "out")
        self.back: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "back")
        self.inbox, self.counter, self.state_sent_at = StatusInbox(), 0, -1.0
        self.injected: list[bytes] = []
        """Datagrams of another sender, to which the bridge must not reply."""
        self.sent: list[tuple[float, Message]] = []
        """Time (s) and message sent to the simulator."""

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.sim.time

    def send(self, frames: Sequence[CanFrame]) -> None:
        self.counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self.counter, tuple(frames), True)
        self.out.send(pack(datagram), self.time)

    def receive(self) -> list[CanFrame]:
        for data in self.back.due(self.time):
            self.inbox.put(data)
        return self.inbox.take()

    def wait(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds / self.step_s)) if seconds else 0):
            self._exchange_datagrams()
            self.sim.step(self.step_s)
            self._receive_readings()

    def _exchange_datagrams(self) -> None:
        now = self.time
        for data in self.injected:
            assert self.bridge.receive(data, "another sender", now) is None
        for data in self.out.due(now):
            answer = self.bridge.receive(data, "controller", now)
            if answer is not None:
                self.back.send(answer, now)
        for message in self.bridge.commands(now):
            self.sent.append((now, message))
            for line in message.lines(self.robot.profile.dialect):
                self.robot.send(line)

    def _receive_readings(self) -> None:
        sensors = {name: sensor for (_, name), (sensor, _) in self.sim.scene.sensors.items()}
        readings = [(sensors[reading.sensor], reading) for _, reading in self.sim.drain_readings()]
        messages: list[Message] = encode(readings, self.robot.layout, self.robot.profile)
        if self.time - self.state_sent_at >= STATE_PERIOD - 1e-9:
            self.state_sent_at = self.time
            messages += self.robot.state()
        for message in self.robot.decode(messages):
            self.bridge.on_message(message, self.time)

    def close(self) -> None:
        pass
