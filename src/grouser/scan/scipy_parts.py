"""Import of SciPy, an optional dependency (extra `scan`)."""

from __future__ import annotations

from grouser.errors import missing_extra

try:
    from scipy import sparse, spatial
    from scipy.sparse import csgraph
except ImportError as error:
    raise missing_extra("scans need SciPy", "scan") from error

__all__ = ["csgraph", "sparse", "spatial"]
