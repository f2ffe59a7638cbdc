"""Who touches whom: three contact classes, as MuJoCo's contact bits.

- ``WORLD``: terrain and objects; touches everything.
- ``BELT``: belts and grousers; touch the world and other robots' hulls, never another belt.
- ``HULL``: bodies, arms, legs; touch the world, belts and other hulls.

A belt never collides with the body it runs round (MuJoCo leaves parent and child alone); robots
exclude the few other pairs of their own parts that would meet.
"""

WORLD = 1
BELT = 2
HULL = 4

BELT_TOUCHES = WORLD
HULL_TOUCHES = WORLD | BELT | HULL
