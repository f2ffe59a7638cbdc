"""Plans made aside: one process at a time, so that the server's own goes on undisturbed."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import PIPE

from grouser.errors import GrouserError
from grouser.gateways.rosbridge.plan_process import PlanAnswer, PlanOrder

_LOG = logging.getLogger(__name__)


class Planner:
    """Whom a server asks for plans; who asks while another is planned waits."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def plan(self, order: PlanOrder) -> PlanAnswer:
        """Return what was found; whoever cancels this ends the process.

        Raises:
            GrouserError: the process ended without an answer.
        """
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "grouser.gateways.rosbridge.plan_process"),
                stdin=PIPE,
                stdout=PIPE,
            )
            try:
                said, _ = await process.communicate(order.encode())
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode or not said:
            _LOG.error("the process that planned for '%s' broke off", order.robot)
            raise GrouserError(f"planning broke off (code {process.returncode}); see the log")
        return PlanAnswer.decode(said)
