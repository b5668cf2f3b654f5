"""Lagbook against the recorded scenarios: what the broker said of each group, and what its members truly processed.

Of every release the recording that the repository keeps is held against; of the newest a fresh one too, or, where
LAGBOOK_RECORDING names one, that instead.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from assets.transforms.compaction.cleaner import CleanerPass, clean, log_of, records_in
from tests.assets.transforms.recorded_logs import cleaned_up_to, compaction_of, log_in, retained_in
from tests.broker.book import members_in, standing_of, state_in
from tests.broker.conftest import available
from tests.broker.keep import FOLDER_OF_RECORDINGS, expand, keep
from tests.broker.record import record
from tests.broker.recorded import Recorded, Recording
from tests.broker.releases import NEWEST
from tests.broker.scenarios import SCENARIOS

if TYPE_CHECKING:
    from tests.broker.book import Book

MODERN: Final = {"scaled-uniform-848", "scaled-range-848", "converted", "new-protocol"}
RETURNED: Final = {"static-batch"}
"""Scenarios in which a static member comes back and is told again what it has, without a new generation."""
OTHER_KINDS: Final = {"shared", "streamed"}
LOST: Final = {"retention", "topic-recreated", "unclean-election"}
"""Scenarios that end without the log that they began with. No data log says when an election was: between the last
batch of one leader and the first of the next nobody can tell which log it was."""
CONSUMER_GROUPS: Final = [name for name in SCENARIOS if name not in OTHER_KINDS]


FRESH: Final = "fresh"
RECORDINGS: Final = [
    pytest.param(name, marks=() if name == NEWEST else pytest.mark.slow)
    for name in (*sorted(path.name.removesuffix(".tar.xz") for path in FOLDER_OF_RECORDINGS.glob("*.tar.xz")), FRESH)
]


@pytest.fixture(scope="module", params=RECORDINGS)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Every scenario, as it was played once on a release."""
    to = tmp_path_factory.mktemp("recording")
    if request.param != FRESH:
        keep(request.param, to)
        return Recording(to)
    folder = Path(os.environ.get("LAGBOOK_RECORDING") or tmp_path_factory.mktemp("played"))
    if not any(folder.iterdir()):
        assert record(available(NEWEST), tuple(SCENARIOS), folder) == {}
    expand(folder, to)
    return Recording(to)


@pytest.fixture(scope="module")
def book(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A warehouse that read every copy of every log directory."""
    return recording.read(tmp_path_factory.mktemp("read"))


@pytest.fixture
def played(recording: Recording, request: pytest.FixtureRequest) -> Recorded:
    """The scenario that a test is about."""
    name: str = request.param
    row = recording.scenarios.get(name)
    if row is None or row["why_not"] or not recording.scenario(name).folder.is_dir():
        pytest.skip(f"{name}: {(row and row['why_not']) or 'not in this recording'}")
    return recording.scenario(name)


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_offsets_log_ends_and_lag_are_the_brokers_own(played: Recorded, book: Book) -> None:
    """At each instant at which the broker was asked and nothing moved; an end is unknown only where its log is gone."""
    for answer in played.answers:
        ours, theirs = book.standing(played.name, answer["answered_ms"]), standing_of(answer["offsets"])
        known = {place: end for place, (_, end, _) in ours.items() if end is not None}
        assert known.keys() == theirs.keys() or played.name in LOST
        assert ours == {
            place: (current, end, lag) if place in known else (current, None, None)
            for place, (current, end, lag) in theirs.items()
        }, answer["answered_ms"]


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_members_are_the_brokers_own(played: Recorded, book: Book) -> None:
    """Member, instance, host, client and what it was assigned, as `--members --verbose` says."""
    for answer in played.answers:
        broker = members_in(answer["members"], played.name)
        assert book.members(played.name, answer["answered_ms"]) == broker, answer["answered_ms"]


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_states_strategies_and_coordinators_are_the_brokers_own(played: Recorded, book: Book) -> None:
    """As `--describe --state` says; where logs of several brokers were read, none of them is told to coordinate."""
    for answer in played.answers:
        broker = book.states(played.name, answer["answered_ms"])
        coordinator, *rest = state_in(answer["state"])
        assert broker == [(coordinator if broker[0][0] is not None else None, *rest)], answer["answered_ms"]


@pytest.mark.parametrize("played", sorted(MODERN), indirect=True)
def test_epochs_assignments_and_who_is_upgraded_are_as_the_tool_prints_them(played: Recorded, book: Book) -> None:
    """Column by column, also while a group converts: only then there is a column UPGRADED."""
    for answer in played.answers:
        printed = book.describe_members(played.name, answer["answered_ms"])
        tool = [{name: cell.strip() for name, cell in row.items()} for row in answer["members"]]
        assert sorted(printed, key=str) == sorted(tool, key=str), answer["answered_ms"]


@pytest.mark.parametrize("played", [name for name in CONSUMER_GROUPS if name not in MODERN | RETURNED], indirect=True)
def test_each_member_was_assigned_something_in_as_many_generations_as_it_wrote_down(
    played: Recorded, book: Book
) -> None:
    """The chain of generations has no gap; who ends while a new one is made is in it and isn't called back for it."""
    calls = Counter(member for _, member, what, _ in played.callbacks if what == "assigned")
    generations = book.generations_of_members(played.name)
    assert generations.keys() == calls.keys()
    assert {member: number - calls[member] for member, number in generations.items() if number != calls[member]} in (
        {},
        *({member: 1} for member in calls),
    )
    chain = book.query(
        "SELECT DISTINCT generation FROM core.generations WHERE generation IS NOT NULL AND group_id = ? ORDER BY ALL",
        played.name,
    )
    assert [number for (number,) in chain] == list(range(chain[0][0], chain[0][0] + len(chain)))


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_owners_are_those_that_the_members_wrote_down(played: Recorded, book: Book) -> None:
    """At every instant that is far from a rebalance, the owner is whom the partition was given to last."""
    for at_ms, owners in played.quiet():
        assert book.owners(played.name, at_ms) == owners, at_ms


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_what_is_certain_is_true(played: Recorded, book: Book) -> None:
    """Every range that was surely read again was processed twice, by what the members wrote down."""
    claims = book.query(
        "SELECT partition, certain_from, certain_to FROM mart.replays WHERE certain_from IS NOT NULL AND group_id = ?",
        played.name,
    )
    for partition, start, end in claims:
        twice = played.truth[str(partition)]["duplicated"]
        assert any(low <= start and end <= high for low, high in twice), (partition, start, end)


REWOUND: Final = ["admin-reset-back", "admin-reset-datetime"]
PROCESSED_TWICE: Final = [
    *REWOUND,
    "expired-earliest",
    "group-deleted",
    "killed-auto-commit",
    "killed-commit-after",
    "read-alone",
    "scaled-range",
    "scaled-roundrobin",
    "scaled-sticky",
    "scaled-cooperative",
    "scaled-static",
    "scaled-uniform-848",
    "scaled-range-848",
]


NOTHING_TWICE: Final = {("2.8.2", "scaled-sticky")}
"""Kept recordings in which who was killed had read everything, and the others left before it was missed."""


@pytest.mark.parametrize("played", PROCESSED_TWICE, indirect=True)
def test_some_was_processed_twice(played: Recorded, request: pytest.FixtureRequest) -> None:
    """The scenarios that are to test it do."""
    is_some = any(outcome["duplicated"] for outcome in played.truth.values())
    assert is_some == ((request.node.callspec.params["recording"], played.name) not in NOTHING_TWICE)


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_what_was_processed_twice_is_inside_a_possible_range(played: Recorded, book: Book) -> None:
    """Each range of it inside one of a group's replays."""
    claims = book.query(
        "SELECT partition, possible_from, possible_to FROM mart.replays WHERE group_id = ?", played.name
    )
    for partition, outcome in played.truth.items():
        bounds = [(low, high) for number, low, high in claims if str(number) == partition]
        for start, end in outcome["duplicated"]:
            assert any(low <= start and end <= high for low, high in bounds), (partition, start, end)


@pytest.mark.parametrize("played", REWOUND, indirect=True)
def test_an_admins_set_back_is_estimated_exactly(played: Recorded, book: Book) -> None:
    """What was processed twice, and nothing else."""
    claims = book.query(
        "SELECT partition, estimate_from, estimate_to, certainty, cause FROM mart.replays "
        "WHERE group_id = ? AND kind = 'set_back' ORDER BY partition",
        played.name,
    )
    assert claims == [
        (int(part), *span, "proven", "admin_reset")
        for part, outcome in sorted(played.truth.items())
        for span in outcome["duplicated"]
    ]


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_an_overlap_ends_where_the_log_ended_when_the_owner_was_replaced(played: Recorded, book: Book) -> None:
    """No record that was written after the next owner came to own it is in its possible range."""
    late = book.query(
        "SELECT r.partition, r.possible_to, b.base_offset FROM mart.replays AS r "
        "JOIN raw.batches AS b ON (b.cluster, b.topic, b.partition) = (r.cluster, r.topic, r.partition) "
        "AND b.base_offset < r.possible_to AND make_timestamptz(1000 * b.base_timestamp_ms) > r.detected_at "
        "WHERE r.group_id = ? AND r.kind = 'handed_over' AND r.is_ordinary",
        played.name,
    )
    assert late == []


@pytest.mark.parametrize("played", ["topic-recreated", "unclean-election"], indirect=True)
def test_another_life_of_a_log_is_not_read_again(played: Recorded, book: Book) -> None:
    """Nothing is certain or likely: other records have these offsets now."""
    claims = book.query(
        "SELECT kind, certain_from, estimate_to > estimate_from FROM mart.replays WHERE group_id = ?", played.name
    )
    assert {claim for claim in claims if claim[0] != "truncated"} <= {("handed_over", None, False)}
    assert {claim for claim in claims if claim[0] == "truncated"} <= {("truncated", None, None)}


NEAR_THE_LOG_START: Final = {"offsets-deleted", "expired-latest"}
"""Their logs are shorter than ten steps of the group: it may as well have begun at the log start."""
NEVER: Final = ["admin-reset-forward", "offsets-deleted", "expired-latest", "retention", "records-deleted"]


@pytest.mark.parametrize("played", NEVER, indirect=True)
def test_what_was_never_processed_is_inside_a_possible_range(played: Recorded, book: Book) -> None:
    """The possible ranges of a group's skips hold all that it truly missed; an estimate is what it missed."""
    assert any(outcome["missed"] for outcome in played.truth.values())
    columns = "partition, possible_from, possible_to, estimate_from, estimate_to"
    claims = book.query(f"SELECT {columns} FROM mart.skips WHERE group_id = ?", played.name)  # noqa: S608 - names of our own
    for partition, outcome in played.truth.items():
        bounds = [row[1:] for row in claims if str(row[0]) == partition]
        for start, end in outcome["missed"]:
            assert any(low <= start and end <= high for low, high, *_ in bounds), (partition, start, end)
            expected = [None, None] if played.name in NEAR_THE_LOG_START else [start, end]
            assert expected in [[*row[2:]] for row in bounds], (partition, bounds)


@pytest.mark.parametrize("played", CONSUMER_GROUPS, indirect=True)
def test_what_is_certainly_skipped_was_missed(played: Recorded, book: Book) -> None:
    """No offset of a certain range was processed by anybody."""
    claims = book.query(
        "SELECT partition, certain_from, certain_to FROM mart.skips WHERE certain_from IS NOT NULL AND group_id = ?",
        played.name,
    )
    for partition, start, end in claims:
        missed = played.truth[str(partition)]["missed"]
        assert any(low <= start and end <= high for low, high in missed), (partition, start, end)


CAUSES: Final = {
    "admin-reset-forward": {("set_forward", "admin_reset", "admin")},
    "retention": {("overtaken_by_log_start", "retention", "owner")},
    "records-deleted": {("overtaken_by_log_start", "records_deleted", "owner")},
}


@pytest.mark.parametrize("played", CAUSES, indirect=True)
def test_it_is_told_how_offsets_were_skipped_why_and_by_whom(played: Recorded, book: Book) -> None:
    """For each partition alike."""
    skips = book.query('SELECT DISTINCT kind, cause, "actor" FROM mart.skips WHERE group_id = ?', played.name)
    assert set(skips) == CAUSES[played.name]


@pytest.mark.parametrize("played", ["unclean-election"], indirect=True)
def test_the_end_that_was_lost_is_told_with_what_was_committed_of_it(played: Recorded, book: Book) -> None:
    """From where the epoch of the broker that won begins, to where the log of the other one ended."""
    divergences = book.query(
        "SELECT partition, kind, from_offset, to_offset FROM mart.log_divergence WHERE topic = ?", played.name
    )
    (begin,) = {start for _, _, start, _ in divergences}
    lost = {int(partition): outcome["earlier"][0]["next"] for partition, outcome in played.truth.items()}
    kinds = ("commit_of_truncated_records", "truncated_records")
    assert sorted(divergences) == sorted(
        (partition, kind, begin, end) for partition, end in lost.items() for kind in kinds
    )
    assert all(begin < end for end in lost.values())


@pytest.mark.parametrize("played", ["unclean-election"], indirect=True)
def test_the_end_that_was_lost_held_until_then_and_the_winners_since(played: Recorded, book: Book) -> None:
    """As of the last batch of the leader that lost it; and when the next one had written, all is the broker's own."""
    last_batches = book.query(
        "SELECT partition, max(reached_at) FROM core.log_ends "
        "WHERE topic = ? AND source = 'batch' AND until_at IS NOT NULL GROUP BY partition",
        played.name,
    )
    ends = "SELECT partition, log_end_offset FROM log_ends_at(?) WHERE topic = ? AND partition = ?"
    held = [book.query(ends, reached_at, played.name, partition) for partition, reached_at in last_batches]
    assert sorted(held) == [
        [(int(partition), outcome["earlier"][0]["next"])] for partition, outcome in played.truth.items()
    ]
    last = played.answers[-1]
    assert book.standing(played.name, last["answered_ms"]) == standing_of(last["offsets"])


def test_nothing_else_contradicts(book: Book) -> None:
    """Whatever befell the others: their copies are the same, and their groups are where they belong."""
    assert {topic for (topic,) in book.query("SELECT topic FROM mart.log_divergence")} <= {"unclean-election"}
    assert book.query("FROM mart.producer_duplicates") == []


def test_what_the_cleaner_would_keep_is_what_it_kept(recording: Recording) -> None:
    """A pass over the log before, and core.record_compaction of it: each has the records that the cleaner left."""
    (before,), (after,) = (recording.logs(when, "brokers-one") for when in ("before-cleaner", "after-cleaner"))
    partitions = [name for name in cleaned_up_to(after) if name.startswith("__consumer_offsets-")]
    assert partitions
    for name in partitions:
        logs = [log_in(folder / name)[0] for folder in (before, after)]
        later = logs[1].filter(pc.greater(logs[1]["log_offset"], logs[0]["log_offset"][-1]))
        whole = log_of(pa.concat_tables([logs[0], later]))
        segments = tuple(sorted(int(path.stem) for path in (after / name).glob("*.log")))
        left = records_in(clean(whole, CleanerPass(segments, now_ms=0)))
        assert left["log_offset"].to_pylist() == logs[1]["log_offset"].to_pylist(), name
        assert left.num_rows < whole.num_rows
        cleaned = [log.filter(pc.less(log["log_offset"], segments[-1])) for log in (logs[0], logs[1])]
        assert retained_in(compaction_of(cleaned[0])) == cleaned[1]["log_offset"].to_pylist(), name


def test_the_scenarios_did_what_they_are_named_for(recording: Recording) -> None:
    """Each was played to its end; those that process twice or miss did, so that an empty recording is noticed."""
    rows = recording.scenarios.items()
    assert [row["failure"] for _, row in rows if row["failure"]] == []
    played = {name for name, row in rows if not row["why_not"] and recording.scenario(name).folder.is_dir()}
    truths = {name: recording.scenario(name).truth.values() for name in played}
    twice = {name for name, outcomes in truths.items() if any(one["duplicated"] for one in outcomes)}
    never = {name for name, outcomes in truths.items() if any(one["missed"] for one in outcomes)}
    assert twice >= {*REWOUND, "expired-earliest", "group-deleted", "killed-auto-commit"} & played
    assert never >= {*NEVER, "killed-commit-before"} & played
