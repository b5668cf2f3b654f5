"""Loops are compiled wherever the code lies."""

from __future__ import annotations

from typing import Any

from parsers.compiled import compiled


def test_a_loop_without_a_folder_for_its_code_is_compiled_all_the_same() -> None:
    """As in a container whose folders are all read-only; numba finds no place to keep code of no file either."""
    names: dict[str, Any] = {}
    exec(compile("def add(one, two):\n    return one + two\n", "<nowhere>", "exec"), names)  # noqa: S102 - code of this test
    assert compiled(names["add"])(1, 2) == 3
