"""Eyes: other processes draw the same pictures."""

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.experiments.pack import dog, pack
from grouser.server.eyes import Eyes
from grouser.simulation.simulation import Simulation


def test_eyes_draw_the_same_bytes_as_the_simulation_would():
    simulation = Simulation(
        pack(dog("rex", 0.0, 0.0, 0.0, forward=0.15), dog("max", 0.8, 0.1, 3.0, turn=0.5))
    )
    with Eyes(simulation.world, workers=1) as eyes:
        simulation.step(0.5)
        for _ in range(3):
            simulation.step(0.1)
            readings = {name: simulation.read(name, "camera") for name in ("rex", "max")}
            drawn = {name: eyes.draw(name, reading) for name, reading in readings.items()}
            for name, reading in readings.items():
                picture = drawn[name].result()
                assert picture.std() > 3, "there is something to be seen"
                assert np.array_equal(picture, reading.array("image"))
        with pytest.raises(BadValue, match="'encoder' of 'rex' is no camera"):
            eyes.draw("rex", simulation.read("rex", "encoder"))
