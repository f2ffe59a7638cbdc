"""Protocol dialects of the three USARSim server generations, as data.

UT2004 (2004-2010) served Kurose's Kenaf and Zaratti's AIBO and QRIO; UT3 is a partial port; UDK
(2010-2013) is the last generation. Clients parse strictly, so each port serves one dialect. UT3
behaviour that is not documented follows UDK, which uses the same engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto

from grouser.errors import unknown
from grouser.protocol.usarsim.values import (
    FixedDecimals,
    NumberStyle,
    ShortestDecimals,
    TrimmedDecimals,
)


class Quantity(Enum):
    """Kind of a number; each dialect defines the digits per kind."""

    EXACT = auto()
    """Number in a command."""
    STAMP = auto()
    """Time of a reading, s."""
    SCAN_STAMP = auto()
    """Time of a range scan, s."""
    STATE_STAMP = auto()
    """Time of a robot's or a package's state and of a response, s."""
    TRUTH = auto()
    """True pose, m and rad."""
    INS = auto()
    """Pose from inertial navigation, m and rad."""
    SCAN = auto()
    """Ranges of a scan, m."""
    SCALAR = auto()
    """Other numbers: single range, joint angle, odometry."""
    STEER = auto()
    """Steering angles in STA, rad."""
    PLACE = auto()
    """Position of a detected victim, tag or object, m."""
    LAYOUT = auto()
    """Vectors in GEO, m and rad."""
    LINK = auto()
    """Vectors in GEO of mission packages and actuators, m and rad."""
    LIMIT = auto()
    """Torque and limits of the links of actuators."""
    COARSE = auto()
    """Torques, gas densities, limits of package links."""

    __hash__ = object.__hash__  # faster than Enum's Python hash; looked up per written number


class OneSided(StrEnum):
    """Effect of a DRIVE with only one of Left and Right."""

    WORKS = auto()
    """The other side keeps its speed."""
    ZERO = auto()
    """The other side stops."""
    IGNORED = auto()
    """The command is ignored, as is an incomplete Ackerman DRIVE."""


@dataclass(frozen=True, eq=False)
class Dialect:
    """Reading and writing rules of one server generation."""

    name: str
    """Key in `DIALECTS`."""
    styles: Mapping[Quantity, NumberStyle]
    """Number format per quantity."""
    legged: str
    """Type name of a legged robot in STA, GEO and CONF."""
    packed: bool
    """Sensors of one type share a line; name and value share a segment."""
    time_first: bool
    """STA begins with Time and Battery; otherwise with Type."""
    conf_name_first: bool
    """CONF of a robot begins with Name; otherwise with Type."""
    flippers: bool
    """STA of a ground vehicle contains its joint angles."""
    view: bool
    """STA contains the tile index in the mosaic."""
    bursts: bool
    """Readings and state are sent together, once per period of the state."""
    responses: bool
    """SET is answered by RES."""
    package_state: str
    """Message type of the state of a mission package."""
    package_command: str
    """Message type that moves a package: MISPKG counts links from 1, ACT from 0."""
    effector_status: bool
    """EFF contains ``{Status OPEN}``; otherwise ``{Open}``."""
    untimed: frozenset[str]
    """Sensor types sent without a Time segment."""
    unsigned: frozenset[str]
    """Sensor types whose angles lie in [0, 2 pi)."""
    wrapped: frozenset[str]
    """Sensor types whose heading lies in (-pi, pi]; others count full turns."""
    spelling: Mapping[str, str]
    """CONF keys with a different spelling."""
    glued: bool
    """GEO and CONF of a camera omit some blanks."""
    one_sided: OneSided
    """Effect of a DRIVE with one side."""
    sticky_normalized: bool
    """``{Normalized true}`` holds until it is changed; otherwise for its own DRIVE only."""
    exact_true: bool
    """In DRIVE only lower-case ``true`` counts as true; any other value is false."""

    def write(self, quantity: Quantity, value: float) -> str:
        """Return a number as text."""
        return self.styles[quantity].text(value)


_UT2004_STYLES: Mapping[Quantity, NumberStyle] = {
    Quantity.EXACT: ShortestDecimals(),
    Quantity.STAMP: FixedDecimals(4),
    Quantity.SCAN_STAMP: FixedDecimals(2),
    Quantity.STATE_STAMP: FixedDecimals(2),
    Quantity.TRUTH: FixedDecimals(2),
    Quantity.INS: FixedDecimals(2),
    Quantity.SCAN: FixedDecimals(4),
    Quantity.SCALAR: FixedDecimals(4),
    Quantity.STEER: FixedDecimals(4),
    Quantity.PLACE: FixedDecimals(2),
    Quantity.LAYOUT: FixedDecimals(4),
    Quantity.LINK: FixedDecimals(4),
    Quantity.LIMIT: FixedDecimals(4),
    Quantity.COARSE: FixedDecimals(2),
}

_UDK_STYLES: Mapping[Quantity, NumberStyle] = {
    **_UT2004_STYLES,
    Quantity.SCAN_STAMP: FixedDecimals(4),
    Quantity.STATE_STAMP: FixedDecimals(4),
    Quantity.TRUTH: FixedDecimals(3, cut=True),
    Quantity.SCAN: FixedDecimals(2, cut=True),
    Quantity.SCALAR: FixedDecimals(4, cut=True),
    Quantity.STEER: TrimmedDecimals(),
    Quantity.LAYOUT: FixedDecimals(2),
    Quantity.LINK: FixedDecimals(3),
}

UT2004 = Dialect(
    name="ut2004",
    styles=_UT2004_STYLES,
    legged="LeggedRobot",
    packed=True,
    time_first=False,
    conf_name_first=False,
    flippers=True,
    view=True,
    bursts=True,
    responses=True,
    package_state="MISSTA",
    package_command="MISPKG",
    effector_status=False,
    untimed=frozenset({"Encoder", "GPS", "INS", "Odometry", "Touch", "Tachometer", "CO2Sensor"}),
    unsigned=frozenset({"GroundTruth", "INS"}),
    wrapped=frozenset({"Odometry"}),
    spelling={"Panning": "Paning"},
    glued=False,
    one_sided=OneSided.WORKS,
    sticky_normalized=False,
    exact_true=False,
)

UT3 = Dialect(
    name="ut3",
    styles=_UDK_STYLES,
    legged="LeggedRobot",
    packed=False,
    time_first=False,
    conf_name_first=False,
    flippers=False,
    view=False,
    bursts=False,
    responses=False,
    package_state="MISSTA",
    package_command="MISPKG",
    effector_status=False,
    untimed=frozenset({"INS", "GPS"}),
    unsigned=frozenset({"INS"}),
    wrapped=frozenset(),
    spelling={},
    glued=False,
    one_sided=OneSided.ZERO,
    sticky_normalized=False,
    exact_true=False,
)

UDK = replace(
    UT3,
    name="udk",
    legged="LeggedVehicle",
    time_first=True,
    conf_name_first=True,
    package_state="ASTA",
    package_command="ACT",
    effector_status=True,
    glued=True,
    one_sided=OneSided.IGNORED,
    sticky_normalized=True,
    exact_true=True,
)

DIALECTS: dict[str, Dialect] = {"ut2004": UT2004, "ut3": UT3, "udk": UDK}
"""Name of an option → dialect."""


def dialect(name: str) -> Dialect:
    """Return the dialect called ``name``, in any case."""
    try:
        return DIALECTS[name.lower()]
    except KeyError:
        raise unknown("protocol", "dialect", name, DIALECTS) from None
