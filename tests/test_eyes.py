"""Eyes: other processes, here or on other machines, draw the same pictures."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue, Refused
from grouser.experiments.pack import dog, pack
from grouser.protocol import eyes as wire
from grouser.protocol.images import Frame, ImageClientSide, ImageType, Pass, WholeFrame
from grouser.server.access import Gate, Role, Token
from grouser.server.pictures.channel import Channel, Job
from grouser.server.pictures.eyes import Eyes
from grouser.server.pictures.gallery import Gallery
from grouser.server.pictures.lookout import look_out
from grouser.server.pictures.luggage import pack as packed
from grouser.server.pictures.luggage import seen, told, understood, unpack
from grouser.server.pictures.views import Views
from grouser.simulation.actions import Join, Leave
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.world.file import load, shipped
from grouser.world.objects import Mesh

OPEN = Gate((), "127.0.0.1")
SECRET = "a-token-for-the-tests"


def two_dogs():
    return Simulation(
        pack(dog("rex", 0.0, 0.0, 0.0, forward=0.15), dog("max", 0.8, 0.1, 3.0, turn=0.5))
    )


async def until(true, seconds=60.0):
    """Let the event loop run until something is true."""
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen in time")


def rgb(shown):
    width, height, pixels = Frame(ImageType.RAW, shown.raw).pixels()
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


async def drawn(views, simulation, *robots):
    """Let the robots' newest readings be drawn; return pictures and readings."""
    readings = {name: simulation.read(name, "camera") for name in robots}
    for name, reading in readings.items():
        views.offer(name, reading)

    def there():
        pictures = {name: views.pictures.get((name, "camera")) for name in robots}
        return all(p and p.time == readings[name].time for name, p in pictures.items())

    await until(there)
    return {name: rgb(views.pictures[name, "camera"]) for name in robots}, readings


def assert_same(pictures, readings):
    for name, picture in pictures.items():
        assert picture.std() > 3, "there is something to be seen"
        assert np.array_equal(picture, readings[name].array("image"))


def test_eyes_draw_the_same_bytes_as_the_simulation_would():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            simulation.step(0.5)
            for _ in range(3):
                simulation.step(0.1)
                assert_same(*await drawn(views, simulation, "rex", "max"))

    asyncio.run(go())


def test_a_new_world_reaches_living_eyes_and_who_stays_keeps_tile_and_key():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            (process,) = eyes.processes or [None]
            late = simulation.read("max", "camera")
            keys = {name: views.key(name) for name in ("rex", "max")}
            assert [views.tile(name) for name in ("rex", "max", "nobody")] == [0, 1, -1]
            simulation.do(Leave("rex"))
            simulation.do(Join(dog("bo", 0.0, 0.5, 0.0)))
            simulation.do(Join(dog("rex", 0.0, -0.5, 0.0)))
            views.take(simulation.scene)
            process = process or eyes.processes
            views.offer("max", late)
            simulation.step(0.2)
            assert_same(*await drawn(views, simulation, "rex", "max", "bo"))
            assert views.drawn["max", "camera"] == 1, "the old world's moment is not drawn"
            assert {views.tile(name) for name in ("rex", "bo")} == {0, 2}
            assert views.tile("max") == 1
            assert views.key("max") == keys["max"]
            assert views.key("rex") != keys["rex"], "another robot of the same name"
            assert eyes.restarts == 0
            simulation.do(Leave("max"))
            views.take(simulation.scene)
            assert views.tile("max") == -1
            assert views.key("max") == ""
            assert views.find(keys["max"]) is None

    asyncio.run(go())


def test_lights_and_colours_that_change_are_seen():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            simulation.step(0.3)
            before, _ = await drawn(views, simulation, "rex")
            simulation.model.light_active[:] = 0
            simulation.model.geom_rgba[:, :3] *= 0.5
            simulation.step(0.1)
            pictures, readings = await drawn(views, simulation, "rex")
            assert pictures["rex"].mean() < 0.8 * before["rex"].mean()
            assert_same(pictures, readings)

    asyncio.run(go())


def test_a_dead_eye_is_started_again(caplog):
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            simulation.step(0.2)
            await drawn(views, simulation, "rex")
            (process,) = eyes.processes
            os.kill(process, signal.SIGKILL)
            await until(lambda: eyes.restarts == 1 and eyes.processes not in ([], [process]))
            simulation.step(0.1)
            assert_same(*await drawn(views, simulation, "rex", "max"))
            assert "eye 0 has died" in caplog.text

    asyncio.run(go())


def test_a_slow_eye_gets_the_newest_moment_and_the_rest_is_counted():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            for _ in range(20):  # no word to the eye in between
                simulation.step(0.1)
                views.offer("rex", simulation.read("rex", "camera"))
            newest = simulation.read("rex", "camera").time
            shown = lambda: views.pictures.get(("rex", "camera"))  # noqa: E731
            await until(lambda: shown() and shown().time == newest)
            name = ("rex", "camera")
            assert views.drawn[name] + views.dropped[name] == 20
            assert views.dropped[name] >= 17, "two on their way, one waiting"

    asyncio.run(go())


def test_who_is_offered_often_still_has_its_turn():
    order = replace(ORDER, number=-1)
    sent, dropped = [], []
    channel = Channel(window=1)
    channel.tell = lambda message: sent.append(message.robot)

    def ask(robot):
        gone = lambda answer: dropped.append(robot) if answer is None else None  # noqa: E731
        channel.ask(Job(robot, replace(order, robot=robot), gone))

    channel.ready = True
    for turn in range(9):
        for robot in "abc":  # all three are offered anew before the next picture is done
            ask(robot)
        channel.data_received(wire.encode(wire.Picture(turn, 0, b"")))
    assert {robot: sent.count(robot) for robot in "abc"} == {"a": 4, "b": 3, "c": 3}
    assert len(sent) + len(dropped) + 2 == 27, "two still wait"


def test_nothing_is_drawn_while_nobody_looks():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.take(simulation.scene)
            for name in ("rex", "max"):
                views.offer(name, simulation.read(name, "camera"))
            views.watch(("max", "camera"))
            await until(lambda: views.pictures)
            await asyncio.sleep(0.2)
            assert set(views.pictures) == {("max", "camera")}

    asyncio.run(go())


def test_pictures_come_at_most_so_often():
    simulation = two_dogs()
    views = Views(Eyes(), fps=10.0)
    views.take(simulation.scene)
    offered = []
    views.show = lambda name, offer: offered.append(offer)
    simulation.fresh()
    simulation.step(1.0)
    for robot, reading in simulation.fresh():
        views.offer(robot, reading)
    assert 19 <= len(offered) <= 21, "two cameras at 10 of their 30 Hz"


# -- the wire between server and eyes ------------------------------------------------------------

ORDER = wire.Shoot(3, "rex", "camera", 0.5, 2**64 - 1, [0.1, -0.2, 1.0], 2**63 - 1, [1, 0, 0], 0,
                   True, bytes(8))  # fmt: skip
MESSAGES = [
    wire.Hello("secret", 2, True),
    wire.Welcome(),
    wire.NewWorld([{"robot": "rex"}], [2, 2, 320, 240], 0, [3], b"abc{}"),
    ORDER,
    wire.Picture(3, 4, b"rawjpeg"),
    wire.Skipped(3),
    wire.Failed(-1, "why not"),
]


@given(st.lists(st.integers(1, 200), max_size=30))
def test_parcels_cut_anywhere_come_back_as_they_were(cuts):
    stream, parcels, heard = b"".join(map(wire.encode, MESSAGES)), wire.Parcels(), []
    for cut in [*cuts, len(stream)]:
        heard += parcels.receive(stream[:cut])
        stream = stream[cut:]
    assert heard == MESSAGES


@pytest.mark.parametrize(
    "noise",
    [
        b"OK\r\nINIT {ClassName USARBot.P3AT}",
        b"\0\0\0\x02\0\0\0\0[]",
        b'\0\0\0\x11\0\0\0\0{"what":"Nobody"}',
        wire.encode(wire.Skipped(1)).replace(b":1}", b":{}}").replace(b"\x1d", b"\x1e"),
        wire.encode(wire.Hello("x" * 5000, 1, True)),
    ],
)
def test_no_parcel_is_refused_in_one_sentence(noise):
    with pytest.raises(BadValue):
        wire.Parcels(wire.LARGEST_STRANGER).receive(noise)


def model_bytes(world):
    model = compose(world).model
    saved = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, saved)
    return saved.tobytes()


@pytest.mark.parametrize("name", ["aibo_meet", "quince_step", "league_field"])
def test_a_world_as_text_composes_to_the_same_model(name):
    world = load(name)
    again = understood(told(world))
    assert again == seen(world)
    assert model_bytes(again) == model_bytes(world)


def test_every_shipped_world_comes_back_from_text():
    for name in shipped():
        world = load(name)
        assert understood(told(world)) == seen(world)


def test_a_world_that_names_somebody_who_left_still_comes_back():
    world = Simulation(load("match_1v3", ["view.follow=red_attacker"])).world
    without = world.changed(robots=world.robots[1:])
    assert model_bytes(understood(told(without))) == model_bytes(without)


def test_mesh_files_come_along(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (here / "rock.obj").write_text(corners)
    file = here / "rock.obj"
    rock = Mesh(name="rock", position=(1, 0, 1), mass=1.0, friction=0.5, file=file)
    world = pack(dog("rex", 0, 0, 0), objects=(rock,))
    vertices = compose(world).model.mesh_vert
    news = wire.NewWorld([], [2, 2, 320, 240], 0, [], told(world))
    sent = packed(news)
    file.unlink()
    again = understood(unpack(sent, there).body)
    assert again.objects[0].file.parent == there
    assert np.array_equal(compose(again).model.mesh_vert, vertices)
    with pytest.raises(BadValue, match="mesh 0 did not come along"):
        unpack(news, there)


# -- on another machine --------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def eyes_elsewhere(port, *more):
    """Run ``grouser eyes`` as a process of its own; yields its image port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "grouser", "eyes", "--server", f"127.0.0.1:{port}", "--port", "0",
        *more, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        line = (await process.stdout.readline()).decode()
        found = re.search(r"pictures at 127.0.0.1:(\d+)", line)
        yield process, int(found[1]) if found else line
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await process.wait()


async def first_frame(port, *passes):
    """Ask an image port for one frame."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for each in passes:
        writer.write(each.encode())
    writer.write(WholeFrame().encode())
    side, frames = ImageClientSide(), []
    while not frames:
        data = await reader.read(2**16)
        assert data, "refused"
        frames = side.receive(data)
    writer.close()
    return frames[0]


def test_eyes_of_another_process_draw_the_same_bytes_and_serve_them():
    async def go():
        simulation = two_dogs()
        gate = Gate((Token(SECRET),), "127.0.0.1")
        async with Eyes(workers=0) as eyes:
            views = Views(eyes)
            views.take(simulation.scene)
            loop = asyncio.get_running_loop()
            server = await loop.create_server(lambda: eyes.port(gate), "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            async with server, eyes_elsewhere(port, "--token", SECRET) as (_, images):
                await until(lambda: eyes.far == 1)
                simulation.step(0.3)
                views.offer("rex", simulation.read("rex", "camera"))
                await asyncio.sleep(0.3)
                assert not views.pictures, "nobody here looks, so nothing comes back"
                frame = await first_frame(images, Pass("key", views.key("rex")))
                here = simulation.read("rex", "camera").array("image")
                width, height, pixels = frame.pixels()
                assert (width, height) == (208, 160)
                assert pixels == here.tobytes()
                views.watch(None)
                simulation.step(0.1)
                assert_same(*await drawn(views, simulation, "rex", "max"))
                simulation.do(Join(dog("bo", 0.0, 0.5, 0.0)))
                views.take(simulation.scene)
                simulation.step(0.1)
                assert_same(*await drawn(views, simulation, "bo", "max"))
            await until(lambda: eyes.far == 0)

    asyncio.run(go())


def test_local_eyes_draw_again_when_those_elsewhere_have_gone():
    async def go():
        simulation = two_dogs()
        async with Eyes() as eyes:
            views = Views(eyes)
            views.watch(None)
            views.take(simulation.scene)
            loop = asyncio.get_running_loop()
            server = await loop.create_server(lambda: eyes.port(OPEN), "127.0.0.1", 0)
            async with server:
                far = Gallery(Eyes(workers=0))
                port = server.sockets[0].getsockname()[1]
                guest = asyncio.create_task(look_out(far, "127.0.0.1", port))
                await until(lambda: eyes.far == 1)
                simulation.step(0.2)
                views.offer("rex", simulation.read("rex", "camera"))
                await until(lambda: views.dropped["rex", "camera"] == 1)
                guest.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await guest
                await until(lambda: eyes.far == 0)
                simulation.step(0.1)
                assert_same(*await drawn(views, simulation, "rex", "max"))

    asyncio.run(go())


@pytest.mark.parametrize(
    ("tokens", "said", "reason"),
    [
        ((Token(SECRET),), "", "demands a token"),
        ((Token(SECRET),), "not-that-token", "not one of the server's"),
        ((Token(SECRET, frozenset({Role.WATCH})),), SECRET, "does not let anybody draw"),
    ],
)
def test_eyes_without_the_right_token_are_refused(tokens, said, reason, caplog):
    async def go():
        gate = Gate(tokens, "127.0.0.1")
        eyes = Eyes(workers=0)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: eyes.port(gate), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(Refused, match=reason):
                await look_out(Gallery(Eyes(workers=0)), "127.0.0.1", port, token=said)
        assert eyes.far == 0
        assert "was refused" in caplog.text
        assert said not in caplog.text or not said

    asyncio.run(go())


def test_who_is_no_eye_is_hung_up_on():
    async def go():
        eyes = Eyes(workers=0)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: eyes.port(OPEN), "127.0.0.1", 0)
        async with server:
            for noise in (b"GET / HTTP/1.1\r\n\r\n", wire.encode(wire.Skipped(0)), b"\xff" * 100):
                address = server.sockets[0].getsockname()
                reader, writer = await asyncio.open_connection(*address)
                writer.write(noise)
                with contextlib.suppress(ConnectionError):
                    assert await reader.read() == b""
                writer.close()
        assert eyes.far == 0

    asyncio.run(go())
