"""Kenaf's CAN bus: frames, what they say, and which of them may move a robot.

`kenaf.dbc` beside these modules is the contract, for any CAN tool; docs/can.md explains it.
"""
