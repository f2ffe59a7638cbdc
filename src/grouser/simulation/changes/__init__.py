"""Everything that may change a running world, as small dataclasses, and who carries it out.

`grouser.simulation` lends out the actions that users write; here are those that events, clocks and
the referee make of them.
"""
