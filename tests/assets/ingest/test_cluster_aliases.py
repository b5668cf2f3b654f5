"""What users say of MirrorMaker's aliases: how it is read, and that a warehouse has each change once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.catalog import TABLES
from assets.ingest.cluster_aliases import CLUSTER_ALIASES, keep_aliases, named_aliases, new_aliases
from assets.storage.schema_evolution import fit
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path


def test_an_alias_is_what_stands_before_the_first_sign() -> None:
    """The name of a cluster may have one in it."""
    assert named_aliases(["source=a=b", "source=a=b", "other=c"]) == (("source", "a=b"), ("other", "c"))


@pytest.mark.parametrize("texts", [["source"], ["=cluster"], ["source="], [""], ["source=a", "source=b"]])
def test_what_names_no_one_cluster_is_refused(texts: list[str]) -> None:
    """With what was expected there."""
    with pytest.raises(SourceError, match="mirror alias"):
        named_aliases(texts)


def test_an_alias_is_archived_when_it_is_another_cluster(tmp_path: Path) -> None:
    """The same once more adds nothing; the newest counts."""
    warehouse = Warehouse(str(tmp_path))
    assert new_aliases(warehouse, (("source", "a"),)) == (("source", "a"),)
    fit(warehouse, [TABLES[CLUSTER_ALIASES]])
    assert keep_aliases(warehouse, (("source", "a"), ("other", "c"))) == 2
    assert keep_aliases(warehouse, (("source", "a"),)) == 0
    assert keep_aliases(warehouse, (("source", "b"),)) == 1
    assert new_aliases(warehouse, (("source", "b"), ("other", "c"))) == ()
    assert keep_aliases(warehouse, ()) == 0
    assert warehouse.row_count(CLUSTER_ALIASES) == 3
