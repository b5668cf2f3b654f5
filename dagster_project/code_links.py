"""Where the code of each asset is, for Dagster's pages: the model of a table that SQL makes, else its module.

Put here how the place is found. Links open a file of this machine, or of the repository that lagbook.toml names.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

import dagster as dg

import assets
from assets import marts
from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.models import files
from assets.transforms.declaration import TransformWithSums
from dagster_project.deployment.file import lagbook_file

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(assets.__file__).parents[1]
BRANCH: Final = "main"
_MODULES: Final = {
    Origin.INGEST: Path(assets.__file__).with_name("raw.py"),
    Origin.RECONSTRUCTION: ROOT / "assets" / "reconstruct" / "worker.py",
}


def with_code_links(definitions: Sequence[dg.AssetsDefinition]) -> list[dg.AssetsDefinition]:
    """The assets with links to their code."""
    repository = _repository()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        linked = dg.map_asset_specs(_with_link, definitions)
        if repository is None:
            return list(linked)
        url, branch = repository
        mapping = dg.AnchorBasedFilePathMapping(local_file_anchor=ROOT, file_anchor_path_in_repository="")
        return list(dg.link_code_references_to_git(linked, url, branch, mapping))  # type: ignore[arg-type]


def code_of(key: dg.AssetKey) -> Path:
    """The file that makes an asset."""
    table = TABLES.get(".".join(key.path))
    if table is None:
        return Path(marts.__file__)
    if table.origin is Origin.MODEL:
        return files.model_path(table.name)
    transform = marts.TRANSFORMS.get(table.full_name)
    if isinstance(transform, TransformWithSums):
        return files.model_path(transform.model)
    if transform is not None:
        return Path(transform.rows.__code__.co_filename)
    return _MODULES[table.origin]


def _with_link(spec: dg.AssetSpec) -> dg.AssetSpec:
    reference = dg.LocalFileCodeReference(file_path=str(code_of(spec.key)), line_number=1)
    return spec.merge_attributes(
        metadata={"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])}
    )


def _repository() -> tuple[str, str] | None:
    """The URL and branch of `[code]` in lagbook.toml."""
    top = lagbook_file()
    section = top.section("code") if top else None
    if section is None:
        return None
    repository = section.needed("git_url"), section.text("git_branch") or BRANCH
    if not repository[0].startswith(("https://", "http://")):
        raise section.refusal(
            "git_url", "expected https://HOST/PATH of a repository on GitHub or GitLab, found another"
        )
    section.end()
    return repository
