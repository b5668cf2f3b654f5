"""`lagbook report`: the page says what is in the warehouse, can be repeated, and lets no name act on it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import duckdb
import pytest

from assets import models
from dagster_project.cli.questions.report import default_name, write_whole
from dagster_project.cli.reporting.environment import TEMPLATES
from dagster_project.cli.reporting.lag_chart import TOP
from dagster_project.cli.reporting.scope import Scope
from parsers.errors import LagbookError
from tests.dagster_project.cli.conftest import HOSTILE, LONG, NOON, bound, change

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from tests.dagster_project.cli.conftest import Lagbook

VOID = {"meta", "br", "img", "input", "link", "hr"}
INERT = {
    "xmlns",
    "viewbox",
    "class",
    "id",
    "role",
    "d",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "width",
    "height",
}
INERT |= {"lang", "charset", "http-equiv", "content", "name", "href", "tabindex", "scope"}
ACTIVE = {
    "script",
    "iframe",
    "object",
    "embed",
    "form",
    "base",
    "link",
    "img",
    "foreignobject",
    "animate",
    "set",
    "use",
}


class Page(HTMLParser):
    """What a browser would make of a page: its elements, its text, and the queries it shows."""

    def __init__(self, text: str) -> None:
        """Read it."""
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.queries: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "pre":
            self.queries.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that is empty."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        """Text."""
        if "style" in self.open:
            return
        self.words.append(data)
        if "pre" in self.open:
            self.queries[-1] += data

    def paths(self, kind: str) -> list[list[tuple[float, float]]]:
        """The points of each path of a class that has more than two."""
        drawn = [given["d"] or "" for tag, given in self.elements if tag == "path" and given.get("class") == kind]
        pairs = [[point.split() for point in path.strip("MZ").split(" L")] for path in drawn if " L" in path]
        return [[(float(x), float(y)) for x, y in points] for points in pairs]

    @property
    def text(self) -> str:
        """All that can be read, spaces as one."""
        return re.sub(r"\s+", " ", "".join(self.words))


def page_of(lagbook: Lagbook, warehouse: Path, *words: str) -> Page:
    """The page that the command prints."""
    result: Result = lagbook("report", *words, "--output", "-", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    return Page(result.stdout)


def rename(warehouse: Path, group: str) -> None:
    """Call the group that was reset differently, in every table that has it."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb")) as connection:
        for table in ("core.commits", "internal.group_partitions", "mart.replays", "mart.offsets_now", "mart.lag_now"):
            connection.execute(f"UPDATE {table} SET group_id = ? WHERE group_id = 'admin-reset'", [group])  # noqa: S608 - names of ours
        for name in ("findings", "incidents"):
            connection.execute(f"CREATE OR REPLACE TABLE mart.{name} AS {models.select(name)}")


def test_the_page_leads_with_what_happened(lagbook: Lagbook, warehouse: Path) -> None:
    """Headline, certainty in words, how much, and the record that shows it."""
    page = page_of(lagbook, warehouse, "admin-reset")
    assert "Group admin-reset re-read 750 offsets in 3 partitions of audit." in page.text
    assert "Proven: whatever happened between the records, this holds." in page.text
    assert page.text.count("420 \u2013 669") == 3, "possible, estimate and certain"
    assert "Committed by an admin." in page.text
    assert "7/2" in page.text
    assert "committed 420 after 670" in page.text
    assert "__consumer_offsets-7, 9 offsets: seen with holes" in page.text
    assert "As of 2026-11-18 12:05:00 UTC" in page.text.split("What happened")[0]
    assert "History: 44.4 % of __consumer_offsets-7" in page.text.split("What happened")[0]


@pytest.mark.parametrize("words", [("admin-reset",), ("--incident",), ("--cluster", "c1")])
@pytest.mark.parametrize("first", ["1970-01-01 00:00:00+00", "9999-12-31 23:59:59.999+00"])
def test_times_at_the_ends_of_the_calendar_are_drawn(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], first: str
) -> None:
    """A client writes whatever time it likes: there is no later one to end the page with."""
    last = "'9999-12-31 23:59:59.999+00'"
    change(
        warehouse,
        f"UPDATE core.commits SET effective_at = if(log_offset = 1, '{first}', {last})",  # noqa: S608 - times of ours
        f"UPDATE mart.incidents SET from_time = '{first}', to_time = {last}",  # noqa: S608 - as above
    )
    incidents = json.loads(lagbook("audit", "--json", "--warehouse", str(warehouse)).stdout)
    incident = next(one["incident_id"] for one in incidents if one["group_id"] == "admin-reset")
    called = ("--incident", incident) if words == ("--incident",) else words
    page = page_of(lagbook, warehouse, *called)
    assert "9999" in page.text
    assert len(page.elements) < 10_000


def test_what_could_not_be_excluded_is_on_the_page(lagbook: Lagbook, warehouse: Path) -> None:
    """As no incident, and not in the headline."""
    change(
        warehouse,
        "UPDATE mart.replays SET group_id = 'owner', from_time = NULL, to_time = NULL WHERE group_id = 'killed'",
    )
    page = page_of(lagbook, warehouse, "owner")
    assert "Group owner has no incident" in page.text
    assert "Could not be excluded in that time; nothing says that it happened: " in page.text
    assert "owner: re-reads, upper bound not known: " in page.text


@pytest.mark.parametrize("name", [None, "audit"])
def test_a_partition_that_is_owned_by_its_topic_id_has_one_lane(
    lagbook: Lagbook, warehouse: Path, name: str | None
) -> None:
    """Groups of KIP-848 own by id and commit by name; the id is named by files, or as the one topic that is left."""
    change(
        warehouse,
        "INSERT INTO core.ownership BY NAME SELECT *, 'an-id' AS topic_id FROM (SELECT * EXCLUDE (topic_id) REPLACE"
        " ('admin-reset' AS group_id, NULL AS topic, 0 AS partition) FROM core.ownership)",
        *(
            [f"INSERT INTO core.topics BY NAME SELECT 'c1' AS cluster, 'an-id' AS topic_id, '{name}' AS topic"]
            if name
            else []
        ),
    )
    page = page_of(lagbook, warehouse, "admin-reset")
    assert "an-id" not in page.text.split("The SQL")[0] + page.text.split("Who owned what")[1].split("The SQL")[0]
    assert "m at /10.0.0.1" in page.text


def test_partitions_that_are_owned_by_ids_without_names_are_drawn_once(lagbook: Lagbook, warehouse: Path) -> None:
    """By the names that it commits; that their owners are left out is said."""
    change(
        warehouse,
        "INSERT INTO core.ownership BY NAME SELECT * EXCLUDE (topic_id) REPLACE ('admin-reset' AS group_id,"
        " NULL AS topic, 0 AS partition), unnest(['an-id', 'another-id']) AS topic_id FROM core.ownership",
    )
    page = page_of(lagbook, warehouse, "admin-reset")
    assert "2 partitions of 2 topics are owned by topic ids that nothing read so far names" in page.text
    assert "nobody, or an owner that is not drawn" in page.text
    lanes = [given for tag, given in page.elements if tag == "text" and given.get("class") == "lane-name end"]
    assert len(lanes) == 3, "audit-0 and two that have findings"
    assert "an-id" not in page.text


@pytest.mark.parametrize(("group_type", "heading"), [("classic", "Generation"), ("consumer", "Epoch")])
def test_a_group_of_the_newer_protocol_has_epochs(
    lagbook: Lagbook, warehouse: Path, group_type: str, heading: str
) -> None:
    """Only a classic group has generations."""
    change(warehouse, "UPDATE core.generations SET group_type = $given", given=group_type)
    page = page_of(lagbook, warehouse, "owner")
    assert f"Pause{heading}Members" in page.text


def test_every_query_of_the_page_can_be_repeated(lagbook: Lagbook, warehouse: Path) -> None:
    """After the variables are set, each of them runs as it stands, and the ranges are the page's."""
    page = page_of(lagbook, warehouse, "admin-reset")
    queries = [query for query in page.queries if not query.startswith("SET")]
    (preparation,) = (query for query in page.queries if query.startswith("SET"))
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        connection.execute(preparation)
        answers = {query: connection.execute(query).fetchall() for query in queries}
    assert len(answers) >= 9
    (ranges,) = (rows for query, rows in answers.items() if "list(f.partition ORDER BY f.partition)" in query)
    assert [row[9:13] for row in ranges] == [(420, 670, 420, 670)]


@pytest.mark.parametrize(
    "group", [HOSTILE, "</style></title><script>alert(1)</script>", '"><svg onload=alert(1)>', "{{ 7*7 }}", LONG]
)
def test_no_name_acts_on_the_page(lagbook: Lagbook, warehouse: Path, group: str) -> None:
    """Whatever a group is called: no element and no attribute that could do or load anything, no hidden character."""
    rename(warehouse, group)
    page = page_of(lagbook, warehouse, group)
    assert page.unbalanced == []
    assert page.open == []
    tags = {tag for tag, _ in page.elements}
    assert not tags & ACTIVE
    attributes = {name for _, given in page.elements for name in given}
    assert {name for name in attributes if not name.startswith("aria-")} <= INERT
    assert all((given.get("href") or "#").startswith("#") for _, given in page.elements)
    assert all(word.replace("\n", "").isprintable() for word in page.words)
    assert "49" not in page.text.split("What happened")[0].split("re-read")[0]
    assert "re-read 750 offsets" in page.text


def test_a_hostile_name_is_repeated_byte_for_byte(lagbook: Lagbook, warehouse: Path) -> None:
    """Where a name can't be shown as it is, the SQL spells its bytes: it finds the same group."""
    rename(warehouse, HOSTILE)
    (preparation,) = (q for q in page_of(lagbook, warehouse, HOSTILE).queries if q.startswith("SET"))
    with duckdb.connect() as connection:
        connection.execute(preparation)
        assert connection.execute("SELECT getvariable('grp')").fetchall() == [(HOSTILE,)]


def test_the_policy_allows_nothing_but_the_style(lagbook: Lagbook, warehouse: Path) -> None:
    """Its hash is the one of the style that stands in the page."""
    text = lagbook("report", "admin-reset", "--output", "-", "--warehouse", str(warehouse)).stdout
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\"" in text
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert not re.search(r"https?:|url\(|@import| style=", text)


def test_the_templates_never_switch_escaping_off() -> None:
    """Neither by a filter nor by a block."""
    sources = [path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html")]
    assert len(sources) == 4
    assert not re.search(r"\|\s*safe|autoescape", "".join(sources))


def test_figures_say_what_they_show(lagbook: Lagbook, warehouse: Path) -> None:
    """Each has a title and a description for those who can't see it, and can be reached by keyboard."""
    page = page_of(lagbook, warehouse, "admin-reset")
    images = [given for tag, given in page.elements if tag == "svg" and given.get("role") == "img"]
    assert len(images) == 2
    ids = {given.get("id") for _, given in page.elements}
    assert all(set((given["aria-labelledby"] or "").split()) <= ids for given in images)
    assert all(given.get("tabindex") == "0" for tag, given in page.elements if tag in {"figure", "pre"})
    assert "The lag is highest at 2026-11-18 12:02:00 UTC" in page.text


@pytest.mark.parametrize("upper", [5000, None])
def test_lag_that_is_known_within_bounds_is_a_band_and_at_least(
    lagbook: Lagbook, warehouse: Path, upper: int | None
) -> None:
    """No line falls where the truth may rise; without an upper bound the band goes to the top."""
    window = ("--from", "2026-11-18T12:02", "--to", "2026-11-18T12:02:50")
    whole = page_of(lagbook, warehouse, "admin-reset", *window)
    assert "Worst lag280offsets behind at 12:02:00.000" in whole.text
    bound(warehouse, 900, upper)
    page = page_of(lagbook, warehouse, "admin-reset", *window)
    assert "Worst lagat least 480offsets behind at 12:02:30" in page.text
    assert f"; in the end {'480 to 4,580' if upper else 'at least 480'}" in page.text
    assert whole.paths("band") == []
    (band,) = page.paths("band")
    assert min(y for _, y in band) == TOP
    line, before = ([x for x, _ in drawn.paths("lag")[0]] for drawn in (page, whole))
    assert line == before[: len(line)]
    assert len(before) > len(line) > 1


def test_an_incident_is_shown_with_what_stands_around_it(lagbook: Lagbook, warehouse: Path) -> None:
    """It leads its own page, in a window no larger than what is known of the group."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT incident_id FROM mart.incidents WHERE group_id = 'admin-reset'").fetchall()
    page = page_of(lagbook, warehouse, "--incident", rows[0][0])
    assert rows[0][0] in page.text
    assert "2026-11-18 12:01:00 to 2026-11-18 12:03:00 UTC" in page.text


def test_a_window_without_findings_says_so(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing found is a sentence about what was declared, and unknown lag is no zero."""
    page = page_of(lagbook, warehouse, "admin-reset", "--from", "2026-11-18T12:02:30")
    assert "Group admin-reset has no incident in the 55.6 % of its history that was seen." in page.text
    assert "Never readnot known55.6 % of the history was seen; none in it is proven or likely" in page.text
    assert "No incident in what was seen of this time." in page.text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Name a GROUP, or give --incident ID or --cluster."),
        (("admin-reset", "--incident", "0123456789ab"), "Name a GROUP, or give --incident ID or --cluster."),
        (("admin-rest",), "the nearest are admin-reset"),
        (("--incident", "0123456789ab"), "incident 0123456789ab is not in this warehouse; the nearest are "),
        (("admin-reset", "--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
        (("admin-reset", "--from", "2026-11-19"), "nothing is known of group admin-reset from 2026-11-19"),
        (("admin-reset", "--from", "2026-11-19", "--to", "2026-11-18"), "--from has to be before --to."),
        (("admin-reset", "--output", "/nowhere/page.html"), "/nowhere/page.html can't be written"),
        (("--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
        (("--cluster", "--from", "2026-11-19"), "nothing is known of cluster c1 from 2026-11-19"),
        (("admin-reset", "--directory", "x"), "--directory goes with --cluster, and without --output."),
        (("--cluster", "--directory", "x", "--output", "y"), "--directory goes with --cluster, and without --output."),
        (("--cluster", "--directory", "/proc/nowhere"), "/proc/nowhere can't be made"),
    ],
)
def test_a_call_that_can_not_be_taken_is_refused(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """Exit code 2 and one sentence."""
    result = lagbook("report", *words, "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_without_a_warehouse_it_says_what_makes_one(lagbook: Lagbook, tmp_path: Path) -> None:
    """And makes no file."""
    result = lagbook("report", "g", "--output", str(tmp_path / "page.html"), "--warehouse", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "`lagbook run` does that" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_page_takes_its_place_whole(tmp_path: Path) -> None:
    """A link stays one, nothing is left beside it, and who may read files may read this one."""
    place = tmp_path / "real.html"
    place.write_text("old")
    (tmp_path / "link.html").symlink_to(place)
    write_whole(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert place.read_text() == "new"
    plain = tmp_path / "plain"
    plain.touch()
    assert place.stat().st_mode == plain.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "plain", "real.html"]


def test_a_page_that_can_not_be_put_in_its_place_leaves_nothing(tmp_path: Path) -> None:
    """A directory has the name."""
    (tmp_path / "page.html").mkdir()
    with pytest.raises(LagbookError, match="can't be written"):
        write_whole(tmp_path / "page.html", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """Who reads it gets the page; a device, as /dev/null, would else be gone for all of the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "new")
    assert (os.read(reader, 100), pipe.is_fifo()) == (b"new", True)
    os.close(reader)


@pytest.mark.parametrize(
    ("group", "name"),
    [("pay.v1", "report-pay.v1.html"), ("../../etc/passwd", "report-etc-passwd.html"), ("日本", "report-group.html")],
)
def test_the_file_is_called_like_the_group(group: str, name: str) -> None:
    """As far as a file may be."""
    assert default_name(Scope("c", group, NOON, NOON)) == name
    assert len(default_name(Scope("c", LONG, NOON, NOON))) < 80
