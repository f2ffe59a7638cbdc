"""Error messages of file validation: one sentence with file, line, key and nearest match.

Of all errors that `pydantic` reports, the first in reading order is reworded.
"""

from __future__ import annotations

from pydantic import ValidationError

from grouser.description import mistakes
from grouser.errors import WorldFileError
from grouser.world.yaml_source import AllowedKeys, Source


def world_file_error(
    error: ValidationError, source: Source, kinds: AllowedKeys, subject: str = "the world"
) -> WorldFileError:
    """Return the first mistake in ``error``, in reading order, as one sentence.

    Args:
        error: raised by validation of ``source.data``.
        source: the data and the positions of its keys.
        kinds: allowed keys of parts that have kinds, by path and kind: ``"terrain.*.step"``.
        subject: name of the file's subject in messages.
    """
    found = mistakes(error, source.data, subject)
    first = min(found, key=lambda each: source.position(each.path))
    sentence = first.sentence(named=False)
    if first.kind == "union_tag_not_found" and first.given is None:
        group = f"{first.path[0]}.*."
        names = [part.removeprefix(group) for part in kinds if part.startswith(group)]
        sentence += f"; allowed: {', '.join(names)}"
    return WorldFileError(f"{source.position(first.path).text}: {sentence}")
