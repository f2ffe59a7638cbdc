"""Kenaf's CAN bus: messages and command checks, UDP datagrams, the socketcand protocol.

`kenaf.dbc` beside these modules describes the same frames for CAN tools. It is generated from
`messages` by ``tools/generate_dbc.py``; docs/how-to/can.md explains the bus.
"""
