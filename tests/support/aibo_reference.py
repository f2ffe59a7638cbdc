"""Data of AIBO ERS-7 and ERS-210 from their manuals: joint limits and speeds, switches."""

JointTable = dict[str, tuple[float, float, float]]
"""Joint -> lower and upper limit (deg), speed (rad/s)."""

LEGS = ("lf", "lh", "rf", "rh")
ERS7_TABLE: JointTable = {  # sources.md B2: software limits (deg), speeds (rad/s)
    **{f"{leg}_rotor": (-115, 130, 4.865) for leg in ("lf", "rf")},
    **{f"{leg}_rotor": (-130, 115, 4.865) for leg in ("lh", "rh")},
    **{f"{leg}_elevator": (-10, 88, 5.280) for leg in LEGS},
    **{f"{leg}_knee": (-25, 122, 5.280) for leg in LEGS},
    "neck": (-75, 0, 3.185),
    "pan": (-88, 88, 10.06),
    "nod": (-15, 45, 5.781),
    "tail_tilt": (5, 60, 15.16),
    "tail_pan": (-45, 45, 15.16),
    "mouth": (-55, -3, 10.14),
}
ERS210_TABLE: JointTable = {  # sources.md B1: software limits (deg), speeds (rad/s)
    **{f"{leg}_rotor": (-117, 117, 2.814) for leg in LEGS},
    **{f"{leg}_elevator": (-11, 89, 2.498) for leg in LEGS},
    **{f"{leg}_knee": (-27, 147, 2.836) for leg in LEGS},
    "tilt": (-82, 43, 2.105),
    "pan": (-89.6, 89.6, 3.011),
    "roll": (-29, 29, 3.011),
    "tail_tilt": (-22, 22, 4.472),
    "tail_pan": (-22, 22, 4.472),
    "mouth": (-47, -3, 4.374),
}
TABLES: dict[str, JointTable] = {"ers7": ERS7_TABLE, "ers210": ERS210_TABLE}
SWITCHES = {
    "ers7": ("head", "chin", "back_fore", "back_middle", "back_hind"),
    "ers210": ("head_fore", "head_hind", "chin", "back"),
}
