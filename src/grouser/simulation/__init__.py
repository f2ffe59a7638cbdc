"""Time passes."""
