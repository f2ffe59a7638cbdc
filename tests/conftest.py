"""Fixtures of all tests. Caches are written to a temporary folder, not to the user's."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.certificates import CertificateFiles, create_certificate
from support.scripted_server import ScriptedServer, answer_as_one_robot
from support.server_world import WORLD

from grouser.client.connection import RemoteRobot, join

if "GROUSER_CACHE" not in os.environ:
    os.environ["GROUSER_CACHE"] = tempfile.mkdtemp(prefix="grouser-cache-")
    atexit.register(shutil.rmtree, os.environ["GROUSER_CACHE"], ignore_errors=True)

# A busy machine takes any time to generate an example or to run one.
settings.register_profile("any pace", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any pace")


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change the current folder to a temporary one for the duration of a test; return it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def yard_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """World file of the server tests (`support.server_world`)."""
    path = tmp_path_factory.mktemp("worlds") / "yard.yaml"
    path.write_text(WORLD)
    return path


@pytest.fixture(scope="session")
def certificate_files(tmp_path_factory: pytest.TempPathFactory) -> CertificateFiles:
    """Self-signed certificate of servers on 127.0.0.1."""
    return create_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def scripted_server() -> Iterator[ScriptedServer]:
    """Scripted server with one robot."""
    with ScriptedServer(answer_as_one_robot) as server:
        yield server


@pytest.fixture
def scripted_robot(scripted_server: ScriptedServer) -> Iterator[RemoteRobot]:
    """Client of the scripted server's robot."""
    with join("P3AT", name="R1", port=scripted_server.port) as robot:
        yield robot
