"""Description: base class of all options and file entries, and its error messages.

Worlds, robot files, and the options of robots, sensors, terrains and gateways are descriptions. A
description is frozen, rejects unknown keys and converts nothing, except an integer to a float and a
list to a tuple. An error message is one sentence with the given value, the allowed values and the
nearest match. Descriptions do not depend on files and lines: of a file,
`grouser.world.validation_errors` adds the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    ValidationError,
    model_validator,
)
from pydantic_core import (
    CoreSchema,
    ErrorDetails,
    PydanticCustomError,
    PydanticKnownError,
    core_schema,
)

from grouser.errors import BadValue, GrouserError, nearest

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of a file or mapping to a value."""

MESSAGES = {
    "float_type": "a number is needed",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_parsing": "a number is needed",
    "int_parsing": "a whole number is needed",
    "bool_parsing": "true or false is needed",
    "string_type": "text is needed",
    "bool_type": "true or false is needed",
    "dict_type": "a mapping (key: value) is needed",
    "mapping_type": "a mapping (key: value) is needed",
    "model_type": "a mapping (key: value) is needed",
    "model_attributes_type": "a mapping (key: value) is needed",
    "tuple_type": "a list is needed",
    "list_type": "a list is needed",
    "is_instance_of": "a {class} is needed",
    "finite_number": "must be finite",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "too_short": "must have at least {min_length} item(s)",
    "too_long": "must have at most {max_length} item(s)",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} character(s)",
    "string_pattern_mismatch": "must be a letter followed by letters, digits, '_' or '-'",
    "mistake": "{sentence}",
    "value_error": "{error}",
}
"""Message templates by pydantic's error type, formatted with the error's context."""


class Description(BaseModel):
    """Frozen options, or part of a file; unknown keys, nan and inf are rejected.

    Construction from Python raises `BadValue`, whose message names the class and the argument.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        validate_default=True,
        use_attribute_docstrings=True,
    )

    def __init__(self, /, **values: Any) -> None:
        """Validate ``values``, the fields by name."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            name = type(self).__name__
            raise BadValue(first_mistake(error, values, name).sentence()) from None

    # Marks for pydantic that this constructor only translates errors: nested descriptions are
    # validated without calling it and keep the path of an error.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def allowed_keys(cls) -> tuple[str, ...]:
        """Return the keys that files may contain."""
        return tuple(cls.model_fields)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: Any) -> Any:
        """Report the first unknown key, with all allowed ones."""
        if isinstance(data, dict):
            for key in data:
                if key not in cls.__pydantic_fields__:
                    context = {"allowed": cls.allowed_keys(), "inside": (key,)}
                    raise PydanticCustomError("unknown_key", "unknown key", context)
        return data

    @classmethod
    def from_options(cls, options: Mapping[str, Any], where: str, subject: str) -> Self:
        """Return the description of ``options``.

        Args:
            options: fields by name, as a file has them.
            where: location for error messages, e.g. ``"step.yaml line 12"``.
            subject: what is described, for error messages, e.g. ``"sensor 'laser'"``.

        Raises:
            BadValue: an option is unknown, missing or invalid.
        """
        try:
            return cls.model_validate(dict(options))
        except ValidationError as error:
            sentence = first_mistake(error, options, subject).sentence()
            raise BadValue(f"{where}: {sentence}") from None
        except GrouserError as error:
            raise BadValue(f"{where}: {subject}: {error}") from error

    def replace(self, **changes: Any) -> Self:
        """Return this description with other values of some fields, validated."""
        return type(self)(
            **{name: getattr(self, name) for name in type(self).model_fields} | changes
        )


def mistake(sentence: str, *inside: str | int) -> PydanticCustomError:
    """Return the error that a validator raises.

    Args:
        sentence: the fault, as the rest of a sentence that begins with the key: ``"must be …"``.
        inside: path of the value at fault, relative to the validated model (empty: the model).
    """
    return PydanticCustomError("mistake", "{sentence}", {"sentence": sentence, "inside": inside})


Item = TypeVar("Item")
Items = Annotated[tuple[Item, ...], Strict(False)]
"""List of any length, kept as a tuple."""
Positive = Annotated[float, Field(gt=0)]
"""A number above 0."""
NotNegative = Annotated[float, Field(ge=0)]
"""A number of at least 0."""
MaybeInfinite = Annotated[float, Field(gt=0, allow_inf_nan=True)]
"""A number above 0, or infinity."""


@dataclass(frozen=True)
class OneOf:
    """Annotation of a text field: a name in a table, which may grow while packages are installed.

    ``names`` returns the names.
    """

    names: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Return the validator."""
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON schema: the present names."""
        return {"type": "string", "enum": list(self.names())}

    def check(self, value: Any) -> str:
        """Return ``value`` if it is one of the names."""
        names = list(self.names())
        if value not in names:
            raise PydanticKnownError("literal_error", {"expected": ", ".join(names)})
        return str(value)


# -- errors ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mistake:
    """One error of pydantic with its path in the data."""

    kind: str
    """Pydantic's type of error."""
    path: KeyPath
    """Path of the value at fault, or of the missing or unknown key."""
    context: Mapping[str, Any]
    data: Any
    """Everything that was validated."""
    subject: str
    """Name of the whole in messages: ``"the world"``, ``"sensor 'laser'"``."""

    @classmethod
    def of(cls, details: ErrorDetails, data: Any, subject: str) -> Mistake:
        """Return the error ``details`` of the validation of ``data``."""
        context = details.get("ctx", {})
        loc = (*details["loc"], *context.get("inside", ()))
        if details["type"] in ("union_tag_invalid", "union_tag_not_found"):
            loc = (*loc, context["discriminator"].strip("'"))
        path, _ = _follow(data, loc)
        return cls(details["type"], path, context, data, subject)

    @property
    def given(self) -> Any:
        """Value at the path; None: there is none."""
        return _follow(self.data, self.path)[1]

    def sentence(self, *, named: bool = True) -> str:
        """Return the error as a sentence; with ``named`` it contains the subject."""
        subject = f"{self.subject}: " if named and len(self.path) > 1 else ""
        last = self.path[-1] if self.path else ""
        if self.kind == "unknown_key":
            allowed = sorted(self.context["allowed"])
            hint = nearest(str(last), allowed)
            listing = ", ".join(allowed) or "none"
            return f"{subject}unknown key {last!r} in {self._owner()}; allowed: {listing}{hint}"
        absent = self.kind == "union_tag_not_found" and self.given is None
        if absent or (self.kind == "missing" and not isinstance(last, int)):
            return f"{subject}{self._owner()} lacks '{last}'"
        if not self.path:  # the given value is the whole, which is not printed
            colon = ":" if self.kind == "value_error" else ""
            return f"{self.subject}{colon} {self._needed()}"
        subject = f"{self.subject}: " if named else ""
        if self.kind == "missing":  # too few items for a fixed-length tuple
            _, items = _follow(self.data, self.path[:-1])
            number = (
                f"{dotted_path(self.path[:-1])} is {display_value(items)}, more numbers are needed"
            )
            return f"{subject}{number}"
        if self.kind == "mistake" and isinstance(self.given, dict):
            return f"{subject}{dotted_path(self.path)} {self._needed()}"
        return f"{subject}{dotted_path(self.path)} is {display_value(self.given)}, {self._needed()}"

    def _needed(self) -> str:
        if self.kind in ("literal_error", "union_tag_invalid"):
            listing = str(self.context.get("expected") or self.context.get("expected_tags"))
            names = listing.replace(" or ", ", ").replace("'", "").split(", ")
            shown = ", ".join(name or "''" for name in names)
            return f"allowed: {shown}{nearest(str(self.given), names)}"
        template = MESSAGES.get(self.kind)
        return template.format(**self.context) if template else self.kind.replace("_", " ")

    def _owner(self) -> str:
        path = self.path[:-1]
        if not path:
            return self.subject
        _, part = _follow(self.data, path)
        kind = part.get("kind") if isinstance(part, dict) else None
        return f"{dotted_path(path)} ({kind})" if isinstance(kind, str) else dotted_path(path)


def mistakes(error: ValidationError, data: Any, subject: str) -> list[Mistake]:
    """Return the errors of the validation of ``data`` that are worth reporting."""
    found = [Mistake.of(details, data, subject) for details in error.errors(include_url=False)]
    # A list of invalid items is also reported as too short; the errors of its items are relevant.
    paths = [each.path for each in found]
    return [
        each
        for each in found
        if each.kind != "too_short"
        or not any(
            len(path) > len(each.path) and path[: len(each.path)] == each.path for path in paths
        )
    ]


def first_mistake(error: ValidationError, data: Any, subject: str) -> Mistake:
    """Return the first error of the validation of ``data``, in the order of its keys."""
    found = mistakes(error, data, subject)
    order = {key: place for place, key in enumerate(data)} if isinstance(data, Mapping) else {}
    return min(found, key=lambda each: order.get(each.path[0], -1) if each.path else len(order))


def _follow(data: Any, loc: Iterable[str | int]) -> tuple[KeyPath, Any]:
    """Return the path in the data that corresponds to pydantic's ``loc``, and the value there."""
    # ``loc`` also contains the kind of a discriminated part, which is no level of the data.
    path: KeyPath = ()
    for part in loc:
        if isinstance(data, Mapping):
            if part not in data and part in (data.get("kind"), data.get("shape")):
                continue
            data = data.get(part)
        elif isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            data = None
        path = (*path, part)
    return path, data


def dotted_path(path: Sequence[str | int]) -> str:
    """Return a path in dotted notation: ``terrain.1.height``."""
    return ".".join(str(part) for part in path)


def display_value(value: Any) -> str:
    """Return ``value`` in YAML spelling, on one line of at most 60 characters."""
    if value is None:
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
