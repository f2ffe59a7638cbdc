"""Four ways to turn a track: same call, same contract."""
