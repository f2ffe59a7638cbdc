"""Robots of your own: one YAML each, alone or on top of a URDF or MJCF."""
