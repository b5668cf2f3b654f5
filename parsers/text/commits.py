"""The payload that most records of a dump have, a commit in JSON, read in one step.

Put here only what is sure by its form alone. All else is read by `parsers.text.json_lines`, with the same result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.text.rows import KeyValue

if TYPE_CHECKING:
    from parsers.text.rows import Row

_COMMIT_TYPE: Final = 1
_PAYLOAD: Final = re.compile(
    rb'\{"version":"([34])","data":\{"offset":(\d{1,18}),"leaderEpoch":(-1|\d{1,9}),"metadata":"([ !#-\[\]-~]*)",'
    rb'"commitTimestamp":(\d{1,18})(?:,"topicId":"([A-Za-z0-9_-]{22})")?\}\}'
)
"""What most payloads are, read in one step; none has an escape."""

_WITHOUT_TOPIC_ID: Final = b"3"
_NOT_PRINTED: Final = {one.name: one.default for one in OFFSET_COMMIT.fields}
"""What a commit holds where a field is not printed."""


def commit_of_today(key: KeyValue, payload: bytes) -> KeyValue | None:
    """Add the value to the key of a commit; None where the payload is not of the most common form."""
    commit = _PAYLOAD.fullmatch(payload) if key.record_type == _COMMIT_TYPE and key.doubt is None else None
    if commit is None or (commit[1] == _WITHOUT_TOPIC_ID and commit[6]):
        return None
    return KeyValue(_COMMIT_TYPE, key.key, False, int(commit[1]), "offset_commit", _row(commit))  # noqa: FBT003 - its field


def _row(commit: re.Match[bytes]) -> Row:
    _version, offset, leader_epoch, metadata, commit_ms, topic_id = commit.groups()
    row = {
        **_NOT_PRINTED,
        "offset": int(offset),
        "leader_epoch": int(leader_epoch),
        "metadata": metadata.decode(),
        "commit_timestamp": int(commit_ms),
    }
    return row | {"topic_id": topic_id.decode()} if topic_id else row
