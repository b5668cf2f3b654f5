"""What a recorder says of itself: in a sentence, as metrics over HTTP, and in its status file."""

from __future__ import annotations

import json
import os
from functools import partial
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Final

import pytest

from assets.metrics.serving import Answers, serving
from assets.recorder.directory import RecordDirectory
from assets.recorder.metrics import metrics
from assets.recorder.segments import Rolling
from assets.recorder.status import GRACE_S, LEFT_OUT, MOVING, PartitionStatus, Status
from assets.recorder.status_file import read_status, write_status
from parsers.errors import SourceError
from tests.broker.cluster import free_ports

if TYPE_CHECKING:
    from pathlib import Path

PLACE: Final = "kafka://broker1:9092"


@pytest.fixture
def status() -> Status:
    """A recorder that is three offsets behind, and lost seven."""
    status = Status(PLACE)
    status.partitions["__consumer_offsets", 3] = PartitionStatus(100, 103, 90, 9000, missed_offsets=7)
    status.partitions['odd"topic', 0] = PartitionStatus()
    status.last_missed = "__consumer_offsets-3, 7 of offsets 10 to 20"
    return status


def get(port: int, path: str) -> tuple[int, str, str]:
    """Status, content type and body of what is answered."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_health_says_how_far_it_is_and_what_was_lost(status: Status) -> None:
    """A loss is told for ever, but it is past: the recorder does its work."""
    is_healthy, sentence = status.health()
    assert is_healthy
    assert sentence.startswith(
        "recording 2 partitions, 3 offsets behind; 7 offsets were gone before they were read: __"
    )
    assert sentence.endswith("__consumer_offsets-3, 7 of offsets 10 to 20")


@pytest.mark.parametrize("area", sorted(GRACE_S.keys() - {LEFT_OUT}))
def test_a_trouble_counts_when_it_lasts(status: Status, area: str) -> None:
    """A leader that moves is none; a full disk is one at once. It is over when the work goes on."""
    assert status.fails(area, "it", "something is wrong") is (area != MOVING)
    assert not status.fails(area, "it", "something is still wrong")
    since_s = status.troubles[area, "it"].since_s
    assert status.health(since_s + GRACE_S[area] - 0.001)[0]
    is_healthy, sentence = status.health(since_s + GRACE_S[area])
    assert not is_healthy
    assert sentence.startswith("something is still wrong, since 20")
    assert status.works(area, "it") is (area != MOVING)
    assert status.health(since_s + 1000)[0]


def test_of_many_partitions_one_is_said_when_its_trouble_lasts(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that restarts would fill the log otherwise; that it is over is said of the same."""
    now_s = status.started_s
    monkeypatch.setattr("time.time", lambda: now_s)
    places = [f"topic-{number}" for number in range(100)]
    printed = [place for place in places if status.fails(MOVING, place, "no leader")]
    now_s += GRACE_S[MOVING]
    lasting = [place for _ in range(3) for place in places if status.fails(MOVING, place, "no leader")]
    assert (printed, lasting) == ([], ["topic-0"])
    assert not status.health(now_s)[0]
    assert [place for place in places if status.works(MOVING, place)] == ["topic-0"]


def test_a_topic_that_may_be_left_out_makes_nobody_ill(status: Status) -> None:
    """Whose principal may read the offsets topic alone is told so, and does its work."""
    status.fails(LEFT_OUT, "__transaction_state", "Lagbook needs Read on __transaction_state")
    assert status.health(status.started_s + 1e9)[0]
    assert status.failures == []
    assert status.as_json()["troubles"] == ["Lagbook needs Read on __transaction_state"]


def test_metrics_are_open_metrics(status: Status) -> None:
    """Each figure has its type before it, counters end with _total, names of topics are escaped."""
    lines = metrics(status).splitlines()
    assert lines[-1] == "# EOF"
    assert 'lagbook_recorder_behind_offsets{topic="__consumer_offsets",partition="3"} 3' in lines
    assert 'lagbook_recorder_missed_offsets_total{topic="__consumer_offsets",partition="3"} 7' in lines
    assert r'lagbook_recorder_records_total{topic="odd\"topic",partition="0"} 0' in lines
    assert not any(line.startswith('lagbook_recorder_high_watermark{topic="odd') for line in lines)
    types = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE")}
    for line in lines:
        name = line.partition("{")[0].partition(" ")[0]
        if not line.startswith("#"):
            assert types[name.removesuffix("_total")] == ("counter" if name.endswith("_total") else "gauge")


def test_health_and_metrics_are_served_on_loopback(status: Status) -> None:
    """200 while all is well, 503 with the reason while it is not."""
    (port,) = free_ports(1)
    answers = Answers(partial(metrics, status), status.health)
    with serving(answers, port):
        assert get(port, "/healthz")[:2] == (200, "text/plain; charset=utf-8")
        code, kind, text = get(port, "/metrics")
        assert (code, kind) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        assert text.splitlines()[0] == metrics(status).splitlines()[0]
        status.fails("disk", "", "the disk is full")
        code, _, text = get(port, "/healthz")
        assert (code, text.startswith("the disk is full, since ")) == (503, True)
        assert get(port, "/etc/passwd")[0] == 404
        with pytest.raises(SourceError, match="give another port"), serving(answers, port):
            pass


def test_the_status_file_tells_whether_a_recorder_is_at_work(status: Status, tmp_path: Path) -> None:
    """At work, ended, or killed: by its lock, which the system lets go of."""
    assert read_status(tmp_path) is None
    with RecordDirectory(tmp_path, Rolling(1 << 30, 1e9)):
        write_status(tmp_path, status, is_running=True)
        answer = read_status(tmp_path)
        assert answer is not None
        assert (answer["is_running"], answer["is_healthy"], answer["pid"]) == (True, True, os.getpid())
        assert answer["partitions"]["__consumer_offsets-3"] == {"end_offset": 100, "high_watermark": 103}
    killed = read_status(tmp_path)
    assert killed is not None
    assert (killed["is_running"], killed["is_healthy"]) == (False, False)
    assert killed["sentence"].startswith("no recorder is at work; the last one was killed, and said: recording 2")
    write_status(tmp_path, status, is_running=False)
    ended = read_status(tmp_path)
    assert ended is not None
    assert "the last one ended" in ended["sentence"]
    assert json.loads((tmp_path / "recorder-status.json").read_text())["is_running"] is False
