"""Trials in MuJoCo Warp, on a GPU or on its CPU device."""
