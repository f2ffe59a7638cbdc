"""Programs on the far side of the wire: a robot driven and heard over the network.

::

    from grouser.client import join

    with join("P3AT", name="R1") as robot:
        robot.drive(left=2.0, right=2.0)

Nothing here knows MuJoCo, a world or a simulated robot: what a program must know of its robot, its
camera and its field is handed to it as numbers, as to the real robot's software.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
