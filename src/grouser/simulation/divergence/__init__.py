"""Physics that diverged: what caused it, and how a run goes on."""
