"""Victim sensor and RFID tags: range, view and occlusion."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pytest
from support.sensor_rig import block, put, reader, simulation

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.physics.labels import PARTS, find_marked
from grouser.sensors.rfid import RfidReader
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Tag, Victim, victim_parts

EYE = {"kind": "victims", "mount": "body", "at": [0.3, 0.0, 0.3]}  # at (0.3, 0, 0.39) in the world
ANNA = Victim(name="anna", position=(2.5, 0.0, 0.0), yaw_deg=180, posture="sitting")


def found_victims(
    sim: Simulation, name: str = "victims"
) -> tuple[dict[str, Array], Mapping[str, Any]]:
    values = reader(sim, name)()
    return dict(zip(values["parts"].tolist(), values["positions"], strict=False)), values


def test_victim_in_view_is_located() -> None:
    sim = simulation(EYE, objects=(ANNA,))
    by_part, values = found_victims(sim)
    assert {"head", "chest", "leg", "foot"} <= set(by_part)
    assert set(values["victims"].tolist()) == {"anna"}
    assert by_part["head"] == pytest.approx([2.5 - 0.3, 0.0, 0.82 - 0.39])
    distances = np.linalg.norm(values["positions"], axis=1)
    assert (np.diff(distances) >= 0).all(), "nearest first"
    assert set(values["parts"].tolist()) <= set(PARTS)


def test_victim_behind_a_wall_out_of_range_or_out_of_view_is_not_found() -> None:
    hidden = simulation(EYE, objects=(ANNA, block("wall", (1.2, 0, 1), (0.1, 4, 2))))
    assert len(found_victims(hidden)[1]["parts"]) == 0
    low = simulation(EYE, objects=(ANNA, block("wall", (1.2, 0, 0.2), (0.1, 4, 0.4))))
    assert set(found_victims(low)[0]) == {"head", "chest"}, "what looks over a low wall"
    sim = simulation(EYE, objects=(ANNA,))
    put(sim, yaw=math.radians(40))
    assert len(found_victims(sim)[1]["parts"]) == 0
    put(sim, x=-5.5)
    assert len(found_victims(sim)[1]["parts"]) == 0
    put(sim, x=-3.0)
    assert len(found_victims(sim)[1]["parts"]) > 0
    alone = simulation(EYE)
    assert len(found_victims(alone)[1]["parts"]) == 0


def test_victims_are_distinguished_and_positions_are_noisy() -> None:
    bob = Victim(name="bob", position=(3.5, 0.6, 0.0), yaw_deg=180)
    sim = simulation({**EYE, "noise": 0.05, "fov": 1.5}, objects=(ANNA, bob))
    read = reader(sim, "victims")
    assert set(read()["victims"].tolist()) == {"anna", "bob"}
    heads = np.array(
        [(v := read())["positions"][v["parts"].tolist().index("head")] for _ in range(2000)]
    )
    assert heads.std(axis=0) == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize("posture", ["lying", "sitting"])
def test_victim_lies_on_the_ground_with_its_mass(posture: Literal["lying", "sitting"]) -> None:
    made = victim_parts(posture)
    assert sum(part.share for part in made.values()) == pytest.approx(1.0)
    assert {part.kind for part in made.values()} == set(PARTS)
    for part in made.values():
        assert min(part.begin[2], part.end[2]) - part.radius >= -1e-9, f"{part} is in the ground"
    free = Victim(name="anna", position=(2, 0, 0), posture=posture, fixed=False, mass=70)
    sim = simulation(objects=(free,))
    assert sim.model.body("anna").mass == pytest.approx(70)
    before = sim.pose("anna").position
    sim.step(1.0)
    assert sim.pose("anna").position == pytest.approx(before, abs=0.1), "it lies still"
    assert len(find_marked(sim.model, "victim")) == len(made)


READER = {"kind": "rfid", "mount": "body", "at": [0.0, 0.0, 0.11]}  # 0.2 m above the ground


def tag(number: int, x: float, y: float = 0.0) -> Tag:
    return Tag(name=f"tag{number}", number=number, position=(x, y, 0.2))


def test_tags_in_range_are_read_nearest_first() -> None:
    sim = simulation(READER, objects=(tag(1001, 1.5), tag(1002, 0.8, 0.5), tag(1003, 2.1)))
    values = reader(sim, "rfid")()
    assert values["ids"].tolist() == [1002, 1001]
    assert values["positions"] == pytest.approx(np.array([[0.8, 0.5, 0], [1.5, 0, 0]]), abs=1e-9)
    put(sim, x=0.2)
    assert reader(sim, "rfid")()["ids"].tolist() == [1002, 1001, 1003]


def test_tag_radio_passes_walls_by_default() -> None:
    things = (tag(7, 1.5), tag(8, 0.8), block("wall", (1.2, 0, 0.5), (0.1, 3, 1)))
    sim = simulation(READER, {**READER, "name": "seeing", "line_of_sight": True}, objects=things)
    assert reader(sim, "rfid")()["ids"].tolist() == [8, 7]
    assert reader(sim, "seeing")()["ids"].tolist() == [8]
    with pytest.raises(BadValue, match="missed is 2, must be at most 1"):
        RfidReader(mount="body", missed=2)


def test_some_tags_are_missed() -> None:
    sim = simulation(
        {**READER, "missed": 0.25}, objects=tuple(tag(n, 0.5 + n / 100) for n in range(10))
    )
    read = reader(sim, "rfid")
    tags = np.mean([len(read()["ids"]) for _ in range(2000)])
    assert tags == pytest.approx(7.5, abs=0.15)


def test_tag_number_is_validated() -> None:
    with pytest.raises(BadValue, match="number"):
        Tag(name="t", number=-1, position=(0, 0, 0))
