"""A server without memory or file descriptors, and under a wall clock that jumps."""

import contextlib
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from support.hrt_c_build import needs_compiler
from support.narrowing import not_none
from support.server_fixtures import CONTROL_ONLY, ServerProcess, ground_truth, wait_until

from grouser.client.connection import RemoteRobot
from grouser.client.pictures import watch
from grouser.errors import GrouserError

MIB = 2**20
SHORT = 5.0
"""Longest wait for an answer that may not come, wall s."""


def require_time_passes(robot: RemoteRobot) -> None:
    """Wait until a robot has received readings of half a second more."""
    begin = not_none(ground_truth(robot).time)
    wait_until(lambda: not_none(ground_truth(robot).time) > begin + 0.5)


def limit(server: ServerProcess, kind: int, most: int) -> None:
    """Set a soft limit of a running server."""
    _, hard = resource.prlimit(server.process.pid, kind)
    resource.prlimit(server.process.pid, kind, (most, hard))


def address_space(server: ServerProcess) -> int:
    """Return the address space that a server uses, bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(not_none(re.search(r"VmSize:\s+(\d+) kB", status))[1]) * 1024


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 1, 4, 16])
def test_server_without_memory_refuses_robots_and_goes_on(tmp_path: Path, left: int) -> None:
    with (
        ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY) as server,
        server.join("P2DX", "Before", at=(-2, 2, 0)) as robot,
    ):
        limit(server, resource.RLIMIT_AS, address_space(server) + left * MIB)
        for kind in ("ERS7", "Kenaf", "P3AT", "Kenaf"):
            with contextlib.suppress(GrouserError):
                server.join(kind, kind, at=(1, -2, 0), timeout=SHORT).close()
        require_time_passes(robot)
        limit(server, resource.RLIMIT_AS, resource.RLIM_INFINITY)
        with server.join("Kenaf", "After", at=(1, -2, 0)):
            require_time_passes(robot)


@pytest.mark.slow
def test_server_without_file_descriptors_accepts_connections_later(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY) as server,
        server.join("P2DX", "Before", at=(-2, 2, 0)) as robot,
    ):
        used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        limit(server, resource.RLIMIT_NOFILE, used + 1)
        with server.join("P2DX", "Last", at=(1, -2, 0)):
            waiting = server.open_socket()
            wait_until(lambda: "no connection can be accepted: Too many open files" in server.log)
            require_time_passes(robot)
        assert waiting.recv(3) == b"NFO"  # the other connection has left its file descriptor
        waiting.close()
        limit(server, resource.RLIMIT_NOFILE, used + 10)
        with server.join("Kenaf", "After", at=(1, -2, 0)):
            require_time_passes(robot)
        assert "Traceback" not in server.log


SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);

/* Seconds by which the wall clock is wrong: a day ahead or behind, by turns every second. */
static time_t error(void) {
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    return now.tv_sec % 2 ? 86400 : -86400;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        time->tv_sec += error();
    return result;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return out ? *out = now.tv_sec : now.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""
"""Library that replaces the wall clock of a process."""

JUMPS = """
import time
begin, seen = time.monotonic(), set()
while time.monotonic() < begin + 1.2:
    seen.add(round((time.time() - begin) / 86400))
    time.sleep(0.1)
assert len(seen) == 2, seen
"""


@needs_compiler
@pytest.mark.slow
def test_server_does_not_depend_on_the_wall_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, library = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    with monkeypatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(library))
        subprocess.run([sys.executable, "-c", JUMPS], check=True)
        server = ServerProcess(tmp_path, "pioneer_room", "--truth", "-1", "--longest-wait", "5")
    with server, server.join("P3AT", "Watch", at=(-2, 2, 0)) as robot:
        with watch(robot, port=server.ports["images"]) as pictures:
            for _ in range(3):
                assert pictures.take().size
                require_time_passes(robot)
        with server.join("P2DX", "Turns", at=(1, -2, 0)) as player:
            player.lockstep(0.1)
            begin = player.turn().time
            for turn in range(1, 31):
                player.drive(1.0, 1.0)
                assert player.step().time == pytest.approx(begin + 0.1 * turn)
        require_time_passes(robot)
        assert not [each for each in (*robot.notices, *player.notices) if each.kind == "Dropped"]
        assert "Traceback" not in server.log
