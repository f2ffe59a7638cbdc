"""Decoders of bytes from outside raise the errors of `grouser.errors` only.

The inputs are valid ones and damaged ones; tools/fuzz_decoders.py searches for others.
"""

import random
from contextlib import suppress

import pytest
from support.damaged_files import EDITS, FILES, damage
from support.fuzzing.decoders import TARGETS

from grouser.errors import GrouserError

PROTOCOLS = [name for name in TARGETS if name not in {kind.replace(" ", "_") for kind in FILES}]
"""Decoders of protocols; those of files are tested in test_damaged_files.py."""


@pytest.mark.parametrize("name", PROTOCOLS)
def test_decoder_reads_or_rejects_valid_and_damaged_inputs(name: str) -> None:
    rng, target = random.Random(1), TARGETS[name]
    for number in range(300):
        edits = [
            (rng.choice(EDITS), rng.randrange(1 << 16), rng.randrange(1 << 16))
            for _ in range(number % 5)
        ]
        with suppress(GrouserError):
            target.decode(damage(rng.choice(target.seeds), edits)[: target.longest])


@pytest.mark.parametrize("name", PROTOCOLS)
def test_valid_input_is_read(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].decode(seed)
