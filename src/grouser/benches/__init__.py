"""Benches: one measurement of speed per file.

Every bench module has a function ``run(progress) -> dict[str, float]`` that returns named figures.
Figures are compared as ratios within one run because machines are shared and noisy. A long bench
may instead yield several such dictionaries. A bench with ``TAKES_ROBOT`` also takes a kind of robot
or a robot file: ``run(progress, robot)``; one with ``TAKES_RUNNER`` a runner of trials,
one with ``TAKES_BASELINE`` a git commit.
"""

__all__ = ["BENCHES"]

BENCHES: dict[str, str] = {
    "batch": "grouser.benches.batch",
    "bridge": "grouser.benches.bridge",
    "cluster": "grouser.benches.cluster",
    "cmos": "grouser.benches.cmos",
    "ground": "grouser.benches.ground",
    "matching": "grouser.benches.matching",
    "page": "grouser.benches.page",
    "plan": "grouser.benches.plan",
    "protocol": "grouser.benches.protocol",
    "record": "grouser.benches.record",
    "robot": "grouser.benches.robot",
    "ros": "grouser.benches.ros",
    "scan": "grouser.benches.scan",
    "snapshot": "grouser.benches.snapshot",
    "tracks": "grouser.benches.tracks",
    "trials": "grouser.benches.trials",
    "server": "grouser.benches.server",
    "video": "grouser.benches.video",
    "views": "grouser.benches.views",
}
"""Name on the command line → module, which is imported on use."""
