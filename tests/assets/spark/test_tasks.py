"""Work on Spark's workers: every piece is answered for, in its order."""

from __future__ import annotations

import pytest

from assets.spark.tasks import file_name, gather, run_tasks
from parsers.errors import WarehouseError
from tests.assets.inline import inline


def test_answers_come_in_the_order_of_the_pieces() -> None:
    """Each piece is told its number and that of the attempt; without pieces nothing is asked."""
    assert run_tasks(inline(), ["a", "b", "c"], lambda number, attempt: {"name": file_name(number, attempt)}) == [
        {"name": f"part-{number:05d}-0"} for number in range(3)
    ]
    assert run_tasks(inline(), [], lambda _number, _attempt: {}) == []
    assert gather([(1, "{}"), (0, '{"a": 1}')], 2) == [{"a": 1}, {}]


@pytest.mark.parametrize("answered", [[], [0], [0, 0], [0, 1, 1], [1, 2]])
def test_an_answer_that_is_lacking_fails_the_run(answered: list[int]) -> None:
    """What Spark gave back must be one answer from each task: with fewer or more nothing is committed."""
    with pytest.raises(WarehouseError, match="2 tasks were given to Spark"):
        gather([(number, "{}") for number in answered], 2)
