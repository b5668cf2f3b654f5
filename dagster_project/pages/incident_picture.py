"""The picture of an incident: the two figures over time of a report, one below the other, as a drawing by itself.

Put here what is taken from a report's page. How its figures are drawn belongs in `dagster_project.cli.reporting`.
"""

from __future__ import annotations

import re
from typing import Final

FIGURE: Final = re.compile(r'<svg viewBox="0 0 (\d+) (\d+)" role="img".*?</svg>', re.DOTALL)
STYLE: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)
COLOURS: Final = re.compile(
    r"^:root \{.*?^\}\n@media \(prefers-color-scheme: dark\) \{.*?^\}\n", re.DOTALL | re.MULTILINE
)
RULE: Final = re.compile(r"(\.[\w-]+(?:, \.[\w-]+)*) (\{[^{}]*\})")
FONT: Final = 'svg { font: 12px system-ui, "Segoe UI", "Liberation Sans", sans-serif; fill: var(--ink); }'
GAP: Final = 12


def picture(report: str) -> str:
    """The lag over time above owners and committed offsets, from the HTML of a report."""
    figures = list(FIGURE.finditer(report))
    width = figures[0][1]
    parts, y = [], 0
    for figure in figures:
        parts.append(f'<svg y="{y}" width="{width}" height="{figure[2]}"{figure[0].removeprefix("<svg")}')
        y += int(figure[2]) + GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}">'
    page = f'<rect width="{width}" height="{y}" fill="var(--panel)"/>'
    return "\n".join([head, f"<style>\n{_style(report, parts)}\n</style>", page, *parts, "</svg>\n"])


def _style(report: str, figures: list[str]) -> str:
    """The colours of the report, light and dark, and the rules of the classes that the figures have."""
    style = "".join(STYLE.findall(report))
    used = {name for figure in figures for names in re.findall(r'class="([^"]*)"', figure) for name in names.split()}
    rules = [
        f"{names} {rule}"
        for names, rule in RULE.findall(style)
        if used.intersection(name.strip().removeprefix(".") for name in names.split(","))
    ]
    return "\n".join([*COLOURS.findall(style), FONT, *rules])
