"""Experiments: one table or figure of a paper per file, named ``<paper key>_<table>``.

Every experiment module has a function ``run(run_options) -> Report``. The report holds the table of
our values beside the paper's and, if the options request them, pictures.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

EXPERIMENTS: dict[str, str] = {
    "closed-forms": "grouser.experiments.closed_forms",
    "cmos-distance": "grouser.experiments.cmos_distance",
    "cmos-table1": "grouser.experiments.cmos_table1",
    "cmos-errors": "grouser.experiments.cmos.robot_errors",
    "cmos-images": "grouser.experiments.cmos_images",
    "ers7-trot": "grouser.experiments.ers7_trot",
    "ground-maps": "grouser.experiments.ground_maps",
    "kurose-table1": "grouser.experiments.kurose_table1",
    "kurose-fig16": "grouser.experiments.kurose_fig16",
    "kurose-square": "grouser.experiments.kurose_square",
    "okada-table1": "grouser.experiments.okada.table1",
    "okada-table2": "grouser.experiments.okada.table2",
    "okada-table4": "grouser.experiments.okada.table4",
    "okada-window": "grouser.experiments.okada.window",
    "roach-loop": "grouser.experiments.roach.loop",
    "roach-table31": "grouser.experiments.roach_table31",
    "roach-table71": "grouser.experiments.roach.table71",
    "roach-table72": "grouser.experiments.roach.table72",
    "roach-table73": "grouser.experiments.roach.table73",
    "roach-turning": "grouser.experiments.roach_turning",
    "scan-known-world": "grouser.experiments.scan_known_world",
    "zaratti-fig8": "grouser.experiments.zaratti_fig8",
    "zaratti-fig9": "grouser.experiments.zaratti_fig9",
    "zaratti-players": "grouser.experiments.zaratti_players",
}
"""Name on the command line → module, which is imported on use."""
