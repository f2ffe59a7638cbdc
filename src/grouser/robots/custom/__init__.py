"""Custom robots: robot files (YAML), alone or with a URDF or MJCF model."""
