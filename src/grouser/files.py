"""Atomic file and folder replacement.

Data is written to a temporary file in the same folder, which then replaces the target in one
step; a reader never sees a partial file.
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
"""Error numbers of a failed write: disk full, quota, file too large, I/O error, read-only."""


@contextmanager
def _report_full_disk(target: Path) -> Iterator[None]:
    """Convert the errors in `_FULL` to `BadValue`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path that replaces ``path`` when the block ends without an error."""
    # It keeps the suffix of ``path``, because encoders select their format by it.
    target = Path(path)
    if target.is_dir():
        raise BadValue(f"{target}: is a folder, must be a file")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
    except OSError as error:
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error
    os.close(handle)
    draft = Path(name)
    try:
        with _report_full_disk(target):
            yield draft
            draft.chmod(0o644)
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically."""
    with replacing(path) as draft:
        draft.write_bytes(content)


def write_text(path: Path | str, content: str) -> None:
    """Write ``content`` to ``path`` as UTF-8, atomically."""
    write_bytes(path, content.encode())


@contextmanager
def replacing_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder that replaces ``path`` when the block ends without an error.

    An existing folder of that name is deleted; the caller must check that this is permitted. After
    an error the existing folder is unchanged.
    """
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise BadValue(f"{target}: is a file, must be a folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise BadValue(f"{target}: cannot be written ({error.strerror})") from error
    old = draft.with_name(f"{draft.name}.old")
    try:
        with _report_full_disk(target):
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
