"""Convert a scan to a world: a real Kinect frame of a table, and a small crawler driving on it.

The frame ships with Grouser. The same on the command line: ``grouser scan kinect_table_12 --out
table``.
"""

from pathlib import Path

from grouser.mobility import drive_routes, routes_between_starts
from grouser.scan import ScanOptions, WorldOptions, read_cloud, scan_to_world, shipped_frames
from grouser.world import load

CRAWLER = {
    "mass": 3.0,
    "gauge": 0.14,
    "width": 0.04,
    "pulleys": [[-0.07, 0, 0.03], [0.07, 0, 0.03]],  # x, z, radius
    "grouser": {"shape": "trapezoid", "top": 0.002, "base": 0.006, "height": 0.005},
    "count": 24,
    "force": 20.0,
    "speed": 0.4,
}

cloud = read_cloud(shipped_frames()["kinect_table_12"])
result = scan_to_world(
    [cloud],
    Path("table"),
    WorldOptions(name="table", collide="height_map"),  # "auto" also tries convex pieces
    ScanOptions(voxel=0.03),
)
print(f"{len(result.ground.cloud):,} points, {100 * result.grid.unseen:.0f} % unseen")
print(f"{result.why}")

world = load("table/world.yaml")
for run in drive_routes("crawler", CRAWLER, world, routes_between_starts(world)[:2]):
    print(f"from {run.route}: {run.outcome.verdict} after {run.outcome.time:.1f} s")
