"""The render pool: other processes, here or on other machines, draw the same pictures."""

import asyncio
import contextlib
import os
import re
import signal
import sys
import time

import numpy as np
import pytest
from support.render_fixtures import SECRET, in_a_loop, remote_worker_port, rgb, seen, until, watched
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import Refused
from grouser.experiments.ers7_pack import ers7_entry, pack_world
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.remote_worker import run_remote_worker
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.protocol import rendering as wire
from grouser.protocol.images import Credential, Frame, ImageClientSide, ImageType, WholeFrame
from grouser.service.access import AccessControl, Role, Token
from grouser.simulation.changes.actions import Join, Leave
from grouser.simulation.simulation import Simulation


def two_dogs():
    return Simulation(
        pack_world(
            ers7_entry("rex", 0.0, 0.0, 0.0, forward=0.15),
            ers7_entry("max", 0.8, 0.1, 3.0, turn=0.5),
        )
    )


async def drawn(views, simulation, *robots):
    """Let the robots' newest readings be drawn; return pictures and readings."""
    readings = {name: simulation.read(name, "camera") for name in robots}
    for name, reading in readings.items():
        views.offer(name, reading)

    def there():
        pictures = {name: views.frames.pictures.get((name, "camera")) for name in robots}
        return all(p and p.time == readings[name].time for name, p in pictures.items())

    await until(there)
    shown = {
        name: Frame(ImageType.RAW, views.frames.pictures[name, "camera"].raw) for name in robots
    }
    return {name: rgb(frame) for name, frame in shown.items()}, readings


def assert_same(pictures, readings):
    for name, picture in pictures.items():
        assert picture.std() > 3, "there is something to be seen"
        assert np.array_equal(picture, readings[name].array("image"))


@in_a_loop
async def test_workers_draw_the_same_bytes_as_the_simulation_would():
    simulation = two_dogs()
    async with watched(simulation) as views:
        simulation.step(0.5)
        for _ in range(3):
            simulation.step(0.1)
            assert_same(*await drawn(views, simulation, "rex", "max"))


@in_a_loop
async def test_a_new_world_reaches_living_workers_and_who_stays_keeps_tile_and_key():
    simulation = two_dogs()
    async with watched(simulation) as views:
        late = simulation.read("max", "camera")
        keys = {name: views.key(name) for name in ("rex", "max")}
        assert [views.tile(name) for name in ("rex", "max", "nobody")] == [0, 1, -1]
        simulation.do(Leave("rex"))
        simulation.do(Join(ers7_entry("bo", 0.0, 0.5, 0.0)))
        simulation.do(Join(ers7_entry("rex", 0.0, -0.5, 0.0)))
        views.rebind(simulation.scene)
        views.offer("max", late)
        simulation.step(0.2)
        assert_same(*await drawn(views, simulation, "rex", "max", "bo"))
        assert views.frames.drawn["max", "camera"] == 1, "the old world's moment is not drawn"
        assert {views.tile(name) for name in ("rex", "bo")} == {0, 2}
        assert views.tile("max") == 1
        assert views.key("max") == keys["max"]
        assert views.key("rex") != keys["rex"], "another robot of the same name"
        assert views.pool.restarts == 0
        simulation.do(Leave("max"))
        views.rebind(simulation.scene)
        assert views.tile("max") == -1
        assert views.key("max") == ""
        assert views.frames.find(keys["max"]) is None


@in_a_loop
async def test_lights_and_colours_that_change_are_seen():
    simulation = two_dogs()
    async with watched(simulation) as views:
        simulation.step(0.3)
        before, _ = await drawn(views, simulation, "rex")
        simulation.model.light_active[:] = 0
        simulation.model.geom_rgba[:, :3] *= 0.5
        simulation.step(0.1)
        pictures, readings = await drawn(views, simulation, "rex")
        assert pictures["rex"].mean() < 0.8 * before["rex"].mean()
        assert_same(pictures, readings)


@in_a_loop
async def test_a_dead_worker_is_started_again(caplog):
    simulation = two_dogs()
    async with watched(simulation) as views:
        simulation.step(0.2)
        await drawn(views, simulation, "rex")
        pool = views.pool
        (process,) = pool.process_ids
        os.kill(process, signal.SIGKILL)
        await until(lambda: pool.restarts == 1 and pool.process_ids not in ([], [process]))
        simulation.step(0.1)
        assert_same(*await drawn(views, simulation, "rex", "max"))
        assert "eye 0 has died" in caplog.text


@in_a_loop
async def test_a_slow_worker_gets_the_newest_moment_and_the_rest_is_counted():
    simulation = two_dogs()
    async with watched(simulation) as views:
        for _ in range(20):  # no word to the worker in between
            simulation.step(0.1)
            views.offer("rex", simulation.read("rex", "camera"))
        newest = simulation.read("rex", "camera").time
        shown = lambda: views.frames.pictures.get(("rex", "camera"))  # noqa: E731
        await until(lambda: shown() and shown().time == newest)
        name = ("rex", "camera")
        assert views.frames.drawn[name] + views.frames.dropped[name] == 20
        assert views.frames.dropped[name] >= 17, "two on their way, one waiting"


@in_a_loop
async def test_nothing_is_drawn_while_nobody_looks():
    simulation = two_dogs()
    async with seen(simulation) as views:
        for name in ("rex", "max"):
            views.offer(name, simulation.read(name, "camera"))
        views.frames.watch(("max", "camera"))
        await until(lambda: views.frames.pictures)
        await asyncio.sleep(0.2)
        assert set(views.frames.pictures) == {("max", "camera")}


def test_pictures_come_at_most_so_often():
    simulation = two_dogs()
    views = Views(RenderPool(), fps=10.0)
    views.rebind(simulation.scene)
    offered = []
    views.frames.offer = lambda name, offer: offered.append(offer)
    simulation.drain_readings()
    simulation.step(1.0)
    for robot, reading in simulation.drain_readings():
        views.offer(robot, reading)
    assert 19 <= len(offered) <= 21, "two cameras at 10 of their 30 Hz"


# -- on another machine --------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def worker_elsewhere(port, *more):
    """Run ``grouser eyes`` as a process of its own; yields its image port."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a suite in a shell's background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # else it could not be ended
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


@in_a_loop
async def test_workers_of_another_process_draw_the_same_bytes_and_serve_them():
    simulation = two_dogs()
    access = AccessControl((Token(SECRET),), "127.0.0.1", clock=time.monotonic)
    async with seen(simulation, workers=0) as views:
        pool = views.pool
        async with (
            remote_worker_port(pool, access) as port,
            worker_elsewhere(port, "--token", SECRET) as (_, images),
        ):
            await until(lambda: pool.remote_count == 1)
            simulation.step(0.3)
            views.offer("rex", simulation.read("rex", "camera"))
            await asyncio.sleep(0.3)
            assert not views.frames.pictures, "nobody here looks, so nothing comes back"
            frame = await first_frame(images, Credential("key", views.key("rex")))
            here = simulation.read("rex", "camera").array("image")
            width, height, pixels = frame.pixels()
            assert (width, height) == (208, 160)
            assert pixels == here.tobytes()
            views.frames.watch(None)
            simulation.step(0.1)
            assert_same(*await drawn(views, simulation, "rex", "max"))
            simulation.do(Join(ers7_entry("bo", 0.0, 0.5, 0.0)))
            views.rebind(simulation.scene)
            simulation.step(0.1)
            assert_same(*await drawn(views, simulation, "bo", "max"))
        await until(lambda: pool.remote_count == 0)


@in_a_loop
async def test_local_workers_draw_again_when_those_elsewhere_have_gone():
    simulation = two_dogs()
    async with watched(simulation) as views, remote_worker_port(views.pool) as port:
        far = LatestFrames(RenderPool(workers=0))
        guest = asyncio.create_task(run_remote_worker(far, "127.0.0.1", port))
        await until(lambda: views.pool.remote_count == 1)
        simulation.step(0.2)
        views.offer("rex", simulation.read("rex", "camera"))
        await until(lambda: views.frames.dropped["rex", "camera"] == 1)
        guest.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await guest
        await until(lambda: views.pool.remote_count == 0)
        simulation.step(0.1)
        assert_same(*await drawn(views, simulation, "rex", "max"))


@pytest.mark.parametrize(
    ("tokens", "said", "reason"),
    [
        ((Token(SECRET),), "", "demands a token"),
        ((Token(SECRET),), "not-that-token", "not one of the server's"),
        ((Token(SECRET, frozenset({Role.WATCH})),), SECRET, "does not let anybody draw"),
    ],
)
@in_a_loop
async def test_workers_without_the_right_token_are_refused(tokens, said, reason, caplog):
    pool = RenderPool(workers=0)
    async with remote_worker_port(
        pool, AccessControl(tokens, "127.0.0.1", clock=time.monotonic)
    ) as port:
        with pytest.raises(Refused, match=reason):
            await run_remote_worker(
                LatestFrames(RenderPool(workers=0)), "127.0.0.1", port, token=said
            )
    assert pool.remote_count == 0
    assert "eye sent away" in caplog.text
    assert said not in caplog.text or not said


@in_a_loop
async def test_who_is_no_worker_is_hung_up_on():
    pool = RenderPool(workers=0)
    async with remote_worker_port(pool) as port:
        for noise in (b"GET / HTTP/1.1\r\n\r\n", wire.encode(wire.Skipped(0)), b"\xff" * 100):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(noise)
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
    assert pool.remote_count == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--server", "there:port"), "--server is 'there:port', must be HOST or HOST:PORT"),
        (("--server", "there", "--trust", "nobody.pem"), "tls: nobody.pem cannot be read (No such"),
        (("--server", "there", "--trust", __file__), "holds no certificate in PEM form (BEGIN"),
        (("--server", "there", "--host", "0.0.0.0"), "--host is '0.0.0.0', which lets other"),
    ],
)
def test_the_command_refuses_bad_options_before_it_opens_anything(options, sentence, monkeypatch):
    monkeypatch.delenv("GROUSER_TOKEN", raising=False)
    ended = CliRunner().invoke(app, ["eyes", *options])
    assert ended.exit_code == 2
    assert sentence in " ".join(ended.stderr.split())
    assert not ended.stdout


@in_a_loop
async def test_a_worker_that_cannot_be_started_is_tried_again(monkeypatch, caplog):
    with monkeypatch.context() as nowhere:
        nowhere.setattr(sys, "executable", "/no/such/python")
        pool = RenderPool(workers=1)
        await pool.open()
        while "could not be started" not in caplog.text:
            await asyncio.sleep(0.01)
        assert not pool.process_ids
    while not pool.process_ids:
        await asyncio.sleep(0.01)
    await pool.close()
