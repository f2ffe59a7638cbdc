"""Imports rooms, each in a process of its own in which everything above it does not exist.

Run as a program with one JSON object on its input: job → {"modules", "exports", "absent"}. Prints
what went wrong, a line per job, and leaves with the number of these. Processes are forks of one
that has imported everything: a job forgets its own modules and all that is absent, and imports its
own again. What is below was imported already, by rules that its own job checks; so forty jobs cost
little more than one.
"""

import importlib
import importlib.abc
import json
import os
import sys
import traceback
import warnings
from contextlib import suppress


class Absent(importlib.abc.MetaPathFinder):
    """Makes modules not exist."""

    def __init__(self, names):
        self._names = names

    def find_spec(self, name, path=None, target=None):
        """Refuse whatever is absent, leave the rest to others."""
        if self.hides(name):
            raise ModuleNotFoundError(f"{name} reaches up: it must not be needed here", name=name)
        return None

    def hides(self, name):
        """Return whether a module, or a package around it, is absent."""
        parts = name.split(".")
        return any(".".join(parts[:end]) in self._names for end in range(1, len(parts) + 1))


def attempt(job):
    """Import a job's modules and what its doors lend out; return what went wrong, or nothing."""
    absent = Absent(set(job["absent"]))
    own = set(job["modules"])
    for name in [name for name in sys.modules if name in own or absent.hides(name)]:
        package, _, last = name.rpartition(".")
        del sys.modules[name]
        if package in sys.modules:  # a package keeps its modules as attributes, too
            vars(sys.modules[package]).pop(last, None)
    sys.meta_path.insert(0, absent)
    try:
        for name in job["modules"]:
            importlib.import_module(name)
        for name in job["exports"]:
            door = importlib.import_module(name)
            for exported in getattr(door, "__all__", ()):
                getattr(door, exported)
    except BaseException:
        return traceback.format_exc(limit=-4)
    return ""


def main():
    """Do all jobs, one process each."""
    warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside idle threads of numpy
    jobs = json.load(sys.stdin)
    for name in {name for job in jobs.values() for name in job["modules"]}:
        with suppress(Exception):  # the job that it belongs to will say why
            importlib.import_module(name)
    wrong = 0
    for label, job in jobs.items():
        if (child := os.fork()) == 0:
            if reason := attempt(job):
                print(f"{label}: {reason}", flush=True)
            os._exit(1 if reason else 0)
        wrong += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    sys.exit(min(wrong, 100))


if __name__ == "__main__":
    main()
