"""A share group's day on a real 4.3 broker: Lagbook's answers beside the tool's, and beside what the members got.

`tests.broker.share_recording` recorded it: members accept, release, reject, crash, and hold records beyond their locks;
an admin resets the group and deletes records below it.
"""

from __future__ import annotations

import json
import lzma
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner, Result

from assets.duckdb.database import in_memory
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RECORDED: Final = Path(__file__).parents[1] / "bytes" / "share-4.3"
GROUP: Final = "workers"
LIMIT: Final = 3
ANSWERS: Final[list[dict[str, Any]]] = json.loads((RECORDED / "answers.json").read_text())
MEMBERS: Final[dict[str, list[dict[str, Any]]]] = json.loads(
    lzma.decompress((RECORDED / "members.json.xz").read_bytes())
)
RESET_MS: Final = next(one["ended_ms"] for one in ANSWERS if one["name"] == "after-holder")

Place = tuple[int, int]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse that read the logs of the day."""
    folder = tmp_path_factory.mktemp("share")
    with tarfile.open(RECORDED / "logs.tar.xz") as packed:
        packed.extractall(folder / "logs", filter="data")
    result = whole_run(folder / "warehouse", [folder / "logs"])
    assert result.exit_code == 0, result.output
    return folder / "warehouse"


def describe(warehouse: Path, at_ms: int, *words: str) -> str:
    """`lagbook describe` of the group as of an instant."""
    call = ["describe", GROUP, *words, "--at", str(at_ms), "--warehouse", str(warehouse)]
    result = CliRunner().invoke(main, call)
    assert result.exit_code == 0, result.output
    return result.stdout


def table(printed: str) -> list[dict[str, str]]:
    """The rows of a printed table; the last column may hold spaces."""
    heading, *lines = (line for line in printed.splitlines() if line.strip())
    return [dict(zip(heading.split(), line.split(), strict=True)) for line in lines]


@pytest.mark.parametrize("answer", ANSWERS, ids=[one["name"] for one in ANSWERS])
def test_offsets_are_what_the_tool_printed_then(warehouse: Path, answer: dict[str, Any]) -> None:
    """START-OFFSET and LAG of each partition, at every instant at which the tool was asked."""
    assert table(describe(warehouse, answer["began_ms"])) == table(answer["offsets"])


@pytest.mark.parametrize("answer", [one for one in ANSWERS if "members" in one], ids=lambda one: str(one["name"]))
def test_members_are_what_the_tool_printed_then(warehouse: Path, answer: dict[str, Any]) -> None:
    """Who they were, from where, in which epoch, and what they had."""
    names = ("CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "CURRENT-EPOCH", "CURRENT-ASSIGNMENT")
    theirs = [[row[_theirs(name)] for name in names] for row in table(answer["members"])]
    ours = table(describe(warehouse, answer["began_ms"], "--members", "--verbose"))
    assert [[row[name] for name in names] for row in ours] == theirs


def _theirs(name: str) -> str:
    return {"CURRENT-EPOCH": "MEMBER-EPOCH", "CURRENT-ASSIGNMENT": "ASSIGNMENT"}.get(name, name)


@pytest.mark.parametrize("answer", ANSWERS[:3], ids=[one["name"] for one in ANSWERS[:3]])
def test_the_state_is_what_the_tool_printed_then(warehouse: Path, answer: dict[str, Any]) -> None:
    """State and number of members; who coordinates is in two words there, and likely here."""
    (ours, theirs) = (
        one.split("\n")[-2].split() for one in (describe(warehouse, answer["began_ms"], "--state"), answer["state"])
    )
    assert (ours[3], ours[-1]) == (theirs[3], theirs[-1])


def query(warehouse: Path, name: str, columns: str) -> list[tuple[Any, ...]]:
    """Columns of a table, in an order of their own."""
    with in_memory(Warehouse(str(warehouse)), [name]) as connection:
        return connection.sql(f"SELECT {columns} FROM {name} ORDER BY ALL").fetchall()  # noqa: S608 - names


def epochs(events: Sequence[str]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """The lines of the members about one record, each with whether it was after the reset."""
    for lines in MEMBERS.values():
        yield from ((line["ms"] > RESET_MS, line) for line in lines if line["event"] in events)


def test_no_record_says_more_deliveries_than_members_got(warehouse: Path) -> None:
    """And of offsets that were accepted or given up it says all of them: the last count that a member was told."""
    got: dict[tuple[bool, int, int], list[int]] = defaultdict(list)
    for is_after, line in epochs(["got"]):
        got[is_after, line["partition"], line["offset"]].append(line["count"])
    columns = "state_epoch, partition, from_offset, to_offset, delivery_count, outcome"
    actual = query(warehouse, "mart.share_redeliveries", columns)
    first_epoch = min(epoch for (epoch,) in query(warehouse, "core.share_states", "state_epoch"))
    ours = {
        (epoch > first_epoch, partition, offset): count
        for epoch, partition, start, end, count, _outcome in actual
        for offset in range(start, end)
    }
    assert ours == {place: max(counts) for place, counts in got.items() if max(counts) > 1}
    assert {count for *_place, count, _outcome in actual} == {LIMIT}


def test_what_was_given_up_is_what_members_rejected_or_released_at_last(warehouse: Path) -> None:
    """With the cause that the limit of deliveries tells."""
    counts: dict[tuple[str, int, int], int] = {}
    given_up: set[tuple[str, int, int]] = set()
    for name, lines in MEMBERS.items():
        for line in lines:
            place = (name, line.get("partition", -1), line.get("offset", -1))
            if line["event"] == "got":
                counts[place] = line["count"]
            elif line["event"] == "answered" and line["answer"] == "reject":
                given_up.add(("rejected", *place[1:]))
            elif line["event"] == "answered" and line["answer"] == "release" and counts[place] == LIMIT:
                given_up.add(("out_of_attempts", *place[1:]))
    actual = query(warehouse, "mart.share_archived", "cause, partition, from_offset, to_offset, certainty")
    ours = {(cause, one, offset) for cause, one, start, end, _certainty in actual for offset in range(start, end)}
    assert ours == given_up
    assert {certainty for *_claim, certainty in actual} == {"proven"}


def test_start_offsets_moved_by_the_group_by_the_admin_and_by_deleted_records(warehouse: Path) -> None:
    """The admin set both partitions to their start; ten records of one were deleted before they were delivered."""
    causes = ("reset", "records_deleted", "initialized", "passed_undelivered", "unknown")
    columns = "partition, cause, to_offset, undelivered_offsets"
    moves = [row for row in query(warehouse, "core.share_start_offsets", columns) if row[1] in causes]
    assert moves == [
        (0, "initialized", 0, None),
        (0, "records_deleted", 70, 10),
        (0, "reset", 0, None),
        (1, "initialized", 0, None),
        (1, "reset", 0, None),
    ]


def test_what_was_given_up_is_told_as_incidents(warehouse: Path) -> None:
    """Those out of attempts are worse than those that a member rejected."""
    columns = "rank, severity, kind, pattern, group_id, certain_offsets"
    assert query(warehouse, "mart.incidents", columns) == [
        (1, "high", "archived", "out_of_attempts", GROUP, 2),
        (2, "medium", "archived", "rejected", GROUP, 6),
    ]


def test_a_share_group_in_json_has_rows_of_its_own(warehouse: Path) -> None:
    """With the log end and what is complete behind the start offset."""
    rows = json.loads(describe(warehouse, ANSWERS[-1]["began_ms"], "--json"))
    names = ("group_type", "partition", "start_offset", "delivery_complete_count", "log_end_offset", "lag", "is_known")
    assert [[row[name] for name in names] for row in rows] == [
        ["share", 0, 70, 10, 80, 0, True],
        ["share", 1, 60, 20, 80, 0, True],
    ]


def explain(warehouse: Path, partition: int, *words: str) -> Result:
    """`lagbook explain` of a share partition."""
    call = ["explain", GROUP, "jobs", str(partition), *words, "--warehouse", str(warehouse)]
    return CliRunner().invoke(main, call)


def test_an_explanation_has_every_offset_that_members_accepted_or_gave_up(warehouse: Path) -> None:
    """As many as changed to such a state, which is as many as the members of the test above, in each epoch."""
    for partition in (0, 1):
        rows = json.loads(explain(warehouse, partition, "--json").stdout)
        reset = next(row["record_offset"] for row in rows if row["cause"] == "reset")
        ours: dict[tuple[bool, str], int] = defaultdict(int)
        for row in (one for one in rows if one["event"] in ("acknowledged", "archived")):
            ours[row["record_offset"] > reset, row["event"]] += row["offsets"]
        assert ours == _ended(warehouse, partition)


def _ended(warehouse: Path, partition: int) -> dict[tuple[bool, str], int]:
    """The offsets of core.share_deliveries that came to their end, by epoch."""
    columns = "state_epoch, delivery_state, partition, to_offset - from_offset"
    rows = [row for row in query(warehouse, "core.share_deliveries", columns) if row[2] == partition]
    first = min(row[0] for row in rows)
    sums: dict[tuple[bool, str], int] = defaultdict(int)
    for epoch, state, _partition, offsets in rows:
        if state in ("acknowledged", "archived"):
            sums[epoch > first, state] += offsets
    return dict(sums)


def test_an_explanation_is_in_words_and_ends_with_what_stands(warehouse: Path) -> None:
    """What came back, was delivered again, given up and why, and what moved the start offset."""
    result = explain(warehouse, 0)
    lines = [line.partition("  ")[2] for line in result.stdout.splitlines()]
    assert result.exit_code == 0, result.output
    for sentence in (
        "offset 15 was given up: out of attempts after delivery 3  [share state 1/4]",
        "offsets 40 to 59 came back after delivery 2 (released, or their lock expired)  [share state 1/6]",
        "the start offset was reset from 59 to 0, which begins all counts anew  [share state 1/27]",
        "offset 75 was given up: rejected at delivery 1  [share state 1/30]",
        "the group is Stable, generation 11  [5/48]",
    ):
        assert sentence in lines
    assert "past 10 offsets neither accepted nor given up: records were deleted first" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "So its start offset is 70, the log end 80, the lag 0; by then 22 offsets had been delivered more than once,"
        " and 4 offsets given up."
    )
    assert "As of 2026-11-20 10:12:05 UTC" in result.stderr


def test_an_explanation_of_a_past_instant_ends_there(warehouse: Path) -> None:
    """What came later is left out, and what stood is that of then, as the tool printed it."""
    answer = ANSWERS[0]
    result = explain(warehouse, 0, "--at", str(answer["began_ms"]), "--json")
    at = [row for row in table(answer["offsets"]) if row["PARTITION"] == "0"]
    end = explain(warehouse, 0, "--at", str(answer["began_ms"])).stdout.splitlines()[-1]
    assert f"So its start offset then was {at[0]['START-OFFSET']}, the log end" in end
    assert f"the lag {at[0]['LAG']};" in end
    assert {row["cause"] for row in json.loads(result.stdout)} & {"reset", "records_deleted"} == set()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("workers", "jobs", "7"), "is a share group, and had no state of jobs-7 at any time; of jobs there are 0, 1."),
        (("workers", "jbos", "0"), "is a share group, and had no state of jbos-0 at any time; the nearest is jobs."),
        (("workers", "jobs", "0", "--from", "2027-01-01"), "had no state of jobs-0 in that time."),
        (("worker", "jobs", "0"), "group worker is not in this warehouse; the nearest is workers."),
    ],
)
def test_a_share_partition_that_is_not_there_is_refused(warehouse: Path, words: tuple[str, ...], sentence: str) -> None:
    """With what there is."""
    result = CliRunner().invoke(main, ["explain", *words, "--warehouse", str(warehouse)])
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.output
