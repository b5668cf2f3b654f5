"""Measurements as a table for people and as JSON for programs.

Only the form belongs here; what is measured is in `benchmarks.decode`.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.rounds import Rounds

_MILLION: Final = 1e6
_BILLION: Final = 1e9
_MEBIBYTE: Final = 1 << 20
_HEADS: Final = ("what", "M records/s", "median", "by the clock", "MB/s", "peak MiB")


@dataclass(frozen=True)
class Line:
    """One competitor on one file."""

    what: str
    records: int
    size_bytes: int
    """Of the file on disk."""
    measured: Rounds
    rival: str = ""
    """Set for what others are compared with: the head of the column of ratios."""

    @property
    def records_per_cpu_second(self) -> float:
        """The rate of the best round."""
        return self.records / self.measured.best_cpu_seconds


@dataclass(frozen=True)
class FirstUse:
    """A new process that decodes a small file once."""

    what: str
    process_seconds: float
    """From the start of Python to its end."""
    decode_seconds: float
    """The decoding alone, with whatever had to be compiled or loaded for it."""


@dataclass(frozen=True)
class Measurements:
    """Everything that one run measured."""

    lines: tuple[Line, ...]
    headers: Line
    first_uses: tuple[FirstUse, ...]

    def as_markdown(self) -> str:
        """Lay everything out as tables."""
        rivals = [line for line in self.lines if line.rival]
        heads = [*_HEADS, *(f"x {line.rival}" for line in rivals)]
        rows = [_cells(line, rivals) for line in self.lines]
        return "\n\n".join((markdown(heads, rows), self._headers(), self._first_uses()))

    def _headers(self) -> str:
        measured, size_bytes = self.headers.measured, self.headers.size_bytes
        times = (measured.best_cpu_seconds, measured.median_cpu_seconds, measured.best_seconds)
        row = [self.headers.what, *(f"{size_bytes / seconds / _BILLION:.2f}" for seconds in times)]
        return markdown(["headers only", "GB/s", "median", "by the clock"], [row])

    def _first_uses(self) -> str:
        rows = [[use.what, f"{use.process_seconds:.2f}", f"{use.decode_seconds:.2f}"] for use in self.first_uses]
        return markdown(["a new process", "start to end s", "decoding s"], rows)

    def write_json(self, path: Path, arguments: Mapping[str, Any]) -> None:
        """Write every round of everything, and what was asked for."""
        machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
        content = {"asked": arguments, "machine": machine, **asdict(self)}
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _cells(line: Line, rivals: Sequence[Line]) -> list[str]:
    measured, peak_bytes = line.measured, line.measured.peak_bytes
    return [
        line.what,
        *(
            f"{line.records / seconds / _MILLION:.3f}"
            for seconds in (measured.best_cpu_seconds, measured.median_cpu_seconds, measured.best_seconds)
        ),
        f"{line.size_bytes / measured.best_cpu_seconds / _MILLION:.0f}",
        "" if peak_bytes is None else f"{peak_bytes / _MEBIBYTE:.0f}",
        *(f"{line.records_per_cpu_second / rival.records_per_cpu_second:.1f}" for rival in rivals),
    ]


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out, numbers to the right."""
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    rules = ["-" * (width - 1) + ("-" if column == 0 else ":") for column, width in enumerate(widths)]
    return "\n".join(_aligned(row, widths) for row in (heads, rules, *rows))


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    (first, width), *rest = zip(row, widths, strict=True)
    return "| " + " | ".join([first.ljust(width), *(cell.rjust(width) for cell, width in rest)]) + " |"
