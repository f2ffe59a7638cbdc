"""Wires: each translates between the host and one kind of client."""
