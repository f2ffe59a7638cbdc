"""Teleoperation: an operator drives a Kenaf by its cameras (Kurose et al. 2008, III-B.2, Fig. 19).

The program connects to two addresses: the control process on the robot's PC and the camera stream.
The robot may be real or simulated, its motors on a CAN bus or in a simulator::

    grouser motors kenaf_step
    grouser control --link socketcand://127.0.0.1:29536/can0
    python examples/90_teleoperation.py --control 127.0.0.1:3020 --images 127.0.0.1:5003

Without addresses it starts both on this machine. Keys in a terminal: w s drive, a d turn, r f front
flippers, t g rear flippers, j l pan, i k tilt, + - zoom, space stops, q quits. Pictures are shown
in a window if there is a display. With ``--climb`` it climbs the 200 mm step automatically, with
``--look`` it pans, tilts and zooms the camera and writes a picture of each view; without a terminal
it only tests flippers and belts.
"""

import argparse
import contextlib
import os
import select
import sys
import threading
import time

from grouser.client import Address, OperatorLink, PictureConnection, parse_host_port, start_command
from grouser.protocol import OperatorCommand, Region
from grouser.rendering import write_png

BOTH_VIEWS = Region(0, 0, 640, 240)  # front view, bird's-eye view: the mosaic's first two tiles
SPEED, TURN, STEP = 150.0, 40.0, 15.0  # mm/s, deg/s, deg of a flipper per key
WIDE, NARROW, AIM = 80.0, 20.0, 5.0  # deg, fields of view; deg of the camera per key
LOOKS = {  # pan, tilt and field of view, deg
    "ahead": (0.0, 0.0, WIDE),
    "left": (15.0, 0.0, WIDE),
    "up": (0.0, 15.0, WIDE),
    "near": (0.0, 0.0, NARROW),
}

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--control", metavar="HOST:PORT", help="the control process")
parser.add_argument("--images", metavar="HOST:PORT", default="127.0.0.1:5003", help="the cameras")
parser.add_argument("--token", default=os.environ.get("GROUSER_TOKEN", ""))
parser.add_argument("--climb", action="store_true", help="climb the step without a keyboard")
parser.add_argument("--look", action="store_true", help="aim the camera without a keyboard")
given = parser.parse_args()


class Views(threading.Thread):
    """Background thread that receives pictures and counts changes of the front view."""

    def __init__(self, host, port):
        super().__init__(daemon=True)
        self._pictures = PictureConnection(Address(host=host, port=port, timeout=60))
        self.newest, self.changes, self.stopped = None, 0, False
        self.start()

    def run(self):
        """Receive 40 pictures per second."""
        front = b""
        while not self.stopped:
            begun = time.monotonic()
            self.newest = self._pictures.take(BOTH_VIEWS)
            before, front = front, self.newest[:, :320].tobytes()
            self.changes += front != before
            time.sleep(max(0.0, begun + 0.025 - time.monotonic()))
        self._pictures.close()


class Window:
    """Window for pictures, with tkinter."""

    def __init__(self):
        import tkinter

        self._root = tkinter.Tk()
        self._root.title("Kenaf: front view, bird's-eye view")
        self._photo_image = tkinter.PhotoImage
        self._label = tkinter.Label(self._root)
        self._label.pack()

    def show(self, picture):
        """Show a picture."""
        height, width, _ = picture.shape
        ppm = b"P6 %d %d 255 " % (width, height) + picture.tobytes()
        self._photo = self._photo_image(data=ppm, format="PPM")
        self._label.configure(image=self._photo)
        self._root.update()


@contextlib.contextmanager
def keyboard():
    """Read single keys from the terminal."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def keyboard_commands(link):
    """Yield commands of the operator's keys, 20 per second; a key held down repeats."""
    front, rear, drive, until = 0.0, 0.0, (0.0, 0.0), 0.0
    pan, tilt, view = 0.0, 0.0, WIDE
    directions = {"w": (SPEED, 0.0), "s": (-SPEED, 0.0), "a": (0.0, TURN), "d": (0.0, -TURN)}
    while True:
        while select.select([sys.stdin], [], [], 0.0)[0]:
            key = sys.stdin.read(1).lower()
            if key == "q":
                return
            front += STEP * {"r": 1, "f": -1}.get(key, 0)
            rear += STEP * {"t": 1, "g": -1}.get(key, 0)
            pan += AIM * {"j": 1, "l": -1}.get(key, 0)
            tilt += AIM * {"i": 1, "k": -1}.get(key, 0)
            view = min(WIDE, max(NARROW, view + AIM * {"-": 1, "+": -1}.get(key, 0)))
            if key in directions:
                drive, until = directions[key], time.monotonic() + 0.6  # delay of key repeat
            if key == " ":
                yield OperatorCommand(stop=True)
        driving = drive if time.monotonic() < until else (0.0, 0.0)
        yield OperatorCommand(driving, (front, rear), (pan, tilt), view)
        report = link.report(0.05)
        print(f"\r{line(report)}", end="", flush=True)


def climb(link):
    """Yield the commands for climbing a step: flippers up, drive, press, level, stop."""

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


def look_around(link, views):
    """Yield the commands of `LOOKS`; write a picture of each view."""
    for name, (pan, tilt, view) in LOOKS.items():
        end = time.monotonic() + 3.0  # the head turns 10 deg/s
        while time.monotonic() < end:
            yield OperatorCommand(camera=(pan, tilt), view=view)
            link.report(0.1)
        write_png(f"look_{name}.png", views.newest[:, :320])
        print(f"look_{name}.png: pan {pan:g}, tilt {tilt:g}, field of view {view:g} deg")


def line(report):
    """Return the state of the robot as text."""
    _, pitch, yaw = report.posture_deg or (0, 0, 0)
    return (
        f"{report.encoders_mm[0]:6.0f} mm  pitch {pitch:5.1f}  yaw {yaw:5.1f}  flippers "
        f"{report.flippers_deg[0]:4.0f} {report.flippers_deg[2]:4.0f} deg  {report.trouble}"
    )


with contextlib.ExitStack() as stack:
    control, images = given.control, given.images
    if control is None:
        bus = stack.enter_context(
            start_command("motors", "kenaf_step", "--port", "0", "--images", "0")
        )
        where = f"socketcand://127.0.0.1:{bus['can']}/can0"
        process = stack.enter_context(start_command("control", "--link", where, "--port", "0"))
        control, images = f"127.0.0.1:{process['control']}", f"127.0.0.1:{bus['images']}"
    link = stack.enter_context(OperatorLink(*parse_host_port(control, 3020), given.token, 60))
    views = Views(*parse_host_port(images, 5003))
    while views.newest is None or not views.newest.any():  # render workers may still be starting
        time.sleep(0.05)
    automatic = given.climb or given.look or not sys.stdin.isatty()
    if not automatic:
        stack.enter_context(keyboard())
    window = None
    if os.environ.get("DISPLAY"):
        with contextlib.suppress(ImportError):
            window = Window()
    begun, changes = time.monotonic(), views.changes
    program = climb(link) if automatic else keyboard_commands(link)
    for command in look_around(link, views) if given.look else program:
        link.send(command)
        if window and views.newest is not None:
            window.show(views.newest)
    fps = (views.changes - changes) / (time.monotonic() - begun)
    time.sleep(0.3)  # until the robot is at rest
    views.stopped = True
    views.join(60)
    print(f"{fps:.1f} pictures per second with a changed front view")
    write_png("views.png", views.newest)
