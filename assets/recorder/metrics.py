"""The figures of a recorder, for Prometheus.

Put here a row per figure. What is counted belongs in `assets.recorder.status`, the format in `assets.metrics`.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.metrics.openmetrics import Family, render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.metrics.openmetrics import Sample
    from assets.recorder.status import Status

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
    return render(_families(status))


def _families(status: Status) -> Iterator[Family]:
    healthy: list[Sample] = [({}, int(status.health()[0]))]
    yield Family(f"{PREFIX}_healthy", "gauge", "1 while the recorder does its work.", healthy)
    for name, kind, field, meaning in OF_PARTITIONS:
        yield Family(f"{PREFIX}_{name}", kind, meaning, list(_of_partitions(status, field)))
    for name, kind, field, meaning in OF_ALL:
        yield Family(f"{PREFIX}_{name}", kind, meaning, [({}, getattr(status, field))])
    for name, field, meaning in INSTANTS:
        samples: list[Sample] = [({}, float(one)) for one in (getattr(status, field),) if one]
        yield Family(f"{PREFIX}_{name}_timestamp_seconds", "gauge", meaning, samples)
    yield from _of_process()


def _of_partitions(status: Status, field: str) -> Iterator[Sample]:
    """A sample for each partition of which the figure is known."""
    for (topic, number), one in sorted(status.partitions.copy().items()):
        if (value := getattr(one, field)) is not None:
            yield {"topic": topic, "partition": str(number)}, value


def _of_process() -> Iterator[Family]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) if Path("/proc").exists() else 0
    seconds = float(used.ru_utime + used.ru_stime)
    yield Family("process_cpu_seconds", "counter", "Processor time of the process.", [({}, seconds)])
    size_bytes = pages * os.sysconf("SC_PAGE_SIZE")
    yield Family("process_resident_memory_bytes", "gauge", "Memory of the process.", [({}, size_bytes)])
