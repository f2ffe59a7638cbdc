"""World of the tests of the browser page."""

from typing import Any

from grouser.world.file import World, as_world

WORLD: dict[str, Any] = {
    "name": "yard",
    "terrain": [
        {"kind": "flat", "friction": 0.8},
        {"kind": "pitch_roll_ramps", "x": 6, "slope_deg": 15, "columns": 1, "friction": 0.8},
    ],
    "robots": [
        {"name": "one", "kind": "p2dx", "position": [0, 0, 0]},
        {"name": "two", "kind": "p2dx", "position": [0, 3, 0]},
    ],
    "objects": [
        {"name": "gate", "kind": "door", "position": [3, 0, 0.31], "width": 0.8, "height": 0.6},
        {"name": "lamp", "kind": "lamp", "position": [1, 2, 1]},
    ],
    "triggers": [
        {"name": "goal", "kind": "sphere", "position": [9, 9, 0], "radius": 0.5, "do": ["say hi"]}
    ],
}


def yard() -> World:
    """Return a world with two robots, a door, a lamp and a trigger."""
    return as_world(WORLD)
