"""Sweeps: one run for each point of a parameter space, with tables in Parquet files.

A sweep file (`grouser.sweeps.sweep_file`) names what is run (`grouser.sweeps.subjects`) and the
ranges of its parameters (`grouser.sweeps.points`). Finished runs are stored in chunks, so that an
interrupted sweep goes on where it ended (`grouser.sweeps.run`).
"""
