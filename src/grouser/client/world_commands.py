"""Commands of USARSim's world controller, sent without waiting for an answer.

Metres and radians, in the wire's axes, as in `grouser.client.commands`.
"""

from __future__ import annotations

from collections.abc import Sequence

from grouser.client.commands import CommandSender
from grouser.protocol.usarsim import control
from grouser.protocol.usarsim.values import Vector


class WorldCommands(CommandSender):
    """The commands of USARSim's world controller: make, move and remove objects."""

    def create(
        self,
        class_name: str,
        name: str | None = None,
        *,
        at: Vector | None = None,
        rotation: Vector | None = None,
        scale: Sequence[float] | None = None,
        physics: str | None = None,
        permanent: bool | None = None,
        memory: str | None = None,
        material: str | None = None,
        start: str | None = None,
    ) -> None:
        """Make an object; `grouser.protocol.usarsim.control.Create` says what the options mean."""
        self.send(
            control.Create(
                class_name,
                name,
                memory,
                at,
                rotation,
                None if scale is None else tuple(scale),
                physics,
                permanent,
                material,
                start,
            )
        )

    def kill(self, name: str) -> None:
        """Remove an object."""
        self.send(control.Kill(name))

    def kill_all(self, lowest: Vector | None = None, highest: Vector | None = None) -> None:
        """Remove every object, or those inside a box."""
        self.send(control.KillAll(lowest, highest))

    def put(self, name: str, at: Vector | None = None, rotation: Vector | None = None) -> None:
        """Put an object somewhere."""
        self.send(control.AbsMove(name, at, rotation))

    def shift(self, name: str, by: Vector | None = None, rotation: Vector | None = None) -> None:
        """Move an object by so much."""
        self.send(control.RelMove(name, by, rotation))

    def rotate(self, name: str, *speed: float) -> None:
        """Let an object turn, rad/s: one number, or one per axis."""
        self.send(control.Rotate(name, speed))

    def convey(self, name: str, *speed: float) -> None:
        """Set the speed of a conveyor, m/s: one number, or one per axis."""
        self.send(control.Conveyor(name, speed))

    def add_waypoints(self, name: str, *places: Vector) -> None:
        """Give an object further places to visit."""
        self.send(control.AddWaypoints(name, places))

    def set_waypoints(
        self,
        name: str,
        *,
        speed: float | None = None,
        time: float | None = None,
        loop: bool | None = None,
        reset_on_clear: bool | None = None,
        moving: bool | None = None,
    ) -> None:
        """Say how an object visits its places: m/s, or s for the whole way."""
        self.send(control.SetWaypoints(name, speed, time, loop, reset_on_clear, moving))

    def clear_waypoints(self, name: str) -> None:
        """Take an object's places away."""
        self.send(control.ClearWaypoints(name))

    def ask_states(self, class_name: str | None = None, name: str | None = None) -> None:
        """Ask where objects are; the answers are heard like any other line."""
        self.send(control.GetState(class_name, name))
