"""Gateway of the browser page: files, roles, driving, the dead man's time-out, timeline."""

import asyncio
import http.client
import json
import logging
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support.page_client import PageClient
from support.page_fuzz import NO_CLOSE_FRAME, fuzz
from support.page_world import yard
from support.server_fixtures import TIMEOUT, wait_until
from support.threaded_server import ThreadedServer
from websockets.exceptions import ConnectionClosed, InvalidStatus

from grouser.gateways.page.draft import content_of, draft_yaml
from grouser.gateways.page.gateway import PageGateway
from grouser.gateways.page.page_socket import PageSocket
from grouser.gateways.page.session import PageSession
from grouser.gateways.page.static_files import FOLDER, is_own_host, is_own_origin
from grouser.gateways.page.timeline import NumberedScene, PoseState, SceneNumbers, SessionTimeline
from grouser.protocol.page.frames import MeshFrame, PoseFlag
from grouser.protocol.page.messages import (
    WINDOW,
    Ack,
    CloseCode,
    CommandDrives,
    Complete,
    Drive,
    EditDraft,
    FollowPath,
    GetContent,
    GetMesh,
    LeaveDraft,
    Release,
    RunConsole,
    Seek,
    StartPlan,
    Take,
    Watch,
    World,
)
from grouser.service.access import ALL_ROLES, Role, Token
from grouser.simulation.changes.actions import Join
from grouser.simulation.simulation import Simulation
from grouser.world.file import as_world, load, parse
from grouser.world.objects import Lamp

DEAD_MAN = 0.15
TEAM, REFEREE = Token("team-secret-1234", frozenset({Role.DRIVE})), Token("referee-secret-1")
AUDIENCE = Token("audience-secret", frozenset({Role.WATCH}))


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadedServer]:
    with ThreadedServer(yard(), PageGateway(port=0, dead_man_s=DEAD_MAN)) as server:
        yield server


@pytest.fixture(scope="module")
def guarded() -> Iterator[ThreadedServer]:
    gateway = PageGateway(port=0)
    with ThreadedServer(yard(), gateway, tokens=(TEAM, AUDIENCE, REFEREE)) as server:
        yield server


@pytest.fixture
def trainer(server: ThreadedServer) -> Iterator[PageClient]:
    with PageClient(server.server.ports["page"]) as client:
        client.next_frame()
        yield client


def position(server: ThreadedServer, name: str = "one") -> float:
    return server.call(lambda: float(server.server.host.simulation.pose(name).position[0]))


def fetch(port: int, path: str, host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), content


# -- files -----------------------------------------------------------------------------------------


def test_page_is_served_with_a_strict_policy(server: ThreadedServer) -> None:
    port = server.server.ports["page"]
    for path, name in (
        ("/", "index.html"),
        ("/?role=operator", "index.html"),
        *((f"/{name}", name) for name in ("page.js", "page.css")),
    ):
        status, headers, content = fetch(port, path)
        assert (status, content) == (200, (FOLDER / name).read_bytes())
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "Set-Cookie" not in headers
        assert not any(key.lower().startswith("access-control") for key in headers)
    assert fetch(port, "/../gateway.py")[0] == fetch(port, "/x")[0] == 404


def test_page_has_no_inline_code_and_names_no_other_host() -> None:
    index = (FOLDER / "index.html").read_text()
    assert index.count("<script") == index.count('<script type="module" src="page.js">') == 1
    assert "style=" not in index
    assert "http" not in index
    assert not [name for name in ("cdn.", "unpkg", "jsdelivr") if name in _bundle()]


def _bundle() -> str:
    return (FOLDER / "page.js").read_text()


def test_other_host_names_are_refused(server: ThreadedServer) -> None:
    port = server.server.ports["page"]
    status, _, text = fetch(port, "/", host=f"attacker.example:{port}")
    assert status == 421
    assert b"attacker.example" in text
    assert fetch(port, "/", host=f"localhost:{port}")[0] == 200


def test_foreign_origin_is_refused(server: ThreadedServer) -> None:
    port = server.server.ports["page"]
    for origin in ("http://attacker.example", f"http://127.0.0.1:{port + 1}", "null"):
        with pytest.raises(InvalidStatus) as refused:
            PageClient(port, origin=origin)
        assert refused.value.response.status_code == 403
    with PageClient(port, origin=f"http://127.0.0.1:{port}") as client:
        assert client.next("welcome")["role"] == "trainer"


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost:8080", True),
        ("127.0.0.1", True),
        ("[::1]:8080", True),
        ("192.168.1.7:8080", True),
        ("lab.example", True),
        ("lab.example.evil.com", False),
        ("", False),
        ("[::1", False),
        ("localhost.evil.com", False),
    ],
)
def test_own_hosts(host: str, own: bool) -> None:
    assert is_own_host(host, ("https://lab.example",)) is own


def test_own_origins() -> None:
    assert is_own_origin("http://localhost:8080", "localhost:8080", ())
    assert is_own_origin("https://lab.example", "127.0.0.1", ("https://lab.example",))
    assert not is_own_origin("http://localhost:8081", "localhost:8080", ())
    assert not is_own_origin("ftp://localhost:8080", "localhost:8080", ())


# -- tokens and roles ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "token", "code"),
    [
        ("trainer", "", CloseCode.BAD_TOKEN),
        ("spectator", "", CloseCode.BAD_TOKEN),
        ("spectator", "no-secret-at-all", CloseCode.BAD_TOKEN),
        ("trainer", TEAM.secret, CloseCode.WRONG_ROLE),
        ("operator", AUDIENCE.secret, CloseCode.WRONG_ROLE),
    ],
)
def test_role_needs_its_token(guarded: ThreadedServer, role: str, token: str, code: int) -> None:
    with PageClient(guarded.server.ports["page"], role, token) as client:  # type: ignore[arg-type]
        assert client.close_code()[0] == code


def test_tokens_grant_their_roles(guarded: ThreadedServer) -> None:
    port = guarded.server.ports["page"]
    with PageClient(port, "operator", TEAM.secret) as team:
        assert team.next("welcome")["role"] == "operator"
    with PageClient(port, "trainer", REFEREE.secret) as referee:
        assert referee.next("welcome")["role"] == "trainer"


def test_spectator_sees_the_world_and_cannot_change_it(server: ThreadedServer) -> None:
    with PageClient(server.server.ports["page"], "spectator") as client:
        client.next_frame()
        for request in (Take("one"), World("pause"), World("reset")):
            client.send(request)
            assert "this needs the role" in client.next("error")["text"]
        client.send(RunConsole(1, "open gate"))
        assert "this needs the role trainer" in client.next("answer")["error"]
        client.send(Drive("one", 1, 0))
        assert "this needs the role" in client.next("error")["text"]


def test_operator_gets_what_the_sensors_of_its_robot_give(server: ThreadedServer) -> None:
    with PageClient(server.server.ports["page"], "operator") as client:
        client.send(Watch("one"))
        state = client.next("state")
        assert state["robots"] == {}
        assert "watched" not in state
        client.send(Take("one"))
        assert client.next("driving")["robots"] == ["one"]
        while "watched" not in state or not state["watched"]["sensors"]:
            state = client.next("state")
        assert "p" not in state["robots"]["one"]
        assert "two" not in state["robots"]
        assert any("odometry" in name.lower() for name in state["watched"]["sensors"])
        assert not any("truth" in name.lower() for name in state["watched"]["sensors"])
        client.send(RunConsole(2, "where one"))
        assert "needs the role" in client.next("answer")["error"]
        client.send(Seek(0.0))
        assert "needs the role" in client.next("error")["text"]


@pytest.mark.parametrize(
    "text", ["{", '{"op": "ack", "frame": 1}', '{"op": "hello", "version": 9, "role": "trainer"}']
)
def test_bad_first_message_closes_with_its_code(server: ThreadedServer, text: str) -> None:
    with PageClient(server.server.ports["page"], first=text) as client:
        assert client.close_code()[0] == CloseCode.BAD_MESSAGE


# -- world -----------------------------------------------------------------------------------------


def test_poses_are_those_of_the_simulation(server: ThreadedServer, trainer: PageClient) -> None:
    trainer.send(World("pause"))
    wait_until(lambda: trainer.next("state")["paused"])
    for name in ("one", "two"):
        true = server.call(partial(server.server.host.simulation.pose, name))
        root = next(robot for robot in trainer.scene["robots"] if robot["name"] == name)["body"]
        shown = trainer.poses[root]
        assert math.dist(shown.position, true.position.tolist()) < 1e-4
    before = trainer.next("state")["clock"]
    trainer.send(World("step", 0.1))
    wait_until(lambda: trainer.next("state")["clock"] == pytest.approx(before + 0.1))
    trainer.send(World("step", 1e9))
    assert "must be 0 to 10" in trainer.next("error")["text"]
    trainer.send(World("play"))
    wait_until(lambda: not trainer.next("state")["paused"])
    trainer.send(World("step", 0.1))
    assert "not paused" in trainer.next("error")["text"]


def test_scene_is_described_and_its_meshes_are_sent_by_digest(trainer: PageClient) -> None:
    scene = trainer.scene
    assert [robot["name"] for robot in scene["robots"]] == ["one", "two"]
    assert ["gate", "gate"] in scene["bodies"]
    assert [trigger["name"] for trigger in scene["triggers"]] == ["goal"]
    digest = next(geom["m"] for geom in scene["geoms"] if "m" in geom)
    trainer.send(GetMesh(digest))
    frame = trainer.receive()
    while not isinstance(frame, MeshFrame):
        frame = trainer.receive()
    assert frame.digest == digest
    trainer.send(GetMesh("0" * 64))
    assert "no" in trainer.next("error")["text"]


def test_console_opens_a_door_and_completes_words(trainer: PageClient) -> None:
    trainer.send(RunConsole(5, "open gate"))
    assert trainer.next("answer") == {"op": "answer", "id": 5, "text": "done"}
    trainer.send(RunConsole(6, "opne gate"))
    assert "did you mean 'open'" in trainer.next("answer")["error"]
    trainer.send(Complete(7, "open g"))
    assert trainer.next("answer")["words"] == ["gate"]


def test_changed_colours_are_sent(trainer: PageClient) -> None:
    rows = len(trainer.scene["geoms"])
    trainer.send(RunConsole(8, "light lamp off"))
    dark = trainer.next("looks")["colours"]
    trainer.send(RunConsole(9, "light lamp on"))
    lit = trainer.next("looks")["colours"]
    assert len(dark) == len(lit) == rows
    assert sum(row[4] for row in dark) < sum(row[4] for row in lit)


def test_speed_is_set(trainer: PageClient) -> None:
    trainer.send(World("speed", 2.0))
    wait_until(lambda: trainer.next("state")["speed"] == 2.0)
    trainer.send(World("speed", 0.0))
    assert "must be 0.01 to 100" in trainer.next("error")["text"]
    trainer.send(World("speed", 1.0))


# -- driving ---------------------------------------------------------------------------------------


def test_robot_stops_when_its_client_is_silent(server: ThreadedServer, trainer: PageClient) -> None:
    trainer.send(Take("one"))
    trainer.next("driving")
    begin = position(server)
    trainer.send(Drive("one", 1.0, 0.0))
    wait_until(lambda: abs(position(server) - begin) > 0.01)
    wait_until(lambda: _rests(server))
    stands = position(server)
    trainer.send(Drive("one", 1.0, 0.0))
    wait_until(lambda: abs(position(server) - stands) > 0.01)
    trainer.socket.socket.shutdown(2)  # the connection is lost
    wait_until(lambda: _rests(server))
    wait_until(lambda: not server.call(lambda: set(server.server.host.owners)))


def _rests(server: ThreadedServer) -> bool:
    def speed() -> float:
        velocity = server.server.host.simulation.robots["one"].velocity
        return float(abs(velocity.linear).max())

    return server.call(speed) < 0.01


def test_only_one_client_drives_a_robot(server: ThreadedServer, trainer: PageClient) -> None:
    port = server.server.ports["page"]
    with PageClient(port, "operator") as first, PageClient(port, "operator") as second:
        first.send(Take("two"))
        assert first.next("driving")["robots"] == ["two"]
        second.send(Drive("two", 1, 0))
        assert "take it first" in second.next("error")["text"]
        second.send(Take("two"))
        assert second.next("driving")["robots"] == []
        assert first.next("request")["robot"] == "two"
        first.send(Release("two"))
        assert second.next("driving")["robots"] == ["two"]
        assert first.next("driving")["robots"] == []
        first.send(Take("two", by_force=True))
        assert "needs the role trainer" in first.next("error")["text"]
        trainer.send(Take("two", by_force=True))
        assert trainer.next("driving")["robots"] == ["two"]
        assert second.next("driving")["robots"] == []
        trainer.send(CommandDrives("two", {"nothing": 1.0}))
        assert "there is no drive 'nothing'" in trainer.next("error")["text"]
        trainer.send(Take("three"))
        assert "there is no robot 'three'" in trainer.next("error")["text"]


# -- slow clients ----------------------------------------------------------------------------------


def sessions(server: ThreadedServer) -> list[PageSession]:
    """Return the sessions of all clients, oldest first."""

    def found() -> list[PageSession]:
        sockets = server.server.registry.connections
        pages = [one._page for one in sockets if isinstance(one, PageSocket) and one._page]
        return [page for page in pages if page.role]

    return sorted(server.call(found), key=lambda session: int(session.label.split()[1]))


def test_client_without_acknowledgements_gets_no_more_than_the_window(
    server: ThreadedServer,
) -> None:
    with PageClient(server.server.ports["page"]) as client:
        client.next("welcome")
        session = sessions(server)[-1]
        wait_until(lambda: session.behind)
        number = session.feed.number
        wait_until(lambda: session.feed.number > number + 5)
        frames = 0
        while frames < WINDOW:
            frames += isinstance(client.socket.recv(TIMEOUT), bytes)
        assert session.behind  # nothing was sent after the window
        client.send(Ack(session.feed.number))
        client.scene = {"quantum": 1e-4}
        client.next_frame()  # with everything that has moved since


@pytest.mark.parametrize("method", ["show", "send_pictures", "send_looks", "send_state"])
def test_internal_error_in_the_feed_costs_one_connection(
    server: ThreadedServer, trainer: PageClient, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("injected")

    with PageClient(server.server.ports["page"]) as other:
        other.next("welcome")
        failing = sessions(server)[-1]
        monkeypatch.setattr(failing, method, fault)
        wait_until(lambda: failing not in sessions(server))
        with pytest.raises(ConnectionClosed):
            list(iter(lambda: other.socket.recv(TIMEOUT), None))  # what was sent before
        labels = [session.label for session in sessions(server)]
        wait_until(lambda: trainer.next("state")["clients"] == labels)


# -- timeline --------------------------------------------------------------------------------------


def test_client_seeks_back_while_others_see_the_present(
    server: ThreadedServer, trainer: PageClient
) -> None:
    wait_until(lambda: trainer.next("state")["end"] - trainer.next("state")["begin"] > 0.5)
    with PageClient(server.server.ports["page"], "spectator") as other:
        begin = trainer.next("state")["begin"]
        trainer.send(Seek(begin))
        wait_until(lambda: PoseFlag.PAST in trainer.next_frame().flags)
        assert trainer.time == pytest.approx(begin, abs=0.05)
        assert trainer.next("state")["shown"] == {"time": begin, "rate": 0.0}
        assert PoseFlag.PAST not in other.next_frame().flags
        assert other.time > begin
        trainer.send(Seek(begin, 1.0))
        wait_until(lambda: trainer.next("state")["shown"]["time"] > begin + 0.1)
        trainer.send(Seek(-1.0))
        wait_until(lambda: "shown" not in trainer.next("state"))


def test_session_timeline_is_bounded() -> None:
    import numpy as np

    words = np.zeros((10, 3), np.uint32)
    scene = NumberedScene(1, None)  # type: ignore[arg-type]
    timeline = SessionTimeline(most_bytes=5 * words.nbytes)
    assert timeline.at(1.0) is None
    for number in range(100):
        timeline.add(PoseState(number / 100, scene, words))
    assert timeline.end == pytest.approx(0.96)
    assert timeline.begin == pytest.approx(0.80)
    found = timeline.at(0.9)
    assert found is not None
    assert found.time == pytest.approx(0.88)


def test_forgotten_scenes_take_no_memory() -> None:
    simulation, numbers = Simulation(yard(), crash_folder=None), SceneNumbers()
    first = numbers.of(simulation.scene, simulation.data)
    for x in range(3):
        simulation.apply(Join(Lamp(name="lantern", position=(x, 5.0, 1.0))))
        simulation.remove("lantern")
    again = numbers.of(simulation.scene, simulation.data)
    assert (again.number, first.number) == (1, 1)
    assert len(numbers._by_digest) == 1


@pytest.mark.slow
def test_client_that_does_not_read_takes_no_memory() -> None:
    """Beside the session's timeline, which is bounded, and the socket's buffers."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with (
        ThreadedServer(load("match_1v3"), PageGateway(port=0), open_roles=ALL_ROLES) as server,
        PageClient(server.server.ports["page"]) as client,
    ):
        client.next("welcome")
        session = sessions(server)[-1]
        feed, simulation = session.feed, server.server.host.simulation

        def grown(seconds: float) -> tuple[int, int, int]:
            """Return memory without the timeline, sent frames, and frames after a time."""
            end = simulation.elapsed + seconds
            wait_until(lambda: simulation.elapsed > end)
            return server.call(lambda: (resident() - feed.session.size, feed.updates, feed.number))

        before, updates, number = grown(5.0)
        after, later, ticks = grown(20.0)
        assert session.behind
        assert later == updates  # nothing is sent
        assert ticks > number + 200  # others would have received as many frames
        assert after - before < 2 * 2**20
        waiting = server.call(lambda: session.link.outbox.waiting)  # type: ignore[attr-defined]
        assert waiting < 2**20


def test_fuzzed_websocket_is_closed_with_documented_codes(caplog: pytest.LogCaptureFixture) -> None:
    result = asyncio.run(fuzz(yard(), 1500, seed=3))
    assert result.frames >= 1500
    assert not result.undocumented - {NO_CLOSE_FRAME}, result
    assert CloseCode.BAD_MESSAGE in result.codes
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_bundle_is_small() -> None:
    import gzip

    total = sum(len(gzip.compress(path.read_bytes(), 9)) for path in Path(FOLDER).iterdir())
    assert total <= 300_000
    assert json.loads(Path("web/package-lock.json").read_text())["name"] == "grouser-page"


# -- editor ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gate", "kenaf_step", "rubble", "match_1v3"])
def test_yaml_of_a_world_is_read_back_as_the_same_world(name: str) -> None:
    loaded = load(name)
    text = draft_yaml(content_of(loaded))
    assert parse(text, where="draft") == loaded
    long = [line for line in text.splitlines() if len(line) > 120 and not line.startswith("desc")]
    assert not long
    assert "{" in text  # short entries are in one line


def test_draft_is_checked_and_shown(trainer: PageClient) -> None:
    trainer.send(GetContent(3))
    content = trainer.next("answer")["content"]
    assert content["name"] == "yard"
    content["objects"][1]["position"] = [1, 2, "high"]
    trainer.send(EditDraft(4, content))
    (fault,) = trainer.next("answer")["faults"]
    assert fault["path"] == ["objects", 1, "position", 2]
    assert "number" in fault["text"]
    content["objects"][1] = {"name": "crate", "kind": "box", "position": [1, 2, 0.5], "mass": 2}
    trainer.send(EditDraft(5, content))
    (fault,) = trainer.next("answer")["faults"]
    assert "lacks 'size'" in fault["text"]
    content["objects"][1] |= {"size": [0.4, 0.4, 0.4], "friction": 0.5}
    trainer.send(EditDraft(6, content))
    answer = trainer.next("answer")
    assert answer["faults"] == []
    assert "  - {name: crate, kind: box, position: [1, 2, 0.5], mass: 2" in answer["yaml"]
    assert trainer.next("scene")["objects"] == ["gate", "crate"]
    trainer.next_frame()
    assert math.dist(trainer.body("crate").position, (1, 2, 0.5)) < 1e-3
    trainer.send(LeaveDraft())
    assert trainer.next("scene")["objects"] == ["gate", "lamp"]


# -- plans -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_plan_is_made_and_its_best_path_driven() -> None:
    roach = {"name": "roach", "kind": "velociroach", "position": [0, 0]}
    flat = as_world(
        {"name": "flat", "terrain": [{"kind": "flat", "friction": 0.8}], "robots": [roach]}
    )
    with (
        ThreadedServer(flat, PageGateway(port=0), speed=4.0) as server,
        PageClient(server.server.ports["page"]) as client,
    ):
        client.send(StartPlan("roach", 0.8, 0.0))
        assert client.next("plan")["busy"]
        plan = client.next("plan")
        assert not plan["why_not"]
        assert plan["paths"][0]["points"][-1] == pytest.approx([0.8, 0.0])
        assert [path["score"] for path in plan["paths"]] == sorted(
            path["score"] for path in plan["paths"]
        )
        client.send(FollowPath("roach", 99))
        assert "no path 99" in client.next("error")["text"]
        client.send(FollowPath("roach", 0))
        assert client.next("plan")["driving"]
        assert "arrived" in client.next("plan")["result"]
