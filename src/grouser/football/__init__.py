"""Players of the four-legged league: behaviours of AIBO ERS-7s, games between teams, tournaments."""
