"""Who moves: one robot per file, and `ROBOTS`, the table that names them all."""
