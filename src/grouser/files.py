"""Atomic file and folder replacement, and bounded reading.

Data is written to a temporary file in the same folder, which then replaces the target in one
step; a reader never sees a partial file.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grouser.errors import BadValue

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Error numbers of a failed write: disk full, quota, file too large, I/O error, read-only."""
_BLOCK = 1 << 20
"""Bytes that are read at once."""


def read_bytes(path: Path | str, most: int) -> bytes:
    """Return the content of a file of at most ``most`` bytes; a device or pipe is read up to them.

    Raises:
        BadValue: it is larger or cannot be read; a clause to follow the file's name.
    """
    parts, length = list[bytes](), 0
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > most:
                raise BadValue(f"is larger than {most:,} bytes")
            while part := file.read(_BLOCK):
                parts.append(part)
                length += len(part)
                if length > most:
                    raise BadValue(f"is larger than {most:,} bytes")
    except FileNotFoundError:
        raise BadValue("there is no such file") from None
    except IsADirectoryError:
        raise BadValue("is a folder, a file is needed") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadValue):
            raise
        reason = error.strerror if isinstance(error, OSError) else error  # a name with a zero
        raise BadValue(f"cannot be read ({reason})") from None
    return b"".join(parts)


def read_text(path: Path | str, most: int, encoding: str = "utf-8") -> str:
    """Return the content of a text file, as `read_bytes` does, with uniform line ends."""
    content = read_bytes(path, most)
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding).read()
    except UnicodeDecodeError:
        raise BadValue("is not UTF-8 text") from None


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
