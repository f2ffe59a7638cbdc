"""Stateful fuzzing: sequences of valid lines of several clients end neither server nor service."""

import random
import time
from pathlib import Path

import pytest
from support.fuzzing.lines import FORMS, LineSource
from support.fuzzing.run import run_sequence
from support.fuzzing.sequence import FuzzSequence, Step, minimise, random_sequence

from grouser.gateways.usarsim.session import Session

CASES = sorted((Path(__file__).parent / "fuzz_cases").glob("*.txt"))
"""Sequences that once found a fault, shortened."""
SLOW_SECONDS = 120.0


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_sequence_that_once_found_a_fault_finds_none(case: Path) -> None:
    assert run_sequence(FuzzSequence.parse(case.read_text())) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_sequence_finds_no_fault(seed: int) -> None:
    assert run_sequence(random_sequence(seed, 200)) == []


@pytest.mark.slow
def test_random_sequences_of_two_minutes_find_no_fault() -> None:
    until, seed, found, lines = time.monotonic() + SLOW_SECONDS, 100, {}, 0
    while time.monotonic() < until:
        sequence = random_sequence(seed, 2000)
        if findings := run_sequence(sequence):
            found[seed] = [finding.where for finding in findings]
        seed, lines = seed + 1, lines + sequence.lines
    print(f"{lines} lines")
    assert not found, "tools/fuzz_server.py --seed N --steps 2000 shortens a sequence"


# -- the fuzzer itself ------------------------------------------------------------------------


def test_seed_determines_a_sequence_and_its_text_form_is_exact() -> None:
    sequence = random_sequence(7, 500)
    assert sequence == random_sequence(7, 500)
    assert sequence != random_sequence(8, 500)
    assert FuzzSequence.parse(str(sequence)) == sequence


def test_every_form_can_be_filled() -> None:
    source = LineSource(random.Random(1))
    for kind, forms in FORMS.items():
        lines = {source.line(kind) for _ in range(50 * len(forms))}
        assert not any("$(" in line or "[[" in line for line in lines)


def test_minimised_sequence_has_the_needed_steps_only() -> None:
    steps = tuple(Step("wait", text=str(number)) for number in range(50))
    needed = {steps[3], steps[17], steps[40]}
    short = minimise(FuzzSequence("max", steps), lambda part: needed <= set(part.steps))
    assert set(short.steps) == needed


def test_fault_in_a_handler_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Session, message: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Session, "_control", fail)
    steps = (
        Step("open", "a", "control"),
        Step("send", "a", "CONTROL {Type KillAll}"),
        Step("wait", text="1"),
    )
    findings = run_sequence(FuzzSequence("max", steps))
    assert [finding.where.split()[0] for finding in findings] == ["ZeroDivisionError"]
