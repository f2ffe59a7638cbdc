"""Visual ball approach over the network: an ERS-7 finds the ball by its camera and kicks it.

Starts a server on this machine; ``serving(…, at="HOST:PORT")`` uses a running one.
"""

from grouser.client import join, serving, watch
from grouser.perception import CameraOptics, ColourTable, NoddingNeck, see_ball

# Dimensions of the ERS-7 (Sony's data sheets); stance height of the simulated trot.
NECK = NoddingNeck(at=(0.0675, 0.0, 0.1412), length=0.080, lens=(0.0811, 0.0, -0.0146))
OPTICS = CameraOptics(width=208, height=160, focal=(192.0, 192.0), kappa=-0.1)
BALL, PAW = 0.0425, (0.158, 0.063)  # m: radius; position of the ball at which the left paw kicks
TURN = 0.2  # s, simulated time per turn
COLOURS = ColourTable.from_samples()


def locate_ball(robot, pictures):
    """Return the ball's position in the robot's axes (x ahead, y left), m; None: not visible."""
    joints = dict(robot.state.joints)
    gaze = NECK.gaze(joints["NeckTilt"], -joints["HeadPan"], joints["HeadTilt"])
    image = pictures.take(timeout=60)
    ball = see_ball(image, COLOURS.look_up(image), OPTICS, gaze, BALL)
    return ball and ball.place(gaze)


def wait(robot, seconds):
    """Simulate for ``seconds``."""
    for _ in range(round(seconds / TURN)):
        robot.step()


def approach(robot, pictures):
    """Walk until the ball is below the chin, out of view; take the last steps without vision."""
    for turn in robot.turns():
        if seen := locate_ball(robot, pictures):
            ahead, left = seen[0] - PAW[0], seen[1] - PAW[1]
            print(f"{turn.time:5.1f} s   ball {seen[0]:.2f} m ahead, {seen[1]:+.2f} m to the left")
            robot.walk(min(0.1, ahead), max(-0.05, min(0.05, left)), 0.5 * left / seen[0])
            if ahead < 0.2 and abs(left) < 0.01:
                break
        else:
            robot.walk(turn=0.5)  # search
    robot.walk(0.08)
    wait(robot, ahead / 0.08)
    robot.walk()


options = (
    "--set",
    "robots.0.command.forward=0",
    "--speed",
    "max",
    "--picture-type",
    "raw",
    "--longest-wait",
    "60",
)
with (
    serving("league_field", *options) as ports,
    join("ERS7", "Rex", at=(-0.9, 0.4, 0), host=ports.host, port=ports.control) as robot,
    watch(robot, port=ports.images) as pictures,
):
    robot.head(tilt=-0.2)
    robot.lockstep(TURN)
    approach(robot, pictures)
    robot.kick("left")
    wait(robot, 4.0)
    near = (locate_ball(robot, pictures) or (9, 9))[0] < 0.4
    print(f"{robot.time:5.1f} s   kicked: {'it is still there' if near else 'it rolled away'}")
