"""Location of a robot file's model: relative to the file, or in an installed package."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from grouser.errors import BadValue, nearest

PACKAGE = "package://"
"""URL prefix of a model in an installed package: ``package://example-robot-data/a1.urdf``."""


def resolve_model(folder: Path, model: str) -> Path:
    """Return the path of a model file, which may not exist.

    Args:
        folder: folder of the robot file.
        model: a path relative to it, or ``package://NAME/PATH``: the only file of the installed
            package NAME whose path ends with PATH.

    Raises:
        BadValue: the package is not installed or has no such file.
    """
    if not model.startswith(PACKAGE):
        return folder / model
    name, _, inside = model.removeprefix(PACKAGE).partition("/")
    try:
        provided = metadata.files(name) or []
    except metadata.PackageNotFoundError:
        raise BadValue(
            f"model is in the package '{name}', which is not installed: pip install {name}"
        ) from None
    found = [file for file in provided if f"/{file.as_posix()}".endswith(f"/{inside}")]
    if len(found) == 1:
        return Path(str(found[0].locate())).resolve()
    if found:
        several = ", ".join(file.as_posix() for file in found[:4])
        raise BadValue(f"model is '{inside}', of which package '{name}' has several: {several}")
    ending = Path(inside).suffix
    alike = {file.name for file in provided if file.suffix == ending}
    hint = nearest(Path(inside).name, alike)
    raise BadValue(f"model is '{inside}', which package '{name}' does not provide{hint}")
