"""The commit files of a table's Delta log: their actions, their digests, and what they merged and removed.

Put here what is read from a commit file itself. Everything else about a table comes from `deltalake`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from blake3 import blake3

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyarrow import fs

    Action = Mapping[str, Any]


NOTE: Final = "lagbook"
"""The key of our metadata in a commit: a table's inputs, and how far its sources were read."""
DIGEST: Final = "lagbook_blake3"
"""The key of the digest of what a commit adds, removes and notes."""


def digest_of_commit(added: Iterable[tuple[str, int, str]], removed: Iterable[str], note: str) -> str:
    """The digest of the files that a commit adds (path, size, statistics) and removes, and of its note."""
    return str(blake3(json.dumps([sorted(added), sorted(removed), note]).encode()).hexdigest())


def is_sound(actions: Sequence[Action]) -> bool:
    """Whether a commit says what was written; one by which `deltalake` changes columns has no digest in it."""
    (commit,) = (action["commitInfo"] for action in actions if "commitInfo" in action)
    if DIGEST not in commit:
        return True
    adds = [action["add"] for action in actions if "add" in action]
    added = [(unquote(add["path"]), add["size"], add["stats"]) for add in adds]
    _committed_ms, removed = removals(actions)
    return bool(digest_of_commit(added, removed, commit.get(NOTE, "")) == commit.get(DIGEST))


def read_actions(system: fs.FileSystem, path: str) -> list[Action]:
    """The actions of a commit file, in its order; an error of JSON or of the file system where it is damaged."""
    with system.open_input_stream(path) as stream:
        return actions_in(stream.read())


def actions_in(content: bytes) -> list[Action]:
    """The actions in the bytes of a commit file."""
    return [json.loads(line) for line in content.splitlines() if line]


def removals(actions: Sequence[Action]) -> tuple[int, list[str]]:
    """The time of a commit in milliseconds, and the paths of the files that it removed."""
    (commit,) = (action["commitInfo"] for action in actions if "commitInfo" in action)
    return commit["timestamp"], [unquote(action["remove"]["path"]) for action in actions if "remove" in action]


def with_merges(paths: frozenset[str], actions: Sequence[Action]) -> frozenset[str]:
    """These files, and in the place of those that a commit merged the merged ones: they have the same rows.

    The files stay as they are when the commit merged any other file, whose rows may be new.
    """
    old, new = _merged("remove", actions), _merged("add", actions)
    return paths if old - paths else (paths - old) | new


def _merged(side: str, actions: Sequence[Action]) -> set[str]:
    """The paths that a commit added or removed without a change of data."""
    changes = (action[side] for action in actions if side in action)
    return {unquote(change["path"]) for change in changes if not change["dataChange"]}
