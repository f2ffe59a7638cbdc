"""Four ways to turn a track (segments, surface, wheels, plates): same call, same contract."""
