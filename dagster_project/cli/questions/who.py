"""Owners of partitions and actors of commits, in words.

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
    """The actor of a row, with member and host if they are known; None when the actor is unknown."""
    if row["actor"] in {None, "unknown"}:
        return None
    return f"{actor(row['actor'])}{f' {member(row)}' if row['member_id'] else ''}"


def actor(token: str) -> str:
    """The words for an actor, by the token of the tables."""
    return _WORDS.get(token, token)


def member(row: Mapping[str, Any]) -> str:
    """The member of a row, and its host if that is known."""
    host = row["client_host"]
    return cell(row["member_id"]) if host is None else f"{cell(row['member_id'])} at {cell(host)}"
