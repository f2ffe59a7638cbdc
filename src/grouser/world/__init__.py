"""What is there: ground, objects, looks and the file that says so; no robot, no sensor."""
