"""Render every shipped world as ``grouser run --picture`` does, on one sheet for the documentation.

    python tools/contact_sheet.py [docs/pictures/worlds.jpg]

Each world is rendered one second after its start, with its own view.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from grouser.render_workers.run_camera import RunCamera
from grouser.simulation.simulation import Simulation
from grouser.world.file import load, shipped

SHEET = Path(__file__).parents[1] / "docs" / "pictures" / "worlds.jpg"
SIZE = (384, 256)
COLUMNS = 4
SECONDS = 1.0


def main(path: Path) -> None:
    """Write the sheet."""
    names = sorted(shipped())
    rows = math.ceil(len(names) / COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * SIZE[0], rows * SIZE[1]), "white")
    with RunCamera(*SIZE) as camera:
        for number, name in enumerate(names):
            simulation = Simulation(load(name), crash_folder=None)
            simulation.step(SECONDS)
            picture = Image.fromarray(np.asarray(camera.look(simulation)))
            draw = ImageDraw.Draw(picture)
            draw.rectangle((0, 0, 8 + draw.textlength(name), 15), fill=(30, 30, 35))
            draw.text((4, 2), name, fill="white")
            place = (number % COLUMNS * SIZE[0], number // COLUMNS * SIZE[1])
            sheet.paste(picture, place)
    sheet.save(path, optimize=True, quality=88)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHEET)
