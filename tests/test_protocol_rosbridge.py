"""rosbridge messages: parsing and encoding without a websocket."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.protocol.rosbridge import (
    LEVELS,
    LONGEST_NAME,
    Ignored,
    Problem,
    ServiceCall,
    ServiceResponse,
    SetLevel,
    Status,
    read_request,
)


def test_call_keeps_given_name_and_id() -> None:
    text = '{"op": "call_service", "id": "call_service:/roach/drive:1", "service": "/roach/drive"}'
    call = read_request(text)
    assert call == ServiceCall("roach/drive", None, "call_service:/roach/drive:1", "/roach/drive")
    assert read_request(text.encode()) == call


def test_arguments_are_passed_unchanged() -> None:
    call: Any = read_request('{"op": "call_service", "service": "a/b", "args": [1]}')
    assert call.args == [1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        ("[" * 60_000, "not JSON"),
        ("3", "must be a JSON object"),
        ("{}", "op is 'None', must be a string"),
        ('{"op": 3}', "op is '3', must be a string"),
        ('{"op": "call_servce"}', "did you mean 'call_service'"),
        ('{"op": "call_service"}', "'service' must be a name"),
        ('{"op": "call_service", "service": ""}', "'service' must be a name"),
        ('{"op": "set_level", "level": "loud"}', "none, error, warning, info"),
        ('{"op": "subscribe"}', "'topic' must be a name"),
        ('{"op": "subscribe", "topic": "a", "compression": "zip"}', "none, png, cbor, cbor-raw"),
        ('{"op": "subscribe", "topic": "a", "throttle_rate": -1}', "number from 0"),
        ('{"op": "subscribe", "topic": "a", "queue_length": NaN}', "number from 0"),
        ('{"op": "advertise", "topic": "a", "type": 3}', "'type' must be a name"),
        ('{"op": "fragment", "id": "a", "data": "", "num": 2, "total": 2}', "from 0 to 1"),
        ('{"op": "advertise_service", "service": "a"}', "does not call services"),
        ('{"op": "fragment", "data": ""}', "'id' is needed"),
        ('{"op": "auth", "mac": ""}', "Authorization: Bearer"),
    ],
)
def test_malformed_message_returns_a_one_line_problem(text: str | bytes, words: str) -> None:
    problem = read_request(text)
    assert isinstance(problem, Problem)
    assert words in problem.text
    assert "\n" not in problem.text


def request_id(text: str) -> str | None:
    """Return the id of a request with an id."""
    request: Any = read_request(text)
    found: str | None = request.id
    return found


def test_problem_has_the_id_of_its_message_if_that_is_valid() -> None:
    assert request_id('{"op": "publish", "id": "p1"}') == "p1"
    assert request_id(json.dumps({"op": "publish", "id": "x" * (LONGEST_NAME + 1)})) is None
    assert request_id('{"op": "publish", "id": {"a": 1}}') is None


def test_verbosity_level_selects_status_messages() -> None:
    assert read_request('{"op": "set_level", "level": "none"}') == SetLevel("none")
    assert [level for level in LEVELS if Status("x").is_sent_at(level)] == list(LEVELS[1:])


def test_status_of_a_client_is_ignored() -> None:
    assert read_request('{"op": "status", "level": "info", "msg": "hi"}') == Ignored()


def test_responses_have_the_fields_of_rosbridge() -> None:
    values = {"success": True, "message": "…"}
    assert json.loads(ServiceResponse("/a/b", values, True, "7").encode()) == {
        "op": "service_response", "id": "7", "service": "/a/b", "values": values, "result": True,
    }  # fmt: skip
    assert json.loads(Status("why").encode()) == {"op": "status", "level": "error", "msg": "why"}


@given(st.one_of(st.text(), st.binary()))
def test_arbitrary_input_does_not_raise(text: str | bytes) -> None:
    read_request(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    ),
    st.sampled_from(("call_service", "set_level", "publish", "status", "x")),
)
def test_arbitrary_field_values_do_not_raise(
    value: bool | list[dict[Any, Any] | list[bool | str | float] | None] | dict[str, Any] | None,
    operation: str,
) -> None:
    for key in ("service", "level", "id", "args"):
        request = read_request(json.dumps({"op": operation, key: value}))
        if isinstance(request, Problem):
            Status(request.text, id=request.id).encode()
