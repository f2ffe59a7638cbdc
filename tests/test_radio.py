"""Radio: distance, walls, loss, delay."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grouser
from grouser.errors import UnknownName, WorldFileError
from grouser.service.radio import Radio, RadioSignal, Walls
from grouser.simulation.changes.actions import Join, Leave, Reset
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, shipped
from grouser.world.objects import AnyObject, Ball, Box
from grouser.world.physics_settings import STANDARD
from grouser.world.radio import NEAREST, RadioModel
from grouser.world.terrain.flat import Flat


def robot(name: str, x: float, y: float = 0.0) -> RobotEntry:
    return RobotEntry(name=name, kind="packbot", position=(x, y, 0.0))


def wall(number: int, x: float, thick: float = 0.1) -> Box:
    return Box(
        name=f"wall{number}",
        size=(thick, 4.0, 2.0),
        position=(x, 0.0, 1.0),
        mass=1.0,
        friction=0.5,
        fixed=True,
    )


def simulation(
    *robots: RobotEntry, objects: tuple[AnyObject, ...] = (), seed: int = 0, **radio: Any
) -> Simulation:
    world = World(
        name="test",
        physics=STANDARD,
        terrain=(Flat(friction=0.6),),
        robots=robots,
        objects=objects,
        radio=RadioModel(**radio),
    )
    return Simulation(world, seed=seed)


def receivers(deliveries: list[tuple[str, RadioSignal]]) -> list[str]:
    return [name for name, _ in deliveries]


# -- the model -------------------------------------------------------------------------------


def test_strength_equals_usarsim() -> None:
    model = RadioModel()
    assert model.strength(2.0, 0) == pytest.approx(-49.67)
    assert model.strength(20.0, 0) == pytest.approx(-59.67)
    assert model.strength(2.0, 3) == pytest.approx(-49.67 - 3 * 6.325)
    assert model.strength(2.0, 50) == model.strength(2.0, 5)
    assert model.strength(0.0, 0) == model.strength(NEAREST, 0)


def test_loss_grows_from_nothing_to_all_at_the_cutoff() -> None:
    model = RadioModel()
    assert model.loss(-93.01) == 1.0
    assert model.loss(-93.0) == 1.0
    assert model.loss(-91.5) == pytest.approx(0.5)
    assert model.loss(-90.0) == 0.0
    assert RadioModel(margin_db=0.0).loss(-93.0) == 0.0


def test_radio_model_of_a_world_file(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    text = shipped()["quince_step"].read_text()
    path.write_text(text + "\nradio: {exponent: 2, wall_db: 10}\n")
    assert grouser.load(path).radio == RadioModel(exponent=2.0, wall_db=10.0)
    path.write_text(text + "\nradio: {wal_db: 10}\n")
    with pytest.raises(WorldFileError, match="did you mean 'wall_db'"):
        grouser.load(path)


# -- walls -----------------------------------------------------------------------------------


def test_each_crossed_wall_counts_once_and_robots_do_not() -> None:
    ball = Ball(name="ball", radius=0.3, position=(2.0, 3.0, 0.3), mass=1.0, friction=0.5)
    here = simulation(
        robot("a", 0.0),
        robot("between", 2.0),
        robot("b", 8.0),
        objects=(wall(1, 3.0), wall(2, 4.0, thick=0.5), wall(3, 6.0), wall(4, 9.0), ball),
    )
    walls, data = Walls(here.scene), here.data
    begin, end = (here.pose(name).position for name in ("a", "b"))
    assert walls.between(data, begin, end, 100) == 3
    assert walls.between(data, end, begin, 100) == 3
    assert walls.between(data, begin, end, 2) == 2
    assert walls.between(data, begin, begin, 100) == 0
    above = np.array([0.0, 0.0, 5.0])
    assert walls.between(data, begin + above, end + above, 100) == 0
    assert walls.between(data, begin, begin - above, 100) == 1, "through the ground"


def test_strength_depends_on_distance_and_walls_and_is_symmetric() -> None:
    here = simulation(robot("a", 0.0), robot("b", 8.0), objects=(wall(1, 3.0), wall(2, 4.0)))
    radio = Radio(here)
    wanted = -49.67 - 10 * math.log10(8 / 2) - 2 * 6.325
    assert radio.strength("a", "b") == pytest.approx(wanted, abs=1e-6)
    assert radio.strength("b", "a") == radio.strength("a", "b")


def test_strength_follows_moving_robots() -> None:
    here = simulation(robot("a", 0.0), robot("b", 4.0))
    radio = Radio(here)
    before = radio.strength("a", "b")
    here.command("b", forward=0.5)
    here.step(1.0)
    assert radio.strength("a", "b") < before


# -- receivers -------------------------------------------------------------------------------

PACK = (robot("a", 0.0), robot("b", 4.0), robot("c", 8.0), robot("d", 12.0))


def test_all_robots_in_range_except_the_sender_receive_a_message() -> None:
    radio = Radio(simulation(*PACK))
    received = radio.transmit("b", b"hello")
    assert receivers(received) == ["a", "c", "d"]
    assert all(each.sender == "b" and each.data == b"hello" for _, each in received)
    assert received[0][1].strength == pytest.approx(radio.strength("a", "b"))


def test_addressed_message_reaches_its_receiver_only() -> None:
    radio = Radio(simulation(*PACK))
    assert receivers(radio.transmit("b", b"hello", "C")) == ["c"]
    assert radio.transmit("b", b"hello", "nobody") == []
    assert radio.transmit("b", b"hello", "b") == []
    with pytest.raises(UnknownName, match="no robot 'x'"):
        radio.transmit("x", b"hello")


def test_no_message_arrives_beyond_the_cutoff() -> None:
    # 10 n lg(d / 2 m) passes 93 - 49.67 dB at 10.8 m with n = 5.92.
    radio = Radio(simulation(*PACK, exponent=5.92, margin_db=0.0))
    assert receivers(radio.transmit("a", b"hello")) == ["b", "c"]


def test_walls_reduce_the_range() -> None:
    def reached(*objects: Box) -> list[str]:
        here = simulation(*PACK, objects=objects, exponent=5.5, margin_db=0.0)
        return receivers(Radio(here).transmit("a", b"hello"))

    assert reached() == ["b", "c", "d"]
    assert reached(wall(1, 6.0)) == ["b", "c"]
    assert reached(wall(1, 6.0), wall(2, 6.5), wall(3, 2.0)) == ["b"]


# -- chance and time -------------------------------------------------------------------------

NEAR: dict[str, Any] = {"exponent": 7.07, "margin_db": 3.0}
"""At 8 m 0.76 dB above the cutoff: three quarters are lost."""


def losses(radio: Radio, times: int = 400) -> list[bool]:
    return [not radio.transmit("a", b"?", "c") for _ in range(times)]


def test_loss_rate_near_the_limit_equals_the_model() -> None:
    radio = Radio(simulation(*PACK, **NEAR))
    wanted = RadioModel(**NEAR).loss(radio.strength("a", "c"))
    assert 0.2 < wanted < 0.8
    deviation = math.sqrt(wanted * (1 - wanted) / 400)
    assert np.mean(losses(radio)) == pytest.approx(wanted, abs=4 * deviation)


def test_losses_depend_on_the_seed_and_not_on_other_traffic() -> None:
    first = losses(Radio(simulation(*PACK, **NEAR)))
    assert losses(Radio(simulation(*PACK, **NEAR))) == first
    assert losses(Radio(simulation(*PACK, seed=1, **NEAR))) != first
    crowded = Radio(simulation(*PACK, **NEAR))
    among = []
    for _ in range(400):
        crowded.transmit("c", b"noise")
        crowded.transmit("b", b"noise")
        among += losses(crowded, 1)
    assert among == first


def test_losses_repeat_after_a_reset() -> None:
    here = simulation(*PACK, **NEAR)
    radio = Radio(here)
    here.step(0.01)
    first = losses(radio)
    assert losses(radio) != first
    here.apply(Reset())
    assert radio.arrived() == []
    here.step(0.01)
    assert losses(radio) == first


def test_delay_is_simulated_time() -> None:
    here = simulation(*PACK, delay_s=0.02)
    radio = Radio(here)
    assert radio.transmit("a", b"one", "b") == []
    here.step(0.01)
    assert radio.transmit("a", b"two", "b") == []
    assert radio.arrived() == []
    here.step(0.01)
    assert [received.data for _, received in radio.arrived()] == [b"one"]
    assert radio.arrived() == []
    here.apply(Leave("b"))
    here.step(0.02)
    assert radio.arrived() == [], "a removed robot receives nothing"


def test_joined_robot_sends_and_receives() -> None:
    here = simulation(*PACK)
    radio = Radio(here)
    here.apply(Join(robot("e", 16.0)))
    assert receivers(radio.transmit("a", b"hello")) == ["b", "c", "d", "e"]
    assert receivers(radio.transmit("e", b"hello", "a")) == ["a"]


def test_radio_traffic_does_not_change_the_simulation() -> None:
    silent, loud = simulation(*PACK), simulation(*PACK)
    radio = Radio(loud)
    for each in (silent, loud):
        each.command("a", forward=0.3)
    for _ in range(10):
        silent.step(0.01)
        radio.transmit("a", b"hello")
        loud.step(0.01)
    assert loud.fingerprint() == silent.fingerprint()
