"""Import packages in forked processes in which all higher packages are absent.

Run as a program with one JSON object on its input: job → {"modules", "exports", "absent"}. Prints
one line per failed job; the exit code is their number. The parent process imports everything once;
each fork removes its own modules and the absent ones from ``sys.modules`` and imports its own
again, so that forty jobs cost little more than one.
"""

import importlib
import importlib.abc
import json
import os
import sys
import traceback
import warnings
from collections.abc import Set
from contextlib import suppress


class Absent(importlib.abc.MetaPathFinder):
    """Import hook that hides modules."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise for an absent module; leave all others to the next finder."""
        if self.hides(name):
            raise ModuleNotFoundError(
                f"{name} is absent here: it belongs to a higher layer", name=name
            )

    def hides(self, name: str) -> bool:
        """Return whether a module, or a package around it, is absent."""
        parts = name.split(".")
        return any(".".join(parts[:end]) in self._names for end in range(1, len(parts) + 1))


def run_job(job: dict[str, list[str]]) -> str:
    """Import the modules and exports of a job; return the traceback of a failure, or ""."""
    absent = Absent(set(job["absent"]))
    own = set(job["modules"])
    for name in [name for name in sys.modules if name in own or absent.hides(name)]:
        package, _, last = name.rpartition(".")
        del sys.modules[name]
        if package in sys.modules:  # a package keeps its modules as attributes
            vars(sys.modules[package]).pop(last, None)
    sys.meta_path.insert(0, absent)
    try:
        for name in job["modules"]:
            importlib.import_module(name)
        for name in job["exports"]:
            init = importlib.import_module(name)
            for exported in getattr(init, "__all__", ()):
                getattr(init, exported)
    except BaseException:
        return traceback.format_exc(limit=-4)
    return ""


def main() -> None:
    """Run all jobs, one process each."""
    warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside idle threads of numpy
    jobs = json.load(sys.stdin)
    for name in {name for job in jobs.values() for name in job["modules"]}:
        with suppress(Exception):  # reported by the job of that module
            importlib.import_module(name)
    failures = 0
    for label, job in jobs.items():
        if (child := os.fork()) == 0:
            if reason := run_job(job):
                print(f"{label}: {reason}", flush=True)
            os._exit(1 if reason else 0)
        failures += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    sys.exit(min(failures, 100))


if __name__ == "__main__":
    main()
