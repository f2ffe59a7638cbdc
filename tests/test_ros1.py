"""ROS 1 for real: Debian's rospy drives a robot through the relay and records a bag."""

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import grouser
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess, environment
from support.server_world import WORLD
from support.source_tree import ROOT

from grouser.evaluation.bags import bag_columns

PYTHON = "/usr/bin/python3"
"""Python of the ROS installation."""
RELAY = ROOT / "examples" / "ros1" / "relay.py"
NODE = Path(__file__).parent / "support" / "rospy_node.py"


def ros_is_missing() -> str:
    """Return why ROS 1 cannot be used; empty if it can."""
    if shutil.which("roscore") is None:
        return "ROS 1 is not installed (docs/how-to/ros.md)"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    modules = "rospy, rosbag, nav_msgs, sensor_msgs, sys"
    code = f"import {modules}; sys.exit(not sys.version.startswith('{version}.'))"
    found = subprocess.run([PYTHON, "-c", code], capture_output=True, check=False)
    return "" if found.returncode == 0 else f"{PYTHON} has no rospy, or is not Python {version}"


@pytest.fixture
def ros_environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Return the environment of ROS programs, with a running master."""
    if reason := ros_is_missing():
        pytest.skip(reason)
    ours = os.pathsep.join(
        [*site.getsitepackages(), *(p for p in sys.path if "site-packages" in p)]
    )
    more = {"ROS_MASTER_URI": "http://127.0.0.1:11377", "ROS_IP": "127.0.0.1"}
    more |= {"ROS_HOME": str(tmp_path / "ros"), "PYTHONPATH": ours}
    variables = environment() | more
    master = subprocess.Popen(
        ["roscore", "-p", "11377"], env=environment() | more | {"PYTHONPATH": ""}
    )
    yield variables
    master.terminate()
    master.wait(TIMEOUT)


@pytest.mark.slow
def test_rospy_node_drives_a_robot_and_records_a_bag(
    tmp_path: Path, ros_environment: dict[str, str]
) -> None:
    (world := tmp_path / "yard.yaml").write_text(
        WORLD.replace("position: [-5, 3]", "position: [-5, 3], sensors: standard")
    )
    bag = tmp_path / "run.bag"
    with ExitStack() as stack:
        server = stack.enter_context(
            ServerProcess(tmp_path, world, *CONTROL_ONLY, "--rosbridge", "0")
        )
        port = str(server.ports["rosbridge"])
        relay = subprocess.Popen([PYTHON, RELAY, "127.0.0.1", port], env=ros_environment)
        stack.callback(relay.wait, TIMEOUT)
        stack.callback(relay.terminate)
        node = subprocess.run(
            [PYTHON, NODE, "own", bag],
            env=ros_environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert node.returncode == 0, node.stderr
        assert relay.poll() is None
    assert int(node.stdout.split()[-1]) > 100
    columns = bag_columns(bag, "/own/odom")
    assert np.ptp(columns["x_m"]) > 0.3
    result = grouser("compare", bag, bag, "--topic", "/own/odom", "--sim-topic", "/own/odom")
    assert result.exit_code == 0, result.output
