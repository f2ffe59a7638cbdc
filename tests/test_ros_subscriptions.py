"""Subscriptions of rosbridge clients: newest first, throttling, slow and failing clients."""

import asyncio
import itertools
import json
from collections.abc import Coroutine
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.fuzzing.virtual_time import virtual_time
from support.server_world import WORLD

from grouser.errors import BadValue, UnknownName
from grouser.gateways.ros_graph.client_subscriptions import MOST_SUBSCRIPTIONS, ClientSubscriptions
from grouser.gateways.ros_graph.live_topics import LiveTopics
from grouser.gateways.rosbridge.encoding import encode
from grouser.protocol.rosbridge import Subscribe
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.depth import DepthOptics
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, as_world, load

ODOM = "/own/odom"
ENCODE = partial(encode, version=2)


class Link:
    """Client that can stop reading."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.topics = LiveTopics(simulation)
        self.ready, self.aborted = True, 0
        self.times: list[tuple[float, float]] = []
        """Time of the loop, and time in the message, s."""
        self.subscriptions = ClientSubscriptions(
            self.topics, ENCODE, self.send, lambda: self.ready, self.abort
        )

    def send(self, message: str | bytes) -> None:
        stamp = json.loads(message)["msg"]["header"]["stamp"]
        now = asyncio.get_running_loop().time()
        self.times.append((now, stamp["sec"] + stamp["nanosec"] * 1e-9))

    def abort(self) -> None:
        self.aborted += 1

    async def run(self, seconds: float) -> None:
        """Let the same simulated and wall time pass."""
        for _ in range(round(seconds / 0.02)):
            self.simulation.step(0.02)
            await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    path = tmp_path_factory.mktemp("topics") / "yard.yaml"
    path.write_text(WORLD)
    return load(path)


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    with virtual_time() as loop:
        loop.run_until_complete(coroutine)


def test_stalled_client_receives_the_newest_message_next(world: World) -> None:
    async def scenario() -> None:
        link = Link(Simulation(world))
        other = Link(link.simulation)
        for each in (link, other):
            each.subscriptions.add(Subscribe(ODOM))
        link.ready = False
        await link.run(0.2)
        assert not link.times
        assert len(other.times) == 10
        link.ready = True
        link.subscriptions.flush()
        await asyncio.sleep(0.001)
        assert [stamp for _, stamp in link.times] == [pytest.approx(0.2)]

    run(scenario())


def test_queue_keeps_the_newest_messages_in_order(world: World) -> None:
    async def scenario() -> None:
        link = Link(Simulation(world))
        link.subscriptions.add(Subscribe(ODOM, queue=3))
        link.ready = False
        await link.run(0.2)
        link.ready = True
        link.subscriptions.flush()
        await asyncio.sleep(0.001)
        assert [stamp for _, stamp in link.times] == pytest.approx([0.16, 0.18, 0.2])

    run(scenario())


def test_throttle_is_the_least_time_between_two_messages(world: World) -> None:
    async def scenario() -> None:
        link = Link(Simulation(world))
        link.subscriptions.add(Subscribe(ODOM, throttle=0.1))
        await link.run(1.0)
        sent = [now for now, _ in link.times]
        assert len(sent) in (9, 10, 11)
        assert min(b - a for a, b in itertools.pairwise(sent)) >= 0.1 - 1e-9

    run(scenario())


def test_subscriptions_end_and_are_limited(world: World) -> None:
    async def scenario() -> None:
        link = Link(Simulation(world))
        for id_ in range(MOST_SUBSCRIPTIONS):
            link.subscriptions.add(Subscribe(ODOM, id=id_))
        with pytest.raises(BadValue, match="are the maximum"):
            link.subscriptions.add(Subscribe("/tf"))
        with pytest.raises(UnknownName, match="did you mean '/own/odom'"):
            link.subscriptions.add(Subscribe("/own/odm"))
        with pytest.raises(BadValue, match="has the type nav_msgs/msg/Odometry"):
            link.subscriptions.add(Subscribe(ODOM, type="sensor_msgs/Imu", id=0))
        for id_ in range(MOST_SUBSCRIPTIONS):
            assert link.topics.wants(ODOM)
            link.subscriptions.remove(ODOM, id_)
        assert not link.topics.wants(ODOM)
        link.subscriptions.add(Subscribe(ODOM))
        link.subscriptions.close()
        await link.run(0.1)
        assert not link.times

    run(scenario())


def test_failure_costs_its_connection_only(world: World) -> None:
    async def scenario() -> None:
        simulation = Simulation(world)
        link = Link(simulation)

        def fail(message: str | bytes) -> None:
            raise RuntimeError

        bad = ClientSubscriptions(link.topics, ENCODE, fail, lambda: True, link.abort)
        bad.add(Subscribe(ODOM))
        link.subscriptions.add(Subscribe(ODOM))
        await link.run(0.1)
        assert link.aborted == len(link.times) == 5

    run(scenario())


def test_topics_follow_robots_that_come_and_go(world: World) -> None:
    simulation = Simulation(world)
    topics, changes = LiveTopics(simulation), list[int]()
    topics.on_change = lambda: changes.append(1)
    received = list[float]()
    topics.subscribe(ODOM, lambda published: received.append(published.time))
    simulation.reset()
    simulation.step(0.02)
    assert len(received) == 1
    assert not changes
    simulation.remove("own")
    simulation.step(0.02)
    assert ODOM not in topics.topics
    assert changes == [1]
    assert len(received) == 1
    topics.close()
    simulation.reset()
    simulation.step(0.02)
    assert len(received) == 1


def test_depth_camera_has_pictures_and_points() -> None:
    """The points of a wall that is 1 m ahead of the camera lie in a plane of its frame."""
    optics = DepthOptics(plane=ImagePlane.centred(64, 48, 60.0), errors=None, near=0.2, far=4.0)
    sensor = {"kind": "depth", "mount": "body", "at": [0.2, 0, 0.3], "camera": optics}
    wall = {"kind": "box", "name": "wall", "position": [1.7, 0, 1], "size": [1, 9, 2]}
    world = as_world(
        {
            "name": "wall",
            "terrain": [{"kind": "flat"}],
            "robots": [{"name": "own", "kind": "p2dx", "position": [0, 0], "sensors": [sensor]}],
            "objects": [{**wall, "fixed": True}],
        }
    )

    async def scenario() -> None:
        simulation = Simulation(world)
        topics = LiveTopics(simulation)
        got: dict[str, Any] = {}
        for end in ("image", "camera_info", "points"):
            topics.subscribe(f"/own/depth/{end}", lambda one: got.update({one.topic.name: one}))
        while len(got) < 3:
            simulation.step(0.05)
            await asyncio.sleep(0.01)
        topics.close()
        cloud, image = got["/own/depth/points"].message, got["/own/depth/image"].message
        points = cloud.data.view("<f4").reshape(-1, 3)
        assert cloud.header.frame_id == "own/depth"
        assert np.median(points[:, 0]) == pytest.approx(1.0, abs=0.05)
        depths = image.data.view("<u2").reshape(image.height, image.width)
        assert (image.encoding, image.header.frame_id) == ("16UC1", "own/depth_optical")
        assert np.median(depths[depths > 0]) == pytest.approx(1000, abs=50)
        assert np.count_nonzero(depths) == len(points)
        info = got["/own/depth/camera_info"].message
        assert (info.width, info.height) == (image.width, image.height)

    asyncio.run(scenario())
