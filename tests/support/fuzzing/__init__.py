"""Stateful fuzzing of a server: sequences of valid lines of several clients, in one process."""
