"""Triangle meshes: files, queries, convex decomposition and collision geometry."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
