"""OpenCV, where it is installed: an extra, since physics alone needs none of it."""

from __future__ import annotations

from typing import Any

from grouser.errors import missing_extra


def opencv(purpose: str, extra: str) -> Any:
    """Return the module ``cv2``.

    Args:
        purpose: who needs it, as the beginning of a sentence: ``"videos"``.
        extra: the extra of this package that brings it.
    """
    try:
        import cv2
    except ImportError as error:
        raise missing_extra(f"{purpose} need OpenCV", extra) from error
    return cv2
