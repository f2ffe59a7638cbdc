"""How one moves: trot, kick, biped walk and the use of flippers, as pure functions on arrays."""
