"""Module whose import fails."""

raise RuntimeError("no moon today")
