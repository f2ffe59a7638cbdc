"""What makes a real picture: lens, shutter, light, noise, and the CMOS sweep of them all."""
