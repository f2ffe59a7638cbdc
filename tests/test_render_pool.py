"""Render pool: local and remote workers draw the same pictures as the simulation."""

import asyncio
import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.render_fixtures import (
    SECRET,
    open_views,
    remote_worker_port,
    rgb,
    run_in_event_loop,
    wait_until,
    watched_views,
)
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import Refused
from grouser.experiments.ers7_pack import ers7_entry, pack_world
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.render_host import draw_for_server
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.protocol import rendering as wire
from grouser.protocol.images import Credential, Frame, ImageClientSide, ImageType, WholeFrame
from grouser.sensors.sensor import Reading
from grouser.service.access import AccessControl, Role, Token
from grouser.simulation.changes.actions import Join, Leave
from grouser.simulation.simulation import Simulation


def two_robots() -> Simulation:
    return Simulation(
        pack_world(
            ers7_entry("rex", 0.0, 0.0, 0.0, forward=0.15),
            ers7_entry("max", 0.8, 0.1, 3.0, turn=0.5),
        )
    )


async def draw(
    views: Views, simulation: Simulation, *robots: str
) -> tuple[dict[str, npt.NDArray[np.uint8]], dict[str, Reading]]:
    """Draw the robots' newest readings; return pictures and readings."""
    readings = {name: simulation.read(name, "camera") for name in robots}
    for name, reading in readings.items():
        views.offer(name, reading)

    def there() -> bool:
        pictures = {name: views.frames.pictures.get((name, "camera")) for name in robots}
        return all(p and p.time == readings[name].time for name, p in pictures.items())

    await wait_until(there)
    shown = {
        name: Frame(ImageType.RAW, views.frames.pictures[name, "camera"].raw) for name in robots
    }
    return {name: rgb(frame) for name, frame in shown.items()}, readings


def assert_same(pictures: dict[str, npt.NDArray[np.uint8]], readings: dict[str, Reading]) -> None:
    for name, picture in pictures.items():
        assert picture.std() > 3, "there is something to be open_views"
        assert np.array_equal(picture, readings[name].array("image"))


@run_in_event_loop
async def test_workers_draw_the_same_bytes_as_the_simulation() -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views:
        simulation.step(0.5)
        for _ in range(3):
            simulation.step(0.1)
            assert_same(*await draw(views, simulation, "rex", "max"))


@run_in_event_loop
async def test_new_world_reaches_running_workers_and_remaining_robots_keep_tile_and_key() -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views:
        late = simulation.read("max", "camera")
        keys = {name: views.key(name) for name in ("rex", "max")}
        assert [views.tile(name) for name in ("rex", "max", "unknown")] == [0, 1, -1]
        simulation.apply(Leave("rex"))
        simulation.apply(Join(ers7_entry("bo", 0.0, 0.5, 0.0)))
        simulation.apply(Join(ers7_entry("rex", 0.0, -0.5, 0.0)))
        views.rebind(simulation.scene)
        views.offer("max", late)
        simulation.step(0.2)
        assert_same(*await draw(views, simulation, "rex", "max", "bo"))
        assert views.frames.drawn["max", "camera"] == 1, "a shot of the old world is not drawn"
        assert {views.tile(name) for name in ("rex", "bo")} == {0, 2}
        assert views.tile("max") == 1
        assert views.key("max") == keys["max"]
        assert views.key("rex") != keys["rex"], "another robot of the same name"
        assert views.pool.restarts == 0
        simulation.apply(Leave("max"))
        views.rebind(simulation.scene)
        assert views.tile("max") == -1
        assert views.key("max") == ""
        assert views.frames.find(keys["max"]) is None


@run_in_event_loop
async def test_changed_lights_and_colours_are_drawn() -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views:
        simulation.step(0.3)
        before, _ = await draw(views, simulation, "rex")
        simulation.model.light_active[:] = 0
        simulation.model.geom_rgba[:, :3] *= 0.5
        simulation.step(0.1)
        pictures, readings = await draw(views, simulation, "rex")
        assert pictures["rex"].mean() < 0.8 * before["rex"].mean()
        assert_same(pictures, readings)


@run_in_event_loop
async def test_killed_worker_is_restarted(caplog: pytest.LogCaptureFixture) -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views:
        simulation.step(0.2)
        await draw(views, simulation, "rex")
        pool = views.pool
        (process,) = pool.process_ids
        os.kill(process, signal.SIGKILL)
        await wait_until(lambda: pool.restarts == 1 and pool.process_ids not in ([], [process]))
        simulation.step(0.1)
        assert_same(*await draw(views, simulation, "rex", "max"))
        assert "render worker 0 exited with code -9, restarting it" in caplog.text


@run_in_event_loop
async def test_slow_worker_draws_the_newest_shot_and_dropped_ones_are_counted() -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views:
        for _ in range(20):  # the event loop does not run in between
            simulation.step(0.1)
            views.offer("rex", simulation.read("rex", "camera"))
        newest = simulation.read("rex", "camera").time

        def newest_is_shown() -> bool:
            shown = views.frames.pictures.get(("rex", "camera"))
            return shown is not None and shown.time == newest

        await wait_until(newest_is_shown)
        name = ("rex", "camera")
        assert views.frames.drawn[name] + views.frames.dropped[name] == 20
        assert views.frames.dropped[name] >= 17, "two outstanding, one queued"


@run_in_event_loop
async def test_camera_without_watcher_is_not_drawn() -> None:
    simulation = two_robots()
    async with open_views(simulation) as views:
        for name in ("rex", "max"):
            views.offer(name, simulation.read(name, "camera"))
        views.frames.watch(("max", "camera"))
        await wait_until(lambda: views.frames.pictures)
        await asyncio.sleep(0.2)
        assert set(views.frames.pictures) == {("max", "camera")}


def test_fps_limits_the_picture_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = two_robots()
    views = Views(RenderPool(), fps=10.0)
    views.rebind(simulation.scene)
    offered: list[object] = []
    monkeypatch.setattr(views.frames, "offer", lambda name, offer: offered.append(offer))
    simulation.drain_readings()
    simulation.step(1.0)
    for robot, reading in simulation.drain_readings():
        views.offer(robot, reading)
    assert 19 <= len(offered) <= 21, "two cameras at 10 of their 30 Hz"


# -- remote workers ------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def render_host_process(port: int, *more: str) -> AsyncIterator[Any]:
    """Run ``grouser render-worker`` in a process; yield it and its image port."""
    # SIGINT is ignored where the test suite runs in the background of a shell; the child process
    # would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    options = ("--server", f"127.0.0.1:{port}", "--port", "0")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "grouser", "render-worker", *options, *more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        line = (await not_none(process.stdout).readline()).decode()
        found = re.search(r"pictures at 127.0.0.1:(\d+)", line)
        yield process, int(found[1]) if found else line
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await process.wait()


async def first_frame(port: int, *credentials: Credential) -> Frame:
    """Request one frame of an image port."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for each in credentials:
        writer.write(each.encode())
    writer.write(WholeFrame().encode())
    side = ImageClientSide()
    frames: list[Any] = []
    while not frames:
        data = await reader.read(2**16)
        assert data, "refused"
        frames = side.receive(data)
    writer.close()
    return instance_of(Frame, frames[0])


@run_in_event_loop
async def test_render_host_draws_the_same_bytes_and_serves_them() -> None:
    simulation = two_robots()
    access = AccessControl((Token(SECRET),), "127.0.0.1", clock=time.monotonic)
    async with open_views(simulation, workers=0) as views:
        pool = views.pool
        async with (
            remote_worker_port(pool, access) as port,
            render_host_process(port, "--token", SECRET) as (_, images),
        ):
            await wait_until(lambda: pool.attached_count == 1)
            simulation.step(0.3)
            views.offer("rex", simulation.read("rex", "camera"))
            await asyncio.sleep(0.3)
            assert not views.frames.pictures, "no watcher at the server, so no picture is returned"
            frame = await first_frame(images, Credential("key", views.key("rex")))
            here = simulation.read("rex", "camera").array("image")
            width, height, pixels = frame.pixels()
            assert (width, height) == (208, 160)
            assert pixels == here.tobytes()
            views.frames.watch(None)
            simulation.step(0.1)
            assert_same(*await draw(views, simulation, "rex", "max"))
            simulation.apply(Join(ers7_entry("bo", 0.0, 0.5, 0.0)))
            views.rebind(simulation.scene)
            simulation.step(0.1)
            assert_same(*await draw(views, simulation, "bo", "max"))
        await wait_until(lambda: pool.attached_count == 0)


@run_in_event_loop
async def test_local_workers_take_over_when_remote_ones_disconnect() -> None:
    simulation = two_robots()
    async with watched_views(simulation) as views, remote_worker_port(views.pool) as port:
        far = LatestFrames(RenderPool(workers=0))
        link = asyncio.create_task(draw_for_server(far, "127.0.0.1", port))
        await wait_until(lambda: views.pool.attached_count == 1)
        simulation.step(0.2)
        views.offer("rex", simulation.read("rex", "camera"))
        await wait_until(lambda: views.frames.dropped["rex", "camera"] == 1)
        link.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await link
        await wait_until(lambda: views.pool.attached_count == 0)
        simulation.step(0.1)
        assert_same(*await draw(views, simulation, "rex", "max"))


@pytest.mark.parametrize(
    ("tokens", "token", "reason"),
    [
        ((Token(SECRET),), "", "demands a token"),
        ((Token(SECRET),), "not-that-token", "not one of the server's"),
        ((Token(SECRET, frozenset({Role.WATCH})),), SECRET, "does not permit drawing"),
    ],
)
@run_in_event_loop
async def test_remote_worker_without_valid_token_is_rejected(
    tokens: tuple[Token], token: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    pool = RenderPool(workers=0)
    async with remote_worker_port(
        pool, AccessControl(tokens, "127.0.0.1", clock=time.monotonic)
    ) as port:
        with pytest.raises(Refused, match=reason):
            await draw_for_server(
                LatestFrames(RenderPool(workers=0)), "127.0.0.1", port, token=token
            )
    assert pool.attached_count == 0
    assert "rejected" in caplog.text
    assert token not in caplog.text or not token


@run_in_event_loop
async def test_malformed_handshake_closes_the_connection() -> None:
    pool = RenderPool(workers=0)
    async with remote_worker_port(pool) as port:
        for noise in (b"GET / HTTP/1.1\r\n\r\n", wire.encode(wire.Skipped(0)), b"\xff" * 100):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(noise)
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
    assert pool.attached_count == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--server", "there:port"), "--server is 'there:port', must be HOST or HOST:PORT"),
        (
            ("--server", "there", "--trust", "missing.pem"),
            "tls: missing.pem cannot be read (No such",
        ),
        (("--server", "there", "--trust", __file__), "holds no certificate in PEM form (BEGIN"),
        (
            ("--server", "there", "--host", "0.0.0.0"),
            "--host is '0.0.0.0', which other machines can reach",
        ),
    ],
)
def test_command_rejects_invalid_options(
    options: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROUSER_TOKEN", raising=False)
    ended = CliRunner().invoke(app, ["render-worker", *options])
    assert ended.exit_code == 2
    assert sentence in " ".join(ended.stderr.split())
    assert not ended.stdout


@run_in_event_loop
async def test_worker_that_cannot_be_started_is_retried(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
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
