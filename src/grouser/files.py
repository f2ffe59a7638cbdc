"""Files and folders written whole or not at all.

A reader never sees half a picture or half a report: bytes go to a temporary neighbour first,
which then takes the place of the old file in one step.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grouser.errors import BadValue

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""What the system says when a disk takes no more."""


@contextmanager
def _no_room(target: Path) -> Iterator[None]:
    """Say in one sentence that a disk is full, or a file may not be as long."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path that replaces ``path`` when the block ends without an error.

    The temporary file keeps ``path``'s ending, since encoders choose their format by it.
    """
    target = Path(path)
    if target.is_dir():
        raise BadValue(f"{target}: is a folder, a file name is needed")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
    except OSError as error:
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error
    os.close(handle)
    draft = Path(name)
    try:
        with _no_room(target):
            yield draft
            draft.chmod(0o644)
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with replacing(path) as draft:
        draft.write_bytes(content)


def write_text(path: Path | str, content: str) -> None:
    """Write ``content`` to ``path`` as UTF-8, whole or not at all."""
    write_bytes(path, content.encode())


@contextmanager
def replacing_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder that replaces ``path`` when the block ends without an error.

    All that was in an older folder of that name is gone then; whether it may go is for the caller
    to ask. If anything goes wrong, the older folder is there as it was.
    """
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise BadValue(f"{target}: is a file, a folder's name is needed")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error
    old = draft.with_name(f"{draft.name}.old")
    try:
        with _no_room(target):
            yield draft
            draft.chmod(0o755)
            if target.exists():
                target.rename(old)
            try:
                draft.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
