"""Links that go wrong on purpose: as was asked for, and the same with the same seed."""

import pytest

from grouser.cli.link_options import link_faults
from grouser.errors import BadValue
from grouser.protocol.link_faults import FaultyLink, LinkFaults

MANY = 20_000
EVERY = 0.01


def arrivals(faults, name="there"):
    """Return what arrives when, of messages sent every 10 ms, and the link."""
    link, heard = FaultyLink(faults, name), []
    for number in range(MANY):
        now = number * EVERY
        link.send(number, now)
        heard += [(item, now) for item in link.due(now)]
    end = MANY * EVERY + faults.delay + faults.jitter
    heard += [(item, end) for item in link.due(end)]
    assert link.next_due == float("inf")
    return heard, link.counts


def test_a_link_without_faults_passes_everything_on_at_once():
    assert not LinkFaults()
    heard, counts = arrivals(LinkFaults())
    assert heard == [(number, number * EVERY) for number in range(MANY)]
    assert (counts.lost, counts.doubled, counts.overtaken) == (0, 0, 0)


def test_the_faults_are_those_that_were_asked_for():
    faults = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=4)
    heard, counts = arrivals(faults)
    assert counts.sent == MANY
    assert counts.lost / MANY == pytest.approx(0.3, abs=0.015)  # 4 sigma
    assert counts.doubled / (MANY - counts.lost) == pytest.approx(0.1, abs=0.01)
    assert len(heard) == MANY - counts.lost + counts.doubled
    assert counts.overtaken > 0.1 * MANY
    late = [now - item * EVERY for item, now in heard if now < MANY * EVERY]
    assert min(late) >= 0
    assert max(late) <= 0.06 + EVERY
    assert sum(late) / len(late) == pytest.approx(0.03 + EVERY / 2, abs=0.002)


def test_the_same_seed_is_the_same_luck_and_each_link_has_its_own():
    faults = LinkFaults(delay=0.02, jitter=0.02, loss=0.2, double=0.2, seed=1)
    again, other = arrivals(faults), arrivals(faults, "back")
    assert arrivals(faults) == again
    assert other != again
    assert arrivals(LinkFaults(delay=0.02, jitter=0.02, loss=0.2, double=0.2, seed=2)) != again


def test_one_message_more_changes_nobody_elses_luck():
    """A message's luck hangs on its number alone, not on when it or others are sent."""
    faults = LinkFaults(loss=0.5, seed=9)
    early, late = FaultyLink(faults, "a"), FaultyLink(faults, "a")
    for number in range(100):
        early.send(number, 0.0)
        late.send(number, number * 0.7)
    assert early.due(0.0) == late.due(70.0)


def test_what_was_typed():
    typed = link_faults("20ms", "0.005s", "2%", "0.1", 7)
    assert typed == LinkFaults(delay=0.02, jitter=0.005, loss=0.02, double=0.1, seed=7)
    assert not link_faults("0", "0ms", "0", "0%", 0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("20", "0", "0", "0"), "--delay is '20', a time is needed, such as 20ms or 0.02s"),
        (("0", "-5ms", "0", "0"), "--jitter is '-5ms', a time"),
        (("0", "0", "101%", "0"), "--loss is '101%', a share"),
        (("0", "0", "2", "0"), "--loss is '2', a share"),
        (("0", "0", "5ms", "0"), "--loss is '5ms', a share"),
        (("0", "0", "0", "often"), "--double is 'often', a share"),
        (("nan", "0", "0", "0"), "--delay is 'nan', a time"),
    ],
)
def test_what_cannot_be(given, says):
    with pytest.raises(BadValue) as refusal:
        link_faults(*given, 0)
    assert says in str(refusal.value)


@pytest.mark.parametrize("bad", [{"delay": -1}, {"jitter": float("nan")}, {"loss": 1.1}])
def test_faults_that_no_link_has(bad):
    with pytest.raises(BadValue, match=next(iter(bad))):
        LinkFaults(**bad)
