"""Coverage-guided fuzzing of all decoders of bytes from outside, with atheris.

A decoder may raise the errors of `grouser.errors` only. One target runs until its time is over or
an input raises another exception, which atheris writes to a file::

    python tools/fuzz_decoders.py --list
    python tools/fuzz_decoders.py usarsim -- -max_total_time=600 corpus/usarsim
    python tools/fuzz_decoders.py --input crash-… usarsim

Words after ``--`` are libFuzzer's. `SEEDS` are valid inputs, written to the first corpus folder.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["grouser"]):
    from grouser.errors import GrouserError
    from grouser.protocol import operation, rosbridge
    from grouser.protocol.can import datagram, socketcand
    from grouser.protocol.can.messages import COMMANDS, CanFrame, CommandGate, parse_status
    from grouser.protocol.images import ImageClientSide, ImageServerSide, Preamble
    from grouser.protocol.lines import Fault
    from grouser.protocol.rendering import MessageReader
    from grouser.protocol.usarsim.codec import ClientSide, ServerSide
    from grouser.protocol.usarsim.dialects import DIALECTS
    from grouser.protocol.usarsim.truth import TruthClientSide, TruthServerSide
    from grouser.scan import cloud_files, pcd_file
    from grouser.world import file as world_file
    from grouser.world.meshes import mesh_files

TRANSCRIPTS = Path(__file__).parents[1] / "tests" / "transcripts"


def usarsim(data: bytes) -> None:
    """Read lines of clients and servers of all dialects."""
    for dialect in DIALECTS.values():
        for side in (ServerSide(dialect), ClientSide(dialect)):
            for message in side.receive(data + b"\r\n"):
                if not isinstance(message, Fault):
                    message.lines(dialect)
    TruthServerSide().receive(data + b"\r\n")
    TruthClientSide().receive(data + b"\r\n")


def images(data: bytes) -> None:
    """Read requests and frames of the image port."""
    with suppress(GrouserError):
        Preamble().receive(data)
    for legacy in (False, True):
        ImageServerSide(legacy).receive(data)
    for frame in ImageClientSide().receive(data):
        with suppress(GrouserError):
            frame.pixels()  # type: ignore[union-attr]


def rosbridge_message(data: bytes) -> None:
    """Read a message of a rosbridge client."""
    rosbridge.read_request(data)
    rosbridge.read_request(data.decode("latin-1"))


def can(data: bytes) -> None:
    """Read CAN frames, and messages of socketcand."""
    for text in socketcand.MessageSplitter().feed(data):
        if isinstance(text, str):
            for read in (socketcand.read_request, socketcand.read_answer):
                with suppress(GrouserError):
                    read(text)
    gate = CommandGate()
    for time, id in enumerate(COMMANDS):
        frame = CanFrame(id, data[:8])
        gate.check(frame, float(time))
        gate.check(frame, float(time))
        parse_status(frame)


def hrt(data: bytes) -> None:
    """Read a datagram of the robot library."""
    datagram.unpack(data)


def operator(data: bytes) -> None:
    """Read messages between operator and robot."""
    for read in (operation.read_command, operation.read_report):
        with suppress(GrouserError):
            read(data.decode("latin-1"))


def rendering(data: bytes) -> None:
    """Read messages between server and render worker."""
    MessageReader().receive(data)


def world(data: bytes) -> None:
    """Read a world file."""
    world_file.parse(data.decode("utf-8", "replace"), where="fuzzed.yaml")


def _mesh(ending: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        with tempfile.NamedTemporaryFile(suffix=ending, dir=_memory_folder()) as file:
            file.write(data)
            file.flush()
            mesh_files.read_mesh(Path(file.name))

    return read


def _memory_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


TARGETS: dict[str, Callable[[bytes], object]] = {
    "usarsim": usarsim,
    "images": images,
    "rosbridge": rosbridge_message,
    "can": can,
    "hrt": hrt,
    "operator": operator,
    "rendering": rendering,
    "world": world,
    "pcd": pcd_file.read_pcd,
    "ply_cloud": cloud_files.read_ply,
    "xyz": cloud_files.read_xyz,
    "npz": cloud_files.read_npz,
    "stl": mesh_files.read_stl,
    "ply_mesh": _mesh(".ply"),
    "obj": _mesh(".obj"),
}
"""Name of a decoder -> function that passes bytes to it."""


def _seeds(name: str) -> list[bytes]:
    """Return valid inputs of a target."""
    npz = io.BytesIO()
    with zipfile.ZipFile(npz, "w") as archive:
        archive.writestr("points.npy", b"\x93NUMPY\x01\x00")
    lines = [line for path in TRANSCRIPTS.glob("*.txt") for line in path.read_bytes().splitlines()]
    return {
        "usarsim": [line for line in lines if line],
        "images": [b"OK", b"U 0 0 8 8", b"key 00ff\r\nOK"],
        "rosbridge": [b'{"op": "call_service", "service": "/a/drive", "id": "x", "args": {}}'],
        "can": [b"< open can0 >< rawmode >< send 100 2 01 02 >< frame 101 1.5 0102 >"],
        "world": [path.read_bytes() for path in world_file.shipped().values()],
        "pcd": [
            b"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\n"
            b"POINTS 1\nDATA ascii\n1 2 3\n"
        ],
        "npz": [npz.getvalue()],
        "stl": [b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"],
    }.get(name, [b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"])


def main() -> None:
    """Fuzz one decoder."""
    ours, _, libfuzzer = (
        (sys.argv[1 : sys.argv.index("--")], "--", sys.argv[sys.argv.index("--") + 1 :])
        if "--" in sys.argv
        else (sys.argv[1:], "", [])
    )
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", nargs="?", choices=sorted(TARGETS))
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--input", type=Path, help="file to pass to the decoder once")
    options = parser.parse_args(ours)
    if options.list or not options.target:
        print(
            "\n".join(f"{name:10s} {read.__doc__ or ''}".rstrip() for name, read in TARGETS.items())
        )
        return
    decode = TARGETS[options.target]

    def run(data: bytes) -> None:
        with suppress(GrouserError):
            decode(data)

    if options.input:
        run(options.input.read_bytes())
        return
    for folder in [Path(word) for word in libfuzzer if not word.startswith("-")][:1]:
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(_seeds(options.target)):
            (folder / f"seed{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], *libfuzzer], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
