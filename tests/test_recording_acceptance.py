"""Recordings of long runs, killed programs, full disks and served worlds; foreign readers."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from support.can_fixtures import drive_over_can
from support.threaded_server import ThreadedServer

from grouser.client.connection import join
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.recording.items import RecordOptions
from grouser.recording.recorder import Recorder
from grouser.recording.repair import recorded_file, recover
from grouser.recording.verification import verify
from grouser.ros.messages import sensor_topics
from grouser.sensors.sensor import Reading
from grouser.simulation.observers import ActionRecord, Observer
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, load

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("GROUSER_RECORD_SECONDS", "60"))
"""Simulated length of the long recording."""
MOMENTS = int(os.environ.get("GROUSER_RECORD_KILLS", "100"))
"""Number of moments at which a recording program is killed."""
SEED = int(os.environ.get("GROUSER_RECORD_SEED", "5"))
"""Of these moments."""
AT_ONCE = 4
"""Programs that record and are killed at the same time."""
LOST = 1.0
"""Longest time that may be lost, s."""
READER = Path(__file__).parent / "support" / "read_mcap.mjs"
PACKAGES = "@mcap/core", "@mcap/nodejs", "@foxglove/rosmsg", "@foxglove/rosmsg2-serialization"

PROGRAM = """
import sys, time
from grouser.simulation.simulation import Simulation

world = {
    "name": "flat",
    "terrain": [{"kind": "flat"}],
    "robots": [{"name": "rover", "kind": "p2dx", "position": [0, 0]}],
}
simulation = Simulation(world)
options = dict(item.split("=") for item in sys.argv[3:])
recorder = simulation.record(sys.argv[1], hz=float(options.get("hz", 25)), wait=0.0,
                             compress=options.get("compress", "zstd"))
simulation.command("rover", forward=0.2)
for _ in range(int(sys.argv[2])):
    simulation.step(0.02)
    print(simulation.time, flush=True)
    time.sleep(float(options.get("sleep", 0.02)))
recorder.close()
print("failure:", recorder.failure, flush=True)
"""


ROBOTS = "/rex/", "/rover/", "/viewer/"
PARTS = {"camera": ("/image/compressed", "/camera_info"), "depth": ("/image", "/camera_info")}
"""Topics of one reading below that of the sensor; of other sensors: the sensor's own."""


def three_robots() -> World:
    """Return the world ``gate``, which has triggers, with two rovers more.

    All have cameras; one rover has a depth camera, too, and drives through the triggers.
    """
    world, depth = load("gate"), {"kind": "depth", "mount": "body", "at": [0.2, 0, 0.3]}
    rovers = (
        RobotEntry(name="rover", kind="p2at", position=(-2.0, 2.0, 0.0)).equipped(),
        RobotEntry.model_validate(
            {
                "name": "viewer",
                "kind": "p2dx",
                "position": [-0.8, 0.1],
                "sensors": [depth | {"rate_hz": 5}],
            }
        ),
    )
    return world.changed(robots=(*world.robots, *rovers))


class Counted(Observer):
    """Number of messages per topic that an observer received."""

    def __init__(self, simulation: Simulation) -> None:
        self.topics: Counter[str] = Counter()
        self._names: dict[tuple[str, str], str] = {}
        for robot in simulation.robots:
            sensors = [
                one for (owner, _), (one, _) in simulation.scene.sensors.items() if owner == robot
            ]
            for name, topic in sensor_topics(robot, sensors).items():
                self._names[robot, name] = topic

    def on_reading(self, robot: str, reading: Reading) -> None:
        topic = self._names[robot, reading.sensor]
        kind = topic.split("/")[2]
        for part in PARTS.get(kind, ("",)):
            self.topics[topic + part] += 1

    def on_action(self, record: ActionRecord) -> None:
        self.topics["/grouser/action"] += 1

    def on_event(self, entry: LogEntry) -> None:
        self.topics["/events"] += 1


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counted]:
    folder = tmp_path_factory.mktemp("long") / "run"
    simulation = Simulation(three_robots(), seed=1)
    counted = Counted(simulation)
    with simulation.record(folder):
        simulation.subscribe(counted)
        for number, robot in enumerate(simulation.robots):
            simulation.command(robot, forward=0.05 * (number + 1))
        simulation.step(SECONDS)
    return folder, counted


def by_rosbags(folder: Path) -> Counter[str]:
    with AnyReader([folder]) as reader:
        return Counter(
            connection.topic
            for connection, _, content in reader.messages()
            if reader.deserialize(content, connection.msgtype)
        )


def by_mcap(folder: Path) -> Counter[str]:
    with recorded_file(folder).open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        return Counter(channel.topic for _, channel, _, _ in reader.iter_decoded_messages())


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with @mcap/core; skip without node or its packages."""
    if installed := os.environ.get("GROUSER_RECORD_NODE"):
        yield Path(installed)
        return
    if shutil.which("npm") is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("node")
    install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run([*install, *PACKAGES, "fzstd"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("the packages of @mcap/core cannot be installed")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def by_node(node: Path, *folders: Path) -> list[Counter[str]]:
    command = ["node", str(READER), str(node), *(str(recorded_file(one)) for one in folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Counter(json.loads(line)) for line in done.stdout.splitlines()]


def test_four_readers_decode_a_long_run(long_run: tuple[Path, Counted], node: Path) -> None:
    folder, counted = long_run
    found = by_rosbags(folder)
    assert found == by_mcap(folder) == by_node(node, folder)[0]
    own = ("odom", "joint_states", "energy", "cmd", "cmd_vel")
    received = Counter(
        {
            topic: count
            for topic, count in found.items()
            if topic in ("/events", "/grouser/action")
            or (topic.startswith(ROBOTS) and topic.rpartition("/")[2] not in own)
        }
    )
    assert received == counted.topics
    assert found["/clock"] == found["/viewer/odom"] == 25 * SECONDS
    assert (
        min(found["/events"], found["/viewer/depth/image"], found["/rover/camera/camera_info"]) > 0
    )
    print(f"{sum(found.values())} messages in {len(found)} topics, {found['/events']} events")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_long_run_is_proven_in_another_process(
    long_run: tuple[Path, Counted], threads: str
) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
    environment["LP_NUM_THREADS"] = threads
    command = [sys.executable, "-m", "grouser", "replay", str(long_run[0]), "--verify"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("verified")
    assert "pictures not compared" not in done.stdout


@dataclass
class Kill:
    """A killed program, and what its recovered recording holds."""

    folder: Path
    moment: float
    """Wall time after the first step, s."""
    done: float
    """Simulated time, s."""
    kept: float
    """Time of the last message, s."""
    counts: Counter[str]


def kill(folder: Path, moment: float) -> Kill:
    """Kill a recording program ``moment`` seconds after its first step."""
    command = [sys.executable, "-c", PROGRAM, str(folder), "100000"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        if program.stdout is None:
            raise TypeError("no output")
        lines = [program.stdout.readline()]
        end = time.monotonic() + moment
        while time.monotonic() < end:
            lines.append(program.stdout.readline())
        os.killpg(program.pid, signal.SIGKILL)
        lines += program.stdout.readlines()
    done = float([line for line in lines if line.endswith("\n")][-1])
    found = recover(folder)
    last = max((chunk.index.message_end_time for chunk in found.chunks), default=0)
    counts = by_rosbags(folder)
    assert counts == by_mcap(folder)
    return Kill(folder, moment, done, last / 1e9, counts)


def test_killed_program_loses_at_most_a_second(tmp_path: Path, node: Path) -> None:
    """Program and writer process are killed together."""
    moments = random.Random(SEED)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        kills = [
            pool.submit(kill, tmp_path / f"run{number}", moments.uniform(0.0, 3.0))
            for number in range(MOMENTS)
        ]
        killed = [one.result() for one in kills]
    assert by_node(node, *(one.folder for one in killed)) == [one.counts for one in killed]
    lost = sorted(one.done - one.kept for one in killed)
    print(f"{len(lost)} kills; lost at most {lost[-1]:.2f} s, median {lost[len(lost) // 2]:.2f} s")
    assert lost[-1] <= LOST, lost[-5:]


def test_file_of_a_killed_program_is_complete_if_its_writer_lives(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-c", PROGRAM, str(folder), "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        if program.stdout is None:
            raise TypeError("no output")
        while float(program.stdout.readline()) < 1.0:
            pass
        program.kill()
    while not (folder / "metadata.yaml").exists():
        time.sleep(0.1)
    assert by_rosbags(folder) == by_mcap(folder)
    assert by_rosbags(folder)["/clock"] > 0


def child_of(process: int, module: str) -> int:
    """Wait for the child process of ``process`` that runs ``module``; return its number."""
    while True:
        for path in Path(f"/proc/{process}/task").glob("*/children"):
            for child in map(int, path.read_text().split()):
                if module in Path(f"/proc/{child}/cmdline").read_bytes().decode():
                    return child
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
@pytest.mark.parametrize("stopped", [signal.SIGKILL, signal.SIGSTOP])
def test_pictures_do_not_delay_other_messages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, stopped: signal.Signals
) -> None:
    """The process that renders is killed, or too slow: everything else is recorded."""
    simulation = Simulation(three_robots())
    counted = Counted(simulation)
    recorder = Recorder(simulation, tmp_path / "run", RecordOptions(wait=0.0))
    simulation.subscribe(counted)
    simulation.step(0.5)
    writer = child_of(os.getpid(), "recording.writer_process")
    renderer = child_of(writer, "recording.picture_process")
    os.kill(renderer, stopped)
    simulation.step(10.0)
    if stopped == signal.SIGSTOP:
        while recorder.dropped == 0:
            simulation.step(1.0)
            time.sleep(0.1)
        os.kill(renderer, signal.SIGCONT)
    recorder.close()
    counts, seconds = by_rosbags(tmp_path / "run"), simulation.time
    assert counts["/clock"] == counts["/viewer/odom"] == round(25 * seconds)
    drawn, wanted = (
        sum(one[topic] for topic in counted.topics if "/image" in topic)
        for one in (counts, counted.topics)
    )
    assert drawn < wanted
    assert stopped == signal.SIGKILL or drawn == wanted - recorder.dropped
    reason = {
        signal.SIGKILL: "pictures are not recorded (their process has ended)",
        signal.SIGSTOP: "this machine is too slow for the cameras; pictures are dropped",
    }[stopped]
    warnings = [one.getMessage() for one in caplog.records if one.name == "grouser.recording"]
    assert warnings.count(f"recording: {reason}") == 1
    assert len(warnings) <= 2, "a killed process may be too slow, too, on a busy machine"
    assert recorder.failure == ""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_killed_writer_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    simulation = Simulation("pioneer_room")
    recorder = Recorder(simulation, tmp_path / "run")
    simulation.step(1.0)
    os.kill(child_of(os.getpid(), "recording.writer_process"), signal.SIGKILL)
    simulation.step(5.0)
    recorder.close()
    warnings = [one.getMessage() for one in caplog.records if one.name == "grouser.recording"]
    assert warnings == ["recording ended: the writer process has ended; the simulation continues"]
    recover(tmp_path / "run")
    assert by_rosbags(tmp_path / "run") == by_mcap(tmp_path / "run")
    assert simulation.time == pytest.approx(6.0)


def test_full_disk_is_reported_once(tmp_path: Path) -> None:
    """A limit on the size of files has the effect of a full disk."""
    folder, limit = tmp_path / "run", 4 << 20
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
    options = ("hz=500", "compress=none", "sleep=0")
    command = [sys.executable, "-c", limited + PROGRAM, str(folder), "800", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["16.0", "failure: File too large"]
    assert done.stderr == "recording ended: File too large; the simulation continues\n"
    assert by_rosbags(folder) == by_mcap(folder)
    assert by_rosbags(folder)["/clock"] > 100
    assert recorded_file(folder).stat().st_size <= limit
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 6 MB; skip where that is not permitted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_file_system_is_reported_once(small_disk: Path, node: Path) -> None:
    folder, options = small_disk / "run", ("hz=500", "compress=none", "sleep=0")
    command = [sys.executable, "-c", PROGRAM, str(folder), "800", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["16.0", "failure: No space left on device"]
    assert done.stderr == "recording ended: No space left on device; the simulation continues\n"
    assert by_rosbags(folder) == by_mcap(folder) == by_node(node, folder)[0]
    assert by_rosbags(folder)["/clock"] > 100
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_served_world_is_proven_from_its_actions(tmp_path: Path) -> None:
    """Clients of USARSim, of a CAN bus and of the console."""
    world = load("pioneer_room").changed(
        robots=(RobotEntry(name="own", kind="kenaf", position=(-2.0, 2.0, 0.0)),)
    )
    folder = tmp_path / "served"
    gateways = UsarsimGateway(ports=((0, PortProfile()),)), CanGateway(port=0, robot="own")
    with ThreadedServer(world, *gateways, seed=3) as served:
        simulation = served.server.host.simulation
        recorder = served.call(lambda: simulation.record(folder, wait=0.0))
        with join("P2DX", name="R1", port=served.server.ports["control"]) as robot:
            for turn in range(5):
                robot.drive(left=1.0 + 0.1 * turn, right=1.0)
                for _ in robot.listen(0.1):
                    pass
            drive_over_can(served.server.ports["can"])
            served.call(lambda: served.server.console("gravity 9.0"))
            robot.scan()
            for _ in robot.listen(0.3):
                pass
        served.call(recorder.close)
    result = verify(folder, trusted=True)  # recorded from the middle of a run: from a snapshot
    assert result.proven, result
    assert result.actions > 8
