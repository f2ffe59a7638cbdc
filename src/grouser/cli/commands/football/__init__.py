"""Commands of football."""
