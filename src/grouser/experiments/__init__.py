"""One table or figure = one file, named ``<paper key>_<table>``.

Every experiment module has one function, ``run(study) -> Report``: the table with ours beside the
paper's, and, when the study asks for pictures, pictures.
"""

EXPERIMENTS: dict[str, str] = {
    "kurose-table1": "grouser.experiments.kurose_table1",
    "kurose-fig16": "grouser.experiments.kurose_fig16",
    "okada-table1": "grouser.experiments.okada_table1",
    "okada-table2": "grouser.experiments.okada_table2",
    "okada-table4": "grouser.experiments.okada_table4",
}
"""Name on the command line → module; imported on use."""
