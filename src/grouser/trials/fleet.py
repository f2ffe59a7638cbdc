"""Policies on arrays: one call commands all trials of a lane.

A `FleetPolicy` is a description; its state is its own, with one row per slot. Trials whose policies
are equal share a call. Each row must come out as it would alone, so that a trial's bits do not
depend on its company; `grouser.planning.driver.PathDriver` is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from grouser.frames import Array


class FleetPolicy(Protocol):
    """Commands many robots in one call; frozen and hashable."""

    def __hash__(self) -> int:
        """Equal policies share their calls."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """What the columns of a command are called, as a robot's commands have it."""
        ...

    def begin(self, rows: int) -> Any:
        """Return the state of so many robots that have no errand yet."""
        ...

    def enter(self, state: Any, row: int, errand: Any) -> None:
        """Give the robot in ``row`` its errand (`Trial.errand`); it begins anew."""
        ...

    def act(self, state: Any, rows: Sequence[int], positions: Array, wxyz: Array) -> Array:
        """Return the commands (n, words) of ``rows`` at ``positions`` (n, 3), ``wxyz`` (n, 4)."""
        ...

    def to_go(self, state: Any, rows: Sequence[int], positions: Array) -> Array:
        """Return how far each of ``rows`` has to go, (n,), m: trials without progress are stuck."""
        ...


class Fleet:
    """The robots of one lane that are commanded by fleet policies."""

    def __init__(self, slots: int) -> None:
        """Nobody is there yet."""
        self._slots = slots
        self._states: dict[FleetPolicy, Any] = {}
        self._policy: dict[int, FleetPolicy] = {}

    def enter(self, slot: int, policy: FleetPolicy | None, errand: object) -> None:
        """Let a trial begin in ``slot``; without a policy the slot is not commanded."""
        self._policy.pop(slot, None)
        if policy is None:
            return
        if policy not in self._states:
            self._states[policy] = policy.begin(self._slots)
        policy.enter(self._states[policy], slot, errand)
        self._policy[slot] = policy

    def to_go(self, poses: Mapping[int, Array]) -> dict[int, float]:
        """Return how far the robots among ``poses`` (slot → x, y, z, wxyz) have to go, m."""
        found: dict[int, float] = {}
        for policy, slots, rows in self._together(poses):
            lengths = policy.to_go(self._states[policy], slots, rows[:, :3])
            found |= dict(zip(slots, lengths.tolist(), strict=True))
        return found

    def commands(self, poses: Mapping[int, Array]) -> dict[int, dict[str, float]]:
        """Return what the robots among ``poses`` (slot → x, y, z, wxyz) are to be told."""
        told: dict[int, dict[str, float]] = {}
        for policy, slots, rows in self._together(poses):
            values = policy.act(self._states[policy], slots, rows[:, :3], rows[:, 3:])
            for slot, row in zip(slots, values.tolist(), strict=True):
                told[slot] = dict(zip(policy.words, row, strict=True))
        return told

    def _together(self, poses: Mapping[int, Array]) -> list[tuple[FleetPolicy, list[int], Array]]:
        """Return every policy with its slots among ``poses`` and their poses (n, 7)."""
        slots: dict[FleetPolicy, list[int]] = {}
        for slot in poses:
            if slot in self._policy:
                slots.setdefault(self._policy[slot], []).append(slot)
        return [
            (policy, those, np.array([poses[slot] for slot in those]))
            for policy, those in slots.items()
        ]
