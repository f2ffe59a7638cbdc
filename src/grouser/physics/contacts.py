"""Who touches whom: three contact classes, as MuJoCo's contact bits.

- ``WORLD``: terrain and objects; touches everything.
- ``BELT``: belts and grousers; touch the world and other robots' hulls, never another belt.
- ``HULL``: bodies, arms, legs; touch the world, belts and other hulls.

Friction is the ground's number: MuJoCo takes the larger of a contact's two coefficients, and robots
are ``SLIPPERY`` unless they say otherwise.

A belt never collides with the body it runs round (MuJoCo leaves parent and child alone); robots
exclude the few other pairs of their own parts that would meet.
"""

WORLD = 1
BELT = 2
HULL = 4

BELT_TOUCHES = WORLD
HULL_TOUCHES = WORLD | BELT | HULL

CHAIN = 8
"""Pins of a chain of plates; touch nothing but their own pulleys and rails."""
CHAIN_GUIDE = 16
"""Pulleys and rails of a chain."""

SLIPPERY = 1e-3
"""A robot's own friction: small enough that the ground's decides."""
