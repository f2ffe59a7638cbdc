"""Teleoperation: an operator drives a Kenaf by its cameras (Kurose et al. 2008, III-B.2, Fig. 19).

This program knows two addresses: the control process on the robot's PC, and the camera stream. The
robot behind them may be real or simulated, its motors on a CAN bus or in a simulator::

    grouser motors kenaf_step
    grouser control --link socketcand://127.0.0.1:29536/can0
    python examples/90_teleoperation.py --control 127.0.0.1:3020 --images 127.0.0.1:5003

Without addresses it starts all that here. In a terminal: w s drive, a d turn, r f front flippers,
t g rear flippers, blank stops, q leaves; views are in a window where there is a display. With
``--climb`` it climbs the 200 mm step by itself, as an operator would; without a terminal it only
tries flippers and belts.
"""

import argparse
import contextlib
import os
import select
import sys
import threading
import time

from grouser.client import Address, OperatorLink, PictureConnection, parse_host_port, started
from grouser.protocol import OperatorCommand, Region
from grouser.rendering import write_png

BOTH_VIEWS = Region(0, 0, 640, 240)  # front view, bird's-eye view: the mosaic's first two tiles
SPEED, TURN, STEP = 150.0, 40.0, 15.0  # mm/s, deg/s, deg of a flipper per key

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--control", metavar="HOST:PORT", help="the control process")
parser.add_argument("--images", metavar="HOST:PORT", default="127.0.0.1:5003", help="the cameras")
parser.add_argument("--token", default=os.environ.get("GROUSER_TOKEN", ""))
parser.add_argument("--climb", action="store_true", help="climb the step without a keyboard")
given = parser.parse_args()


class Views(threading.Thread):
    """Takes pictures as they come, and counts those on which the front view is another one."""

    def __init__(self, host, port):
        super().__init__(daemon=True)
        self._pictures = PictureConnection(Address(host=host, port=port, timeout=60))
        self.newest, self.changes, self.over = None, 0, False
        self.start()

    def run(self):
        """Look 40 times a second."""
        front = b""
        while not self.over:
            begun = time.monotonic()
            self.newest = self._pictures.take(BOTH_VIEWS)
            before, front = front, self.newest[:, :320].tobytes()
            self.changes += front != before
            time.sleep(max(0.0, begun + 0.025 - time.monotonic()))
        self._pictures.close()


class Window:
    """Shows pictures where there is a display, by what comes with Python."""

    def __init__(self):
        import tkinter

        self._root = tkinter.Tk()
        self._root.title("Kenaf: front view, bird's-eye view")
        self._make = tkinter.PhotoImage
        self._label = tkinter.Label(self._root)
        self._label.pack()

    def show(self, picture):
        """Show the newest."""
        height, width, _ = picture.shape
        ppm = b"P6 %d %d 255 " % (width, height) + picture.tobytes()
        self._photo = self._make(data=ppm, format="PPM")
        self._label.configure(image=self._photo)
        self._root.update()


@contextlib.contextmanager
def keyboard():
    """Let single keys be read from the terminal."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def typed(link):
    """Yield what the operator's keys say, 20 times a second; a key held down repeats itself."""
    front, rear, drive, until = 0.0, 0.0, (0.0, 0.0), 0.0
    ways = {"w": (SPEED, 0.0), "s": (-SPEED, 0.0), "a": (0.0, TURN), "d": (0.0, -TURN)}
    while True:
        while select.select([sys.stdin], [], [], 0.0)[0]:
            key = sys.stdin.read(1).lower()
            if key == "q":
                return
            front += STEP * {"r": 1, "f": -1}.get(key, 0)
            rear += STEP * {"t": 1, "g": -1}.get(key, 0)
            if key in ways:
                drive, until = ways[key], time.monotonic() + 0.6  # until the terminal repeats it
            if key == " ":
                yield OperatorCommand(stop=True)
        driving = drive if time.monotonic() < until else (0.0, 0.0)
        yield OperatorCommand(driving, (front, rear))
        report = link.report(0.05)
        print(f"\r{line(report)}", end="", flush=True)


def climb(link):
    """Yield what an operator does at a step: flippers up, drive, press, level, stop."""

    def until(done, drive, front, rear, longest):
        end = time.monotonic() + longest
        while not done(report := link.report(0.1)) and time.monotonic() < end:
            yield OperatorCommand((drive, 0.0), (front, rear))
        print(line(report))

    def nose_up(report):
        return -report.posture_deg[1]

    yield from until(lambda report: report.flippers_deg[0] > 43, 0.0, 45.0, 0.0, 5)
    if not given.climb:
        yield from until(lambda report: report.encoders_mm[0] > 150, SPEED, 45.0, 0.0, 10)
        yield OperatorCommand(stop=True)
        return
    yield from until(lambda report: nose_up(report) > 20, SPEED, 45.0, 0.0, 20)
    yield from until(lambda report: nose_up(report) < 8, SPEED, -20.0, -60.0, 20)
    there = link.report().encoders_mm[0] + 450
    yield from until(lambda report: report.encoders_mm[0] > there, SPEED, 0.0, 0.0, 10)
    yield OperatorCommand(stop=True)


def line(report):
    """Return how the robot is."""
    _, pitch, yaw = report.posture_deg or (0, 0, 0)
    return (
        f"{report.encoders_mm[0]:6.0f} mm  pitch {pitch:5.1f}  yaw {yaw:5.1f}  flippers "
        f"{report.flippers_deg[0]:4.0f} {report.flippers_deg[2]:4.0f} deg  {report.trouble}"
    )


with contextlib.ExitStack() as stack:
    control, images = given.control, given.images
    if control is None:
        bus = stack.enter_context(started("motors", "kenaf_step", "--port", "0", "--images", "0"))
        where = f"socketcand://127.0.0.1:{bus['can']}/can0"
        process = stack.enter_context(started("control", "--link", where, "--port", "0"))
        control, images = f"127.0.0.1:{process['control']}", f"127.0.0.1:{bus['images']}"
    link = stack.enter_context(OperatorLink(*parse_host_port(control, 3020), given.token, 60))
    views = Views(*parse_host_port(images, 5003))
    while views.newest is None or not views.newest.any():  # whoever draws may still be starting
        time.sleep(0.05)
    alone = given.climb or not sys.stdin.isatty()
    if not alone:
        stack.enter_context(keyboard())
    window = None
    if os.environ.get("DISPLAY"):
        with contextlib.suppress(ImportError):
            window = Window()
    begun, changes = time.monotonic(), views.changes
    for command in climb(link) if alone else typed(link):
        link.send(command)
        if window and views.newest is not None:
            window.show(views.newest)
    fps = (views.changes - changes) / (time.monotonic() - begun)
    time.sleep(0.3)  # it comes to rest
    views.over = True
    views.join(60)
    print(f"{fps:.1f} pictures a second arrived in which something had moved")
    write_png("views.png", views.newest)
