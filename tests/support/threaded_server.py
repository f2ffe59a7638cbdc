"""Server in a thread of the test, with access to the true poses of robots."""

import asyncio
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from grouser.frames import to_rpy
from grouser.gateways import Server, ServerOptions
from grouser.gateways.gateway import Gateway
from grouser.gateways.server import PictureOptions
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from support.server_fixtures import TIMEOUT

Result = TypeVar("Result")


class ThreadedServer:
    """Server in a thread, as a context manager; records the poses of robots."""

    def __init__(
        self,
        world: World,
        *gateways: Gateway,
        pictures: PictureOptions | None = None,
        watch: Iterable[str] = (),
        seed: int | None = None,
        observers: Iterable[object] = (),
        **options: Any,
    ) -> None:
        """Serve ``world``; record the poses of the robots ``watch`` every 10 ms.

        ``observers`` are subscribed before the server opens.
        """
        self._world, self._seed, self._observers = world, seed, observers
        self._options = ServerOptions(gateways=gateways, pictures=pictures, **options)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self.poses: dict[str, list[tuple[float, float, float, float]]] = {
            name: [] for name in watch
        }
        """Robot -> list of time (s), x, y (m) and yaw (rad)."""

    def call(self, function: Callable[[], Result]) -> Result:
        """Call ``function`` in the server's thread; return its result."""
        done: Future[Result] = Future()

        def run() -> None:
            try:
                done.set_result(function())
            except BaseException as error:
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return done.result(TIMEOUT)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        simulation = Simulation(self._world, seed=self._seed, crash_folder=None)
        for observer in self._observers:
            simulation.subscribe(observer)
        async with Server(simulation, self._options) as self.server:
            recorder = asyncio.ensure_future(self._record())
            self._ready.set()
            await self.server.run()
            recorder.cancel()

    async def _record(self) -> None:
        while True:
            for name, poses in self.poses.items():
                pose = self.server.host.simulation.pose(name)
                x, y, _ = pose.position.tolist()
                yaw = float(to_rpy(pose.wxyz)[2])
                poses.append((self.server.host.time, x, y, yaw))
            await asyncio.sleep(0.01)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(TIMEOUT)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.server.stop)
        self._thread.join(TIMEOUT)
