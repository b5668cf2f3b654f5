"""The environment of the pages' templates: filters, the style and its hash, and the measures of figures.

Put here what templates need of Python. What a page says belongs in the module of that page.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dagster_project.cli.questions.who import actor
from dagster_project.cli.reporting import words
from dagster_project.cli.reporting.axes import LEFT, RIGHT, WIDTH
from dagster_project.cli.reporting.lag_chart import BOTTOM, HEIGHT, TOP
from dagster_project.cli.reporting.ranges import BAR
from dagster_project.cli.terminal import in_words
from dagster_project.cli.times import show_length

TEMPLATES: Final = Path(__file__).parent / "templates"
_WORDS: Final = ("name", "label", "count", "lag_of", "moment", "clock", "certainty", "partitions", "svg_path", "span")
"""The functions of `words` that the templates use as filters."""


@cache
def environment() -> Environment:
    """The environment that renders the templates: whatever a name is, it is text."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=words.printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    templates.filters.update(
        {name: getattr(words, name) for name in _WORDS},
        actor=actor,
        in_words=in_words,
        length_of=words.length,
        duration=show_length,
        sql=words.sql,
        headline=words.headline,
    )
    templates.globals.update(
        {"style": Markup(style), "style_hash": _hash(style)},  # noqa: S704 - our own file
        width=WIDTH,
        left=LEFT,
        right=RIGHT,
        lag_top=TOP,
        lag_bottom=BOTTOM,
        lag_height=HEIGHT,
        bar=BAR,
    )
    return templates


def _hash(style: str) -> str:
    """The hash of the only style that the page's policy allows."""
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
