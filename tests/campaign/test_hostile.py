"""What strangers write changes and stops nobody else's answers. The long form is `python -m tests.campaign hostile`."""

from __future__ import annotations

from itertools import cycle, repeat
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pytest

from tests.assets.transforms.made_groups import assignment
from tests.campaign.answers import ask_everything, differences, partitions_of, rows_about
from tests.campaign.histories import Event, Message, home, message
from tests.campaign.hostile import judge_seed, warehouse_with_strangers, without_strangers
from tests.campaign.sound_groups import GROUPS, TOPICS, commit, sound_events
from tests.campaign.strangers import LARGEST, slots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEAST: Final = -LARGEST - 1
OFFSETS: Final = (100, LARGEST, 5, LARGEST - 1, -5, LEAST, LARGEST, 0, LEAST + 1, 1 << 62, -1)
NO_PRODUCER: Final[tuple[dict[str, Any], ...]] = ({"attributes": 0x10}, {"attributes": 0x30}, {"attributes": 0x20})
"""A transactional commit and markers, without the producer whose transaction that is."""


DAMAGED: Final = """
SELECT count_if(h.is_damage), count(*)
FROM core.quarantine AS q
LEFT JOIN core.log_gaps AS h
    ON h.cluster = q.cluster AND h.log_partition = q.log_partition
    AND h.from_log_offset <= q.log_offset AND h.to_log_offset > q.log_offset
"""
"""How many of the records that were set aside lie in a hole that somebody made, and how many there are."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the warehouse without strangers stands."""
    return tmp_path_factory.mktemp("campaign")


@pytest.fixture(scope="module")
def warehouse(scratch: Path) -> Path:
    """Sound groups, and strangers that once ended everybody's answers."""
    named = _named_by_partition()
    strange = {
        slot.number: Event(
            slot.log_partition, [next(named[slot.log_partition][0]) for _ in range(slot.record_count)], options
        )
        for slot in slots(len(sound_events()))
        for options in [next(named[slot.log_partition][1])]
    }
    return warehouse_with_strangers(strange, scratch / "named")


def _named_by_partition() -> dict[int, tuple[Iterator[Message], Iterator[dict[str, Any]]]]:
    """For each partition what is written there, over and over: in those of sound groups by clients, else by anybody."""
    by_partition: dict[int, tuple[Iterator[Message], Iterator[dict[str, Any]]]] = {}
    for place in {slot.log_partition for slot in slots(len(sound_events()))}:
        names = (f"stranger-{number}" for number in range(10_000))
        group = next(name for name in names if home(name) == place)
        if place in {home(sound) for sound in GROUPS}:
            by_partition[place] = cycle(list(_of_client(group))), repeat({})
        else:
            by_partition[place] = cycle([commit(group, "orders", 0, 7)]), cycle(NO_PRODUCER)
    return by_partition


def _of_client(group: str) -> Iterator[Message]:
    """Any offsets, by members and by none; generations of any number; a partition given twice, and to two."""
    generations = cycle((1, -1, (1 << 31) - 1, 0, -(1 << 31)))
    twice = [assignment(0, 0, topic="orders")] * 2
    givens = cycle([twice, twice, [], [assignment(2**32 - 1, topic="orders")], []])
    for offset, generation, given in zip(OFFSETS, generations, givens, strict=False):
        yield _classic(group, generation, given)
        yield commit(group, "orders", 0, offset)
        yield commit(group, "orders", 0, 100)


def _classic(group: str, generation: int, given: list[bytes]) -> Message:
    members = [
        {"member_id": f"m-{number}", "group_instance_id": None, "client_id": "", "client_host": "\0"}
        | {"rebalance_timeout": -1, "session_timeout": (1 << 31) - 1, "subscription": b"", "assignment": blob}
        for number, blob in enumerate(given)
    ]
    value = {"protocol_type": "consumer", "generation": generation, "current_state_timestamp": LARGEST}
    return message(2, {"group_id": group}, value | {"protocol": "", "leader": None, "members": members}, 3)


def test_the_named_strangers_change_nobody_elses_answers(scratch: Path, warehouse: Path) -> None:
    """Every row about the sound groups is what it is without them."""
    assert differences(without_strangers(scratch), rows_about(warehouse, GROUPS, TOPICS)) == []


@pytest.mark.slow
def test_every_command_answers_beside_the_named_strangers(warehouse: Path) -> None:
    """Also about them, without a traceback."""
    ask_everything(warehouse, partitions_of(warehouse))


def _rows(warehouse: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_records_without_a_producer_are_set_aside(warehouse: Path) -> None:
    """With their reason; each is a hole that somebody made, not the cleaner."""
    reasons = {reason for (reason,) in _rows(warehouse, "SELECT reason FROM core.quarantine")}
    assert reasons == {"no_producer", "marker_outside_transaction", "no_control_type"} & reasons
    assert "no_producer" in reasons
    ((damages, records),) = _rows(warehouse, DAMAGED)
    assert damages == records > 0


def test_amounts_near_the_largest_number_stay_numbers(warehouse: Path) -> None:
    """What could not be excluded of strangers is counted up to the largest number, and no sum wraps around."""
    ((most, least),) = _rows(
        warehouse,
        "SELECT max(possible_offsets), min(possible_offsets) FROM mart.not_excluded WHERE group_id LIKE 'stranger-%'",
    )
    assert OFFSETS[3] - max(OFFSETS[2], OFFSETS[0]) <= most <= LARGEST
    assert least > 0


def test_a_sound_history_has_sound_answers(scratch: Path) -> None:
    """What the comparison rests on says something: the reset of one group and the hand-over of another."""
    rows = without_strangers(scratch)
    assert any("'set_back'" in row and "payments" in row for row in rows["mart.replays"])
    assert all(len(rows[name]) > 3 for name in ("core.commits", "core.members", "mart.lag_now", "mart.rebalances"))


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_strangers_of_a_seed_change_nothing(scratch: Path, seed: int) -> None:
    """Extreme numbers and texts in any field."""
    judge_seed(seed, scratch)
