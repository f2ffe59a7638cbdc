"""The socketcand protocol, against python-can's own socketcand interface."""

import contextlib
from collections.abc import Callable
from typing import Any

import can
import pytest
from can.interfaces.socketcand.socketcand import (
    convert_ascii_message_to_can_message,
    convert_can_message_to_ascii_message,
)
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.can.socketcand import (
    ECHO,
    HI,
    LONGEST,
    OK,
    RAW_MODE,
    AddJob,
    BusAnswer,
    ControlMode,
    DeleteJob,
    EchoRequest,
    MessageSplitter,
    OpenBus,
    RawMode,
    ReceivedFrame,
    RequestStatistics,
    SendFrame,
    SubscribeId,
    UnknownRequest,
    UpdateJob,
    encode_error,
    encode_frame,
    encode_open,
    encode_send,
    read_answer,
    read_request,
)
from grouser.protocol.lines import Fault


@st.composite
def frames(draw: Callable[..., Any]) -> CanFrame | None:
    extended = draw(st.booleans())
    most = 0x1FFFFFFF if extended else 0x7FF
    return CanFrame(draw(st.integers(0, most)), draw(st.binary(max_size=8)), extended)


def one(data: bytes) -> str:
    (text,) = MessageSplitter().feed(data)
    assert isinstance(text, str)
    return text


@given(frames())
def test_frame_encoding_agrees_with_python_can(frame: CanFrame) -> None:
    message = can.Message(
        arbitration_id=frame.id, data=frame.data, is_extended_id=frame.extended, check=True
    )
    sent = convert_can_message_to_ascii_message(message).encode()
    assert read_request(one(sent)) == SendFrame(frame)
    assert read_request(one(encode_send(frame))) == SendFrame(frame)
    received = convert_ascii_message_to_can_message(encode_frame(frame, 23.424242).decode())
    assert (received.arbitration_id, bytes(received.data)) == (frame.id, frame.data)
    assert received.is_extended_id == frame.extended
    assert received.timestamp == 23.424242
    assert read_answer(one(encode_frame(frame, 23.424242))) == ReceivedFrame(frame, 23.424242)


@given(st.lists(frames(), max_size=6), st.lists(st.integers(1, 30), max_size=20))
def test_messages_split_over_packets_are_reassembled(many: list[CanFrame], cuts: list[int]) -> None:
    data, splitter, texts = b"".join(map(encode_send, many)), MessageSplitter(), []
    for cut in (*cuts, len(data)):
        texts += splitter.feed(data[:cut])
        data = data[cut:]
    texts += splitter.feed(data)
    assert len(texts) == len(many)
    assert [read_request(text) for text in texts if isinstance(text, str)] == [
        SendFrame(frame) for frame in many
    ]


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("open can0", OpenBus("can0")),
        ("open can0:5PzVhqXkJY0qYt4v", OpenBus("can0", "5PzVhqXkJY0qYt4v")),
        ("rawmode", RawMode()),
        ("echo", EchoRequest()),
        ("send 123 0", SendFrame(CanFrame(0x123, b""))),
        ("send 1AAAAAAA 2 1 F1", SendFrame(CanFrame(0x1AAAAAAA, b"\x01\xf1", True))),
        ("subscribe 0 0 123", SubscribeId(0x123, False, True)),
        ("unsubscribe 00000123", SubscribeId(0x123, True, False)),
        ("subscribe 1 500000 123", SubscribeId(0x123, False, True, 1.5)),
        ("add 0 20000 123 4 42 42 42 42", AddJob(CanFrame(0x123, b"BBBB"), 0.02)),
        ("update 123 3 11 22 33", UpdateJob(CanFrame(0x123, b"\x11\x22\x33"))),
        ("delete 123", DeleteJob(0x123, False)),
        ("controlmode", ControlMode()),
        ("statistics 1000", RequestStatistics(1.0)),
    ],
)
def test_valid_requests_are_parsed(text: str, request_: Any) -> None:
    assert read_request(text) == request_
    assert read_request(one(f"<{text}>".encode())) == request_


@pytest.mark.parametrize(
    "text",
    [
        "open",
        "open a_bus_with_a_long_name",
        "send",
        "send 123",
        "send 800 0",
        "send 20000000 0",
        "send 123 9 1 2 3 4 5 6 7 8 9",
        "send 123 2 1",
        "send 123 1 1 2",
        "send 123 1 100",
        "send 123 1 0x1",
        "send -1 0",
        "send 12G 0",
        "add 1 0 123",
        "add 1 123 0",
        "update 123 2 1",
        "delete",
        "statistics -1",
        "subscribe 123",
        "unsubscribe 0 0 123",
        "subscribe 0 0 800",
    ],
)
def test_malformed_requests_raise_bad_value(text: str) -> None:
    with pytest.raises(BadValue) as refusal:
        read_request(text)
    assert not isinstance(refusal.value, UnknownRequest)


def test_unknown_command_lists_the_supported_ones() -> None:
    with pytest.raises(UnknownRequest, match="unknown command 'muxfilter', known: open, rawmode"):
        read_request("muxfilter 0 0 123 2")


def test_answers_round_trip() -> None:
    assert read_answer(one(HI)) == BusAnswer("hi")
    assert read_answer(one(OK)) == BusAnswer("ok")
    assert read_answer(one(ECHO)) == BusAnswer("echo")
    assert read_answer(one(encode_error("no <such>\n bus"))) == BusAnswer("error", "no such bus")
    assert read_request(one(RAW_MODE)) == RawMode()
    assert read_request(one(encode_open("can0", "secret"))) == OpenBus("can0", "secret")
    with pytest.raises(BadValue):
        read_answer("frame 12 1.0 11")


def test_overlong_message_is_dropped_and_parsing_resumes() -> None:
    splitter = MessageSplitter()
    (fault,) = splitter.feed(b"<" + b"x" * (LONGEST + 1))
    assert isinstance(fault, Fault)
    assert splitter.feed(b"y" * 10_000) == []
    stray, echo = splitter.feed(b"z >< echo >")
    assert isinstance(stray, Fault)
    assert echo == "echo"


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_only_bad_value(data: bytes) -> None:
    splitter = MessageSplitter()
    for text in splitter.feed(data) + splitter.feed(b" >"):
        if isinstance(text, str):
            for read in (read_request, read_answer):
                with contextlib.suppress(BadValue):
                    read(text)
    assert splitter.feed(b"< echo >")[-1] == "echo"


def test_interval_below_a_millisecond_is_refused_with_an_answer() -> None:
    with pytest.raises(UnknownRequest, match="must be 0 or at least 0.001 s"):
        read_request("add 0 10 123 0")
