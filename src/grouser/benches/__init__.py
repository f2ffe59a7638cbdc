"""One speed question per file.

Every bench module has one function, ``run(progress) -> dict[str, float]``: named figures, compared
as ratios within one run, since machines are shared and noisy. A long one may yield such
dictionaries one after another instead. One with ``TAKES_ROBOT`` also takes a kind of robot or a
robot file, ``run(progress, robot)``.
"""

__all__ = ["BENCHES"]

BENCHES: dict[str, str] = {
    "bridge": "grouser.benches.bridge",
    "cmos": "grouser.benches.cmos",
    "ground": "grouser.benches.ground",
    "matching": "grouser.benches.matching",
    "plan": "grouser.benches.plan",
    "protocol": "grouser.benches.protocol",
    "robot": "grouser.benches.robot",
    "scan": "grouser.benches.scan",
    "tracks": "grouser.benches.tracks",
    "server": "grouser.benches.server",
    "video": "grouser.benches.video",
    "views": "grouser.benches.views",
}
"""Name on the command line → module; imported on use."""
