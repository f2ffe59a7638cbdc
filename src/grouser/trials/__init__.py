"""Many at once: the same trial on this machine's cores, and later on a GPU or a cluster."""
