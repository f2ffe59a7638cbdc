"""What a real robot's log tells: parameter values, intervals, verdicts."""
