"""Parts shared by several robots: hulls, wheels, linkages, flippers, pan-tilt heads."""
