"""Console: help, execution, completion, errors; arbitrary lines."""

import io
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import grouser
from grouser.cli import app
from grouser.cli.commands.console import history_file, line_editing
from grouser.client.launch import serving
from grouser.errors import GrouserError
from grouser.service.console import QUERIES, Console
from grouser.simulation.changes import actions
from grouser.simulation.script.grammar import PHRASES, parse
from grouser.simulation.script.tokens import Names
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry

NAMES = Names(
    robots=("rex", "line"),
    objects=("gate", "lamp", "crate"),
    doors=("gate",),
    lamps=("lamp",),
    surfaces=("everywhere", "terrain/0", "crate"),
    events=("alarm",),
    triggers=("goal",),
    teams=("blue", "red"),
)


@pytest.fixture(scope="module")
def console() -> Console:
    return Console(Simulation(grouser.load("gate")), steps=True)


@pytest.mark.parametrize("word", PHRASES)
def test_every_example_is_valid(word: str) -> None:
    phrase = PHRASES[word]
    assert phrase.example.split()[0] == word
    assert phrase.help.endswith(".")
    parse(phrase.example, NAMES, trusted=True)


def test_lines_are_parsed_to_actions() -> None:
    expected = {
        "open gate 0.5": actions.SetDoor("gate", 0.5),
        "close gate": actions.SetDoor("gate", 0.0),
        "light lamp off": actions.SwitchLamp("lamp", False),
        "light sun off": actions.SetDaylight(0.0),
        "tell rex forward 0.2 turn -0.1": actions.Command("rex", {"forward": 0.2, "turn": -0.1}),
        "link rex loss 0.2 delay 0.5": actions.SetLinkFaults("rex", 0.5, 0.0, 0.2),
        "link rex clear": actions.SetLinkFaults("rex"),
        "after 3 fire alarm": actions.Delayed(3.0, actions.FireEvent("alarm")),
        "  say it's  one  ": actions.SendMessage("it's  one"),
        "reset": actions.Reset(),
        "reset rex": actions.Restart("rex"),
        "friction terrain/0 0.2": actions.SetFriction("terrain/0", 0.2),
        "glide crate to 1 0 0 to 1 1 0 at 0.5 loop": actions.Glide(
            "crate", ((1, 0, 0), (1, 1, 0)), 0.5, True
        ),
        "move crate to 1 2 in 3": actions.Move("crate", 1, 2, seconds=3.0),
    }
    assert {line: parse(line, NAMES) for line in expected} == expected
    joined = parse('spawn ers7 new at 1 2 yaw 90 "command={forward: 0.1}"', NAMES)
    assert isinstance(joined, actions.Join)
    assert isinstance(joined.member, RobotEntry)
    assert (joined.member.position, joined.member.yaw_deg) == ((1, 2, 0), 90)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("opn gate", "no word 'opn'.*did you mean 'open'"),
        ("open gaet", "no door 'gaet'.*did you mean 'gate'"),
        ("open", "door .* is missing"),
        ("open gate wide", "how far is 'wide', a number is needed"),
        ("open gate 2", "must be 0 to 1"),
        ("open gate 1 2", "'2' is too much"),
        ("light lamp", "on or off"),
        ("light lamp of", "on or off is 'of', allowed: on, off; did you mean 'off'"),
        ("judge in", "where is 'in', allowed: yellow, sky_blue, out"),
        ("tell rex forward", "a number for forward is missing"),
        ("spawn ball b at", "where is missing after 'at'"),
        ("spawn ball b at 0 0 1 radius=big mass=1 friction=1", "radius is 'big', a number is"),
        ("gravity nan", "a number is needed"),
        ("move crate to 1", "1 numbers after 'to'"),
        ("glide crate to 1 2 3", "the speed is missing"),
        ("spawn mesh m at 0 0 0 file=/etc/passwd", "no kind 'mesh'"),
        ("spawn ball b at 0 0 1 radius=0.1 mas=1 friction=1", "did you mean 'mass'"),
        ("spawn ball b at 0 0 1 radius=-1 mass=1 friction=1", "must be more than 0"),
        ("call os:getcwd", "world files and Python only"),
        ("after 1 opn gate", "did you mean 'open'"),
        ("say", "what is missing"),
        ("x" * 2000, "at most 1000"),
    ],
)
def test_error_is_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(GrouserError, match=sentence) as caught:
        parse(line, NAMES)
    assert "\n" not in str(caught.value)


WORDS = st.one_of(
    st.sampled_from([*PHRASES, *QUERIES, "rex", "gate", "lamp", "to", "by", "at", "in", "on"]),
    st.floats().map(str),
    st.text(max_size=8),
    st.sampled_from(["a=[1,2", "b={}", "radius=0.1", "{who}", "&a", "!x", '"', "mass=*a"]),
)


@given(st.lists(WORDS, max_size=9).map(" ".join))
@example('" \n "')  # quotes around a line end
@settings(max_examples=400)
def test_any_line_is_an_action_or_an_error_of_one_line(line: str) -> None:
    error_text, action = "", None
    try:
        action = parse(line, NAMES)
    except GrouserError as error:
        error_text = str(error)
    assert "\n" not in error_text
    assert bool(error_text) != (action is not None)
    assert not isinstance(action, actions.CallRoutine)


def test_help_lists_every_word_and_explains_each(console: Console) -> None:
    listing = console.execute("help")
    for word in (PHRASES.keys() | QUERIES.keys()) - {"call", "complete"}:
        assert f"\n{word} " in f"\n{listing}"
        assert "e.g." in console.execute(f"help {word}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("op", ["open"]),
        ("open ", ["gate"]),
        ("open g", ["gate"]),
        ("light la", ["lamp", "lantern"]),
        ("light lamp o", ["on", "off"]),
        ("fire lig", ["lights_out"]),
        ("where re", ["rex"]),
        ("inside ", ["doorstep", "beyond"]),
        ("list tri", ["triggers"]),
        ("tell rex for", ["forward"]),
        ("after 2 clo", ["close"]),
        ("help gra", ["gravity"]),
        ("spawn vel", ["velociroach"]),
        ("nonsense ", []),
    ],
)
def test_completion_of_words_and_names(console: Console, text: str, words: list[str]) -> None:
    assert console.complete(text) == words
    # Over the network the completion is a line; a dot marks its end.
    assert console.execute(f"complete {text}.").splitlines() == words


def test_queries_answer_with_the_present_state(console: Console) -> None:
    assert console.execute("list robots").startswith("rex (ers7)")
    assert "gate  0% open" in console.execute("list doors")
    assert console.execute("inside doorstep") == "none"
    assert "x -0.700" in console.execute("where rex")
    assert console.execute("") == console.execute("# a remark") == ""
    console.execute("open gate")
    assert "the end" in (console.execute("after 1 say the end") + console.execute("step 2"))
    assert "100% open" in console.execute("where gate")
    assert "the end" in console.execute("log")
    console.execute("pause")
    assert console.execute("time") == "2.000 s, paused"
    console.execute("resume")


def test_error_of_spawn_names_the_world_and_changes_nothing(console: Console) -> None:
    before = console.simulation.fingerprint()
    with pytest.raises(GrouserError, match="^world 'gate': .*'frnt_deg'.*mean 'front_deg'"):
        console.execute("spawn quince q at 2 0 frnt_deg=3")
    assert console.simulation.fingerprint() == before


def test_step_is_rejected_on_a_paced_simulation() -> None:
    with pytest.raises(GrouserError, match="paced by its server"):
        Console(Simulation(grouser.load("gate"))).execute("step 1")


def run(*arguments: str, lines: list[str]) -> CompletedProcess[str]:
    """Run ``grouser console`` with ``lines`` as its input."""
    return subprocess.run(
        [sys.executable, "-m", "grouser", "console", *arguments],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_command_reads_a_pipe() -> None:
    done = run("gate", lines=["open gate", "step 2", "list doors", "where rex"])
    assert done.returncode == 0, done.stderr
    assert "gate  100% open" in done.stdout
    failed = run("gate", lines=["opn gate", "time"])
    assert failed.returncode == 1
    assert "did you mean 'open'" in failed.stderr
    assert "0.000 s" in failed.stdout
    assert run(lines=[]).returncode == 2
    ended = run("gate", lines=["time", "exit", "list"])
    assert (ended.returncode, ended.stdout) == (0, "0.000 s\n")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("gate", "--speed", "max"), "--speed is 'max', must be 'step' or a number above 0"),
        (("--server", "there:port"), "--server is 'there:port', must be HOST or HOST:PORT"),
        (("--server", "http://there"), "must be HOST or HOST:PORT, such as robots:3000"),
    ],
)
def test_invalid_option_is_reported_in_one_sentence(
    options: tuple[str, ...], sentence: str
) -> None:
    ended = CliRunner().invoke(app, ["console", *options])
    assert ended.exit_code == 2
    assert sentence in " ".join(ended.stderr.split())


def test_command_connects_to_a_server() -> None:
    with serving("gate") as ports:
        far = ("--server", f"{ports.host}:{ports.control}")
        done = run(
            *far, lines=["list robots", "light lantern on", "complete fire w.", "list lamps"]
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("rex (ers7)")
        assert "\nwelcome\n" in done.stdout
        assert "lantern  on" in done.stdout
        failed = run(*far, lines=["call os:getcwd", "step 1"])
    assert failed.returncode == 1
    assert "world files and Python only" in failed.stderr
    assert "paced by its server" in failed.stderr


def test_history_file_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readline = pytest.importorskip("readline")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    readline.clear_history()
    with line_editing(lambda text: []):
        readline.add_history("open gate")
    readline.clear_history()
    assert history_file().read_text() == "open gate\n"
    with line_editing(lambda text: []):
        assert readline.get_history_item(1) == "open gate"
    readline.clear_history()
