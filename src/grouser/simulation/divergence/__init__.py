"""Physics that diverged: the cause, and how a run continues."""
