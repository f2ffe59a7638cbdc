"""Request queue of one client, processed within a budget of processor time.

The cost of requests differs a thousandfold, so that processor time is limited and not the number
of lines. A client over its budget waits; other clients do not. Requests keep their order, and are
dropped when the connection closes.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable

from grouser.service.access import network
from grouser.service.background_composer import SceneNotReady
from grouser.service.rate_limiter import Limits, RateLimiter

REMEMBERED = 4096
"""Addresses whose budgets are kept; beyond that, the one that was released first is dropped."""
LONGEST_DEBT = 2.0
"""Longest wait of a new connection for processor time spent by others of its address, s."""
SLICE = 0.001
"""Processor seconds for the requests of one client at a time, about; ticks run in between."""

Request = Callable[[], None]
"""Work of one line; if it raises `SceneNotReady`, it is retried later."""


class RequestQueue:
    """Requests of one client, in their order.

    Args:
        budget: processor seconds that may be spent on them.
        clock: processor time, s.
    """

    def __init__(self, budget: RateLimiter, clock: Callable[[], float]) -> None:
        self._queue: deque[Request] = deque()
        self._clock, self.budget = clock, budget

    def __bool__(self) -> bool:
        """Return True if requests are queued."""
        return bool(self._queue)

    def add(self, requests: Iterable[Request]) -> None:
        """Append requests."""
        self._queue.extend(requests)

    def add_first(self, requests: Iterable[Request]) -> None:
        """Insert requests before all others, in their order."""
        self._queue.extendleft(reversed(list(requests)))

    def clear(self) -> None:
        """Drop all requests."""
        self._queue.clear()

    def process(self, now: float, *, limited: bool) -> float:
        """Process some requests; return the wall seconds to wait before the next ones.

        ``limited`` charges the processor time to the budget. `SceneNotReady` leaves the
        request first.
        """
        spent = wait = 0.0
        while self._queue and spent < SLICE and wait <= 0:
            request, begun = self._queue.popleft(), self._clock()
            try:
                request()
            except SceneNotReady:
                self._queue.appendleft(request)
                raise
            finally:
                cost = self._clock() - begun
                spent += cost
                if limited:
                    wait = self.budget.charge(now, cost)
        return wait


class AddressBudgets:
    """Processor-time budgets per address, kept across reconnects; times are wall time, s.

    They count time of the serving thread only. Compile time of the background composer is charged
    to the connection that requested it, not to its address: there, addresses are served in turn.
    """

    def __init__(self, limits: Limits) -> None:
        self._rate, self._burst = limits.server_share, limits.server_burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Address -> balance of its last connection, and the time of its release."""

    def acquire(self, address: str, now: float) -> RateLimiter:
        """Return the budget of a new connection."""
        left, then = self._left.get(network(address), (self._rate * self._burst, now))
        balance = max(left + self._rate * (now - then), -self._rate * LONGEST_DEBT)
        return RateLimiter(self._rate, now, burst=self._burst, balance=balance)

    def release(self, address: str, budget: RateLimiter, now: float) -> None:
        """Keep the balance of a closed connection."""
        key, balance = network(address), budget.balance(now)
        left, then = self._left.pop(key, (balance, now))
        self._left[key] = min(balance, left + self._rate * (now - then)), now
        if len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
