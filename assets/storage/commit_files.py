"""The commit files of a table's Delta log: their actions, and which files of the table were merged since a commit.

Put here what is read from a commit file itself. Everything else about a table comes from `deltalake`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyarrow import fs

    Action = Mapping[str, Any]


def read_actions(system: fs.FileSystem, path: str) -> list[Action]:
    """The actions of a commit file, in its order; an error of JSON or of the file system where it is damaged."""
    with system.open_input_stream(path) as stream:
        return [json.loads(line) for line in stream.read().splitlines() if line]


def with_merges(paths: frozenset[str], actions: Iterable[Action]) -> frozenset[str]:
    """These files, and in the place of those that a commit merged the merged ones: they have the same rows.

    The files stay as they are when the commit merged any other file, whose rows may be new.
    """
    sides: dict[str, set[str]] = {"add": set(), "remove": set()}
    for action in actions:
        for side, changed in sides.items():
            if side in action and not action[side]["dataChange"]:
                changed.add(unquote(action[side]["path"]))
    return paths if sides["remove"] - paths else (paths - sides["remove"]) | sides["add"]
