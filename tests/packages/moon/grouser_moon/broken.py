"""Cannot be loaded."""

raise RuntimeError("no moon today")
