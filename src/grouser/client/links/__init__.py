"""Links: how the robot library's CAN frames reach a robot; `link.LINKS` is their table."""
