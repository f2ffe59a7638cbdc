"""Feed of the page: gathers poses and the state of the world, and offers them to every client.

Poses are gathered once per period of wall time and encoded once for all clients that have received
the same ones before. A client that is behind with its acknowledgements gets no frame, and later one
with everything that has moved since its last one: newest wins.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

import mujoco
import numpy as np

from grouser.frames import degrees, to_rpy_one
from grouser.gateways.gateway import GatewayContext
from grouser.gateways.page.planning import RobotPlans
from grouser.gateways.page.quantised import encode_poses
from grouser.gateways.page.robot_control import RobotControls
from grouser.gateways.page.scene_description import colours
from grouser.gateways.page.session_events import EventHistory, SessionEvent
from grouser.gateways.page.timeline import (
    RATE_HZ,
    PoseState,
    RecordedStates,
    SceneNumbers,
    SessionTimeline,
    Timeline,
    gather,
)
from grouser.protocol.page.frames import PoseFlag
from grouser.protocol.page.messages import encode
from grouser.sensors.depth import DepthFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Lamp

STATE_PERIOD = 0.1
"""Wall time between two messages about the state of the world, s."""
MOST_LATE = 2
"""Late ticks that are made up for, which keeps the rate on a busy machine; others are dropped."""
LOAD_PERIOD = 1.0
"""Wall time over which load and real-time factor are averaged, s."""
KEPT_PACE = 0.97
"""Share of the wanted real-time factor below which physics is behind."""
SLOWER = 2
"""Factor of the time between two frames while physics is behind."""
MOST_CONTACTS = 256
"""Contacts in one message."""


class Viewer(Protocol):
    """Client of the feed."""

    label: str
    """Name of the client, for others."""

    @property
    def behind(self) -> bool:
        """True if the client gets nothing now: it does not acknowledge, or does not read."""
        ...

    def show(self, live: PoseState) -> None:
        """Send poses, unless the client is behind."""

    def send_state(self, common: dict[str, Any]) -> None:
        """Send the state of the world."""

    def send_looks(self, text: str) -> None:
        """Send changed colours."""

    def send_plan(self, robot: str) -> None:
        """Send the plan of a robot."""

    def send_event(self, event: SessionEvent) -> None:
        """Send an event of the session."""

    def send_pictures(self) -> None:
        """Send new pictures of the cameras that the client watches."""

    def fail(self) -> None:
        """Log the present exception and close the connection at once."""


@dataclass
class Load:
    """Real-time factor and share of a core, averaged over the last period."""

    factor: float = 0.0
    share: float = 0.0
    wall: float = field(default_factory=time.monotonic)
    processor: float = field(default_factory=time.process_time)
    elapsed: float = 0.0
    """Simulated time at the begin of the period, s."""
    behind: bool = False
    """True if physics did not keep its pace: the page leaves more of the processor to it."""

    def update(self, elapsed: float, pace: float) -> None:
        """Begin a new period if the present one is over; ``pace``: wanted real-time factor."""
        wall = time.monotonic()
        if (passed := wall - self.wall) < LOAD_PERIOD:
            return
        processor = time.process_time()
        self.factor = max(0.0, elapsed - self.elapsed) / passed
        self.behind = self.factor < KEPT_PACE * pace
        self.share = (processor - self.processor) / passed
        self.wall, self.processor, self.elapsed = wall, processor, elapsed


class PageFeed:
    """Source of everything that clients are shown.

    Args:
        context: host and pictures.
        rate_hz: most frames of poses per wall second.
        dead_man_s: wall seconds after which a robot stops whose client repeats no command.
        recorded: timeline of a recording, which is shown instead of the running world.
    """

    def __init__(
        self,
        context: GatewayContext,
        *,
        rate_hz: float,
        dead_man_s: float,
        recorded: RecordedStates | None = None,
    ) -> None:
        self.context, self.host = context, context.host
        self.recorded = recorded
        self.numbers = recorded.numbers if recorded else SceneNumbers()
        self.session = SessionTimeline()
        self.viewers: set[Viewer] = set()
        self._history = EventHistory(context.host.simulation, self._send_event)
        self.labels = count(1)
        """Numbers of clients."""
        self.bytes_sent = self.updates = 0
        """Bytes of pose frames, and their number, to all clients."""
        self.plans = RobotPlans(context.host, self._send_plan)
        self.controls = RobotControls(context.host, dead_man_s, self._send_states)
        self._period = 1 / rate_hz
        self.number = 0
        """Number of the last frame."""
        self._encoded: dict[tuple[int, int, int], bytes] = {}
        self._live: PoseState | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = self._state_due = self._stored_due = 0.0
        self._load = Load()
        self._colours: tuple[object, bytes, str] = (None, b"", "")

    @property
    def simulation(self) -> Simulation:
        """The running world."""
        return self.host.simulation

    @property
    def timeline(self) -> Timeline:
        """Timeline that clients can seek in."""
        return self.recorded or self.session

    # -- viewers -----------------------------------------------------------------------------

    def add(self, viewer: Viewer) -> None:
        """Add a client."""
        self.viewers.add(viewer)
        if self._timer is None:
            self._tick()

    def remove(self, viewer: Viewer) -> None:
        """Remove a client; without clients nothing is gathered."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self.close()

    def _offer(self, send: Callable[[Viewer], None]) -> None:
        """Call ``send`` for every client; an internal error costs the connection of one."""
        for viewer in tuple(self.viewers):
            try:
                send(viewer)
            except Exception:  # one client's error must not stop the others
                viewer.fail()

    def close(self) -> None:
        """Stop."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- events ------------------------------------------------------------------------------

    def events(self) -> list[SessionEvent]:
        """Return the events of the session, or of the recording."""
        return list(self.recorded.events if self.recorded else self._history.events)

    def _send_event(self, event: SessionEvent) -> None:
        self._offer(lambda viewer: viewer.send_event(event))

    # -- poses -------------------------------------------------------------------------------

    def live(self) -> PoseState:
        """Return the present poses; the same object as before if nothing has changed."""
        simulation, last = self.simulation, self._live
        data = simulation.data
        new = gather(self.numbers, simulation.scene, data, simulation.elapsed)
        unchanged = (
            last is not None
            and last.scene is new.scene
            and last.time == new.time
            and np.array_equal(last.words, new.words)
        )
        if not unchanged:
            self._live = new
            self.session.add(new)
        return self._live or new

    def encode(
        self, now: PoseState, before: PoseState | None, flags: PoseFlag
    ) -> tuple[int, bytes]:
        """Return number and bytes of a frame that leads from ``before`` to ``now``."""
        key = id(before), id(now), int(flags)
        if key not in self._encoded:
            last = None if before is None else before.words
            self._encoded[key] = encode_poses(
                now.words, last, self.number, now.scene.number, now.time, flags
            )
        self.updates += 1
        self.bytes_sent += len(self._encoded[key])
        return self.number, self._encoded[key]

    def _tick(self) -> None:
        """Offer everything that is due to all clients, and do so again after a period."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        period = self._period * (SLOWER if self._load.behind else 1)
        self._due = max(self._due + period, now - MOST_LATE * period)
        self._timer = loop.call_at(self._due, self._tick)
        self.number += 1
        self._encoded.clear()
        self.controls.deliver()
        reading = not all(viewer.behind for viewer in self.viewers)
        if reading or now >= self._stored_due:
            self._stored_due = now + 1 / RATE_HZ
            live = self.live()
            self._offer(lambda viewer: viewer.show(live))
            self._offer(lambda viewer: viewer.send_pictures())
        if reading and now >= self._state_due:
            self._state_due = now + STATE_PERIOD
            pace = 0.0 if self.simulation.paused else self.context.speed()
            self._load.update(self.simulation.elapsed, pace)
            self._send_looks()
            self._send_states()

    # -- state of the world ------------------------------------------------------------------

    def looks(self) -> str:
        """Return the message with the present colours of all geoms and the daylight."""
        simulation, model = self.simulation, self.simulation.model
        seen = model.geom_rgba.tobytes() + model.mat_rgba.tobytes() + model.mat_emission.tobytes()
        seen += repr(simulation.world.daylight).encode()
        if self._colours[0] is not model or self._colours[1] != seen:
            scene = self.numbers.of(simulation.scene, simulation.data)
            rows = colours(model, scene.description.geoms).round(3).tolist()
            daylight = float(simulation.world.daylight)
            text = encode("looks", scene=scene.number, colours=rows, daylight=daylight)
            self._colours = model, seen, text
        return self._colours[2]

    def _send_looks(self) -> None:
        text = self.looks()
        self._offer(lambda viewer: viewer.send_looks(text))

    def _send_plan(self, robot: str) -> None:
        self._offer(lambda viewer: viewer.send_plan(robot))

    def _send_states(self) -> None:
        common = self.state()
        self._offer(lambda viewer: viewer.send_state(common))

    def state(self) -> dict[str, Any]:
        """Return the state of the world, for all clients."""
        simulation = self.simulation
        timeline = self.timeline
        return {
            "time": round(simulation.elapsed, 4),
            "clock": round(simulation.time, 4),
            "paused": simulation.paused,
            "speed": self.context.speed(),
            "factor": round(self._load.factor, 3),
            "load": round(self._load.share, 3),
            "begin": round(timeline.begin, 3),
            "end": round(timeline.end, 3),
            "clients": sorted(viewer.label for viewer in self.viewers),
            "holders": self.controls.holders(),
            "faults": {
                name: {"delay": one.delay, "jitter": one.jitter, "loss": one.loss}
                for name, one in simulation.link_faults.items()
            },
            "lamps": {
                thing.name: thing.lit
                for thing in simulation.world.objects
                if isinstance(thing, Lamp)
            },
            "robots": self._robots(),
        }

    def _robots(self) -> dict[str, dict[str, Any]]:
        """Return pose, energy, power and charge (0 to 1, with a battery) of every robot."""
        simulation = self.simulation
        charges = simulation.state.sensor_context().power().charges
        found: dict[str, dict[str, Any]] = {}
        for name in simulation.scene.robots:
            pose = simulation.pose(name)
            found[name] = {
                "p": [round(value, 4) for value in pose.position.tolist()],
                "rpy": [round(degrees(angle), 2) for angle in to_rpy_one(*pose.wxyz.tolist())],
                "energy": round(sum(simulation.energy(name).values()), 3),
                "power": round(sum(simulation.power(name).values()), 3),
            }
            if name in charges and charges[name].capacity:
                found[name]["charge"] = round(charges[name].left / charges[name].capacity, 4)
        return found

    def contacts(self) -> list[list[float]]:
        """Return points (m) and forces (N) of contacts, in the world frame."""
        state = self.simulation.state
        model, data = state.model, state.data
        rows = []
        wrench = np.zeros(6)
        for index in range(min(data.ncon, MOST_CONTACTS)):
            contact = data.contact[index]
            if contact.efc_address < 0:
                continue
            mujoco.mj_contactForce(model, data, index, wrench)
            force = contact.frame.reshape(3, 3).T @ wrench[:3]
            rows.append([round(float(value), 3) for value in (*contact.pos, *force)])
        return rows


def readings_of(
    readings: Iterable[tuple[str, Reading]], sent: dict[str, float]
) -> dict[str, dict[str, Any]]:
    """Return the values of readings that are newer than those in ``sent``, by sensor.

    Depth images are left out: they are large, and are only rendered if they are used.
    """
    found: dict[str, dict[str, Any]] = {}
    for sensor, reading in readings:
        if sent.get(sensor) == reading.time or isinstance(reading.values, DepthFrame):
            continue
        sent[sensor] = reading.time
        values = {
            name: np.round(np.asarray(value, float), 5).tolist()
            for name, value in reading.values.items()
            if np.asarray(value).dtype.kind in "biuf"
        }
        found[sensor] = {"time": round(reading.time, 4), "values": values}
    return found
