"""State batches applied to ranges: compared with a plain reading, offset by offset, over any batches."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tests.assets.transforms.shares.plain_states import LARGEST_OFFSET, Change, Range, StateRanges, ranges_of

AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4


def some_batches(dice: random.Random) -> list[Range]:
    """Batches anywhere in forty offsets."""
    starts = [dice.randrange(40) for _ in range(dice.randrange(1, 5))]
    states = (AVAILABLE, ACKNOWLEDGED, ARCHIVED)
    return [Range(one, one + dice.randrange(1, 12), dice.choice(states), dice.randrange(1, 5)) for one in starts]


def by_offset(ranges: list[Range]) -> dict[int, tuple[int, int]]:
    """Count and state of each offset."""
    return {offset: (one.deliveries, one.state) for one in ranges for offset in range(one.start, one.end)}


@pytest.mark.parametrize("seed", range(200))
def test_ranges_are_what_a_plain_reading_of_each_offset_gives(seed: int) -> None:
    """The higher count of an offset counts, then the higher state; below the start nothing is left."""
    dice = random.Random(seed)  # noqa: S311 - the same in every run
    state, plain, start = StateRanges(), dict[int, tuple[int, int]](), 0
    for _ in range(8):
        batches = some_batches(dice)
        if dice.random() < 0.2:
            before, plain = plain, {}
            changes = state.replace(batches)
        else:
            before, changes = dict(plain), state.apply(batches)
        for batch in batches:
            for offset in range(batch.start, batch.end):
                plain[offset] = max(plain.get(offset, (0, 0)), (batch.deliveries, batch.state))
        assert by_offset(state.ranges) == plain
        assert all(one.end <= other.start for one, other in pairwise(state.ranges))
        changed = {offset for change in changes for offset in range(change.now.start, change.now.end)}
        assert changed >= {offset for offset, now in plain.items() if before.get(offset) != now}
        start = max(start, dice.randrange(20))
        done = sum(offset < start and now[1] in (ACKNOWLEDGED, ARCHIVED) for offset, now in plain.items())
        assert state.advance(start) == done
        plain = {offset: now for offset, now in plain.items() if offset >= start}


def test_a_change_has_what_was_before() -> None:
    """Only the part of a batch that says something else is a change; a repetition is none."""
    state = StateRanges()
    assert state.apply([Range(0, 10, AVAILABLE, 1)]) == [Change(Range(0, 10, AVAILABLE, 1), None, None)]
    assert state.apply([Range(0, 10, AVAILABLE, 1)]) == []
    assert state.apply([Range(8, 12, ARCHIVED, 1)]) == [
        Change(Range(8, 10, ARCHIVED, 1), AVAILABLE, 1),
        Change(Range(10, 12, ARCHIVED, 1), None, None),
    ]


def test_a_snapshot_that_repeats_the_state_changes_nothing() -> None:
    """Its ranges may be cut elsewhere."""
    state = StateRanges()
    state.apply([Range(0, 10, ACKNOWLEDGED, 1)])
    assert state.replace([Range(0, 4, ACKNOWLEDGED, 1), Range(4, 10, ACKNOWLEDGED, 1)]) == []
    assert by_offset(state.ranges) == dict.fromkeys(range(10), (1, ACKNOWLEDGED))


def test_batches_that_no_offset_can_lie_in_are_left_out() -> None:
    """Whoever may write to the topic may write any number."""
    numbers = {"delivery_state": 0, "delivery_count": 1}
    batches = [(-5, 3), (7, 6), (LARGEST_OFFSET, LARGEST_OFFSET), (5, LARGEST_OFFSET)]
    ranges = ranges_of({"first_offset": first, "last_offset": last, **numbers} for first, last in batches)
    assert ranges == [Range(5, LARGEST_OFFSET, AVAILABLE, 1)]
