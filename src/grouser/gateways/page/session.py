"""Session of one client of the page: its role, what it watches, its requests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from grouser.errors import BadValue, GrouserError, Refused, unknown
from grouser.gateways.images.mosaic import CameraName
from grouser.gateways.page.draft import DraftFault, content_of, draft_yaml, preview, read_draft
from grouser.gateways.page.feed import PageFeed, readings_of
from grouser.gateways.page.robot_link import Downlink
from grouser.gateways.page.sensed import latest_reading, points, rays
from grouser.gateways.page.session_events import SessionEvent
from grouser.gateways.page.timeline import NumberedScene, PlayPosition, PoseState
from grouser.protocol.page import messages
from grouser.protocol.page.frames import PictureFrame, PoseFlag
from grouser.protocol.page.messages import CloseCode, Request, encode, read_request
from grouser.sensors.camera import Camera
from grouser.service.access import Login
from grouser.service.access import Role as Permission
from grouser.service.console import Console
from grouser.simulation.changes.actions import Pause, Reset

LONGEST_STEP = 10.0
"""Longest simulated time of one step from the page, s."""
SLOWEST, FASTEST = 0.01, 100.0
"""Limits of the real-time factor."""

PERMISSIONS: dict[str, frozenset[Permission]] = {
    "spectator": frozenset({Permission.WATCH}),
    "operator": frozenset({Permission.DRIVE}),
    "trainer": frozenset({Permission.WATCH, Permission.DRIVE, Permission.CONTROL}),
}
"""Role on the page → roles that the token must grant."""
POINTS_PERIOD = 0.5
"""Shortest time between two pictures of depth cameras that are rendered for the page, wall s."""
TRAINERS_ONLY = ("faults", "lamps", "load")
"""Keys of the state that operators do not receive."""
TRUTH = "truth"
"""Kind of sensors that operators do not receive: no robot can measure its true pose."""


class PageLink(Protocol):
    """Connection of a session."""

    address: str

    @property
    def login(self) -> Login:
        """Roles of the client."""
        ...

    @property
    def congested(self) -> bool:
        """True if the client does not read what was sent."""
        ...

    def send(self, message: str | bytes) -> None:
        """Send a message as text or binary."""

    def fail(self) -> None:
        """Log the present exception and close the connection at once."""

    def close_with(self, code: int, reason: str) -> None:
        """Close the websocket with a code and a reason."""

    def wake(self) -> None:
        """Wake the server, which may be waiting for a client."""


@dataclass(frozen=True)
class PageSettings:
    """Settings that clients are informed about."""

    dead_man_s: float
    now: Callable[[], float]
    """Wall time, s."""


class PageSession:
    """Session of one client; it begins with `messages.PageHello`."""

    def __init__(self, link: PageLink, feed: PageFeed, settings: PageSettings) -> None:
        self.link, self.feed, self._settings = link, feed, settings
        self.address = link.address
        self.role = ""
        """Empty before the hello."""
        self.label = ""
        self._watched = messages.Watch()
        self._sent_readings: dict[str, float] = {}
        self._cameras: dict[CameraName, int] = {}
        """Watched camera → number of its last picture that was sent."""
        self._sent: PoseState | None = None
        self._scene: NumberedScene | None = None
        self._ghost: PoseState | None = None
        """Last sent state of the second recording."""
        self._telemetry = Downlink[dict[str, Any]](feed.host, "telemetry")
        self._images: dict[CameraName, Downlink[PictureFrame]] = {}
        self._points_due = 0.0
        self._looks = ""
        self._unacknowledged: deque[int] = deque()
        self._position: PlayPosition | None = None
        self._draft: PoseState | None = None
        self._closed = False
        self._handlers: dict[type[Any], Callable[[Any], None]] = {
            messages.Ack: self._acknowledge,
            messages.GetMesh: self._send_mesh,
            messages.Watch: self._watch,
            messages.ShowCamera: self._watch_camera,
            messages.Take: self._take,
            messages.Release: self._release,
            messages.Drive: self._drive,
            messages.CommandDrives: self._order,
            messages.World: self._change_world,
            messages.RunConsole: self._console,
            messages.Complete: self._complete,
            messages.Seek: self._seek,
            messages.GetContent: self._send_content,
            messages.EditDraft: self._edit,
            messages.LeaveDraft: self._leave_draft,
            messages.StartPlan: self._plan,
            messages.FollowPath: self._follow,
        }

    # -- websocket session -------------------------------------------------------------------

    @property
    def drives(self) -> bool:
        """True if the client drives a robot."""
        return bool(self.feed.controls.driven_by(self))

    @property
    def sees_world(self) -> bool:
        """True if the client may see more than the sensors of a robot."""
        return self.role in ("spectator", "trainer")

    def receive(self, text: str | bytes) -> None:
        """Process one message."""
        if self._closed:
            return
        try:
            request = read_request(text)
            if not self.role:
                self._begin(request)
                return
            if isinstance(request, messages.PageHello):
                raise BadValue("page: 'hello' is only possible as the first message")
        except BadValue as error:
            self._fail(CloseCode.BAD_MESSAGE, str(error))
            return
        try:
            self._handlers[type(request)](request)
        except GrouserError as error:
            number = getattr(request, "id", None)
            if number is None:
                self.link.send(encode("error", text=str(error)))
            else:
                self.link.send(encode("answer", id=number, error=str(error)))

    def resume(self) -> None:
        """Do nothing: what the client could not read is replaced by a newer state."""

    def close(self) -> None:
        """End the session; robots that the client drives stop."""
        self._closed = True
        self.feed.remove(self)
        self.feed.controls.release_all(self)
        if (views := self.feed.context.views) is not None:
            for camera in self._cameras:
                views.frames.unwatch(camera)
        self._cameras.clear()

    def fail(self) -> None:
        """Log the present exception and close the connection at once."""
        self.link.fail()

    def _fail(self, code: CloseCode, reason: str) -> None:
        self._closed = True
        self.link.close_with(code, reason)

    def _begin(self, request: Request) -> None:
        """Check role and token of the first message, and send the greeting."""
        if not isinstance(request, messages.PageHello):
            raise BadValue("page: the first message must be 'hello'")
        if request.version != messages.VERSION:
            raise BadValue(
                f"page: version is {request.version}, this server has {messages.VERSION}"
            )
        login = self.link.login
        try:
            if not login or request.token:
                login.show(request.token or None)
        except Refused as error:
            self._fail(CloseCode.BAD_TOKEN, str(error))
            return
        try:
            for permission in PERMISSIONS[request.role]:
                login.require(permission)
        except Refused as error:
            self._fail(CloseCode.WRONG_ROLE, str(error))
            return
        self.role = request.role
        self.label = f"{self.role} {next(self.feed.labels)}"
        if self.feed.recorded is not None:
            self._position = PlayPosition(self.feed.recorded.begin, 0.0, self._settings.now)
        self._greet()
        rows = [one.row() for one in self.feed.events() if self._may_know(one)]
        self.link.send(encode("history", events=rows))
        for robot in self.feed.plans.plans:
            self.send_plan(robot)
        self.feed.add(self)

    def _greet(self) -> None:
        """Send the greeting: everything that does not change."""
        simulation = self.feed.simulation
        view = simulation.view()
        self.link.send(
            encode(
                "welcome",
                version=messages.VERSION,
                role=self.role,
                label=self.label,
                world=simulation.world.name,
                recorded=self.feed.recorded is not None,
                dead_man_s=self._settings.dead_man_s,
                robots=self.feed.live().scene.description.content["robots"],
                view={
                    "lookat": list(view.lookat),
                    "distance": view.distance,
                    "azimuth_deg": view.azimuth_deg,
                    "elevation_deg": view.elevation_deg,
                },
                pictures=self.feed.context.views is not None,
            )
        )

    # -- feed --------------------------------------------------------------------------------

    @property
    def behind(self) -> bool:
        """True if the client has too many unacknowledged frames, or does not read."""
        return len(self._unacknowledged) >= messages.WINDOW or self.link.congested

    def show(self, live: PoseState) -> None:
        """Send poses, unless the client is behind."""
        if not self.sees_world or self.behind:
            return
        state, flags = live, PoseFlag.NONE
        if self._draft is not None:
            state = self._draft
        elif self._position is not None:
            timeline = self.feed.timeline
            state, flags = timeline.at(self._position.now(timeline)) or live, PoseFlag.PAST
        if state is not self._sent:
            if self._scene is not state.scene:
                self._send_scene(state.scene)
            self._send_poses(state, self._sent, flags)
            self._sent = state
        if self._position is not None:
            self._show_ghost(self._position)

    def _send_poses(self, now: PoseState, before: PoseState | None, flags: PoseFlag) -> None:
        number, data = self.feed.encode(now, before, flags)
        self._unacknowledged.append(number)
        self.link.send(data)

    def _show_ghost(self, position: PlayPosition) -> None:
        """Send the state of the second recording at the same time since its begin."""
        recorded = self.feed.recorded
        if recorded is None or recorded.ghost is None:
            return
        shown = recorded.ghost.begin + position.now(recorded) - recorded.begin
        state, before = recorded.ghost.at(shown), self._ghost
        if state is None or state is before:
            return
        if before is None or before.scene is not state.scene:
            scene, before = state.scene, None
            self.link.send(
                encode("scene", number=scene.number, ghost=True, **scene.description.content)
            )
        self._send_poses(state, before, PoseFlag.PAST | PoseFlag.GHOST)
        self._ghost = state

    def _send_scene(self, scene: NumberedScene) -> None:
        self._scene, self._sent, self._looks = scene, None, ""
        self.link.send(encode("scene", number=scene.number, **scene.description.content))
        if scene is self.feed.live().scene:
            self.send_looks(self.feed.looks())

    def send_looks(self, text: str) -> None:
        """Send changed colours."""
        present = self._scene is not None and self._draft is None
        if self.sees_world and text != self._looks and not self.behind and present:
            self._looks = text
            self.link.send(text)

    def send_state(self, common: dict[str, Any]) -> None:
        """Send the state of the world, and that of the watched robot."""
        if self.behind:
            return
        content = dict(common)
        if self._position is not None:
            shown = self._position.now(self.feed.timeline)
            content["shown"] = {"time": round(shown, 3), "rate": self._position.rate}
        if not self.sees_world:
            for key in TRAINERS_ONLY:
                del content[key]
            content |= self._telemetry_of(common)
        else:
            content |= self._watched_content()
        self.link.send(encode("state", **content))

    def _watched_content(self) -> dict[str, Any]:
        """Return drives, sensors and contacts of the watched robot."""
        robot, feed = self._watched.robot, self.feed
        content: dict[str, Any] = {}
        if robot in feed.simulation.scene.robots:
            content["watched"] = self._watched_state()
            if self._watched.rays:
                content["rays"] = rays(feed.simulation, robot)
            if self._watched.points and self._settings.now() >= self._points_due:
                self._points_due = self._settings.now() + POINTS_PERIOD
                found = points(feed.simulation, robot)
                content["points"] = found.round(3).ravel().tolist()
        if self._watched.contacts:
            content["contacts"] = feed.contacts()
        return content

    def _telemetry_of(self, common: dict[str, Any]) -> dict[str, Any]:
        """Return what has just arrived from the robots that an operator drives."""
        found: dict[str, Any] = {"robots": {}}
        for robot in self.feed.controls.driven_by(self):
            if robot not in common["robots"]:
                continue
            values = common["robots"][robot].items()
            sent: dict[str, Any] = {"at": common["time"]}
            sent["own"] = {key: value for key, value in values if key not in ("p", "rpy")}
            if robot == self._watched.robot:
                sent["watched"] = self._watched_state()
            for arrived in self._telemetry.receive(robot, sent):
                found["robots"][robot] = arrived["own"]
                found |= {"at": arrived["at"]}
                if "watched" in arrived:
                    found["watched"] = arrived["watched"]
        return found

    def _watched_state(self) -> dict[str, Any]:
        robot, simulation = self._watched.robot, self.feed.simulation
        shown = [
            (name, reading)
            for name in self._sensors(robot)
            if (reading := latest_reading(simulation, robot, name)) is not None
        ]
        angles = {name: round(value, 4) for name, value in simulation.angles(robot).items()}
        return {
            "robot": robot,
            "angles": angles,
            "sensors": readings_of(shown, self._sent_readings),
        }

    def _sensors(self, robot: str) -> list[str]:
        """Return the sensors of a robot that the client may receive, without cameras."""
        return [
            name
            for (owner, name), (sensor, _) in self.feed.simulation.scene.sensors.items()
            if owner == robot
            and not isinstance(sensor, Camera)
            and (self.sees_world or type(sensor).__name__.lower() != TRUTH)
        ]

    def _may_know(self, event: SessionEvent) -> bool:
        """Return True unless an operator may not receive an event: it receives messages only."""
        return self.sees_world or event.kind == "message"

    def send_event(self, event: SessionEvent) -> None:
        """Send an event of the session."""
        if self._may_know(event):
            keys = ("at", "time", "kind", "text")
            self.link.send(encode("event", **dict(zip(keys, event.row(), strict=True))))

    def send_pictures(self) -> None:
        """Send new pictures of the cameras that the client watches."""
        views = self.feed.context.views
        if views is None or not self._cameras or self.behind:
            return
        driven = self.feed.controls.driven_by(self)
        for camera, sent in self._cameras.items():
            if not self.sees_world and camera[0] not in driven:
                continue
            drawn, picture = views.frames.drawn[camera], views.frames.pictures.get(camera)
            frames = []
            if picture is not None and picture.jpeg and drawn != sent:
                self._cameras[camera] = drawn
                frames = [PictureFrame(*camera, picture.time, picture.jpeg)]
            if not self.sees_world:
                frames = self._images[camera].receive(camera[0], *frames)
            for frame in frames:
                self.link.send(frame.encode())

    def rejected(self, text: str) -> None:
        """Send the reason why a delayed command had no effect."""
        self.link.send(encode("error", text=text))

    def requested(self, robot: str, by: str) -> None:
        """Send the request of another client for a robot."""
        self.link.send(encode("request", robot=robot, by=by))

    def control_changed(self) -> None:
        """Send the robots that the client drives."""
        self.link.send(encode("driving", robots=self.feed.controls.driven_by(self)))

    # -- requests ----------------------------------------------------------------------------

    def _require(self, *roles: str) -> None:
        if self.role not in roles:
            raise Refused(f"this needs the role {' or '.join(roles)}, yours is {self.role}")

    def _acknowledge(self, request: messages.Ack) -> None:
        waiting = self._unacknowledged
        while waiting and waiting[0] <= request.frame:
            waiting.popleft()

    def _send_mesh(self, request: messages.GetMesh) -> None:
        self._require("spectator", "trainer")
        meshes = self._scene.description.meshes if self._scene else {}
        if request.digest not in meshes:
            raise BadValue(f"mesh: the scene has none with digest {request.digest[:12]}…")
        self.link.send(meshes[request.digest].encode())

    def _watch(self, request: messages.Watch) -> None:
        if request.robot:
            self._robot(request.robot)
        self._watched = request
        self._sent_readings.clear()

    def _robot(self, name: str) -> str:
        robots = self.feed.simulation.scene.robots
        if name not in robots:
            raise unknown("page", "robot", name, robots)
        return name

    def _watch_camera(self, request: messages.ShowCamera) -> None:
        views = self.feed.context.views
        if views is None:
            raise BadValue("camera: this server draws no pictures")
        camera = request.robot, request.camera
        if self.role == "operator":
            self.feed.controls.of(self, request.robot)
        if not request.on:
            if self._cameras.pop(camera, None) is not None:
                views.frames.unwatch(camera)
            return
        if camera not in {slot.name for slot in views.frames.slots}:
            names = [slot.camera for slot in views.frames.slots if slot.robot == request.robot]
            raise unknown(f"robot '{request.robot}'", "camera", request.camera, names)
        if camera not in self._cameras:
            self._cameras[camera] = -1
            self._images[camera] = Downlink(self.feed.host, f"pictures of {request.camera}")
            views.frames.watch(camera)

    def _take(self, request: messages.Take) -> None:
        self._require("operator", "trainer")
        self._require_live()
        if request.by_force:
            self._require("trainer")
        self.feed.controls.take(self, self._robot(request.robot), by_force=request.by_force)
        self.control_changed()

    def _release(self, request: messages.Release) -> None:
        self.feed.controls.release(self, request.robot)
        self.control_changed()

    def _drive(self, request: messages.Drive) -> None:
        self._require("operator", "trainer")
        self.feed.controls.of(self, request.robot).drive(request.throttle, request.rudder)

    def _order(self, request: messages.CommandDrives) -> None:
        self._require("operator", "trainer")
        self.feed.controls.of(self, request.robot).order(request.command)

    def _require_live(self) -> None:
        if self.feed.recorded is not None:
            raise BadValue("this is a recording, it cannot be changed")

    def _change_world(self, request: messages.World) -> None:
        self._require("trainer")
        self._require_live()
        host, value = self.feed.host, request.value
        match request.order:
            case "play" | "pause":
                host.apply(Pause(request.order == "pause"), source=self.address)
            case "reset":
                host.apply(Reset(), source=self.address)
            case "step":
                if not host.simulation.paused:
                    raise BadValue("step: the world is not paused")
                if not 0 <= value <= LONGEST_STEP:
                    raise BadValue(f"step: value is {value:g} s, must be 0 to {LONGEST_STEP:g}")
                host.advance(value)
            case "speed":
                if not SLOWEST <= value <= FASTEST:
                    raise BadValue(f"speed: value is {value:g}, must be {SLOWEST:g} to {FASTEST:g}")
                self.feed.context.set_speed(value)
        self.link.wake()

    def _console(self, request: messages.RunConsole) -> None:
        self._require("trainer")
        self._require_live()
        answer = self.feed.host.console(request.line, source=self.address)
        self.link.send(encode("answer", id=request.id, text=answer))
        self.link.wake()

    def _complete(self, request: messages.Complete) -> None:
        self._require("trainer")
        words = Console(self.feed.simulation).complete(request.text)
        self.link.send(encode("answer", id=request.id, words=words))

    def send_plan(self, robot: str) -> None:
        """Send the plan of a robot."""
        if self.sees_world:
            self.link.send(encode("plan", robot=robot, **self.feed.plans.plans[robot].message()))

    def _plan(self, request: messages.StartPlan) -> None:
        self._require("trainer")
        self._require_live()
        self.feed.plans.start(self._robot(request.robot), (request.x, request.y))

    def _follow(self, request: messages.FollowPath) -> None:
        self._require("trainer")
        self._require_live()
        self.feed.plans.follow(
            self._robot(request.robot), request.path, from_start=request.from_start
        )
        self.link.wake()

    def _send_content(self, request: messages.GetContent) -> None:
        self._require("trainer")
        content = content_of(self.feed.simulation.start_world)
        self.link.send(encode("answer", id=request.id, content=content))

    def _edit(self, request: messages.EditDraft) -> None:
        """Check a draft; compile it in a thread, and show it."""
        self._require("trainer")
        text, world = draft_yaml(request.content), read_draft(request.content)
        if isinstance(world, list):
            self._answer_draft(request.id, text, world)
            return
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(None, preview, self.feed.numbers, world)
        work.add_done_callback(partial(self._previewed, request.id, text))

    def _previewed(
        self, number: int, text: str, work: asyncio.Future[PoseState | list[DraftFault]]
    ) -> None:
        """Show the compiled draft."""
        if self._closed:
            return
        found = work.result()
        if isinstance(found, PoseState):
            self._draft, found = found, []
        self._answer_draft(number, text, found)

    def _answer_draft(self, number: int, text: str, faults: list[DraftFault]) -> None:
        rows = [{"path": list(fault.path), "text": fault.text} for fault in faults]
        self.link.send(encode("answer", id=number, yaml=text, faults=rows))

    def _leave_draft(self, request: messages.LeaveDraft) -> None:
        self._draft = None

    def _seek(self, request: messages.Seek) -> None:
        self._require("spectator", "trainer")
        if request.time < 0 and self.feed.recorded is None:
            self._position = None
        else:
            self._position = PlayPosition(request.time, request.rate, self._settings.now)
