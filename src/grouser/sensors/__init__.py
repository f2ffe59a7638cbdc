"""What can be felt: measure first, corrupt after."""
