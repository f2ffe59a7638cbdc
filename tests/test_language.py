"""Plain technical English: words that describe software as people stay out of the repository.

Every line of ``src``, ``docs``, ``examples`` and ``tools``, and every name in ``tests``, is
searched for the words below; docstrings begin with an imperative verb or a noun phrase. A use that
is right, such as a field of an old wire format, stands in `EXCEPTIONS` with its reason.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

WORDS = re.compile(
    r"\b(nobody|somebody|everybody|anybody|whoever|whomever|whom|strangers?|newcomers?|guests?"
    r"|visitors?|bad neighbours?|told|said|hears?|heard|wish(?:es)?|fulfil(?:s|led)?|errands?"
    r"|asked for|asks for|gives? back|given back|takes? out|looks? after|lends?|ow(?:e|es|ed|ing)"
    r"|hangs? up|falls? silent|comes? again|goes on with|for good|naps?|strays?|flatters?"
    r"|tries out|tried out|nobody's|composed? anew|team sheets?|aside composer|film crews?"
    r"|lulls?|relapses?|volleys?|knows? nothing|curiosity|spoken|speaks?|thinks?)\b",
    re.IGNORECASE,
)
"""Words that hide a technical term, everywhere."""

PERSONS = re.compile(r"\b(who|who's|tells?|says?|knows?)\b", re.IGNORECASE)
"""Words that are for human readers only, so not for docstrings, comments and messages of `src`."""

OPENINGS = re.compile(r"(What|Who|Whom|Whose|How|Where|Why|When|Whether)\b")
"""Words that a docstring does not begin with."""

NAME_PARTS = {
    *("nobody", "somebody", "everybody", "whoever", "stranger", "strangers", "guest", "guests"),
    *("visitor", "newcomer", "wish", "wishes", "fulfil", "errand", "errands", "patience", "lull"),
    *("told", "said", "hear", "heard", "hears", "aside", "hush", "blame", "curiosity", "taut"),
    *("laid", "hasten", "reined", "eyes", "who", "relapses", "volley", "owe", "owed", "retune"),
    *("recomposition", "recomposing", "breath", "movers", "thinnest", "crew", "askable"),
    *("shelf", "lazily", "planted"),
}
"""Parts of identifiers, split at underscores and capitals."""

PARTICIPLES = re.compile(
    r"_*(?:[a-z]+(?<!e)ed|drawn|driven|found|grown|leant|shown|slid|spent|worn)"
)
PARTICIPLES_AND_ADVERBS = {"even", "also", "alike", "apart", "away", "back", "here", "there"}
FUNCTIONS = {"infrared", "shipped", "declared", "equipped"}
"""Names of functions that name what they return."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("src/grouser/protocol/usarsim/extensions.py", 'text("Said")'): "key of a wire message",
    ("docs/reference/wire.md", "CONSOLE {Said"): "key of a wire message",
    ("src/grouser/sweeps/optimise.py", "study.tell("): "method of Optuna",
    ("src/grouser/rendering/webm.py", ".tell()"): "method of Python's file objects",
    ("src/grouser/worlds/gate.yaml", "do: ["): "console word ``say``",
    ("src/grouser/simulation/script/grammar.py", '"tell": Phrase('): "console word",
    ("src/grouser/simulation/script/grammar.py", '"tell rex'): "example of a console line",
    ("src/grouser/simulation/script/grammar.py", '"say": Phrase('): "console word",
    ("src/grouser/simulation/script/grammar.py", '"say two'): "example of a console line",
    ("src/grouser/service/console.py", '"tell"'): "console word",
    ("src/grouser/simulation/__init__.py", '"Say"'): "deprecated name",
    ("src/grouser/simulation/script/events.py", '"{who}"'): "placeholder in world files",
    ("src/grouser/world/events.py", "``{who}``"): "placeholder in world files",
    ("src/grouser/world/triggers.py", "``{who}``"): "placeholder in world files",
    ("src/grouser/world/bml_file.py", 'f"say {{who}}'): "console line with a placeholder",
    ("web/src/editor.ts", 'do: ["say {who}'): "console line with a placeholder",
}
"""(file, text of the line that is right) -> reason."""


SEARCHES = {
    "rate limiter": "service/rate_limiter.py",
    "request queue": "service/request_queue.py",
    "admission control": "service/admission.py",
    "watchdog": "service/watchdog.py",
    "lockstep": "service/lockstep.py",
    "background compile": "service/background_composer.py",
    "snapshot": "simulation/snapshot.py",
    "divergence recovery": "simulation/divergence/recovery.py",
    "roadmap": "planning/roadmap.py",
    "shortcut": "planning/paths.py",
    "cost map": "planning/cost_map.py",
    "coarse registration": "scan/coarse_registration.py",
    "belt roll-back": "tracks/segments.py",
    "mosaic": "gateways/images/mosaic.py",
    "time-out of a turn": "service/turn_timeouts.py",
}
"""Search term -> module that a search finds first."""


@cache
def title_and_text(path: Path) -> tuple[str, str]:
    """Return the first sentence of a module's docstring, and its whole text, in lower case."""
    source = path.read_text("utf-8")
    title = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[0]
    return title.lower(), source.lower()


def search_rank(path: Path, term: str) -> tuple[int, int]:
    """Return the rank of a module for a search: in its title and name, then in its text."""
    title, source = title_and_text(path)
    words = {word.rstrip("s") for word in re.split(r"[^a-z]+", term) if len(word) > 2}
    name = {part.rstrip("s") for part in path.stem.split("_")}
    return 2 * (term in title) + len(words & name), source.count(term)


def text_files() -> Iterator[Path]:
    """Yield every file whose prose is checked."""
    for folder in ("src", "docs", "examples", "tools", "web", "clib"):
        for pattern in ("*.py", "*.md", "*.yaml", "*.c", "*.h", "*.ts", "*.html", "*.css"):
            found = sorted((ROOT / folder).rglob(pattern))
            yield from (path for path in found if "node_modules" not in path.parts)
    yield from (
        ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")
    )


def python_files(*folders: str) -> Iterator[Path]:
    """Yield every Python file below folders of the repository."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def is_exception(path: Path, line: str) -> bool:
    """Return whether a line is on the list of exceptions."""
    name = str(path.relative_to(ROOT))
    return any(name == file and part in line for file, part in EXCEPTIONS)


def parts_of(name: str) -> set[str]:
    """Return the words of an identifier, in lower case."""
    return set(re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().split("_"))


def names_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every name that a module defines, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def is_participle(name: str) -> bool:
    """Return whether the name of a function is a bare participle or adverb."""
    bare = name.strip("_")
    return bare not in FUNCTIONS and (
        PARTICIPLES.fullmatch(bare) is not None or bare in PARTICIPLES_AND_ADVERBS
    )


def word_faults(path: Path) -> list[str]:
    """Return the lines of a file that break the word list."""
    prose = "src" in path.parts
    return [
        f"{path.relative_to(ROOT)}:{number}: {match.group(0)!r} in: {line.strip()[:110]}"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (match := WORDS.search(line) or (prose and PERSONS.search(line)))
        and not is_exception(path, line)
    ]


def docstring_faults(path: Path) -> list[str]:
    """Return the docstrings of a file that begin with a question word."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value if isinstance(node.value.value, str) else ""
        else:
            continue
        if OPENINGS.match(text.strip()) and not is_exception(path, text.splitlines()[0]):
            line = getattr(node, "lineno", 1)
            found.append(
                f"{path.relative_to(ROOT)}:{line}: begins with: {text.splitlines()[0][:90]}"
            )
    return sorted(set(found))


def name_faults(path: Path) -> list[str]:
    """Return the names of a file, its own included, that break the list of name parts."""
    names = [(path.stem, 0), *names_in(ast.parse(path.read_text("utf-8")))]
    return sorted(
        {
            f"{path.relative_to(ROOT)}:{line}: name {name!r}"
            for name, line in names
            if parts_of(name) & NAME_PARTS and not is_exception(path, name)
        }
    )


def test_word_list_stays_out_of_sources_and_documentation() -> None:
    assert not [fault for path in text_files() for fault in word_faults(path)]


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    paths = python_files("src", "examples", "tools", "tests")
    assert not [fault for path in paths for fault in docstring_faults(path)]


def test_names_are_technical_terms() -> None:
    paths = python_files("src", "examples", "tools", "tests")
    assert not [fault for path in paths for fault in name_faults(path)]


def test_functions_are_verbs_or_nouns() -> None:
    """Methods may be participles: event handlers (``closed``), copies (``mesh.transformed``)."""
    functions = [
        (path, node.name)
        for path in python_files("src", "examples", "tools", "tests")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and "fixture" not in "".join(map(ast.unparse, node.decorator_list))
    ]
    assert not [f"{path}: {name}" for path, name in functions if is_participle(name)]


def test_exceptions_are_few_and_used() -> None:
    assert len(EXCEPTIONS) < 20
    for (file, part), reason in EXCEPTIONS.items():
        assert reason
        assert part in (ROOT / file).read_text("utf-8") or part == Path(file).stem, (file, part)


@pytest.mark.parametrize("term", SEARCHES)
def test_search_finds_the_right_module_first(term: str) -> None:
    ranked = sorted(python_files("src"), key=lambda path: search_rank(path, term), reverse=True)
    assert search_rank(ranked[0], term) > search_rank(ranked[1], term), ranked[:2]
    assert ranked[0] == ROOT / "src" / "grouser" / SEARCHES[term]
