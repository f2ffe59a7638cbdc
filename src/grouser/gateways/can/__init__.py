"""Motor drivers on a CAN bus that is served over TCP, for controllers that know nothing else."""
