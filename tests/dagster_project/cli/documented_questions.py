"""The questions of docs/reference/questions.md, and what is known of their answers on the demo's incident.

Put here how the page is read, and the facts, from the truth that the incident's consumers wrote down and from its
script. That they hold is tested in `test_demo`, where the demo was run.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.operations.demo import truth

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, Any]

PAGE: Final = Path(__file__).parents[3] / "docs" / "reference" / "questions.md"
QUESTION: Final = re.compile(r"^## (\d+)\. [^\n]+\?\n\n```sql\n(.*?);\n```\n\n\S", re.MULTILINE | re.DOTALL)
AUDIT: Final = [("audit", partition) for partition in range(3)]
PAYMENTS: Final = [("payments", partition) for partition in range(4)]
SILENT: Final = {9, 13, 18, 21}
"""Questions to which the demo has nothing to say: no late commit, no transaction, no other cluster, no truncation."""


def questions() -> dict[int, str]:
    """Each question's query, by its number; after it stands how to read the answer."""
    return {int(number): query for number, query in QUESTION.findall(PAGE.read_text(encoding="utf-8"))}


def _places(rows: list[Row]) -> list[tuple[str, int]]:
    return [(row["topic"], row["partition"]) for row in rows]


def _of(rows: list[Row], group: str) -> list[Row]:
    return [row for row in rows if row["group_id"] == group]


def _missed(group: str) -> dict[int, tuple[int, int]]:
    """The last range that a group truly missed, by partition."""
    return {
        int(number): tuple(outcome["missed"][-1]) for number, outcome in truth()[group].items() if outcome["missed"]
    }


def went_backwards(rows: list[Row]) -> None:
    """An admin set admin-reset back from 670 to 420."""
    assert _places(rows) == AUDIT
    assert {(row["previous_offset"], row["committed_offset"], row["size"], row["actor"]) for row in rows} == {
        (670, 420, 250, "admin")
    }


def why_backwards(rows: list[Row]) -> None:
    """It is told as such, and certain."""
    resets = [row for row in _of(rows, "admin-reset") if (row["from_offset"], row["cause"]) == (420, "admin_reset")]
    assert _places(resets) == AUDIT
    assert {row["certainty"] for row in resets} == {"proven"}


def delivered_twice(rows: list[Row]) -> None:
    """What is certain was processed twice, by the consumers' own logs."""
    reset = [row for row in _of(rows, "admin-reset") if row["kind"] == "set_back"]
    assert {(row["certain_from"], row["certain_to"], row["records_certain"]) for row in reset} == {(420, 670, 250)}
    for row in [row for row in rows if row["certain_from"] is not None]:
        twice = truth()[row["group_id"]][str(row["partition"])]["duplicated"]
        assert any(low <= row["certain_from"] and row["certain_to"] <= high for low, high in twice), row


def skipped(rows: list[Row]) -> None:
    """What was truly missed lies inside the possible ranges; what is certain was missed."""
    for group, partition in product(("latest-reset", "slow-retention", "admin-reset"), range(3)):
        low, high = _missed(group)[partition]
        own = [row for row in _of(rows, group) if row["partition"] == partition]
        assert any(row["possible_from"] <= low < high <= row["possible_to"] for row in own), (group, partition)
        assert all(low <= row["certain_from"] < row["certain_to"] <= high for row in own if row["certain_from"])


def harmless_gaps(rows: list[Row]) -> None:
    """There are none: no marker, no compaction; every partition ends at 1400."""
    assert len(rows) == 3 + 4 + 6
    assert {(row["markers"], row["compacted_inside"], row["aborted"]) for row in rows} == {(0, 0, 0)}


def owners_then(rows: list[Row]) -> None:
    """Two were left of the group; they own all six partitions."""
    assert _places(rows) == [("orders", partition) for partition in range(6)]
    assert {row["client_id"] for row in rows} == {"m1", "m2"}
    assert all(row["owned_for"].total_seconds() > 0 for row in rows)


def rebalances(rows: list[Row]) -> None:
    """The group began, grew to three and ended without members."""
    assert max(row["members_after"] or 0 for row in rows) == 3
    assert rows[-1]["members_after"] == 0


def churn(rows: list[Row]) -> None:
    """Each client of the group took part in some."""
    clients = {row["name"] for row in _of(rows, "auto-range") if row["dimension"] == "client"}
    assert clients == {"m0", "m1", "m2", "m3"}


def expiry(rows: list[Row]) -> None:
    """The offsets of latest-reset were deleted; a week later all others but static-batch's expire."""
    gone = [row for row in rows if row["change"] == "gone"]
    assert (_places(gone), {row["group_id"] for row in gone}) == (AUDIT, {"latest-reset"})
    expiring = [row for row in rows if row["change"] == "expires"]
    assert {row["group_id"] for row in expiring} == truth().keys() - {"static-batch"}
    assert {row["expiry_basis"] for row in _of(expiring, "new-protocol")} == {"since_commit"}
    assert {row["expiry_basis"] for row in _of(expiring, "auto-range")} == {"since_empty"}
    costs = {(row["earliest_offsets"], row["latest_offsets"]) for row in _of(expiring, "slow-retention")}
    assert costs == {(800, 0)}


def lag_then(rows: list[Row]) -> None:
    """Where admin-reset and slow-retention had been left, and what had been produced by then."""
    lags = {row["group_id"]: row["lag_then"] for row in rows}
    assert (lags["admin-reset"], lags["slow-retention"]) == (3 * (700 - 420), 4 * (700 - 300))
    assert all(row["worst_lag"] > 0 for row in rows)


def burrow(rows: list[Row]) -> None:
    """Set back and not made up for."""
    assert {(row["status"], row["rule"]) for row in _of(rows, "admin-reset")} == {("REWIND", "set_back")}
    assert {row["status"] for row in _of(rows, "auto-range")} == {"OK"}


def bill(rows: list[Row]) -> None:
    """Every group is billed; about half of what a timer commits changes nothing."""
    assert {row["group_id"] for row in rows} == truth().keys()
    assert all(0 < row["bytes"] < row["disk_bytes"] for row in rows)
    assert all(0.3 < _of(rows, group)[0]["no_op_share"] < 0.7 for group in ("auto-range", "new-protocol"))


def cleaning(rows: list[Row]) -> None:
    """All is in the segments that are written to."""
    assert {row["verdict"] for row in rows} == {"nothing_to_clean"}
    assert len(rows) == len(truth())


def abandoned(rows: list[Row]) -> None:
    """All groups ended without members, but for the static ones, of which nobody said so."""
    assert {(row["group_id"], row["cause"]) for row in rows} == {
        (group, "no_members") for group in truth() if group != "static-batch"
    }


def retention(rows: list[Row]) -> None:
    """Slow-retention never read what was deleted, to the record."""
    assert {row["partition"]: (row["lost_from"], row["lost_to"]) for row in rows} == _missed("slow-retention")


def completeness(rows: list[Row]) -> None:
    """All of the offsets topic was seen, and nothing is in quarantine."""
    offsets = [row for row in rows if row["topic"] == "__consumer_offsets"]
    assert {(row["status"], row["quarantined"]) for row in offsets} == {("whole", 0)}
    assert all(row["clock_skew_ms"] < 1000 for row in offsets if row["clock_skew_ms"] is not None)


def then(rows: list[Row]) -> None:
    """One member was left, which owned all and had read all."""
    assert _places(rows) == PAYMENTS
    assert {(row["state"], row["client_id"], row["member_count"], row["lag"]) for row in rows} == {
        ("Stable", "m1", 1, 0)
    }


def reset(rows: list[Row]) -> None:
    """All partitions stand at 1400."""
    assert _places(rows) == AUDIT
    assert {(row["new_offset"], row["offsets_again"], row["records"]) for row in rows} == {(420, 980, 980)}


def dropped(rows: list[Row]) -> None:
    """Of each of the group's keys one record stays."""
    offsets = [row for row in rows if row["topic"] is not None]
    assert {row["status"] for row in offsets} == {"current", "superseded"}
    assert [row["records"] for row in offsets if row["status"] == "current"] == [1, 1, 1]
    assert all(row["dropped"] == (row["records"] if row["status"] == "superseded" else 0) for row in rows)


def dead_weight(rows: list[Row]) -> None:
    """Most of what timers commit: all records have a row, and no transaction is open."""
    assert len(rows) == len(truth())
    assert all(0 < row["dead_records"] < row["records"] and row["pending"] == 0 for row in rows)
    assert sum(row["dead_records"] for row in rows) / sum(row["records"] for row in rows) > 0.5


FACTS: Final[dict[int, Callable[[list[Row]], None]]] = {
    1: went_backwards,
    2: why_backwards,
    3: delivered_twice,
    4: skipped,
    5: harmless_gaps,
    6: owners_then,
    7: rebalances,
    8: churn,
    10: expiry,
    11: lag_then,
    12: burrow,
    14: bill,
    15: cleaning,
    16: abandoned,
    17: retention,
    19: completeness,
    20: then,
    22: reset,
    23: dropped,
    24: dead_weight,
}
"""What must be true of the answers, by question."""
