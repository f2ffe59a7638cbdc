"""Actions that change a running world, and their implementation.

`grouser.simulation` exports the actions that users write; events, clocks and the referee use the
others.
"""
