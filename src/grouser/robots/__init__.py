"""Robot models: one robot per file; `grouser.robots.kinds.ROBOTS` is the table of all."""
