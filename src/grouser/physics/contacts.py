"""Contact classes: collision filtering with MuJoCo's contact bits.

- ``WORLD``: terrain and objects; touches everything.
- ``BELT``: belts and grousers; touch the world and other robots' hulls, never another belt.
- ``HULL``: bodies, arms, legs; touch the world, belts and other hulls.

The ground's friction counts: MuJoCo takes the larger of a contact's two coefficients, and robots
are ``SLIPPERY`` by default.

A belt never collides with the body it runs round (MuJoCo filters parent and child); robots exclude
the few other pairs of their own parts that would collide.
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
"""Friction of a robot: small enough that the ground's is the larger one."""
