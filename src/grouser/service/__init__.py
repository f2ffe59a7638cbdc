"""The host: who is there, who commands, who hears what; it knows no wire."""
