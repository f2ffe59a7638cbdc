"""Robots come to random places of every world with objects: nobody is thrown, nobody loops."""

import math
from importlib import resources

import numpy as np
import pytest

from grouser.errors import GrouserError
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.spawn import spawn_entry
from grouser.protocol.usarsim.commands import Init
from grouser.service.host import Host, HostRules
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

KINDS = ("P3AT", "P2DX", "Kenaf", "Quince", "ERS7", "PackBot")
WORLDS = sorted(
    name
    for path in resources.files("grouser.worlds").iterdir()
    if path.name.endswith(".yaml") and load(name := path.name.removesuffix(".yaml")).objects
)
SECONDS = 0.5


class Guest:
    """Owns a robot, and keeps what it is told."""

    def __init__(self):
        self.notices = []

    def notice(self, kind, text):
        self.notices.append(kind)

    def robot_removed(self):
        self.notices.append("Removed")

    def ignore(self, *_):
        pass

    receive_readings = time_passed = execute_deferred = begin_turn = receive_radio = ignore


def arrive(host, rng, number):
    """Let one robot come somewhere; return its name and owner, or why it may not."""
    x, y = rng.uniform(-3, 3, 2)
    z, yaw = rng.uniform(-0.6, 0.3), rng.uniform(-math.pi, math.pi)
    kind = KINDS[rng.integers(len(KINDS))]
    guest = Guest()
    init = Init(f"USARBot.{kind}", f"Guest{number}", (x, y, z), (0.0, 0.0, yaw))
    try:
        entry = spawn_entry(init, host, PortProfile())
        host.join(entry, guest)
    except GrouserError as error:
        return None, str(error)
    return entry.name, guest


def run_arrivals(world, count):
    host = Host(Simulation(load(world)), HostRules(tick=0.02, equipment=False))
    rng = np.random.default_rng(7)
    there = []
    refusals = 0
    for number in range(count):
        name, guest = arrive(host, rng, number)
        if name is None:
            assert len(guest) > 20, "a refusal says why"
            refusals += 1
            continue
        there.append(name)
        guests = {each: host.simulation.pose(each).position for each in there}
        for _ in range(round(SECONDS / 0.02)):
            host.advance()
        assert guest.notices.count("Reset") <= 1, f"{name}: {guest.notices}"
        for each, before in guests.items():
            if each in host.owners:
                now = host.simulation.pose(each).position
                away = math.dist(now[:2], before[:2])
                assert away < 1.0, f"{each} was thrown {away:.1f} m when {name} came to {world}"
        if len(there) > 4:  # robots already there, but not all of them
            leaver = there.pop(0)
            if leaver in host.owners:
                host.leave(leaver)
    assert refusals < count / 2


def test_robots_come_to_an_arena():
    run_arrivals("arena_yellow", 12)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_two_hundred_arrivals(world):
    run_arrivals(world, 200)
