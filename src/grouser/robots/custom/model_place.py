"""Where the model underneath a robot file is: beside it, or in a package that pip installed."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from grouser.errors import BadValue, nearest

PACKAGE = "package://"
"""How a model begins that an installed package brings: ``package://example-robot-data/a1.urdf``."""


def model_place(folder: Path, model: str) -> Path:
    """Return the file of a model, there or not.

    Args:
        folder: the robot file's.
        model: a path from there, or ``package://NAME/PATH``: the one file of the installed package
            NAME whose path ends so.

    Raises:
        BadValue: the package is not installed, or does not bring such a file.
    """
    if not model.startswith(PACKAGE):
        return folder / model
    name, _, inside = model.removeprefix(PACKAGE).partition("/")
    try:
        brought = metadata.files(name) or []
    except metadata.PackageNotFoundError:
        raise BadValue(
            f"model is in the package '{name}', which is not installed: pip install {name}"
        ) from None
    found = [file for file in brought if f"/{file.as_posix()}".endswith(f"/{inside}")]
    if len(found) == 1:
        return Path(str(found[0].locate())).resolve()
    if found:
        several = ", ".join(file.as_posix() for file in found[:4])
        raise BadValue(f"model is '{inside}', of which package '{name}' has several: {several}")
    ending = Path(inside).suffix
    alike = {file.name for file in brought if file.suffix == ending}
    hint = nearest(Path(inside).name, alike)
    raise BadValue(f"model is '{inside}', which package '{name}' does not bring{hint}")
