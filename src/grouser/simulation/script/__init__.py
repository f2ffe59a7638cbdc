"""What a world does by script: triggers, events, the console's grammar, the referee."""
