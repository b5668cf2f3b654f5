"""What is in the places that a user names: segments, archives, dumps, text logs, ZooKeeper's files, checkpoints.

Put here what a place is taken for. What of it is new is in `assets.ingest.plan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.ingest.unpacked_archives import Archive, find_archive
from parsers.errors import SourceError
from parsers.exports.files import ExportFile, find_exports
from parsers.files.discovery import Discovery, discover
from parsers.files.places import expand
from parsers.files.text_logs import find_text_logs, is_text_log
from parsers.spark_checkpoints.checkpoint_files import find_checkpoints
from parsers.zookeeper.files import find_zookeeper_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.files.partition_files import ListedFile


def inspect(name: str, cluster: str | None) -> Iterator[Discovery | Archive | ExportFile | str]:
    """The contents of the places that one name stands for, or why a place can't be read."""
    try:
        places = expand(name)
    except SourceError as error:
        places = []
        yield str(error)
    for place in places:
        yield from _inspect_place(place, cluster)


def _inspect_place(place: str, cluster: str | None) -> Iterator[Discovery | Archive | ExportFile | str]:
    """The contents of a place, or why it can't be read; dumps are looked for only if there is no segment.

    A broker's text log is no error: `coordinator_events` reads it.
    """
    if is_text_log(place):
        return
    try:
        content = find_archive(place) or discover([place], cluster)
    except SourceError as error:
        exports: list[ExportFile] = _exports_at(place)
        yield from exports
        others = Discovery((), (), zookeeper_files=_zookeeper_files_at(place), checkpoint_files=_checkpoints_at(place))
        if others.zookeeper_files or others.checkpoint_files:
            yield others
        elif not exports and not _has_text_logs(place):
            yield str(error)
    else:
        yield content
        yield from content.unreadable if isinstance(content, Discovery) else ()


def _zookeeper_files_at(place: str) -> tuple[ListedFile, ...]:
    try:
        return tuple(find_zookeeper_files(place))
    except SourceError:
        return ()


def _checkpoints_at(place: str) -> tuple[ListedFile, ...]:
    try:
        return tuple(file for one in find_checkpoints(place) for file in one.files)
    except SourceError:
        return ()


def _has_text_logs(place: str) -> bool:
    try:
        return bool(find_text_logs(place))
    except SourceError:
        return False


def _exports_at(place: str) -> list[ExportFile]:
    """The dumps in a place; none if it can't be listed, which `_inspect_place` reports."""
    try:
        return find_exports(place)
    except (OSError, SourceError):
        return []
