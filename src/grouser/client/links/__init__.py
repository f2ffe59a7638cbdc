"""Links: transports of the robot library's CAN frames; `link.LINKS` is the table."""
