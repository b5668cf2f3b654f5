"""The figures of a recorder in the OpenMetrics text format.

Put here a row per figure. What is counted belongs in `assets.recorder.status`.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.recorder.status import Status

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PREFIX: Final = "lagbook_recorder"

OF_PARTITIONS: Final = (
    ("end_offset", "gauge", "end_offset", "Offset after the last recorded one."),
    ("high_watermark", "gauge", "high_watermark", "Offset up to which the leader hands out records."),
    ("behind_offsets", "gauge", "offsets_behind", "Offsets that may be read and are not recorded yet."),
    ("records", "counter", "records", "Records recorded since the recorder started."),
    ("bytes", "counter", "size_bytes", "Bytes recorded since the recorder started."),
    (
        "missed_offsets",
        "counter",
        "missed_offsets",
        "Offsets that the cleaner or retention took before they were read.",
    ),
    ("compacted_before_offsets", "counter", "compacted_before", "Offsets that were gone before the recording began."),
    ("set_aside_offsets", "counter", "set_aside_offsets", "Offsets that a new leader contradicted; kept as a copy."),
)
OF_ALL: Final = (
    ("fetches", "counter", "fetches", "Answers of brokers."),
    ("fetch_errors", "counter", "fetch_errors", "Answers that were errors, or did not come."),
    ("sample_rows", "counter", "sample_rows", "Rows of log ends that changed."),
    ("files_deleted", "counter", "segments_deleted", "Files deleted by the recorder's retention."),
)
INSTANTS: Final = (
    ("last_answer", "last_answer_s", "When a broker answered a fetch last."),
    ("last_sync", "last_sync_s", "When recorded bytes were flushed to disk last."),
    ("last_sample", "last_sample_s", "When log ends were asked for last."),
    ("start", "started_s", "When the recorder started."),
)


def metrics(status: Status) -> str:
    """All figures, as one text."""
    return "\n".join([*_lines(status), "# EOF", ""])


def _lines(status: Status) -> Iterator[str]:
    yield from _head("healthy", "gauge", "1 while the recorder does its work.")
    yield f"{PREFIX}_healthy {int(status.health()[0])}"
    for name, kind, field, meaning in OF_PARTITIONS:
        yield from _head(name, kind, meaning)
        yield from _of_partitions(status, _sample(name, kind), field)
    for name, kind, field, meaning in OF_ALL:
        yield from _head(name, kind, meaning)
        yield f"{_sample(name, kind)} {getattr(status, field)}"
    for name, field, meaning in INSTANTS:
        yield from _head(f"{name}_timestamp_seconds", "gauge", meaning)
        yield from (f"{PREFIX}_{name}_timestamp_seconds {one:.3f}" for one in (getattr(status, field),) if one)
    yield from _of_process()


def _of_partitions(status: Status, sample: str, field: str) -> Iterator[str]:
    """A line for each partition of which the figure is known."""
    for (topic, number), one in sorted(status.partitions.copy().items()):
        if (value := getattr(one, field)) is not None:
            yield f'{sample}{{topic="{_escape(topic)}",partition="{number}"}} {value}'


def _of_process() -> Iterator[str]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) if Path("/proc").exists() else 0
    yield "# TYPE process_cpu_seconds counter"
    yield f"process_cpu_seconds_total {used.ru_utime + used.ru_stime:.3f}"
    yield "# TYPE process_resident_memory_bytes gauge"
    yield f"process_resident_memory_bytes {pages * os.sysconf('SC_PAGE_SIZE')}"


def _head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# TYPE {PREFIX}_{name} {kind}"
    yield f"# HELP {PREFIX}_{name} {meaning}"


def _sample(name: str, kind: str) -> str:
    return f"{PREFIX}_{name}_total" if kind == "counter" else f"{PREFIX}_{name}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
