"""The truth of a recording is counted as it is said to be."""

from __future__ import annotations

from tests.broker.truth import ranges, truth, truth_of_lives


def test_ranges_are_half_open_and_in_order() -> None:
    """Neighbours make one range, whatever order they come in."""
    assert ranges([7, 1, 2, 9, 8]) == [[1, 3], [7, 10]]
    assert ranges([]) == []


def test_twice_and_never_are_told_per_partition() -> None:
    """An offset processed again is a duplicate, one left out below the next is a miss."""
    assert truth([(0, 2), (0, 3), (0, 2), (0, 5), (1, 0)]) == {
        "0": {"processed": 4, "distinct": 3, "next": 6, "duplicated": [[2, 3]], "missed": [[0, 2], [4, 5]]},
        "1": {"processed": 1, "distinct": 1, "next": 1, "duplicated": [], "missed": []},
    }


def test_each_life_of_a_log_is_counted_for_itself() -> None:
    """What was processed before the log lost its end stands apart, and the later life begins where it was cut."""
    processed = [(10, 0, 0), (11, 0, 1), (12, 0, 2), (21, 0, 1), (22, 0, 3), (11, 1, 0)]
    assert truth_of_lives(processed, [(0, {}), (20, {0: 1})]) == {
        "0": {
            "processed": 2,
            "distinct": 2,
            "next": 4,
            "duplicated": [],
            "missed": [[2, 3]],
            "earlier": [{"processed": 3, "distinct": 3, "next": 3, "duplicated": [], "missed": []}],
        }
    }
