"""Links from assets to their code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.catalog import TABLES
from dagster_project.code_links import ROOT, code_of, with_code_links
from dagster_project.refresh import ASSETS
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence


def links(definitions: Sequence[dg.AssetsDefinition]) -> dict[str, dg.LocalFileCodeReference | dg.UrlCodeReference]:
    """The link of each asset."""
    specs = [spec for one in definitions for spec in one.specs]
    by_asset = {".".join(spec.key.path): spec.metadata["dagster/code_references"].code_references for spec in specs}
    assert all(len(references) == 1 for references in by_asset.values())
    return {name: references[0] for name, references in by_asset.items()}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("mart.incidents", "assets/models/incidents/incidents.sql"),
        ("mart.replays", "assets/transforms/marts/replays.py"),
        ("raw.segments", "assets/raw.py"),
        ("core.commits", "assets/reconstruct/worker.py"),
        ("lagbook.duckdb", "assets/marts.py"),
    ],
)
def test_the_code_of_an_asset_is_what_makes_it(name: str, path: str) -> None:
    """The SELECT of a table that SQL makes, not the function that runs all of them."""
    assert code_of(dg.AssetKey(name.split("."))) == ROOT / path


def test_every_asset_links_to_a_file_that_is_there() -> None:
    """Of this machine."""
    references = links(with_code_links(ASSETS))
    assert set(references) == {*TABLES, "lagbook.duckdb"}
    for reference in references.values():
        assert isinstance(reference, dg.LocalFileCodeReference)
        assert Path(reference.file_path).is_file()


def test_links_lead_to_a_repository_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its branch; what is no address is refused."""
    file = tmp_path / "lagbook.toml"
    monkeypatch.setenv("LAGBOOK_FILE", str(file))
    file.write_text('[code]\ngit_url = "https://github.com/you/lagbook"\ngit_branch = "prod"\n')
    references = links(with_code_links(ASSETS))["mart.incidents"]
    assert isinstance(references, dg.UrlCodeReference)
    assert references.url == "https://github.com/you/lagbook/tree/prod/assets/models/incidents/incidents.sql#L1"
    file.write_text('[code]\ngit_url = "git@github.com:you/lagbook"\n')
    with pytest.raises(SourceError, match=r"\[code\] git_url: expected https"):
        with_code_links(ASSETS)
