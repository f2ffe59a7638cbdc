"""Obstacle courses, who drives them, and the limits that come out."""
