"""QRIO waves and walks a curve; the gait is commanded by speeds, the soles measure forces.

``forward`` and ``sideways`` are in m/s, ``turn`` in rad/s, ``wave`` is 0 to 1; the default is 0.
Joints that the gait does not use (neck, waist, left arm) are commanded by angle at the same time.
"""

from pathlib import Path

import grouser
from grouser.rendering import write_png
from grouser.reports import picture_strip

PICTURE = Path("qrio.png")
SCENES = (
    ("stands", 1.0, {"forward": 0.0}),
    ("waves", 1.7, {"wave": 1.0}),
    ("starts", 1.4, {"forward": 0.15}),
    ("walks", 2.1, {"forward": 0.15, "turn": 0.3}),
    ("turns head", 1.0, {"forward": 0.1, "neck_deg": -60.0}),
)

simulation = grouser.Simulation(grouser.load("qrio_walk"))
frames, captions = [], []
with grouser.Renderer(300, 360) as renderer:
    for name, seconds, command in SCENES:
        simulation.command("qrio", command)
        simulation.step(seconds)
        frames.append(renderer.picture(simulation.model, simulation.data, simulation.view()))
        captions.append(f"{name}, {simulation.time:.1f} s")
        where = simulation.read("qrio", "truth")
        soles = [simulation.read("qrio", f"{side}_sole").values for side in ("left", "right")]
        left, right = (sum(sole.values()) for sole in soles)
        print(
            f"{name:12s} x {where['x']:5.2f} m   y {where['y']:5.2f} m   "
            f"left foot {left:4.0f} N, right foot {right:4.0f} N"
        )

write_png(PICTURE, picture_strip(frames, captions=captions))
print(f"picture: {PICTURE}")
