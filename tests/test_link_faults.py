"""Fault injection on links: configured statistics, reproducible by seed."""

from typing import Any

import pytest

from grouser.cli.options import link_faults
from grouser.errors import BadValue
from grouser.protocol.link_faults import FaultyLink, LinkCounts, LinkFaults

MANY = 20_000
EVERY = 0.01


def arrivals(faults: LinkFaults, name: str = "there") -> tuple[list[tuple[int, float]], LinkCounts]:
    """Send messages every 10 ms; return (message, arrival time) pairs and the counters."""
    link: FaultyLink[int] = FaultyLink(faults, name)
    arrived: list[tuple[int, float]] = []
    for number in range(MANY):
        now = number * EVERY
        link.send(number, now)
        arrived += [(item, now) for item in link.due(now)]
    end = MANY * EVERY + faults.delay + faults.jitter
    arrived += [(item, end) for item in link.due(end)]
    assert not link.due(float("inf"))
    return arrived, link.counts


def test_link_without_faults_delivers_immediately() -> None:
    assert not LinkFaults()
    arrived, counts = arrivals(LinkFaults())
    assert arrived == [(number, number * EVERY) for number in range(MANY)]
    assert (counts.lost, counts.doubled, counts.overtaken) == (0, 0, 0)


def test_fault_statistics_match_the_configuration() -> None:
    faults = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=4)
    arrived, counts = arrivals(faults)
    assert counts.sent == MANY
    assert counts.lost / MANY == pytest.approx(0.3, abs=0.015)  # 4 sigma
    assert counts.doubled / (MANY - counts.lost) == pytest.approx(0.1, abs=0.01)
    assert len(arrived) == MANY - counts.lost + counts.doubled
    assert counts.overtaken > 0.1 * MANY
    late = [now - item * EVERY for item, now in arrived if now < MANY * EVERY]
    assert min(late) >= 0
    assert max(late) <= 0.06 + EVERY
    assert sum(late) / len(late) == pytest.approx(0.03 + EVERY / 2, abs=0.002)


def test_faults_are_reproducible_by_seed_and_differ_by_link_name() -> None:
    faults = LinkFaults(delay=0.02, jitter=0.02, loss=0.2, double=0.2, seed=1)
    again, other = arrivals(faults), arrivals(faults, "back")
    assert arrivals(faults) == again
    assert other != again
    assert arrivals(LinkFaults(delay=0.02, jitter=0.02, loss=0.2, double=0.2, seed=2)) != again


def test_fate_of_a_message_depends_on_its_number_only() -> None:
    faults = LinkFaults(loss=0.5, seed=9)
    early: FaultyLink[int] = FaultyLink(faults, "a")
    late: FaultyLink[int] = FaultyLink(faults, "a")
    for number in range(100):
        early.send(number, 0.0)
        late.send(number, number * 0.7)
    assert early.due(0.0) == late.due(70.0)


def test_command_line_options_are_parsed() -> None:
    parsed = link_faults("20ms", "0.005s", "2%", "0.1", 7)
    assert parsed == LinkFaults(delay=0.02, jitter=0.005, loss=0.02, double=0.1, seed=7)
    assert not link_faults("0", "0ms", "0", "0%", 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("20", "0", "0", "0"), "--delay is '20', must be a time, such as 20ms or 0.02s"),
        (("0", "-5ms", "0", "0"), "--jitter is '-5ms', must be a time"),
        (("0", "0", "101%", "0"), "--loss is '101%', must be a share"),
        (("0", "0", "2", "0"), "--loss is '2', must be a share"),
        (("0", "0", "5ms", "0"), "--loss is '5ms', must be a share"),
        (("0", "0", "0", "often"), "--double is 'often', must be a share"),
        (("nan", "0", "0", "0"), "--delay is 'nan', must be a time"),
    ],
)
def test_invalid_command_line_options_are_rejected(
    given: tuple[str, str, str, str], message: str
) -> None:
    with pytest.raises(BadValue) as refusal:
        link_faults(*given, 0)
    assert message in str(refusal.value)


@pytest.mark.parametrize("bad", [{"delay": -1}, {"jitter": float("nan")}, {"loss": 1.1}])
def test_parameters_out_of_range_are_rejected(bad: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=next(iter(bad))):
        LinkFaults(**bad)
