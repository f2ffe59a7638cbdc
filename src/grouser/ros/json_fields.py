"""Messages as the JSON values of rosbridge, in the forms of ROS 1 and ROS 2.

The messages themselves are those of ROS 2. The form of ROS 1 has its names of types (without
``/msg``), of times (``secs``, ``nsecs``) and of fields (``K`` for ``k``); a field that ROS 2 does
not have is 0 or empty.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, MissingDependency
from grouser.ros.definitions import EXTRA, message_type, type_store

RosVersion = Literal[1, 2]

DEEPEST = 8
"""Levels of messages in messages."""

LARGEST = 1e300
"""Largest magnitude of a number."""

_INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"byte"}
_FLOATS = {"float32", "float64"}
_TIMES = {"builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"}


@dataclass(frozen=True)
class FieldType:
    """Field of a message."""

    name: str
    """In JSON."""
    attribute: str
    """In the message."""
    kind: str
    """Name of a message type, or of a basic one such as ``float64``."""
    length: int | None
    """None: a single value; 0: a list; else the length of an array."""


def short_name(kind: str, version: RosVersion) -> str:
    """Return the name of a type in a version: ``sensor_msgs/Imu`` in ROS 1."""
    return kind.replace("/msg/", "/").replace("/srv/", "/") if version == 1 else kind


def full_name(kind: str) -> str:
    """Return the name of a message type in ROS 2; ``kind`` may be in the form of ROS 1."""
    package, _, name = kind.partition("/")
    return kind if "/" in name or not name else f"{package}/msg/{name}"


@cache
def _store(version: RosVersion) -> Any:
    if version == 2:
        return type_store()
    try:
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise MissingDependency(f"ROS messages need the package rosbags: {EXTRA}") from error
    return get_typestore(Stores.ROS1_NOETIC)


@cache
def fields(kind: str, version: RosVersion) -> tuple[FieldType, ...]:
    """Return the fields of a message type in a version."""
    if kind in _TIMES and version == 1:
        return (
            FieldType("secs", "sec", "int32", None),
            FieldType("nsecs", "nanosec", "uint32", None),
        )
    own = {name for name, _ in type_store().fielddefs[kind][1]}
    known = _store(version).fielddefs
    described = known[kind] if kind in known else type_store().fielddefs[kind]
    found = []
    for name, field in described[1]:
        attribute = name if name in own else name.lower()
        found.append(FieldType(name, attribute if attribute in own else "", *_kind(field)))
    return tuple(found)


def _kind(described: Any) -> tuple[str, int | None]:
    """Return the type of a field and its length."""
    node, value = int(described[0]), described[1]
    if node in (3, 4):  # array, sequence
        inner, length = value
        return _kind(inner)[0], int(length) if node == 3 else 0
    return (value if isinstance(value, str) else value[0]), None


# -- to JSON ---------------------------------------------------------------------------------------


def to_json(message: Any, version: RosVersion, *, binary: bool = False) -> dict[str, Any]:
    """Return the fields of a message.

    Args:
        message: the message.
        version: form.
        binary: leave arrays of numbers as they are, for CBOR; else bytes are base64, and numbers
            that are not finite None, which is JSON's null.
    """
    return _converter(message.__msgtype__, version, binary)(message)


@cache
def _converter(kind: str, version: RosVersion, binary: bool) -> Callable[[Any], dict[str, Any]]:
    """Return the function that returns the fields of messages of a type."""
    parts = [
        (each.name, each.attribute, _field_converter(each, version, binary))
        for each in fields(kind, version)
    ]

    def convert(message: Any) -> dict[str, Any]:
        return {
            name: value_of(getattr(message, attribute) if attribute else None)
            for name, attribute, value_of in parts
        }

    return convert


def _field_converter(field: FieldType, version: RosVersion, binary: bool) -> Callable[[Any], Any]:
    """Return the function that converts the value of a field."""
    if not field.attribute:
        return lambda _: _zero(field, version)
    of_number = _identity if binary else _finite
    if field.kind in _INTEGERS or field.kind in _FLOATS or field.kind in ("bool", "string"):
        return _array_converter(binary, list) if field.length is not None else of_number
    of_message = _converter(field.kind, version, binary)
    if field.length is None:
        return of_message
    return _array_converter(binary, lambda values: [of_message(value) for value in values])


def _array_converter(binary: bool, of_list: Callable[[Any], list[Any]]) -> Callable[[Any], Any]:
    """Return the function that converts arrays, and lists by ``of_list``."""
    of_array = _identity if binary else _array
    return lambda value: of_array(value) if isinstance(value, np.ndarray) else of_list(value)


def _identity(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _finite(value: Any) -> Any:
    """Return a value as Python's; None for a number that is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _array(values: npt.NDArray[Any]) -> Any:
    if values.dtype == np.uint8:
        return base64.b64encode(values.tobytes()).decode()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [one if math.isfinite(one) else None for one in values.tolist()]
    return values.tolist()


def _zero(field: FieldType, version: RosVersion) -> Any:
    """Return the default of a field."""
    if field.length is not None:
        if field.kind == "uint8":
            return base64.b64encode(bytes(field.length)).decode()
        return [_zero(FieldType("", "", field.kind, None), version)] * field.length
    if field.kind == "string":
        return ""
    if field.kind == "bool":
        return False
    if field.kind in _FLOATS:
        return 0.0
    if field.kind in _INTEGERS:
        return 0
    return {each.name: _zero(each, version) for each in fields(field.kind, version)}


def example(kind: str, version: RosVersion) -> dict[str, Any]:
    """Return the default message of a type."""
    return {each.name: _zero(each, version) for each in fields(kind, version)}


def check_finite(message: Any) -> None:
    """Raise `BadValue` if a message has a number that is not finite."""
    from_json(to_json(message, 2), message.__msgtype__)


# -- from JSON -------------------------------------------------------------------------------------


def from_json(content: Any, kind: str) -> Any:
    """Return the message of JSON values, in the form of either version; missing fields are 0.

    Raises:
        BadValue: a field is unknown or has another type.
    """
    return _message(content, kind, kind.rpartition("/")[2], 0)


def _message(content: Any, kind: str, where: str, depth: int) -> Any:
    if not isinstance(content, Mapping) or depth > DEEPEST:
        raise BadValue(f"{where} is {_quote(content)}, must be an object of type {kind}")
    known = {field.name: field for version in (1, 2) for field in fields(kind, version)}
    for name in content:
        if name not in known:
            raise BadValue(f"{where} has no field '{str(name)[:40]}'; it has {', '.join(known)}")
    values = {}
    for field in fields(kind, 2):
        names = [n for n, other in known.items() if other.attribute == field.attribute]
        given = [content[name] for name in names if name in content]
        spot = f"{where}.{field.name}"
        values[field.name] = _parse(given[0] if given else None, bool(given), field, spot, depth)
    return message_type(kind)(**values)


def _parse(value: Any, given: bool, field: FieldType, where: str, depth: int) -> Any:
    if field.length is None:
        if not given:
            value = {} if "/" in field.kind else _zero(field, 2)
        return _single(value, field.kind, where, depth)
    if not given:
        value = [_zero(FieldType("", "", field.kind, None), 2)] * field.length
    if isinstance(value, str) and field.kind in ("uint8", "byte"):
        try:
            value = list(base64.b64decode(value, validate=True))
        except binascii.Error:
            raise BadValue(f"{where} is not base64") from None
    if not isinstance(value, list):
        raise BadValue(f"{where} is {_quote(value)}, must be a list")
    if field.length and len(value) != field.length:
        raise BadValue(f"{where} has {len(value)} elements, must have {field.length}")
    items = [_single(one, field.kind, f"{where}[{i}]", depth) for i, one in enumerate(value)]
    numeric = field.kind in _FLOATS or field.kind in _INTEGERS
    return np.array(items, "uint8" if field.kind == "byte" else field.kind) if numeric else items


def _single(value: Any, kind: str, where: str, depth: int) -> Any:
    if kind in _FLOATS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue(f"{where} is {_quote(value)}, must be a number")
        if not abs(value) <= LARGEST:
            raise BadValue(f"{where} is {_quote(value)}, must be finite")
        return float(value)
    if kind in _INTEGERS:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        low, high = _range(kind)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadValue(f"{where} is {_quote(value)}, must be a whole number, {low} to {high}")
        return value
    if kind in ("bool", "string"):
        if not isinstance(value, bool if kind == "bool" else str):
            needed = "true or false" if kind == "bool" else "text"
            raise BadValue(f"{where} is {_quote(value)}, must be {needed}")
        return value
    return _message(value, kind, where, depth + 1)


def _range(kind: str) -> tuple[int, int]:
    bits = 8 if kind == "byte" else int(kind.lstrip("uint"))
    signed = kind[0] == "i"
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _quote(value: Any) -> str:
    return repr(value)[:40]
