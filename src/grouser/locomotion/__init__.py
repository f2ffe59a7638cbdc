"""Trot, kick, biped walk and flipper strategy as pure functions on arrays."""
