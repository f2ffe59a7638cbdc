"""Sequences of steps of several clients: random generation, text form, and minimisation."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from support.fuzzing.lines import CONTROLLER_LINES, ROBOT_LINES, LineSource

Verb = Literal["open", "send", "raw", "close", "stall", "read", "wait"]
Mode = Literal["max", "paced"]
Setting = Literal["rich", "light", "match"]
"""World of the server: with all kinds of elements, one that is simulated and compiled fast, or a
match with a referee."""

CLIENTS = ("a", "b", "c", "d")
PORTS = (
    *("control", "control", "control", "control4", "control2", "control2", "control3", "control3"),
    *("truth", "can", "rosbridge"),
)
"""Ports by frequency; the control ports have different dialects."""


@dataclass(frozen=True)
class Step:
    """One step of one client, or of time."""

    verb: Verb
    client: str = ""
    text: str = ""
    """Line, port, bytes, or milliseconds."""

    def __str__(self) -> str:
        shown = self.text.encode("unicode_escape").decode("ascii")
        return " ".join(word for word in (self.verb, self.client, shown) if word)

    @classmethod
    def parse(cls, line: str) -> Self:
        """Return the step that ``str`` has written."""
        verb, _, rest = line.partition(" ")
        client, text = "", rest
        if verb != "wait":
            client, _, text = rest.partition(" ")
        return cls(verb, client, text.encode("ascii").decode("unicode_escape"))  # type: ignore[arg-type]


@dataclass(frozen=True)
class FuzzSequence:
    """Steps, and the mode and the world of the server."""

    mode: Mode
    steps: tuple[Step, ...]
    note: str = field(default="", compare=False)
    """Seed, or the fault that it once found."""
    setting: Setting = "rich"

    @property
    def lines(self) -> int:
        """Number of lines that clients send."""
        return sum(step.verb in ("send", "raw") for step in self.steps)

    def __str__(self) -> str:
        note = [f"# {line}" for line in self.note.splitlines()]
        return "\n".join([*note, f"mode {self.mode} {self.setting}", *map(str, self.steps), ""])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the sequence that ``str`` has written."""
        lines = [line for line in text.splitlines() if line.strip()]
        note = "\n".join(line[2:] for line in lines if line.startswith("#"))
        first, *steps = [line for line in lines if not line.startswith("#")]
        mode, setting = [*first.split(), "rich"][1:3]
        return cls(mode, tuple(map(Step.parse, steps)), note, setting)  # type: ignore[arg-type]


@dataclass
class ClientPlan:
    """Lines of one client until it closes."""

    port: str
    role: Literal["robot", "controller", "other"]
    kind: str = ""
    """Class of its robot."""
    turns: bool = False
    """True: it ends its turns in lockstep, most of the time."""
    greeted: bool = False

    def line(self, source: LineSource, rng: random.Random) -> str:
        """Return its next line."""
        source.kind_of_client = self.kind
        if self.role == "other":
            if self.port == "can" and not self.greeted:
                self.greeted = True
                return "< open can0 >< rawmode >"
            return source.rosbridge() if self.port == "rosbridge" else source.line(self.port)
        if not self.greeted:
            self.greeted = rng.random() < 0.9
            if self.role == "controller":
                return "INIT {ClassName USARBotAPI.WorldController}"
            line = source.line("init")
            self.kind = line.partition("USARBot.")[2].partition("}")[0]
            return line
        if self.turns and rng.random() < 0.3:
            return "STEP"
        line = source.one_of(CONTROLLER_LINES if self.role == "controller" else ROBOT_LINES)
        self.turns |= line.startswith("LOCKSTEP") and rng.random() < 0.9
        return line


def random_sequence(seed: int, steps: int) -> FuzzSequence:
    """Return ``steps`` random steps of four clients."""
    rng = random.Random(seed)
    mode: Mode = rng.choice(("max", "paced"))
    setting: Setting = rng.choice(("rich", "light", "light", "match"))
    composed = rng.choice((0.01, 0.02, 0.1, 1.0))
    extreme = rng.choice((0.05, 0.25, 0.6))
    source = LineSource(rng, extreme, composed, 0.6 if setting == "rich" else 0.98)
    busy = rng.choice((0.002, 0.005, 0.02, 0.1))
    plans: dict[str, ClientPlan] = {}
    made: list[Step] = []
    while len(made) < steps:
        client = rng.choice(CLIENTS)
        plan = plans.get(client)
        if plan is None:
            port = rng.choice(PORTS)
            role = rng.choice(("robot",) * 3 + ("controller",)) if "control" in port else "other"
            plans[client] = ClientPlan(port, role)  # type: ignore[arg-type]
            made.append(Step("open", client, port))
            continue
        kind = rng.random()
        if kind < 0.004 * composed:
            made.append(Step("close", client))
            del plans[client]
        elif kind < 0.006:
            made.append(Step(rng.choice(("stall", "read")), client))
        elif kind < 0.008:
            made.append(Step("raw", client, rng.randbytes(rng.randint(1, 40)).decode("latin-1")))
        elif kind < 0.008 + busy:
            made.append(Step("wait", text=rng.choice(("0", "1", "3", "10", "30"))))
        else:
            made.append(Step("send", client, plan.line(source, rng)))
    return FuzzSequence(mode, tuple(made), f"seed {seed}", setting)


def minimise(sequence: FuzzSequence, fails: Callable[[FuzzSequence], bool]) -> FuzzSequence:
    """Return a part of ``sequence`` that still fails and from which no step can be left out."""

    def of(steps: Sequence[Step]) -> FuzzSequence:
        return replace(sequence, steps=tuple(steps))

    steps = list(sequence.steps)
    size = max(1, len(steps) // 2)
    while size:
        begin = 0
        while begin < len(steps):
            shorter = steps[:begin] + steps[begin + size :]
            if fails(of(shorter)):
                steps = shorter
            else:
                begin += size
        size //= 2
    return of(steps)
