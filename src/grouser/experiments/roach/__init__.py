"""The roach report's three experiments with paths: Tables 7.1 to 7.3, one file each."""
