"""The comparison, run small: what is compared reads the same records, and what is printed is what was measured."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks import decode, programs
from benchmarks.decode import Bench
from benchmarks.readers import READERS
from benchmarks.report import FirstUse, Line, Measurements
from benchmarks.rounds import Round, Rounds, measured, run_program, run_reader

if TYPE_CHECKING:
    from pathlib import Path

COMMITS = 20_000


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A comparison of very little."""
    return Bench(tmp_path_factory.mktemp("bench"), COMMITS, 1)


@pytest.mark.parametrize("reader", ["walked", "columns", "struct_loop"])
def test_readers_find_the_same_records(bench: Bench, reader: str) -> None:
    """Every reader finds the commits and the few records that are none."""
    actual = READERS[reader](str(bench.plain))
    assert COMMITS < actual < COMMITS * 1.01
    assert actual == READERS["walked"](str(bench.plain))


def test_headers_are_counted(bench: Bench) -> None:
    """The reader of headers finds each batch of the data segment."""
    assert READERS["headers"](str(bench.data)) == bench.data.stat().st_size // 16_381


def test_a_reader_in_its_own_process(bench: Bench) -> None:
    """A reader that is measured elsewhere answers with its count, its rounds and its memory."""
    answer = run_reader("struct_loop", bench.plain, 2)
    assert (answer.count, len(answer.rounds)) == (READERS["walked"](str(bench.plain)), 2)
    assert 0 < answer.best_cpu_seconds <= answer.median_cpu_seconds
    assert answer.first is not None


def test_rounds_that_differ_are_refused() -> None:
    """A reader that finds something else in another round is an error that names the file."""
    counts = iter([1, 2])
    with pytest.raises(ValueError, match="segment: expected the same count"):
        measured(lambda _path: next(counts), "segment", 1)


def test_a_program_is_timed() -> None:
    """A program is measured from outside, as often as asked."""
    answer = run_program([sys.executable, "-c", "pass"], 2)
    assert len(answer.rounds) == 2
    assert all(one.seconds > 0 for one in answer.rounds)


def test_a_first_use_is_its_own(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both first uses take a new process that is told to use the same fresh place for compiled code."""
    places = []

    def noted(_reader: str, _path: Path, _rounds: int, environment: dict[str, str]) -> Rounds:
        places.append(environment["NUMBA_CACHE_DIR"])
        return Rounds(1, (), Round(0.5, 0.5))

    monkeypatch.setattr(decode, "run_reader", noted)
    assert [use.decode_seconds for use in bench.first_uses()] == [0.5, 0.5]
    assert len(places) == 2
    assert len(set(places)) == 1


def test_kafka_needs_its_jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without KAFKA_LIBS there is no Kafka to compare with."""
    monkeypatch.delenv("KAFKA_LIBS", raising=False)
    assert programs.kafka_jars() is None
    monkeypatch.setenv("KAFKA_LIBS", str(tmp_path))
    monkeypatch.setattr("benchmarks.programs.shutil.which", lambda program: program)
    assert programs.kafka_jars() == tmp_path


MEASURED = Measurements(
    (
        Line("fast", 4_000_000, 400_000_000, Rounds(4_000_000, (Round(2, 1), Round(1, 0.5)), Round(3, 3), 1 << 20)),
        Line("slow", 1_000_000, 100_000_000, Rounds(None, (Round(10, 10), Round(10, 10))), "slow"),
    ),
    Line("headers", 9, 3_000_000_000, Rounds(9, (Round(1, 1),))),
    (FirstUse("cold", 2.0, 1.5),),
)


def test_the_tables() -> None:
    """Rates are of processor time in the best and the middle round, then by the clock; then memory and the ratios."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in MEASURED.as_markdown().splitlines()]
    assert rows[0][-1] == "x slow"
    assert rows[2] == ["fast", "8.000", "5.333", "4.000", "800", "1", "80.0"]
    assert rows[3] == ["slow", "0.100", "0.100", "0.100", "10", "", "1.0"]
    assert ["headers", "3.00", "3.00", "3.00"] in rows
    assert ["cold", "2.00", "1.50"] in rows


def test_the_json(tmp_path: Path) -> None:
    """The JSON holds every round, what was asked for, and no name of the machine."""
    MEASURED.write_json(tmp_path / "result.json", {"rounds": 2})
    content = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert content["asked"] == {"rounds": 2}
    assert content["lines"][0]["measured"]["rounds"] == [[2, 1], [1, 0.5]]
    assert set(content["machine"]) == {"processor", "cores", "python"}
