"""The OpenMetrics text format: families of samples as lines, with label values escaped as it says.

Put here the format alone. Names and meanings of figures belong to who counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_ENDINGS: Final = {"counter": "_total"}
"""What the samples of a family have behind its name. Gauges read the same in Prometheus' older format."""

Sample = tuple["Mapping[str, str]", "float"]


@dataclass(frozen=True, slots=True)
class Family:
    """A figure by its name, kind and meaning, with a value for each set of labels."""

    name: str
    kind: str
    meaning: str
    samples: Sequence[Sample]


def render(families: Iterable[Family]) -> str:
    """The families as one text, with the mark of its end."""
    return "\n".join([*(line for family in families for line in _lines(family)), "# EOF", ""])


def _lines(family: Family) -> Iterator[str]:
    yield f"# TYPE {family.name} {family.kind}"
    yield f"# HELP {family.name} {_escape(family.meaning)}"
    for labels, value in family.samples:
        yield f"{family.name}{_ENDINGS.get(family.kind, '')}{_labels(labels)} {_number(value)}"


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return "NaN" if isnan(value) else f"{value:.3f}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
