"""What MuJoCo needs to know: drives, state arrays, contact classes, labels."""
