"""The actions of a table's Delta log: a file is added to the table, or removed from it.

Put here the form of the actions. The files are chosen by the writer of a transaction in
`assets.storage.transaction`.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from deltalake.transaction import AddAction, RemoveAction

from assets.storage.digests import STATISTIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile


def add_file(root: str, file: DataFile, *, is_news: bool = True) -> AddAction:
    """The action that adds a file, with its digest and bounds; no data change if its rows were in the table before."""
    statistics = {
        "numRecords": file.rows,
        "minValues": dict(file.minimum),
        "maxValues": dict(file.maximum),
        "nullCount": {},
        STATISTIC: file.digest,
    }
    return AddAction(
        _within(root, file.path), file.size_bytes, {}, _now_ms(), data_change=is_news, stats=json.dumps(statistics)
    )


def remove_files(root: str, files: Sequence[ArchivedFile], *, is_news: bool = True) -> list[RemoveAction]:
    """Files go; it is no news when their rows stay in the table."""
    return [RemoveAction(_within(root, file.uri), data_change=is_news, deletion_timestamp=_now_ms()) for file in files]


def _within(root: str, path: str) -> str:
    return path.removeprefix(root).lstrip("/")


def _now_ms() -> int:
    return int(time.time() * 1000)
