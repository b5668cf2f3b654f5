"""Who owns a partition or stood behind a commit, in words.

Put here how one is named. Who it was is established in `assets`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import cell

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final = {
    "admin": "an admin",
    "former_owner": "the former owner",
    "owner": "the owner",
    "simple_consumer": "a consumer without a group",
    "transaction": "a transaction",
}


def who(row: Mapping[str, Any]) -> str | None:
    """The one that a row names as `actor`, with member and host if they are known; None when nobody is."""
    if row["actor"] in {None, "unknown"}:
        return None
    return f"{actor(row['actor'])}{f' {member(row)}' if row['member_id'] else ''}"


def actor(token: str) -> str:
    """One who commits, by the token of the tables."""
    return _WORDS.get(token, token)


def member(row: Mapping[str, Any]) -> str:
    """The member of a row, and where it is."""
    return f"{cell(row['member_id'])} at {cell(row['client_host'])}"
