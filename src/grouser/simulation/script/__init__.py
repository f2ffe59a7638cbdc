"""Triggers, events, typed lines and the referee."""
