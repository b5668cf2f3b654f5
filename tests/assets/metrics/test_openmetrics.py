"""The text format, as Prometheus' own parser reads it."""

from __future__ import annotations

import math

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from assets.metrics.openmetrics import Family, Sample, render

HOSTILE = ['back\\slash "quoted"\nline', "\\n", "\u202eevil\x1b[2J", "ünïcode", "", "a,b}{c=d # EOF"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_label_arrives_as_it_is(name: str) -> None:
    """Whatever a stranger calls a group ends neither the label nor the line."""
    samples: list[Sample] = [({"group": name, "topic": "t"}, 5), ({"group": "b"}, 6)]
    text = render([Family("lag", "gauge", f"Help of {name}", samples)])
    (family,) = text_string_to_metric_families(text)
    assert [(sample.labels, sample.value) for sample in family.samples] == [
        ({"group": name, "topic": "t"}, 5),
        ({"group": "b"}, 6),
    ]


def test_counters_gauges_and_numbers_are_read_back() -> None:
    """Large whole numbers stay exact, and a figure without a sample has its meaning alone."""
    families = [
        Family("seen", "counter", "Seen.", [({}, (1 << 53) - 1)]),
        Family("share", "gauge", "Share.", [({}, 0.25), ({"of": "x"}, math.nan)]),
        Family("nothing", "gauge", "Nothing.", []),
    ]
    counter, share, nothing = text_string_to_metric_families(render(families))
    assert [(sample.name, sample.value) for sample in counter.samples] == [("seen_total", (1 << 53) - 1)]
    assert share.samples[0].value == 0.25
    assert math.isnan(share.samples[1].value)
    assert (nothing.documentation, nothing.samples) == ("Nothing.", [])
