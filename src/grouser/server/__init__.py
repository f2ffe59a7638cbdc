"""The service: what lets a running world be seen and driven from elsewhere."""
