"""Robots of ours as the USARSim wire has them: what commands mean, what readings say. Pure."""
