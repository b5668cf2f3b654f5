"""`lagbook report --cluster`: every group of a cluster on one page, with links, whatever groups are called."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import duckdb
import pytest

from dagster_project.cli.reporting.environment import TEMPLATES
from tests.browser import browser
from tests.dagster_project.cli.conftest import HOSTILE, LONG, change
from tests.dagster_project.cli.questions.test_report import ACTIVE, INERT, Page, page_of, rename

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

MANY = """
    INSERT INTO mart.incidents SELECT i.* REPLACE (concat(i.group_id, '-', n) AS group_id,
        concat(incident_id, n) AS incident_id, rank + 100 * n AS rank) FROM mart.incidents AS i, range(1, 101) AS r (n)
    WHERE group_id IS NOT NULL
"""


def written(lagbook: Lagbook, warehouse: Path, to: Path) -> dict[str, str]:
    """The pages of a directory, by file name."""
    result = lagbook("report", "--cluster", "--directory", str(to), "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(to.iterdir())}


def test_the_page_leads_with_how_many_and_how_grave(lagbook: Lagbook, warehouse: Path) -> None:
    """The headline, what it rests on, and each incident with its group and its certainty."""
    page = page_of(lagbook, warehouse, "--cluster")
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        ((incidents, worst),) = connection.execute(
            "SELECT count(*), arg_min(severity, rank) FROM mart.incidents"
        ).fetchall()
    assert re.search(rf"Cluster c1: {incidents} incidents in \d of \d groups, the worst {worst}\.", page.text)
    assert "As of 2026-11-18 12:05:00 UTC" in page.text.split("What happened")[0]
    assert "History: 44.4 % of __consumer_offsets-7" in page.text.split("What happened")[0]
    assert "admin-reset: re-read 750 offsets in 3 partitions of audit" in page.text


def test_signs_differ_by_shape_and_are_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing is said by colour alone, and the figure has words for who can't see it."""
    page = page_of(lagbook, warehouse, "--cluster")
    signs = {
        given["class"]: (given["d"] or "").lstrip("M0123456789. ")
        for tag, given in page.elements
        if tag == "path" and (given.get("class") or "").startswith("sign")
    }
    assert len(signs) == len(set(signs.values())) == 4
    ids = {given.get("id") for _, given in page.elements}
    (figure,) = (given for tag, given in page.elements if tag == "svg" and given.get("role") == "img")
    assert set((figure["aria-labelledby"] or "").split()) <= ids


def test_what_was_not_seen_is_hatched(lagbook: Lagbook, warehouse: Path) -> None:
    """In the rows of groups whose records may be missing, for as long as that; without gaps no row is."""

    def hatched() -> int:
        page = page_of(lagbook, warehouse, "--cluster")
        return sum(tag == "path" and given.get("class") == "hatch" for tag, given in page.elements) - 1

    assert hatched() == 0
    change(
        warehouse,
        "INSERT INTO core.log_gaps BY NAME SELECT 'c1' AS cluster, 7 AS log_partition, 2 AS from_log_offset,"
        " 3 AS to_log_offset, unnest([NULL, '2026-11-18 12:02Z'])::TIMESTAMPTZ AS from_at,"
        " unnest(['2026-11-18 12:01:30Z', '2026-11-18 12:03Z'])::TIMESTAMPTZ AS to_at, TRUE AS is_damage",
    )
    assert hatched() == 2, "two stretches in the row of the one group of that partition that has an incident"


def test_of_many_groups_the_worst_have_rows_and_the_rest_is_summed(lagbook: Lagbook, warehouse: Path) -> None:
    """Bounded, and it says what is left out."""
    change(warehouse, MANY)
    page = page_of(lagbook, warehouse, "--cluster")
    lanes = [given for tag, given in page.elements if tag == "text" and given.get("class") == "lane-name end"]
    assert len(lanes) == 40
    assert "all others" in page.text
    there = re.search(r"40 of ([\d,]+) groups have a row; the others are summed in the last one", page.text)
    assert there
    assert f"{int(there[1].replace(',', '')) - 40} more groups" in page.text
    assert re.search(r"[\d,]+ more incidents are left out of the list", page.text)


@pytest.mark.parametrize("group", [HOSTILE, "</title><script>alert(1)</script>", '"><svg onload=alert(1)>', LONG])
def test_no_name_acts_on_any_page(lagbook: Lagbook, warehouse: Path, tmp_path: Path, group: str) -> None:
    """No element, attribute or address that could do or load anything; links lead to files of the directory alone."""
    rename(warehouse, group)
    pages = written(lagbook, warehouse, tmp_path / "pages")
    for text in pages.values():
        page = Page(text)
        assert (page.unbalanced, page.open) == ([], [])
        assert not {tag for tag, _ in page.elements} & ACTIVE
        attributes = {name for _, given in page.elements for name in given}
        assert {name for name in attributes if not name.startswith("aria-")} <= INERT | {"colspan"}
        links = {given["href"] or "" for tag, given in page.elements if tag == "a"}
        assert {link for link in links if not link.startswith("#")} <= set(pages)
        assert all(word.replace("\n", "").isprintable() for word in page.words)
        assert not re.search(r"https?:|url\(|@import| style=", text)


def test_pages_of_a_directory_lead_to_each_other(lagbook: Lagbook, warehouse: Path, tmp_path: Path) -> None:
    """From the cluster to each group that has a page, and back; names that differ in case alone have two files."""
    change(
        warehouse,
        "INSERT INTO core.commits SELECT * REPLACE ('ADMIN-reset' AS group_id) FROM core.commits"
        " WHERE group_id = 'admin-reset'",
        "INSERT INTO internal.group_partitions SELECT * REPLACE ('ADMIN-reset' AS group_id)"
        " FROM internal.group_partitions WHERE group_id = 'admin-reset'",
        "INSERT INTO mart.lag_now SELECT * REPLACE ('ADMIN-reset' AS group_id) FROM mart.lag_now"
        " WHERE group_id = 'admin-reset'",
    )
    pages = written(lagbook, warehouse, tmp_path / "pages")
    names = [name for name in pages if name != "index.html"]
    assert len({name.lower() for name in names}) == len(names) >= 4
    assert all(f'href="{name}"' in pages["index.html"] for name in names)
    assert all('<a href="index.html">All groups</a>' in pages[name] for name in names)
    alone = lagbook("report", "admin-reset", "--output", "-", "--warehouse", str(warehouse)).stdout
    assert "index.html" not in alone


def test_every_query_of_the_page_can_be_repeated(lagbook: Lagbook, warehouse: Path) -> None:
    """After the variables are set, each of them runs as it stands."""
    page = page_of(lagbook, warehouse, "--cluster")
    (preparation,) = (query for query in page.queries if query.startswith("SET"))
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        connection.execute(preparation)
        answers = [connection.execute(unescape(query)).fetchall() for query in page.queries if query[:3] != "SET"]
    assert len(answers) >= 4


def test_of_several_clusters_one_has_to_be_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Each has a page of its own."""
    change(
        warehouse,
        "INSERT INTO core.commits SELECT * REPLACE ('c2' AS cluster) FROM core.commits",
        "INSERT INTO raw.segments SELECT * REPLACE ('c2' AS cluster) FROM raw.segments",
    )
    result = lagbook("report", "--cluster", "--warehouse", str(warehouse))
    assert (result.exit_code, "choose with --cluster NAME: c1, c2." in result.stderr) == (2, True)
    assert "Cluster c2" in page_of(lagbook, warehouse, "--cluster", "c2").text


def _luminance(colour: str) -> float:
    """WCAG's relative luminance of a colour like #1b1e23."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_what_is_behind_it() -> None:
    """By WCAG's measure for text, in the light scheme, the dark one and on paper."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    schemes = [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks]
    assert len(schemes) == 3
    for scheme in schemes:
        colours = {
            name: value if len(value) == 7 else re.sub(r"(\w)", r"\1\1", value) for name, value in scheme.items()
        }
        for text in ("ink", "soft", "link", "critical", "high", "medium", "low", "lost", "again"):
            for behind in ("page", "panel"):
                dark, light = sorted((_luminance(colours[text]), _luminance(colours[behind])))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, behind, scheme)


def test_pages_fit_on_a_phone(lagbook: Lagbook, warehouse: Path, tmp_path: Path) -> None:
    """At 360 pixels nothing reaches beyond the screen but inside tables and figures, in either colour scheme."""
    change(warehouse, MANY)
    rename(warehouse, HOSTILE)
    pages = tmp_path / "pages"
    written(lagbook, warehouse, pages)
    with browser(tmp_path) as tab:
        colours = set()
        for page in sorted(pages.iterdir()):
            for is_dark in (False, True):
                tab.open_file(page, 360, is_dark=is_dark)
                assert (page.name, tab.beyond_the_screen()) == (page.name, [])
                assert tab.evaluate("document.documentElement.scrollWidth") == 360
                colours.add((is_dark, tab.evaluate("getComputedStyle(document.body).backgroundColor")))
        assert len(colours) == 2
