"""Program: 300 trials on a Ray cluster of three local nodes, one of which is killed half-way.

Writes JSON to the given file: the fingerprint of each received outcome by number, the numbers
received twice, and the number of nodes before and after.
"""

import json
import os
import secrets
import sys
from pathlib import Path

os.environ |= {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
}

from support.cheap_trials import cheap_trials


def main() -> None:
    """Run the trials and print the result."""
    import ray
    from ray.cluster_utils import Cluster

    from grouser.trials.ray_runner import RayRunner
    from grouser.trials.runner import run_trials

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    others = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(cluster.address, log_to_driver=False, logging_level="error")
    trials = cheap_trials(300)
    received: dict[int, str] = {}
    twice: list[int] = []
    nodes = []
    with RayRunner() as runner:
        while runner.nodes < 3:
            run_trials(trials[:6], runner=runner)
        for number, outcome in runner.run(trials):
            twice += [number] if number in received else []
            received[number] = outcome.fingerprint
            if len(received) == len(trials) // 2:
                nodes.append(runner.nodes)
                cluster.remove_node(others[0], allow_graceful=False)
        nodes.append(runner.nodes)
    result = {"received": received, "twice": twice, "nodes": nodes}
    Path(sys.argv[1]).write_text(json.dumps(result))
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
