"""Everything that may change a running world, and who carries it out."""
