"""What robots are put together from: hulls, wheels, linkages, cranks, pan-tilt heads."""
