"""Server in a thread of the test, with access to the true poses of robots."""

import asyncio
import threading

from grouser.frames import to_rpy
from grouser.gateways import Server, ServerOptions
from grouser.simulation.simulation import Simulation
from support.server_fixtures import TIMEOUT


class LiveWorld:
    """Server in a thread, as a context manager; records the poses of robots."""

    def __init__(self, world, *gateways, pictures=None, watch=(), **options) -> None:
        """Serve ``world``; record the poses of the robots ``watch`` every 10 ms."""
        self._world, self._watch = world, watch
        self._options = ServerOptions(gateways=gateways, pictures=pictures, **options)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self.places = {name: [] for name in watch}
        """Robot -> list of time (s), x, y (m) and yaw (rad)."""

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        simulation = Simulation(self._world, crash_folder=None)
        async with Server(simulation, self._options) as self.server:
            noting = asyncio.ensure_future(self._note())
            self._ready.set()
            await self.server.run()
            noting.cancel()

    async def _note(self) -> None:
        while True:
            for name in self._watch:
                pose = self.server.host.simulation.pose(name)
                x, y, _ = pose.position.tolist()
                yaw = float(to_rpy(pose.wxyz)[2])
                self.places[name].append((self.server.host.time, x, y, yaw))
            await asyncio.sleep(0.01)

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(TIMEOUT)
        return self

    def __exit__(self, *_) -> None:
        self._loop.call_soon_threadsafe(self.server.stop)
        self._thread.join(TIMEOUT)
