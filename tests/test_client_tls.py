"""Clients over TLS: trusted certificates, errors."""

import asyncio
import ssl
from collections.abc import Iterator
from typing import Any

import pytest
from support.certificates import CertificateFiles
from support.client_helpers import instance_of, read_until
from support.scripted_server import POSES, ScriptedServer, answer_as_one_robot, wait_for_odometry

from grouser.client import asynchronous
from grouser.client.connection import RemoteRobot, connect, join
from grouser.client.launch import serving
from grouser.errors import BadValue, Disconnected, NoAnswer, Refused
from grouser.protocol.usarsim.commands import StartPose
from grouser.protocol.usarsim.geo_conf import RobotGeometry
from grouser.protocol.usarsim.package import PackageState
from grouser.protocol.usarsim.sensor_messages import Odometry, Sonars


@pytest.fixture
def private_peer(certificate_files: CertificateFiles) -> Iterator[ScriptedServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_files.combined)
    with ScriptedServer(answer_as_one_robot, context=context) as scripted_server:
        yield scripted_server


def test_tls_with_a_given_certificate(
    private_peer: ScriptedServer, certificate_files: CertificateFiles
) -> None:
    trusted = certificate_files.certificate
    with join("P3AT", port=private_peer.port, tls=trusted) as robot:
        robot.drive(2.0, 2.0)
        assert wait_for_odometry(robot, 2.0)
        assert instance_of(Odometry, robot.newest("Odometry")).pose[0] == 2.0

    async def program() -> tuple[StartPose, ...]:
        where: dict[str, Any] = {"port": private_peer.port, "tls": trusted}
        async with await asynchronous.async_join("P3AT", **where) as robot:
            return await robot.start_poses()

    assert asyncio.run(program()) == POSES


def test_tls_errors_name_the_cause(
    private_peer: ScriptedServer,
    scripted_server: ScriptedServer,
    certificate_files: CertificateFiles,
) -> None:
    with pytest.raises(Disconnected, match="certificate is not trusted"):
        connect(port=private_peer.port, tls=True)
    with pytest.raises(Disconnected, match="the server may not use TLS"):
        connect(port=scripted_server.port, tls=True)
    with pytest.raises((Disconnected, NoAnswer), match="does it use TLS|without the greeting"):
        connect(port=private_peer.port, timeout=1)
    with pytest.raises(BadValue, match="holds no certificate"):
        connect(port=scripted_server.port, tls=__file__)
    with pytest.raises(BadValue, match=r"none.pem cannot be read \(No such file"):
        connect(port=scripted_server.port, tls="none.pem")


def pan_tilt(robot: RemoteRobot) -> PackageState:
    """Return the state of the pan-tilt package."""
    return instance_of(PackageState, robot.packages["CameraPanTilt"])


def newest_sonars(robot: RemoteRobot) -> Sonars:
    """Return the newest readings of all sonars."""
    return instance_of(Sonars, robot.newest("Sonar"))


def test_server_with_token_and_tls(
    certificate_files: CertificateFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUSER_TOKEN", "correct-horse-battery")
    trusted = certificate_files.certificate
    options = (
        "--certificate",
        str(certificate_files.combined),
        "--images",
        "-1",
        "--dialect",
        "udk",
    )
    with serving("pioneer_room", *options) as ports:
        where: dict[str, Any] = {
            "port": ports.control,
            "tls": trusted,
            "timeout": 30,
            "dialect": "udk",
        }
        with join("P3AT", token="correct-horse-battery", **where) as robot:
            assert instance_of(RobotGeometry, robot.geometry()).name == "P3AT"
            robot.package("CameraPanTilt", {1: 0.2})  # ACT, and links are numbered differently
            read_until(robot, lambda: abs(pan_tilt(robot).links[1].value - 0.2) <= 0.02)
            # The UDK dialect sends one line per sonar.
            read_until(robot, lambda: len(newest_sonars(robot).readings) >= 8, "Sonar")
        with pytest.raises(Refused, match="token"):
            join("P3AT", **where)
        with pytest.raises(Refused, match="this token is not one of the server's"):
            join("P3AT", token="wrong-horse-battery", **where)
        with pytest.raises((Disconnected, NoAnswer)):
            join("P3AT", port=ports.control, timeout=2)
