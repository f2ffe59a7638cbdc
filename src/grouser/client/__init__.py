"""PROGRAMS ON THE FAR SIDE: they see what the wire gives them, and never the ground truth.

Nothing here knows MuJoCo, a world or a simulated robot: what a program must know of its robot, its
camera and its field is handed to it as numbers, as to the real robot's software.
"""
