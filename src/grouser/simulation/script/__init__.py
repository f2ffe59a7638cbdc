"""Scripted behaviour of a world: triggers, events, console grammar, referee."""
