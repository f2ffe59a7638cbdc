"""Repair of MCAP files: survey of the intact records, and completion of a cut or damaged file.

A file of which the end is missing is cut after the last intact record, and index and footer are
appended. A damaged chunk in the middle keeps its place, as a record of a private kind that readers
skip.
"""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from grouser import files
from grouser.errors import BadValue, MissingDependency, reason_of
from grouser.recording.bag_writer import RESERVE, TopicCount, write_metadata
from grouser.ros.definitions import EXTRA

MAGIC = b"\x89MCAP0\r\n"
SKIPPED = 0x80
"""First opcode of private records, which readers skip."""

_HEAD = struct.Struct("<BQ")
_FOOTER_BYTES = _HEAD.size + 20 + len(MAGIC)


@dataclass
class Damage:
    """A part of a file that differs from what was written."""

    offset: int
    """Byte at which the record begins."""
    what: str
    """Kind of record and, where it is known, its contents."""

    def __str__(self) -> str:
        return f"{self.what} at byte {self.offset}"


@dataclass
class ChunkEntry:
    """An intact chunk with its index."""

    offset: int
    end: int
    """Byte after its message indexes."""
    index: Any
    """ChunkIndex."""
    counts: dict[int, int]
    """Messages per channel."""


@dataclass
class Survey:
    """Intact records of a file."""

    complete: bool = False
    """True if the file has index, footer and end, all intact."""
    end: int = 0
    """Byte after the last intact record of the data section."""
    missing_index: list[Any] = field(default_factory=list)
    """Message indexes that the last chunk lacks."""
    schemas: dict[int, Any] = field(default_factory=dict)
    channels: dict[int, Any] = field(default_factory=dict)
    chunks: list[ChunkEntry] = field(default_factory=list)
    attachments: list[Any] = field(default_factory=list)
    """AttachmentIndex of each."""
    metadata: list[Any] = field(default_factory=list)
    """MetadataIndex of each."""
    damaged: list[Damage] = field(default_factory=list)

    @property
    def counts(self) -> dict[int, int]:
        """Messages per channel."""
        sums: dict[int, int] = defaultdict(int)
        for chunk in self.chunks:
            for channel, count in chunk.counts.items():
                sums[channel] += count
        return dict(sums)


def survey(stream: IO[bytes]) -> Survey:
    """Read a file to its end or its first record that is cut; check all checksums.

    Raises:
        BadValue: it is not an MCAP file.
        MissingDependency: the packages for recordings are not installed.
    """
    try:
        from mcap.opcode import Opcode
    except ImportError as error:
        raise MissingDependency(f"recordings need the package mcap: {EXTRA}") from error
    stream.seek(0)
    if stream.read(len(MAGIC)) != MAGIC:
        raise BadValue("is not an MCAP file")
    found = Survey(end=len(MAGIC))
    surveyor = _Surveyor(found)
    checksum = zlib.crc32(MAGIC)
    for offset, opcode, content in _records(stream):
        if opcode == Opcode.DATA_END:
            found.complete = _check_end(stream, offset, content, checksum, found)
            break
        surveyor.add(offset, opcode, content)
        checksum = zlib.crc32(content, zlib.crc32(_HEAD.pack(opcode, len(content)), checksum))
    surveyor.finish()
    return found


def _records(stream: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield offset, opcode and content of all whole records."""
    offset = stream.seek(0, os.SEEK_CUR)
    size = stream.seek(0, os.SEEK_END)
    while True:
        stream.seek(offset)
        head = stream.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        opcode, length = _HEAD.unpack(head)
        if length > size - offset - _HEAD.size:
            return
        content = stream.read(length)
        if len(content) < length:
            return
        yield offset, opcode, content
        offset += _HEAD.size + length


def _check_end(
    stream: IO[bytes], offset: int, content: bytes, checksum: int, found: Survey
) -> bool:
    """Check the checksums of data section and summary; return True if the end is there."""
    wanted = int.from_bytes(content, "little")  # 0: there is no checksum, as below
    if wanted and wanted != checksum and not found.damaged:
        found.damaged.append(Damage(offset, "data section (checksum)"))
    rest = stream.read()
    footer = rest[-_FOOTER_BYTES:]
    if len(footer) < _FOOTER_BYTES or rest[-len(MAGIC) :] != MAGIC:
        found.damaged.append(Damage(offset, "end of the file"))
        return False
    wanted = struct.unpack("<I", footer[-len(MAGIC) - 4 : -len(MAGIC)])[0]
    if wanted and zlib.crc32(rest[: -len(MAGIC) - 4]) != wanted:
        found.damaged.append(Damage(offset, "index"))
    return True


class _Surveyor:
    """Collects the records of a data section."""

    def __init__(self, found: Survey) -> None:
        self._found = found
        self._wanted: dict[int, Any] = {}
        """Message indexes of the last chunk that have not come yet, by channel."""

    def add(self, offset: int, opcode: int, content: bytes) -> None:
        """Add a record; one that is damaged is listed."""
        from mcap.opcode import Opcode

        found, end = self._found, offset + _HEAD.size + len(content)
        try:
            match opcode:
                case Opcode.CHUNK:
                    self._add_chunk(offset, content)
                case Opcode.MESSAGE_INDEX:
                    self._add_index(offset, content)
                case Opcode.ATTACHMENT:
                    self._add_attachment(offset, content)
                case Opcode.METADATA:
                    self._add_metadata(offset, content)
                case Opcode.HEADER:
                    pass
                case _ if opcode < SKIPPED:
                    found.damaged.append(Damage(offset, f"record of unknown kind {opcode}"))
        except Exception as error:  # decoders raise anything on damaged records
            found.damaged.append(Damage(offset, f"{_name(opcode)} ({reason_of(error)})"))
        found.end = end
        if found.chunks and opcode == Opcode.MESSAGE_INDEX:
            found.chunks[-1].end = end

    def _add_chunk(self, offset: int, content: bytes) -> None:
        from mcap.records import Channel, Chunk, ChunkIndex, Message, MessageIndex, Schema
        from mcap.stream_reader import breakup_chunk

        found = self._found
        chunk = Chunk.read(_data_stream(content))
        span = f"{chunk.message_start_time / 1e9:.3f} to {chunk.message_end_time / 1e9:.3f} s"
        try:
            records = breakup_chunk(chunk, validate_crc=True)
        except Exception:  # as above
            found.damaged.append(Damage(offset, f"chunk of {span}"))
            self._wanted = {}
            return
        indexes: dict[int, Any] = {}
        place = 0
        for record in records:
            if isinstance(record, Schema):
                found.schemas[record.id] = record
            elif isinstance(record, Channel):
                found.channels[record.id] = record
            elif isinstance(record, Message):
                index = indexes.setdefault(
                    record.channel_id, MessageIndex(channel_id=record.channel_id, records=[])
                )
                index.records.append((record.log_time, place))
            place += len(_bytes_of(record))
        self._wanted = dict(indexes)
        end = offset + _HEAD.size + len(content)
        index = ChunkIndex(
            chunk_length=end - offset,
            chunk_start_offset=offset,
            compression=chunk.compression,
            compressed_size=len(chunk.data),
            message_end_time=chunk.message_end_time,
            message_index_length=0,
            message_index_offsets={},
            message_start_time=chunk.message_start_time,
            uncompressed_size=chunk.uncompressed_size,
        )
        counts = {channel: len(one.records) for channel, one in indexes.items()}
        found.chunks.append(ChunkEntry(offset, end, index, counts))

    def _add_index(self, offset: int, content: bytes) -> None:
        from mcap.records import MessageIndex

        if not self._wanted:
            return
        read = MessageIndex.read(_data_stream(content))
        wanted = self._wanted.pop(read.channel_id)
        if [tuple(record) for record in read.records] != wanted.records:
            raise ValueError("differs from its chunk")
        entry = self._found.chunks[-1].index
        entry.message_index_offsets[read.channel_id] = offset
        entry.message_index_length += _HEAD.size + len(content)

    def _add_attachment(self, offset: int, content: bytes) -> None:
        from mcap.records import Attachment, AttachmentIndex

        if zlib.crc32(content[:-4]) != struct.unpack("<I", content[-4:])[0]:
            self._found.damaged.append(Damage(offset, "attachment"))
            return
        read = Attachment.read(_data_stream(content))
        self._found.attachments.append(
            AttachmentIndex(
                *(offset, _HEAD.size + len(content), read.log_time, read.create_time),
                *(len(read.data), read.name, read.media_type),
            )
        )

    def _add_metadata(self, offset: int, content: bytes) -> None:
        from mcap.records import Metadata, MetadataIndex

        read = Metadata.read(_data_stream(content))
        index = MetadataIndex(offset=offset, length=_HEAD.size + len(content), name=read.name)
        self._found.metadata.append(index)

    def finish(self) -> None:
        """Store the indexes that the last chunk lacks."""
        found = self._found
        if self._wanted and found.chunks and found.chunks[-1].end == found.end:
            found.missing_index = list(self._wanted.values())


def _name(opcode: int) -> str:
    from mcap.opcode import Opcode

    return Opcode(opcode).name.lower().replace("_", " ")


def _data_stream(content: bytes) -> Any:
    from mcap.data_stream import ReadDataStream

    return ReadDataStream(BytesIO(content))


def _bytes_of(record: Any) -> bytes:
    from mcap.data_stream import RecordBuilder

    builder: Any = RecordBuilder()
    record.write(builder)
    return bytes(builder.end())


# -- completion ------------------------------------------------------------------------------------


def complete(path: Path) -> Survey:
    """Complete a cut or damaged file in place; return what was found.

    If there is no space for the index, chunks at the end are dropped.
    """
    with path.open("r+b", buffering=0) as stream:  # a buffer would try to write again at its end
        found = survey(stream)
        for damage in found.damaged:
            stream.seek(damage.offset)
            if damage.offset < found.end:
                stream.write(bytes([SKIPPED]))
        while True:
            try:
                _write_end(stream, found)
                return found
            except OSError:
                if not found.chunks:
                    raise
                found.end = found.chunks.pop().offset
                found.missing_index = []


def _write_end(stream: IO[bytes], found: Survey) -> None:
    """Cut the file after the intact records, and append index and footer."""
    from mcap.records import DataEnd

    stream.truncate(found.end)
    stream.seek(found.end)
    end = found.end
    for index in found.missing_index:
        entry = found.chunks[-1]
        content = _bytes_of(index)
        entry.index.message_index_offsets[index.channel_id] = end
        entry.index.message_index_length += len(content)
        _write_all(stream, content)
        end += len(content)
    stream.seek(0)
    checksum = 0
    while part := stream.read(1 << 20):
        checksum = zlib.crc32(part, checksum)
    data_end = _bytes_of(DataEnd(checksum))
    _write_all(stream, data_end + _summary(end + len(data_end), found))


def _write_all(stream: IO[bytes], content: bytes) -> None:
    """Write ``content``; a full disk takes a part of it before it is an error."""
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


def _summary(start: int, found: Survey) -> bytes:
    """Return summary, footer and magic of a file whose data section ends at ``start``."""
    from mcap.opcode import Opcode
    from mcap.records import Footer, SummaryOffset

    kept = [a for a in found.attachments if a.offset < found.end]
    described = [m for m in found.metadata if m.offset < found.end]
    chunks = [chunk.index for chunk in found.chunks]
    groups = (
        (Opcode.SCHEMA, list(found.schemas.values())),
        (Opcode.CHANNEL, list(found.channels.values())),
        (Opcode.STATISTICS, [_statistics(found, len(kept), len(described))]),
        (Opcode.CHUNK_INDEX, chunks),
        (Opcode.ATTACHMENT_INDEX, kept),
        (Opcode.METADATA_INDEX, described),
    )
    content, offsets = b"", b""
    for opcode, records in groups:
        group = b"".join(map(_bytes_of, records))
        offset = SummaryOffset(
            group_opcode=opcode, group_start=start + len(content), group_length=len(group)
        )
        offsets += _bytes_of(offset) if records else b""
        content += group
    footer = _bytes_of(Footer(start, start + len(content), 0))
    whole = content + offsets + footer[:-4]
    return whole + struct.pack("<I", zlib.crc32(whole)) + MAGIC


def _statistics(found: Survey, attachments: int, metadata: int) -> Any:
    from mcap.records import Statistics

    indexes = [chunk.index for chunk in found.chunks if chunk.counts]
    return Statistics(
        attachment_count=attachments,
        channel_count=len(found.channels),
        channel_message_counts=found.counts,
        chunk_count=len(found.chunks),
        message_count=sum(found.counts.values()),
        metadata_count=metadata,
        message_start_time=min((one.message_start_time for one in indexes), default=0),
        message_end_time=max((one.message_end_time for one in indexes), default=0),
        schema_count=len(found.schemas),
    )


def close_full(folder: Path) -> Survey:
    """Complete the recording in ``folder`` after a failed write, in place."""
    path = recorded_file(folder)
    found = complete(path)
    with suppress(OSError):
        _rewrite_metadata(folder, path, found)
    return found


def recorded_file(folder: Path) -> Path:
    """Return the MCAP file of a recording: that of a folder, or the file itself.

    Raises:
        BadValue: there is none, or there are several.
    """
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise BadValue(f"{folder}: there is no such recording")
    there = sorted(folder.glob("*.mcap"))
    if len(there) != 1:
        raise BadValue(f"{folder}: holds {len(there)} MCAP files, a recording has one")
    return there[0]


def recover(folder: Path) -> Survey:
    """Rewrite a cut or damaged recording so that every reader opens it; return what was found.

    The file is replaced when the new one is complete; an intact recording stays as it is.

    Raises:
        BadValue: there is no recording, or it cannot be written.
    """
    path = recorded_file(folder)
    try:
        with path.open("rb") as stream:
            found = survey(stream)
        if not found.complete or found.damaged:
            with files.replacing(path) as draft:
                shutil.copyfile(path, draft)
                os.chmod(draft, 0o644)
                complete(draft)
        if folder.is_dir() and (found.damaged or not (folder / "metadata.yaml").exists()):
            _rewrite_metadata(folder, path, found)
        if folder.is_dir():
            (folder / RESERVE).unlink(missing_ok=True)
    except BadValue as error:
        text = str(error)
        raise BadValue(text if text.startswith(str(path)) else f"{path}: {text}") from None
    except OSError as error:
        raise BadValue(f"{path}: cannot be repaired ({error.strerror})") from error
    return found


def _rewrite_metadata(folder: Path, path: Path, found: Survey) -> None:
    counts = found.counts
    topics = [
        TopicCount(
            channel.topic,
            found.schemas[channel.schema_id].name,
            bool(channel.metadata.get("offered_qos_profiles")),
            counts.get(channel.id, 0),
        )
        for channel in found.channels.values()
        if channel.schema_id in found.schemas
    ]
    spans = [chunk.index for chunk in found.chunks if chunk.counts]
    first = min((index.message_start_time for index in spans), default=None)
    last = max((index.message_end_time for index in spans), default=0)
    write_metadata(path, topics, first, last)
