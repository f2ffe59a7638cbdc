"""Client library: drive robots over the network, blocking or with asyncio.

::

    from grouser.client import join

    with join("P3AT", name="R1") as robot:
        robot.drive(left=2.0, right=2.0)

The package imports neither MuJoCo nor the simulation: a program passes the dimensions of its robot,
camera and field as numbers, as for the real robot.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={"open_link": "grouser.client.links:open_link", "started": "start_command"},
)
