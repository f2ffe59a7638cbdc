"""Map a room with the laser of a P3AT and drive through it, with ``roslibpy`` only.

The program knows topics of ROS only: it reads ``sensor_msgs/LaserScan`` and ``nav_msgs/Odometry``,
keeps an occupancy grid, plans in it, and publishes ``nav_msgs/Path``. It drives to the nearest
place with a view of something unknown until there is none, and back to where it began.

Starts a server on this machine.
"""

import heapq
import math
import time
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import roslibpy
from scipy import ndimage

from grouser.client import serving

WORLD = """
name: two rooms
terrain: [{kind: flat}]
robots: [{name: p3at, kind: p3at, position: [-2.5, 0.5], sensors: standard}]
objects:
- {name: east, kind: box, fixed: true, position: [4.05, 0, 0.5], size: [0.1, 6.2, 1]}
- {name: west, kind: box, fixed: true, position: [-4.05, 0, 0.5], size: [0.1, 6.2, 1]}
- {name: north, kind: box, fixed: true, position: [0, 3.05, 0.5], size: [8, 0.1, 1]}
- {name: south, kind: box, fixed: true, position: [0, -3.05, 0.5], size: [8, 0.1, 1]}
- {name: divider, kind: box, fixed: true, position: [0.5, 1.2, 0.5], size: [0.1, 3.6, 1]}
- {name: crate, kind: box, fixed: true, position: [-1.2, -1.2, 0.5], size: [0.5, 0.4, 1]}
"""
OPTIONS = ("--images", "-1", "--gateway", "rosbridge:port=0,rate_hz=20", "--speed", "5")

CELL, CELLS = 0.1, 120  # m; cells on a side
RADIUS = 0.45  # of the robot and some room, m
OCCUPIED, UNKNOWN, FREE = 0.7, 0.0, -0.4  # limits, and changes of a cell by a beam
ENOUGH = 12  # cells of a frontier that is worth a visit

Cell = tuple[int, int]


class Mapper:
    """Occupancy grid of the scans of a robot whose pose is known."""

    def __init__(self, ros: roslibpy.Ros, robot: str) -> None:
        self.grid = np.zeros((CELLS, CELLS))
        self.poses: deque[tuple[float, float, float, float]] = deque(maxlen=100)
        self.scans: deque[dict] = deque(maxlen=20)
        self.count = 0
        queue = {"queue_length": 20}
        odometry = roslibpy.Topic(ros, f"/{robot}/odom", "nav_msgs/Odometry", **queue)
        odometry.subscribe(self.add_pose)
        roslibpy.Topic(ros, f"/{robot}/scan", "sensor_msgs/LaserScan", **queue).subscribe(
            self.scans.append
        )
        static = roslibpy.Topic(ros, "/tf_static", "tf2_msgs/TFMessage")
        static.subscribe(lambda message: self.mount(message["transforms"]))
        self.laser: dict[str, float] = {}

    def mount(self, transforms: list[dict]) -> None:
        """Note how far ahead of the robot's origin each sensor is."""
        self.laser = {t["child_frame_id"]: t["transform"]["translation"]["x"] for t in transforms}

    def add_pose(self, message: dict) -> None:
        """Note a pose; draw the scans that are older."""
        pose = message["pose"]["pose"]
        yaw = 2 * math.atan2(pose["orientation"]["z"], pose["orientation"]["w"])
        place = pose["position"]
        self.poses.append((seconds(message), place["x"], place["y"], yaw))
        while self.scans and self.laser and seconds(self.scans[0]) <= self.poses[-1][0]:
            self.add_scan(self.scans.popleft())

    def add_scan(self, scan: dict) -> None:
        """Draw a scan at the pose of its time."""
        times, x, y, yaw = np.array(self.poses).T
        then = seconds(scan)
        if then < times[0]:
            return
        x, y, yaw = (np.interp(then, times, each) for each in (x, y, np.unwrap(yaw)))
        ahead = self.laser[scan["header"]["frame_id"]]
        x, y = x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)
        known = [(n, r) for n, r in enumerate(scan["ranges"]) if r is not None]
        beams, ranges = np.array(known).T
        angles = yaw + scan["angle_min"] + beams * scan["angle_increment"]
        steps = np.arange(0, scan["range_max"], CELL / 2)
        before = steps < ranges[:, None] - CELL
        free = np.stack(
            [x + np.cos(angles)[:, None] * steps, y + np.sin(angles)[:, None] * steps], -1
        )
        self.change(free[before], FREE)
        hits = ranges < scan["range_max"]
        ends = np.stack([x + np.cos(angles) * ranges, y + np.sin(angles) * ranges], -1)
        self.change(ends[hits], OCCUPIED)
        self.count += 1

    def change(self, points: np.ndarray, by: float) -> None:
        """Make the cells of points more occupied, or less."""
        cells = np.floor(points / CELL).astype(int) + CELLS // 2
        cells = np.unique(cells[((cells >= 0) & (cells < CELLS)).all(axis=1)], axis=0)
        self.grid[tuple(cells.T)] = np.clip(self.grid[tuple(cells.T)] + by, -4, 4)

    @property
    def cell(self) -> Cell:
        """Cell of the robot."""
        _, x, y, _ = self.poses[-1]
        return cell_of(x, y)

    def passable(self) -> np.ndarray:
        """Return the cells on which the robot's centre may be."""
        blocked = ndimage.binary_dilation(self.grid > OCCUPIED / 2, disc(RADIUS))
        return (self.grid < 0) & ~blocked

    def frontiers(self) -> list[np.ndarray]:
        """Return the borders between free and unknown cells; each is a list of free cells."""
        border = (self.grid < 0) & ndimage.binary_dilation(self.grid == UNKNOWN)
        numbers, count = ndimage.label(border, np.ones((3, 3)))
        found = [np.argwhere(numbers == n) for n in range(1, count + 1)]
        return [cells for cells in found if len(cells) >= ENOUGH]


def disc(radius: float) -> np.ndarray:
    """Return the cells of a disc."""
    n = round(radius / CELL)
    i, j = np.ogrid[-n : n + 1, -n : n + 1]
    return i * i + j * j <= n * n


def seconds(message: dict) -> float:
    """Return the time of a message, s."""
    stamp = message["header"]["stamp"]
    return stamp["secs"] + 1e-9 * stamp["nsecs"]


def cell_of(x: float, y: float) -> Cell:
    """Return the cell of a place, m."""
    return math.floor(x / CELL) + CELLS // 2, math.floor(y / CELL) + CELLS // 2


def distances(passable: np.ndarray, start: Cell) -> tuple[dict[Cell, float], dict[Cell, Cell]]:
    """Return the distance of every cell that can be reached, and the cell before it."""
    found, before, queue = {start: 0.0}, {}, [(0.0, start)]
    while queue:
        so_far, (i, j) = heapq.heappop(queue)
        if so_far > found[i, j]:
            continue
        for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            other, length = (i + a, j + b), so_far + math.hypot(a, b)
            if passable[other] and length < found.get(other, math.inf):
                found[other], before[other] = length, (i, j)
                heapq.heappush(queue, (length, other))
    return found, before


class Explorer:
    """Program that drives the robot by topics and a service."""

    def __init__(self, ros: roslibpy.Ros, robot: str) -> None:
        self.map, self.visited = Mapper(ros, robot), list[np.ndarray]()
        self.drive = roslibpy.Topic(ros, f"/{robot}/cmd_vel", "geometry_msgs/Twist")
        self.path = roslibpy.Topic(ros, f"/{robot}/path", "nav_msgs/Path")
        self.result = roslibpy.Service(ros, f"/{robot}/drive_time", "std_srvs/Trigger")
        self.length = 0.0

    def look_around(self) -> None:
        """Turn on the spot once."""
        while not self.map.count:
            time.sleep(0.05)
        turned, yaw = 0.0, self.map.poses[-1][3]
        while turned < 2 * math.pi:
            self.drive.publish(roslibpy.Message({"angular": {"z": 0.7}}))
            now = self.map.poses[-1][3]
            turned += (now - yaw + math.pi) % (2 * math.pi) - math.pi
            yaw = now
            time.sleep(0.05)
        self.drive.unadvertise()  # stops the robot, which the path's driver may own then

    def next_goal(self) -> Cell | None:
        """Return the nearest cell with a new view of a border to the unknown."""
        reached, _ = distances(self.map.passable(), self.map.cell)
        cells = np.array(list(reached))
        ways = np.array(list(reached.values()))
        best, goal = math.inf, None
        for border in self.map.frontiers():
            middle = border[len(border) // 2]
            if any(math.dist(middle, seen) < 1.0 / CELL for seen in self.visited):
                continue
            off = np.linalg.norm(cells - middle, axis=1)
            near = off < max(off.min() + 2, 0.6 / CELL)
            if ways[near].min() < best:
                best, goal, target = ways[near].min(), cells[near][ways[near].argmin()], middle
        if goal is None:
            return None
        self.visited.append(target)
        return int(goal[0]), int(goal[1])

    def go(self, goal: Cell) -> None:
        """Publish the shortest path to a cell, and wait for the arrival."""
        passable = self.map.passable()
        reached, before = distances(passable, self.map.cell)
        cells = [goal]
        while cells[-1] in before:
            cells.append(before[cells[-1]])
        if reached[goal] * CELL < RADIUS:
            return
        self.length += reached[goal] * CELL
        places = (np.array([*cells[:-1:4], cells[-1]])[::-1] - CELLS // 2 + 0.5) * CELL
        places[0] = self.map.poses[-1][1:3]
        poses = [{"pose": {"position": {"x": x, "y": y}}} for x, y in places.tolist()]
        self.path.publish(roslibpy.Message({"header": {"frame_id": "map"}, "poses": poses}))
        time.sleep(0.2)
        answer = self.result.call(roslibpy.ServiceRequest())
        while "still driving" in answer["message"]:
            time.sleep(0.05)
            answer = self.result.call(roslibpy.ServiceRequest())
        if not answer["success"]:
            raise SystemExit(answer["message"])


def describe(grid: np.ndarray) -> str:
    """Return the size of the room, its share that was seen, and a plan of it."""
    free = np.argwhere(grid < 0)
    low, high = free.min(axis=0), free.max(axis=0) + 1
    room = grid[low[0] : high[0], low[1] : high[1]]
    size, seen = (high - low) * CELL, 100 * (room != UNKNOWN).mean()
    drawn = grid[low[0] - 2 : high[0] + 2, low[1] - 2 : high[1] + 2]
    signs = np.where(drawn > 0, "#", np.where(drawn < 0, ".", " "))[::2, ::4]
    plan = ["".join(column) for column in signs.T[::-1]]
    return "\n".join([*plan, f"room of {size[0]:.1f} x {size[1]:.1f} m, {seen:.0f} % seen"])


with TemporaryDirectory() as folder:
    (world := Path(folder) / "rooms.yaml").write_text(WORLD)
    with serving(str(world), *OPTIONS) as ports:
        ros = roslibpy.Ros(ports.host, ports.rosbridge)
        ros.run()
        robot = Explorer(ros, "p3at")
        robot.look_around()
        home, places = robot.map.cell, 0
        while goal := robot.next_goal():
            robot.go(goal)
            robot.look_around()
            places += 1
        robot.go(home)
        off = CELL * math.dist(robot.map.cell, home)
        print(describe(robot.map.grid))
        print(f"{robot.map.count} scans, {places} paths to a new view, {robot.length:.1f} m in all")
        print(f"home again, {off:.1f} m from where it began")
        ros.terminate()
