"""A record that breaks what the reconstruction assumes is told with its reason, leaves a hole, and stops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.transforms.coordinator import Coordinator
from assets.transforms.log_chunks import Reader
from assets.transforms.log_gaps import LogGaps
from assets.transforms.quarantine import Quarantine
from assets.transforms.transactions import Transactions
from tests.assets.transforms.made_groups import current
from tests.assets.transforms.offsets_log import Log, project, records

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER: Final = {"is_control": True, "is_transactional": True, "control_type": "COMMIT", "producer_id": 5}
BREACHES: Final[dict[str, dict[str, Any]]] = {
    "no_producer": {"is_transactional": True},
    "no_producer of a marker": MARKER | {"producer_id": None},
    "no_control_type": MARKER | {"control_type": None},
    "marker_outside_transaction": MARKER | {"is_transactional": False},
    "no_topic": {"topic": None},
    "no_partition": {"partition": None},
    "no_offset": {"offset_commit": {"offset": None}},
    "no_member": current("m", 1, 0) | {"member_id": None},
}
KEY: Final = {"record_type": 1, "group_id": "g", "topic": "t", "partition": 0}


def with_breach(breach: Mapping[str, Any]) -> Log:
    """A record that breaks an assumption, between two sound commits."""
    key = {} if breach.get("is_control") else KEY | {"offset_commit": {"offset": 7}}
    return Log().commit(1).add(**{**key, **breach}).commit(3)


@pytest.mark.parametrize("name", BREACHES)
def test_a_record_that_breaks_an_assumption_is_told_with_its_reason(name: str) -> None:
    """Once, with its place in the log, whatever the cut."""
    for cuts in ([], [1], [2]):
        (row,) = project(Quarantine, with_breach(BREACHES[name]), cuts)["core.quarantine"]
        reason = name.partition(" ")[0]
        assert (row["log_offset"], row["reason"]) == (1, reason)
        assert row["found"].startswith(EXPECTED.get(name, "None"))


EXPECTED: Final = {"marker_outside_transaction": "False", "no_offset": "{'offset': None"}


@pytest.mark.parametrize("name", BREACHES)
def test_it_is_a_hole_of_its_own(name: str) -> None:
    """A damaged one: the cleaner is not to blame, and what it said of any key is not known."""
    holes = project(LogGaps, with_breach(BREACHES[name]))["core.log_gaps"]
    assert [(row["from_log_offset"], row["to_log_offset"], row["is_damage"]) for row in holes] == [(1, 2, True)]


@pytest.mark.parametrize("name", BREACHES)
def test_no_subject_is_told_of_it(name: str) -> None:
    """What stands around it counts, and the commit behind it knows nothing of what stood before."""
    log = with_breach(BREACHES[name])
    rows = project(Coordinator, log)
    assert [(row["committed_offset"], row["is_previous_known"]) for row in rows["core.commits"]] == [
        (1, True),
        (3, False),
    ]
    assert rows["core.members"] == []
    assert project(Transactions, log)["core.transactions"] == []


def test_a_sound_log_breaks_no_assumption() -> None:
    """Neither do records that a dump tells, of which less is known, nor types and keys that nobody can read."""
    log = Log().commit(1, producer=5).marker("COMMIT", 5).remove().add(record_type=4000, undecoded_key=b"\x0f\xa0")
    log = log.commit(2, source="dump", is_transactional=None, is_control=None).add(record_type=1)
    assert project(Quarantine, log)["core.quarantine"] == []


def test_a_reader_goes_on_behind_it() -> None:
    """It counts among the records that were replayed: so that no later run takes it for one that came late."""
    reader = Reader()
    reader.chunk(*records(*Log().commit(1).add(**BREACHES["no_producer"]).records))
    assert (reader.next_offset, reader.whole_since, reader.record_count) == (2, 2, 2)
