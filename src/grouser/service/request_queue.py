"""What a client has asked for and what is not done yet: done bit by bit, as far as its share goes.

Lines differ in cost a thousandfold, so time is limited and not lines: what the processor spent is
measured, by a clock that is given in. Whoever is over its share waits, and nobody else does; what
it asked for keeps its order. When it has gone, what it asked for is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable

from grouser.service.access import network
from grouser.service.background_composer import SceneNotReady
from grouser.service.rate_limiter import Limits, RateLimiter

REMEMBERED = 4096
"""Addresses whose budgets are remembered; beyond that, the one that left first is forgotten."""
LONGEST_DEBT = 2.0
"""Seconds that a new connection waits at most for what others of its address have spent."""
SLICE = 0.001
"""Processor seconds that the wishes of one client take at a stretch, about: ticks come between."""

Request = Callable[[], None]
"""What one line asks for; doing it may raise `SceneNotReady`, and is then tried again."""


class RequestQueue:
    """The wishes of one client, in their order.

    Args:
        budget: seconds that may be spent on them.
        clock: processor time, s.
    """

    def __init__(self, budget: RateLimiter, clock: Callable[[], float]) -> None:
        self._coming: deque[Request] = deque()
        self._clock, self.budget = clock, budget

    def __bool__(self) -> bool:
        """Whether any is left."""
        return bool(self._coming)

    def add(self, wishes: Iterable[Request]) -> None:
        """Put further ones behind those that are there."""
        self._coming.extend(wishes)

    def clear(self) -> None:
        """Forget them all."""
        self._coming.clear()

    def fulfil(self, now: float, *, limited: bool) -> float:
        """Do some of them; return for how many wall seconds no more may be done.

        Args:
            now: wall time, s.
            limited: whether their time counts.

        Raises:
            SceneNotReady: one needs a world that is not ready yet; it is the first still.
        """
        spent = wait = 0.0
        while self._coming and spent < SLICE and wait <= 0:
            wish, begun = self._coming.popleft(), self._clock()
            try:
                wish()
            except SceneNotReady:
                self._coming.appendleft(wish)
                raise
            finally:
                cost = self._clock() - begun
                spent += cost
                if limited:
                    wait = self.budget.charge(now, cost)
        return wait


class AddressBudgets:
    """How much time connections have saved up, or charge; times are wall time, s.

    Whoever hangs up and comes again goes on with what the last connection of its address left. That
    is time of the thread that serves everybody: wishes are small, and so are the debts they leave.
    What was composed aside counts for the connection that asked for it and for no other of its
    address: there, addresses take turns (`aside_composer`).
    """

    def __init__(self, limits: Limits) -> None:
        """Give everybody what ``limits`` say."""
        self._rate, self._savings = limits.server_share, limits.server_burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Address → what its last connection left behind, and when."""

    def take(self, address: str, now: float) -> RateLimiter:
        """Return the budget of a new connection."""
        left, then = self._left.get(network(address), (self._rate * self._savings, now))
        saved = max(left + self._rate * (now - then), -self._rate * LONGEST_DEBT)
        return RateLimiter(self._rate, now, savings=self._savings, saved=saved)

    def give_back(self, address: str, budget: RateLimiter, now: float) -> None:
        """Remember what a connection that is over has left."""
        who, saved = network(address), budget.saved(now)
        left, then = self._left.pop(who, (saved, now))
        self._left[who] = min(saved, left + self._rate * (now - then)), now
        if len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
