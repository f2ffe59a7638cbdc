"""Commands that work on recordings."""
