"""What a commit file says of the files of its table."""

from __future__ import annotations

from assets.storage.commit_files import with_merges


def action(side: str, path: str, *, is_news: bool) -> dict[str, dict[str, object]]:
    """An action of a commit."""
    return {side: {"path": path, "dataChange": is_news}}


def test_merged_files_take_the_place_of_those_that_they_have_the_rows_of() -> None:
    """Files that came or went with a change of data are no matter."""
    actions: list[dict[str, dict[str, object]]] = [
        action("remove", "a", is_news=False),
        action("remove", "b%20b", is_news=False),
        action("add", "m", is_news=False),
        action("add", "new", is_news=True),
        action("remove", "c", is_news=True),
        {"commitInfo": {}},
    ]
    assert with_merges(frozenset({"a", "b b", "c"}), actions) == {"c", "m"}


def test_a_merge_with_other_files_leaves_unknown_rows() -> None:
    """Nobody can tell which of the merged files has rows of the others."""
    actions = [action("remove", "a", is_news=False), action("remove", "x", is_news=False)]
    assert with_merges(frozenset({"a"}), [*actions, action("add", "m", is_news=False)]) == {"a"}
