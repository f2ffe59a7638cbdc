"""Tables of Okada et al. 2020, one per file, and the windows of the parameters of Table IV."""
