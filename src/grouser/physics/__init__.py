"""MuJoCo building blocks: drives, state arrays, contact classes, compliance, labels."""
