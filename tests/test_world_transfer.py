"""Protocol between a server and its render workers: job queue, messages, worlds."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.client_helpers import instance_of

from grouser.errors import BadValue
from grouser.experiments.ers7_pack import ers7_entry, pack_world
from grouser.protocol import rendering as wire
from grouser.render_workers.render_codec import (
    decode_world,
    encode_world,
    pack_meshes,
    unpack_meshes,
    visible_world,
)
from grouser.render_workers.worker_pool import RenderJob, WorkerChannel
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, load, shipped
from grouser.world.objects import Mesh


def test_replaced_jobs_keep_their_place_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    order = replace(ORDER, number=-1)
    sent: list[str] = []
    dropped: list[Any] = []
    channel = WorkerChannel(window=1)
    monkeypatch.setattr(channel, "send", lambda message: sent.append(message.robot))

    def submit(robot: str) -> None:
        count_dropped = lambda answer: dropped.append(robot) if answer is None else None  # noqa: E731
        channel.submit(RenderJob(robot, replace(order, robot=robot), count_dropped))

    channel.ready = True
    for turn in range(9):
        for robot in "abc":  # all three are submitted again before the next picture is done
            submit(robot)
        channel.data_received(wire.encode(wire.Picture(turn, 0, b"")))
    assert {robot: sent.count(robot) for robot in "abc"} == {"a": 4, "b": 3, "c": 3}
    assert len(sent) + len(dropped) + 2 == 27, "two are queued"


ORDER = wire.Shoot(3, "rex", "camera", 0.5, 2**64 - 1, [0.1, -0.2, 1.0], 2**63 - 1, [1, 0, 0], 0,
                   True, bytes(8))  # fmt: skip


MESSAGES: list[wire.Message] = [
    wire.Hello("secret", 2, True),
    wire.Welcome(),
    wire.NewWorld([{"robot": "rex"}], [2, 2, 320, 240], 0, [3], b"abc{}"),
    ORDER,
    wire.Picture(3, 4, b"rawjpeg"),
    wire.Skipped(3),
    wire.Failed(-1, "why not"),
]


@given(st.lists(st.integers(1, 200), max_size=30))
def test_messages_round_trip_when_split_anywhere(cuts: list[int]) -> None:
    stream, parcels, received = (
        b"".join(wire.encode(message) for message in MESSAGES),
        wire.MessageReader(),
        [],
    )
    for cut in [*cuts, len(stream)]:
        received += parcels.receive(stream[:cut])
        stream = stream[cut:]
    assert received == MESSAGES


@pytest.mark.parametrize(
    "noise",
    [
        b"OK\r\nINIT {ClassName USARBot.P3AT}",
        b"\0\0\0\x02\0\0\0\0[]",
        b'\0\0\0\x11\0\0\0\0{"what":"Absent"}',
        wire.encode(wire.Skipped(1)).replace(b":1}", b":{}}").replace(b"\x1d", b"\x1e"),
        wire.encode(wire.Hello("x" * 5000, 1, True)),
    ],
)
def test_malformed_message_raises_bad_value(noise: bytes) -> None:
    with pytest.raises(BadValue):
        wire.MessageReader(wire.LARGEST_UNAUTHENTICATED).receive(noise)


def model_bytes(world: World) -> bytes:
    model = compose(world).model
    saved = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, saved)
    return saved.tobytes()


@pytest.mark.parametrize("name", ["aibo_meet", "quince_step", "league_field"])
def test_decoded_world_compiles_to_the_same_model(name: str) -> None:
    world = load(name)
    again = decode_world(encode_world(world))
    assert again == visible_world(world)
    assert model_bytes(again) == model_bytes(world)


def test_every_shipped_world_round_trips() -> None:
    for name in shipped():
        world = load(name)
        assert decode_world(encode_world(world)) == visible_world(world)


def test_world_that_refers_to_a_removed_robot_round_trips() -> None:
    world = Simulation(load("match_1v3", ["view.follow=red_attacker"])).world
    without = world.changed(robots=world.robots[1:])
    assert model_bytes(decode_world(encode_world(without))) == model_bytes(without)


def test_mesh_files_are_attached(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (here / "rock.obj").write_text(corners)
    file = here / "rock.obj"
    rock = Mesh(name="rock", position=(1, 0, 1), mass=1.0, friction=0.5, file=file)
    world = pack_world(ers7_entry("rex", 0, 0, 0), objects=(rock,))
    vertices = compose(world).model.mesh_vert
    message = wire.NewWorld([], [2, 2, 320, 240], 0, [], encode_world(world))
    sent = pack_meshes(message)
    file.unlink()
    again = decode_world(unpack_meshes(sent, there).body)
    assert instance_of(Mesh, again.objects[0]).file.parent == there
    assert np.array_equal(compose(again).model.mesh_vert, vertices)
    with pytest.raises(BadValue, match="mesh file 0 of the world is not attached"):
        unpack_meshes(message, there)
