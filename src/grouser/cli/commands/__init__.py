"""The commands of the command line, one per file, named as it is typed."""
