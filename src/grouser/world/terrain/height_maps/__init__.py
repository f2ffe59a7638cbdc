"""Collision geometry of height maps: solids for plane parts, height fields for the rest."""
