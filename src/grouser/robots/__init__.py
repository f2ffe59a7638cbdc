"""Who moves: one robot per file."""
