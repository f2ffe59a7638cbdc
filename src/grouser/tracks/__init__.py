"""Track models: four methods (segments, surface, wheels, plates) behind one interface."""
