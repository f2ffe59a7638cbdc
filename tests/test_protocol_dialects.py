"""USARSim dialects: differences of meaning, digits, axes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.narrowing import not_none

from grouser.errors import BadValue, UnknownName
from grouser.protocol.usarsim import axes, drive, geo_conf, sensor_messages, setting, state
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import DIALECTS, UDK, UT3, UT2004, dialect
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.values import FixedDecimals, shortest_text, unsigned_angle


class TestDialects:
    """Differences of the three dialects in the meaning of commands."""

    def test_drive_with_one_side_depends_on_the_dialect(self) -> None:
        half = SkidDrive(left=1.0)
        assert half.interpret(UT2004, False) == SkidDrive(1.0, None, False)
        assert half.interpret(UT3, False) == SkidDrive(1.0, 0.0, False)
        assert half.interpret(UDK, False) is None
        assert drive.AckermanDrive(speed=1.0).interpret(UDK, False) is None
        assert not_none(drive.AckermanDrive(speed=1.0).interpret(UT2004, False)).speed == 1.0

    def test_light_without_speeds_is_accepted_by_all_dialects(self) -> None:
        for spoken in DIALECTS.values():
            assert not_none(SkidDrive(light=True).interpret(spoken, False)).light

    def test_normalized_is_remembered_in_udk_only(self) -> None:
        both = SkidDrive(10.0, 10.0)
        assert not_none(both.interpret(UDK, True)).normalized is True
        assert not_none(both.interpret(UT2004, True)).normalized is False
        assert not_none(SkidDrive(1.0, 1.0, False).interpret(UDK, True)).normalized is False

    def test_udk_accepts_lower_case_true_only(self) -> None:
        line = b"DRIVE {Left 1} {Right 1} {Normalized True} {Light true}\n"
        assert ServerSide(UDK).receive(line) == [SkidDrive(1.0, 1.0, False, True)]
        assert ServerSide(UT2004).receive(line) == [SkidDrive(1.0, 1.0, True, True)]

    def test_only_ut2004_answers_set(self) -> None:
        answer = setting.Response(1.0, "Joint", (setting.Result("Name", "J"),))
        assert ServerSide(UT2004).send(answer)
        assert ServerSide(UT3).send(answer) == ServerSide(UDK).send(answer) == []

    def test_only_ut2004_groups_sensors_in_one_line(self) -> None:
        sonars = sensor_messages.Sonars(1.0, (("F1", 1.0), ("F2", 2.0)))
        assert len(ServerSide(UT2004).send(sonars)) == 1
        lines = ServerSide(UDK).send(sonars)
        assert ClientSide(UDK).receive(b"".join(lines)) == [
            sensor_messages.Sonars(1.0, (("F1", 1.0),)),
            sensor_messages.Sonars(1.0, (("F2", 2.0),)),
        ]

    def test_only_ut2004_reports_flippers_and_view(self) -> None:
        segments = state.State(state.GROUND, 1.0, 5, view=2, joints=(("FRFlipper", 0.5),))
        assert b"FRFlipper" in ServerSide(UT2004).send(segments)[0]
        assert b"{View 2}" in ServerSide(UT2004).send(segments)[0]
        for spoken in (UT3, UDK):
            assert b"Flipper" not in ServerSide(spoken).send(segments)[0]
            assert b"View" not in ServerSide(spoken).send(segments)[0]

    def test_only_ut2004_answers_queries_without_a_match(self) -> None:
        nothing = geo_conf.SensorGeometry("Sonar")
        assert ServerSide(UT2004).send(nothing) == [b"GEO {Type Sonar}\r\n"]
        assert ServerSide(UDK).send(nothing) == []

    def test_dialects_are_found_by_name(self) -> None:
        assert dialect("UDK") is UDK
        with pytest.raises(UnknownName, match="there is no dialect 'udx' .* did you mean 'udk'"):
            dialect("udx")


class TestNumbers:
    """Digits of numbers, cut or rounded."""

    @pytest.mark.parametrize(
        ("value", "cut", "rounded"),
        [
            (3.14159265, "3.141", "3.142"),
            (-0.0004, "-0.000", "-0.000"),
            (0.017, "0.017", "0.017"),
            (1e-7, "0.000", "0.000"),
            (-2.9999, "-2.999", "-3.000"),
            (1e22, "10000000000000000000000.000", "10000000000000000000000.000"),
            (7, "7.000", "7.000"),
        ],
    )
    def test_number_styles_cut_or_round(self, value: float, cut: str, rounded: str) -> None:
        assert FixedDecimals(3, cut=True).text(value) == cut
        assert FixedDecimals(3).text(value) == rounded
        assert FixedDecimals(3).join([value, value]) == f"{rounded},{rounded}"

    @given(st.floats(-1e6, 1e6))
    def test_cutting_moves_towards_zero_and_is_idempotent(self, value: float) -> None:
        style = FixedDecimals(4, cut=True)
        cut = float(style.text(value))
        assert abs(cut) <= abs(value) < abs(cut) + 1.0001e-4
        assert style.text(cut) == style.text(value)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_commands_keep_every_digit(self, value: float) -> None:
        assert float(shortest_text(value)) == value
        assert "e" not in shortest_text(value)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_non_finite_numbers_are_rejected(self, value: float) -> None:
        for spoken in DIALECTS.values():
            with pytest.raises(BadValue, match="not finite"):
                ServerSide(spoken).send(sensor_messages.Odometry(1.0, "O", (0.0, value, 0.0)))
        with pytest.raises(BadValue, match="not finite"):
            ClientSide(UDK).send(SkidDrive(value, 0.0))

    @given(st.floats(-1e3, 1e3))
    def test_unsigned_angles_are_from_0_to_2_pi(self, angle: float) -> None:
        turned = unsigned_angle(angle)
        assert 0.0 <= turned < math.tau
        assert math.isclose(math.cos(turned), math.cos(angle), abs_tol=1e-9)


class TestAxes:
    """Grouser's axes (x forward, y left, z up) and those of the wire."""

    def test_axes_agree_with_the_transcript(self) -> None:
        # Spawned 1.80 m below the origin it settles at z = 1.85, and right is +y (reference).
        assert Axes.Z_DOWN.place((4.5, -1.9, -1.85)) == (4.5, 1.9, 1.85)
        assert Axes.Z_UP.place((4.5, -1.9, 1.85)) == (4.5, 1.9, 1.85)

    def test_nose_up_and_right_turn_are_positive(self) -> None:
        nose_down, right = 0.1, -0.2
        for frame in Axes:
            assert frame.angles((0.3, nose_down, right)) == (0.3, -0.1, 0.2)

    @given(st.tuples(*[st.floats(-1e3, 1e3)] * 3), st.sampled_from(Axes))
    def test_axes_round_trip(self, vector: tuple[float, float, float], frame: Axes) -> None:
        assert frame.place(frame.place(vector)) == vector
        assert frame.angles(frame.angles(vector)) == vector

    def test_z_down_is_a_rotation_of_whole_poses(self) -> None:
        """A sign change of the angles equals half a turn of the rotation matrix."""
        from grouser.frames import from_rpy, multiply, rotate, to_rpy

        ours = (0.3, -0.2, 1.1)
        half_turn_x = (0.0, 1.0, 0.0, 0.0)
        there = multiply(multiply(half_turn_x, from_rpy(*ours)), (0.0, -1.0, 0.0, 0.0))
        assert to_rpy(there) == pytest.approx(Axes.Z_DOWN.angles(ours))
        assert rotate(half_turn_x, (1, 2, 3)) == pytest.approx(Axes.Z_DOWN.place((1, 2, 3)))

    def test_unreal_units_round_trip(self) -> None:
        assert axes.to_unreal(2.0) == 500.0
        assert axes.from_unreal(axes.to_unreal(1.3)) == pytest.approx(1.3)
        assert axes.to_unreal_angle(math.tau) == 65536
        assert axes.from_unreal_angle(axes.to_unreal_angle(3.1415)) == pytest.approx(
            3.1415, abs=1e-4
        )
