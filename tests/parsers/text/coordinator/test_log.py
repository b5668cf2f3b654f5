"""What coordinators wrote as text is read as what happened, and never as what somebody wants it to look like."""

from __future__ import annotations

import gzip
import io
import json
import lzma
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.text.coordinator.forms import EXACT, FORMS, FREE
from parsers.text.coordinator.log import LONGEST_LINE_BYTES, SCHEMA, read_coordinator_log
from tests.broker.keep import FOLDER_OF_RECORDINGS, keep
from tests.broker.releases import RELEASES

if TYPE_CHECKING:
    from pathlib import Path

    from parsers.text.coordinator.forms import CoordinatorForm

HEADERS: Final = {
    "0.11": "[Group Metadata Manager on Broker 7]: {} (kafka.coordinator.group.GroupMetadataManager)",
    "1.1": "[GroupCoordinator 7]: {} (kafka.coordinator.group.GroupCoordinator)",
    "2.8": "[GroupMetadataManager brokerId=7] {} (kafka.coordinator.group.GroupMetadataManager)",
    "3.9": "[GroupCoordinator 7]: {} (kafka.coordinator.group.GroupCoordinator)",
    "4.3": "[GroupCoordinator id=7 topic=__consumer_offsets partition=3] {} "
    "(org.apache.kafka.coordinator.group.GroupMetadataManager)",
}
VALUES: Final = {
    "group_id": "pay, \"ments'",
    "member_id": "reader-1-0f4c6d8e-2222-4bbb-8ccc-123456789abc",
    "client_id": "reader-1",
    "group_instance_id": "first",
    "reason": "the consumer is being closed",
    "other": "before",
    "generation": "12",
    "member_count": "2",
    "log_partition": "3",
    "from_state": "Stable",
    "number": "-5",
    "word": "classic",
    "host": "/127.0.0.1",
    "assignor": "uniform",
    "epoch": "OptionalInt[4]",
}
RECORDED_VERSIONS: Final = sorted(path.name.removesuffix(".tar.xz") for path in FOLDER_OF_RECORDINGS.glob("*.tar.xz"))
NUMBERS: Final = ("generation", "member_count", "log_partition")
HOSTILE: Final = sorted(
    {piece for form in FORMS for piece in form.template.replace("}", "{").split("{")[::2] if piece.strip()}
    | {"a", " ", "\t", "]", "(", ")", "é", "Some(x)", "in state Stable", "generation 9", "member "}
)
each_form: Final = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.template[:60])


def read(text: str | bytes) -> list[dict[str, Any]]:
    """The rows of a log."""
    content = text.encode() if isinstance(text, str) else text
    rows: list[dict[str, Any]] = pa.Table.from_batches(read_coordinator_log(io.BytesIO(content)), SCHEMA).to_pylist()
    return rows


def line_of(form: CoordinatorForm, values: dict[str, str]) -> str:
    """The line that a release writes."""
    header = HEADERS[form.releases.split()[-1]]
    return f"[2026-11-18 12:00:01,234] INFO {header.format(form.template.format(**values))}\n"


@each_form
def test_every_form_gives_back_what_was_put_into_it(form: CoordinatorForm) -> None:
    """Event, states, names and numbers; what the line does not say is NULL."""
    (row,) = read(line_of(form, VALUES))
    names = {name for name in VALUES if f"{{{name}}}" in form.template}
    expected = {name: int(VALUES[name]) if name in NUMBERS else VALUES[name] for name in names & set(SCHEMA.names)}
    assert (row["event"], row["to_state"], row["broker_id"], row["line"]) == (form.event, form.to_state, 7, 1)
    assert row["logged_at"] == datetime(2026, 11, 18, 12, 0, 1, 234_000, timezone.utc)
    assert {name: row[name] for name in expected} == expected
    assert {name for name in (*FREE, *EXACT) if row.get(name) is not None} <= {*expected, "log_partition"}


@given(st.sampled_from(FORMS), st.data())
def test_nobody_can_make_a_line_say_something_else(form: CoordinatorForm, data: st.DataObject) -> None:
    """Whatever names are made of, the words of other lines too: each is given back as it is, or none is."""
    names = [name for name in FREE if f"{{{name}}}" in form.template]
    drawn = {name: "".join(data.draw(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4))) for name in names}
    rows = read(line_of(form, VALUES | drawn))
    for row in rows:
        fields = {name: row[name] for name in FREE if row.get(name) is not None}
        instance = fields.pop("group_instance_id", None)
        assert instance in {None, drawn.get("group_instance_id"), "x"}
        assert not fields or fields == {name: drawn[name] for name in fields}


def test_a_line_that_can_be_read_in_two_ways_gives_nothing() -> None:
    """A group called after the words around it is not taken for another one."""
    start = "[2026-11-18 12:00:01,234] INFO [GroupCoordinator 1]: "
    end = " has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)\n"
    (row,) = read(f"{start}Member m in group victim in group g{end}")
    assert (row["event"], row["group_id"], row["member_id"]) == ("member_failed", None, None)
    assert row["message"].startswith("Member m in group victim in group g")


def test_lines_of_others_and_broken_ones_are_passed_over() -> None:
    """Stack traces, other loggers, bytes that are no UTF-8, and a line that has no end in sight."""
    good = line_of(FORMS[0], VALUES).encode()
    noise = (
        b"java.lang.Exception: [GroupCoordinator 1]\n\tat kafka.Kafka\n",
        b"[2026-11-18 12:00:01,234] INFO [GroupCoordinator 1]: Startup complete. (kafka.server.KafkaServer)\n",
        b"[2026-13-18 12:00:01,234] WARN [GroupCoordinator 1]: something new (kafka.coordinator.group.New)\n",
        b"[GroupCoordinator \xff\xfe]\n",
        b"[Group" + b"x" * (LONGEST_LINE_BYTES + 1) + b"\n",
    )
    rows = read(b"".join(noise) + good.replace(b"ments", b"m\xffnts") + good)
    assert [row["line"] for row in rows] == [7, 8]
    assert [row["group_id"] for row in rows] == ["pay, \"m\N{REPLACEMENT CHARACTER}nts'", VALUES["group_id"]]


def test_packed_logs_are_inflated(tmp_path: Path) -> None:
    """As logrotate and the archives of an incident leave them; a line that is cut between two chunks is whole."""
    text = "".join(line_of(FORMS[number % len(FORMS)], VALUES) for number in range(20_000)).encode()
    (tmp_path / "server.log.1.gz").write_bytes(gzip.compress(text))
    (tmp_path / "server.log.2.xz").write_bytes(lzma.compress(text))
    for path in sorted(tmp_path.iterdir()):
        assert sum(batch.num_rows for batch in read_coordinator_log(path)) == 20_000


def test_an_instance_id_is_what_stands_in_some() -> None:
    """None and null are no instance."""
    form = next(form for form in FORMS if form.template.startswith("Member[group.instance.id"))
    rows = read("".join(line_of(form, VALUES | {"group_instance_id": name}) for name in ("Some(a)", "None", "null")))
    assert [row["group_instance_id"] for row in rows] == ["a", None, None]


@pytest.mark.parametrize("version", RECORDED_VERSIONS)
def test_real_brokers_wrote_what_was_done_to_their_members(version: str, tmp_path: Path) -> None:
    """Who was killed has failed, who was stopped has left (told since 2.3), each after it was done, in its group."""
    keep(version, tmp_path)
    rows = [row for log in sorted(tmp_path.glob("brokers-*/broker-*.log")) for row in read(log.read_bytes())]
    event_names = {"kill": "member_failed"} | ({"stop": "member_left"} if RELEASES[version].since("2.3") else {})
    checks = 0
    for path in sorted(tmp_path.glob("*/events.jsonl")):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        members = {(event["member"], event["kind"]): event for event in events if event["kind"] in event_names}
        for (name, kind), event in members.items():
            if path.parent.name in ANOTHER_WAY or event["ts"] != last_word(events, name)["ts"]:
                continue
            checks += 1
            at = datetime.fromtimestamp(event["ts"] / 1000, timezone.utc)
            assert [
                row
                for row in rows
                if (row["event"], row["group_id"]) == (event_names[kind], path.parent.name)
                and row["logged_at"] >= at
                and (row["member_id"].startswith(name) or version >= "4")
            ], (path.parent.name, name, kind)
    assert checks > 8


ANOTHER_WAY: Final = {"scaled-static", "static-batch", "streamed", "coordinator-killed", "unclean-election"}
"""Static members don't leave and come back in time; a coordinator that was killed tells nothing any more."""


def last_word(events: list[dict[str, Any]], member: str) -> dict[str, Any]:
    """The last thing that was done to a member."""
    return [event for event in events if event.get("member") == member and event["kind"] in {"kill", "stop"}][-1]
