"""Program: trials in a Ray of this machine; prints JSON.

``listening`` has the addresses on which the processes of this session listen, ``mode`` Ray's mode
of authentication, ``token`` whether there is a token. Linux only.
"""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path

from grouser.trials.ray_runner import RayRunner
from grouser.trials.runner import run_trials
from support.cheap_trials import cheap_trials

LISTEN = "0A"


def listening(session: int) -> list[str]:
    """Return the addresses on which the processes of a session listen."""
    inodes = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ProcessLookupError):
            if os.getsid(int(process.name)) == session:
                links = [os.readlink(link) for link in (process / "fd").iterdir()]
                inodes |= {link[8:-1] for link in links if link.startswith("socket:")}
    found = []
    for family, name in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == LISTEN and words[9] in inodes:
                raw = bytes.fromhex(words[1].partition(":")[0])
                parts = [raw[i : i + 4][::-1] for i in range(0, len(raw), 4)]  # host order
                found.append(socket.inet_ntop(family, b"".join(parts)))
    return found


def main() -> None:
    """Run trials, and print the addresses while Ray is running."""
    with RayRunner() as runner:
        run_trials(cheap_trials(4), runner=runner)
        seen = {
            "listening": listening(os.getsid(0)),
            "mode": os.environ["RAY_AUTH_MODE"],
            "token": bool(os.environ.get("RAY_AUTH_TOKEN")),
        }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
