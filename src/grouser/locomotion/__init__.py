"""How one moves: gaits, kicks, flipper use; pure functions on arrays."""
