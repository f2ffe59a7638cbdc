"""CAN gateway: a robot's motor drivers on a virtual CAN bus, served over TCP (socketcand)."""
