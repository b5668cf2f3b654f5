"""A coordinator's line says the same in every layout of JSON, and a hostile one never says more."""

from __future__ import annotations

import io
import json
from datetime import datetime, timezone
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.text.coordinator.json_layouts import LOGGERS, MESSAGES, TIMES, to_kafka_layout
from parsers.text.coordinator.log import SCHEMA, read_coordinator_log

LOGGER: Final = "kafka.coordinator.group.GroupCoordinator"
MESSAGE: Final = '[GroupCoordinator 1]: Stabilized group pay "ments" generation 3 (__consumer_offsets-4) with 2 members'
AT: Final = datetime(2026, 11, 18, 12, 0, 1, 234_000, timezone.utc)
SHIPPED: Final = f"[2026-11-18 12:00:01,234] INFO {MESSAGE} ({LOGGER})"
LAYOUTS: Final[dict[str, dict[str, Any]]] = {
    "JsonLayout": {
        "instant": {"epochSecond": 1_795_003_201, "nanoOfSecond": 234_567_890},
        "level": "INFO",
        "loggerName": LOGGER,
        "message": MESSAGE,
    },
    "JsonLayout before 2.11": {"timeMillis": 1_795_003_201_234, "loggerName": LOGGER, "message": MESSAGE},
    "ECS": {"@timestamp": "2026-11-18T12:00:01.234Z", "log.level": "INFO", "message": MESSAGE, "log.logger": LOGGER},
    "ECS, nested": {"@timestamp": "2026-11-18T12:00:01.234Z", "message": MESSAGE, "log": {"logger": LOGGER}},
    "Logstash": {
        "@timestamp": "2026-11-18T14:00:01.234+0200",
        "@version": 1,
        "message": MESSAGE,
        "logger_name": LOGGER,
    },
    "GELF": {"version": "1.1", "timestamp": 1_795_003_201.234, "short_message": MESSAGE, "_logger": LOGGER},
    "Google Cloud": {"timestamp": "2026-11-18T07:00:01.234567-05:00", "message": MESSAGE, "_logger": LOGGER},
    "of one's own": {"timestamp": "2026-11-18 12:00:01,234", "message": MESSAGE, "logger": LOGGER},
}


def read(*lines: str) -> list[dict[str, Any]]:
    """The rows of a log."""
    source = io.BytesIO("\n".join(lines).encode("utf-8", "surrogatepass"))
    rows: list[dict[str, Any]] = pa.Table.from_batches(read_coordinator_log(source), SCHEMA).to_pylist()
    return rows


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_says_what_kafkas_own_says(layout: str) -> None:
    """Between lines of other layouts, each with its number."""
    plain, row, _plain = read(SHIPPED, json.dumps(LAYOUTS[layout]), SHIPPED)
    assert (row["logged_at"], row["group_id"], row["log_partition"]) == (AT, 'pay "ments"', 4)
    assert row == {**plain, "line": 2}


@pytest.mark.parametrize(
    "broken",
    [
        {"message": MESSAGE + "\n" + SHIPPED},
        {"message": "x " + MESSAGE},
        {"message": [MESSAGE]},
        {"log.logger": "kafka.server.KafkaServer"},
        {"log.logger": 7},
        {"@timestamp": "yesterday"},
        {"@timestamp": "2026-13-18T12:00:01Z"},
        {"@timestamp": 1e300},
        {"@timestamp": {"epochSecond": "now"}},
        {"@timestamp": None},
    ],
)
def test_what_is_no_line_of_a_coordinator_is_passed_over(broken: dict[str, Any]) -> None:
    """Another logger, no time, a message that begins otherwise, or has a line of its own making in it."""
    assert [row["line"] for row in read(json.dumps(LAYOUTS["ECS"] | broken), SHIPPED)] == [2]


def test_lines_that_only_look_like_json_are_passed_over() -> None:
    """Cut in the middle, no object, or as deep as a stack."""
    deep = "{" + '"[Group":{' * 60_000
    assert [row["line"] for row in read('{"message": "[Group', '{"[Group"} x', deep[:100_000], SHIPPED)] == [4]


@given(
    st.dictionaries(
        st.sampled_from([*TIMES, *LOGGERS, *MESSAGES, "log"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dictionaries(st.text(), st.integers()),
    )
)
def test_nothing_in_an_object_is_trouble(entry: dict[str, Any]) -> None:
    """Whatever stands under the names of a layout: one line comes out, and no line break in a broker's words."""
    (line,) = to_kafka_layout(pa.array([json.dumps(entry).encode()])).to_pylist()
    assert isinstance(line, bytes)
