"""rosbridge messages: what clients say and what they are answered, without a websocket."""

import json

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


def test_a_call_keeps_its_name_as_given_and_its_id():
    text = '{"op": "call_service", "id": "call_service:/roach/drive:1", "service": "/roach/drive"}'
    call = read_request(text)
    assert call == ServiceCall("roach/drive", None, "call_service:/roach/drive:1", "/roach/drive")
    assert read_request(text.encode()) == call


def test_args_come_as_they_are():
    assert read_request('{"op": "call_service", "service": "a/b", "args": [1]}').args == [1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ("", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        ("[" * 60_000, "no JSON"),
        ("3", "JSON object is needed"),
        ("{}", "no 'op'"),
        ('{"op": 3}', "no 'op'"),
        ('{"op": "call_servce"}', "did you mean 'call_service'"),
        ('{"op": "call_service"}', "'service' must be a name"),
        ('{"op": "call_service", "service": ""}', "'service' must be a name"),
        ('{"op": "set_level", "level": "loud"}', "none, error, warning, info"),
        ('{"op": "subscribe", "topic": "/scan"}', "no topics"),
        ('{"op": "advertise_service", "service": "a"}', "calls no services"),
        ('{"op": "fragment", "data": ""}', "in one piece"),
        ('{"op": "auth", "mac": ""}', "Authorization: Bearer"),
    ],
)
def test_what_is_wrong_gets_one_sentence(text, words):
    problem = read_request(text)
    assert isinstance(problem, Problem)
    assert words in problem.text
    assert "\n" not in problem.text


def test_a_problem_has_the_id_of_its_message_unless_that_is_a_monster():
    assert read_request('{"op": "publish", "id": "p1"}').id == "p1"
    assert read_request(json.dumps({"op": "publish", "id": "x" * (LONGEST_NAME + 1)})).id is None
    assert read_request('{"op": "publish", "id": {"a": 1}}').id is None


def test_levels_decide_what_is_heard():
    assert read_request('{"op": "set_level", "level": "none"}') == SetLevel("none")
    assert [level for level in LEVELS if Status("x").heard_at(level)] == list(LEVELS[1:])


def test_a_clients_own_status_needs_no_answer():
    assert read_request('{"op": "status", "level": "info", "msg": "hi"}') == Ignored()


def test_answers_are_what_the_protocol_says():
    values = {"success": True, "message": "…"}
    assert json.loads(ServiceResponse("/a/b", values, True, "7").encode()) == {
        "op": "service_response", "id": "7", "service": "/a/b", "values": values, "result": True,
    }  # fmt: skip
    assert json.loads(Status("why").encode()) == {"op": "status", "level": "error", "msg": "why"}


@given(st.one_of(st.text(), st.binary()))
def test_nothing_raises(text):
    read_request(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    ),
    st.sampled_from(("call_service", "set_level", "publish", "status", "x")),
)
def test_no_field_raises(value, operation):
    for key in ("service", "level", "id", "args"):
        request = read_request(json.dumps({"op": operation, key: value}))
        if isinstance(request, Problem):
            Status(request.text, id=request.id).encode()
