"""Robots join at random places of every world with objects; none is thrown or reset repeatedly."""

import math
from importlib import resources

import numpy as np
import pytest

from grouser.errors import GrouserError
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.spawn import spawn_entry
from grouser.protocol.usarsim.commands import Init
from grouser.service.host import Host, HostRules, RobotOwner
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

KINDS = ("P3AT", "P2DX", "Kenaf", "Quince", "ERS7", "PackBot")
WORLDS = sorted(
    name
    for path in resources.files("grouser.worlds").iterdir()
    if path.name.endswith(".yaml") and load(name := path.name.removesuffix(".yaml")).objects
)
SECONDS = 0.5


class Owner(RobotOwner):
    """Owner of a robot that records notices."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, kind: str, text: str) -> None:
        self.notices.append(kind)

    def robot_removed(self) -> None:
        self.notices.append("Removed")


def join_at_random(host: Host, rng: np.random.Generator, number: int) -> tuple[str, Owner] | str:
    """Join a robot at a random place; return its name and owner, or the error."""
    x, y = rng.uniform(-3, 3, 2)
    z, yaw = rng.uniform(-0.6, 0.3), rng.uniform(-math.pi, math.pi)
    kind = KINDS[rng.integers(len(KINDS))]
    owner = Owner()
    init = Init(f"USARBot.{kind}", f"Owner{number}", (x, y, z), (0.0, 0.0, yaw))
    try:
        entry = spawn_entry(init, host, PortProfile())
        host.join(entry, owner)
    except GrouserError as error:
        return str(error)
    return entry.name, owner


def run_arrivals(world: str, count: int) -> None:
    """Join ``count`` robots; check after each that no robot was thrown or reset repeatedly."""
    host = Host(Simulation(load(world)), HostRules(tick=0.02, equipment=False))
    rng = np.random.default_rng(7)
    there = []
    refusals = 0
    for number in range(count):
        joined = join_at_random(host, rng, number)
        if isinstance(joined, str):
            assert len(joined) > 20, "a rejection states its reason"
            refusals += 1
            continue
        name, owner = joined
        there.append(name)
        poses = {each: host.simulation.pose(each).position for each in there}
        for _ in range(round(SECONDS / 0.02)):
            host.advance()
        assert owner.notices.count("Reset") <= 1, f"{name}: {owner.notices}"
        for each, before in poses.items():
            if each in host.owners:
                now = host.simulation.pose(each).position
                away = math.dist(now[:2], before[:2])
                assert away < 1.0, f"{each} moved by {away:.1f} m when {name} joined {world}"
        if len(there) > 4:  # robots already there, but not all of them
            leaver = there.pop(0)
            if leaver in host.owners:
                host.leave(leaver)
    assert refusals < count / 2


def test_joining_robots_are_not_thrown_in_an_arena() -> None:
    run_arrivals("arena_yellow", 12)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_two_hundred_joins_in_every_world(world: str) -> None:
    run_arrivals(world, 200)
