"""Rebalances of the recorded scenarios, held against what the members wrote down and what the coordinators logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from assets import models
from assets.catalog import TABLES
from assets.transforms.marts.observed_generations import what_if
from tests.assets.rows import REBALANCING
from tests.assets.transforms.recorded_groups import database
from tests.broker.keep import FOLDER_OF_RECORDINGS, keep
from tests.broker.recorded import Recording
from tests.broker.releases import NEWEST

if TYPE_CHECKING:
    import duckdb

    from tests.broker.recorded import Recorded

RELEASES: Final = [
    pytest.param(name, marks=() if name == NEWEST else pytest.mark.slow)
    for name in sorted(path.name.removesuffix(".tar.xz") for path in FOLDER_OF_RECORDINGS.glob("*.tar.xz"))
]
POLL_MS: Final = 2000
"""So much later than its coordinator a member may get to know of what it was given, or was told to give up."""
SCALED: Final = ("scaled-range", "scaled-roundrobin", "scaled-sticky", "scaled-cooperative")
WHAT_IF: Final = "mart.assignor_what_if"


class Played:
    """A release's recording, and what follows from the logs of its one broker."""

    def __init__(self, recording: Recording, connection: duckdb.DuckDBPyConnection) -> None:
        """Begin with what was recorded, and what was made of it."""
        self.recording = recording
        self._connection = connection

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a question."""
        return self._connection.execute(question, values).fetchall()

    def scenario(self, name: str) -> Recorded:
        """What was recorded of a scenario of that broker."""
        row = self.recording.scenarios.get(name)
        if row is None or row["why_not"] or not self.recording.scenario(name).folder.is_dir():
            pytest.skip(f"{name} was not played on this release")
        return self.recording.scenario(name)


@pytest.fixture(scope="module", params=RELEASES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Every table about rebalances, from one broker's logs and its coordinator's text log."""
    to = tmp_path_factory.mktemp("recording")
    keep(request.param, to)
    home = to / "brokers-one"
    connection = database([home / "before-cleaner" / "1" / "data"], [home / "broker-1.log"])
    for name in REBALANCING:
        connection.execute(f"CREATE OR REPLACE TABLE {name} AS {models.select(TABLES[name].name)}")
    return Played(Recording(to), connection)


MOVED: Final = """
SELECT partition, from_client_id, to_client_id, epoch_ms(to_from_at), pause_lower_ms, pause_ms
FROM mart.partition_moves WHERE group_id = ? AND kind = 'moved' AND from_end_reason IS NOT NULL
"""


@pytest.mark.parametrize("name", [*SCALED, "scaled-static", "scaled-uniform-848", "scaled-range-848"])
def test_pauses_are_those_that_the_members_wrote_down(played: Played, name: str) -> None:
    """Between what is sure and what is estimated, but for the moment in which a member gets to know of it.

    Of an owner that was killed nobody wrote down when it stopped.
    """
    recorded = played.scenario(name)
    compared = 0
    for partition, old, new, at_ms, least, most in played.ask(MOVED, name):
        calls = [(ms, who, what) for ms, who, what, parts in recorded.callbacks if partition in parts]
        got = min(
            (ms for ms, who, what in calls if who == new and what == "assigned" and ms >= at_ms - 50), default=None
        )
        gave = [ms for ms, who, what in calls if who == old and what == "revoked" and got and at_ms - 5000 < ms <= got]
        if got is None or not gave:
            continue
        compared += 1
        assert (least or 0) <= got - max(gave) + 5, (partition, old, new)
        assert most is None or got - max(gave) <= most + POLL_MS, (partition, old, new)
    assert compared >= 2


@pytest.mark.parametrize("name", SCALED)
def test_triggers_are_what_was_done_to_the_members(played: Played, name: str) -> None:
    """Three join, one leaves, one is killed, the last leaves, whatever the assignor needs for each.

    Before Kafka 2.3 nobody logged who left; on one release the last left before the killed one was missed.
    """
    played.scenario(name)
    query = "SELECT trigger, len(members_left) FROM mart.rebalances WHERE group_id = ? ORDER BY log_offset"
    triggers = [(trigger.replace("left_or_expired", "leave"), left) for trigger, left in played.ask(query, name)]
    assert triggers[:4] == [("join", 0), ("join", 0), ("join", 0), ("leave", 1)]
    assert triggers[4:] in ([("expired", 1), ("leave", 1)], [("leave", 2)])


def test_every_rebalance_of_a_text_log_is_between_its_records(played: Played) -> None:
    """Each classic group that lines tell of was preparing, and lines never overlap a record that says otherwise."""
    (states,) = played.ask("SELECT count(*) FROM core.group_states WHERE state = 'PreparingRebalance'")
    assert states[0] > 30
    overlaps = """
        SELECT count(*) FROM core.group_states AS l JOIN internal.recorded_group_states AS r USING (cluster, group_id)
        WHERE l.source = 'text_log' AND r.from_at > l.from_at AND r.from_at < l.to_at
    """
    assert played.ask(overlaps) == [(0,)]


def test_every_assignment_is_what_its_assignor_should_give(played: Played) -> None:
    """Kafka's own assignors made all of them; what was converted was assigned by nobody."""
    schema = TABLES[WHAT_IF].schema
    played._connection.register("no_rows", schema.empty_table())  # noqa: SLF001 - the table of this test alone
    played.ask(f"CREATE OR REPLACE TABLE {WHAT_IF} AS FROM no_rows")
    rows = [row for batch in what_if(played._connection, False) for row in batch.to_pylist()]  # noqa: FBT003, SLF001
    verdicts = [(row["verdict"], row["group_id"]) for row in rows if row["is_observed"]]
    assert [one for one in verdicts if one[0] == "differs"] == []
    assert sum(word == "as_expected" for word, _ in verdicts) > 30
    assert {group for word, group in verdicts if word == "undecided"} <= {"converted"}


def test_members_that_come_and_go_once_are_no_storm(played: Played) -> None:
    """Groups grow, shrink and are restarted within a minute or two, and nothing of it goes round."""
    often = "SELECT count(*) FROM (SELECT group_id FROM mart.rebalances GROUP BY ALL HAVING count(*) >= 5)"
    assert played.ask(often)[0][0] >= len(SCALED)
    assert played.ask("SELECT group_id, pattern, rounds FROM mart.rebalance_storms") == []
