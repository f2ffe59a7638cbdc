"""The robot library's link to a simulated Kenaf, all in memory: bridge, wire and physics are real.

Datagrams go through `Bridge`, its messages as USARSim's bytes to the server's own adapter, and
what sensors feel the same way back. Nothing has a socket or a clock but the simulation's.
"""

from grouser.client.bridge import Bridge
from grouser.client.kenaf_wire import KenafWire
from grouser.client.links.udp_link import StatusInbox
from grouser.gateways.usarsim.sensor_encoding import encode
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack
from grouser.protocol.link_faults import FaultyLink, LinkFaults
from support.wire_fixtures import Wired

STATE = 0.2  # s   from one STA to the next


class WiredLink:
    """What `Hrt` speaks to."""

    def __init__(self, faults=None, step=0.01, friction=0.65) -> None:
        ins = {"kind": "ins", "name": "INS", "mount": "body", "rate_hz": 5.0}
        self.robot = Wired("kenaf", ins, friction=friction)
        self.sim, self.step_s = self.robot.sim, step
        self.bridge = Bridge()
        self.bridge.attach_robot(KenafWire(self.robot.layout.drive_mode.radius))
        self.sim.drain_readings()
        self.out = FaultyLink(faults or LinkFaults(), "out")
        self.back = FaultyLink(faults or LinkFaults(), "back")
        self.inbox, self.counter, self.told = StatusInbox(), 0, -1.0
        self.forged = []
        self.said = []  # (time, message) to the simulator

    @property
    def time(self):
        return self.sim.time

    def send(self, frames) -> None:
        self.counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self.counter, tuple(frames), True)
        self.out.send(pack(datagram), self.time)

    def receive(self):
        for data in self.back.due(self.time):
            self.inbox.put(data)
        return self.inbox.take()

    def wait(self, seconds) -> None:
        for _ in range(max(1, round(seconds / self.step_s)) if seconds else 0):
            self._pass_on()
            self.sim.step(self.step_s)
            self._hear()

    def _pass_on(self) -> None:
        now = self.time
        for data in self.forged:
            assert self.bridge.receive(data, "somebody", now) is None
        for data in self.out.due(now):
            answer = self.bridge.receive(data, "controller", now)
            if answer is not None:
                self.back.send(answer, now)
        for message in self.bridge.commands(now):
            self.said.append((now, message))
            for line in message.lines(self.robot.profile.dialect):
                self.robot.tell(line)

    def _hear(self) -> None:
        sensors = {name: sensor for (_, name), (sensor, _) in self.sim.scene.sensors.items()}
        felt = [(sensors[reading.sensor], reading) for _, reading in self.sim.drain_readings()]
        messages = encode(felt, self.robot.layout, self.robot.profile)
        if self.time - self.told >= STATE - 1e-9:
            self.told = self.time
            messages += self.robot.state()
        for message in self.robot.received(messages):
            self.bridge.on_message(message, self.time)

    def close(self) -> None:
        pass
