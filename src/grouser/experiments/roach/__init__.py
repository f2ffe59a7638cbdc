"""Path experiments of the roach report: Tables 7.1 to 7.3, one per file, and the planning loop."""
