"""A picture of an incident is a drawing by itself: the figures of a report, its colours, and nothing from elsewhere."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from dagster_project.pages.incident_picture import picture

REPORT = """<html><style>
:root {
  --ink: #000; --panel: #fff;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #fff; }
}
.lag { stroke: var(--ink); } .lane, .band { fill: none; } .cards div { color: red; } .unused { fill: red; }
</style>
<svg viewBox="0 0 960 100" role="img"><path class="lag" d="M0 0"/></svg>
<svg viewBox="0 0 26 14" aria-hidden="true"><path class="unused" d="M0 0"/></svg>
<svg viewBox="0 0 960 50" role="img"><rect class="lane"/></svg></html>"""
SVG = "{http://www.w3.org/2000/svg}"


def test_figures_stand_below_each_other() -> None:
    """Signs of a legend are no figures."""
    drawn = ET.fromstring(picture(REPORT))  # noqa: S314 - written by this test
    assert [(each.get("y"), each.get("height")) for each in drawn.findall(f"{SVG}svg")] == [("0", "100"), ("112", "50")]


def test_only_the_rules_of_the_figures_come_along() -> None:
    """With the colours, light and dark."""
    text = picture(REPORT)
    assert ".lag { stroke: var(--ink); }" in text
    assert ".lane, .band { fill: none; }" in text
    assert "prefers-color-scheme: dark" in text
    assert "unused" not in text
    assert "cards" not in text
