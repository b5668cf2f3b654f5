"""`[clusters.NAME]` of lagbook.toml: several clusters in one deployment, each with a warehouse of its own.

Put here what stands in such a table, and which settings follow from it. What a run does with them belongs to `assets`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dagster_project.deployment.file import lagbook_file
from dagster_project.settings import Settings
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dagster_project.deployment.sections import Section

NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,62}")
"""A cluster's name is a folder's, and a partition's in Dagster."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of the file: its name, what its rows are called, and where everything is."""

    name: str
    cluster: str
    warehouse: str
    logs: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    bootstrap: str | None = None
    client_config: str | None = None
    timeout_s: float | None = None
    internal_topics: tuple[str, ...] = ()

    def settings(self, base: Settings) -> Settings:
        """The settings of a run: sources and warehouse of this table alone, all else as in the environment."""
        return replace(
            base,
            logs=self.logs,
            warehouse=self.warehouse,
            cluster=self.cluster,
            bootstrap=self.bootstrap,
            client_config=self.client_config,
            configs=self.configs,
            internal_topics=self.internal_topics,
            timeout_s=self.timeout_s or base.timeout_s,
        )


def declared_clusters() -> Mapping[str, Cluster]:
    """The clusters of the file by name, in its order; none without a file, or without such a table."""
    top = lagbook_file()
    section = top.section("clusters") if top else None
    if top is None or section is None:
        return {}
    named = top.text("warehouse")
    root = Settings.from_environment().warehouse if named is None else _place(top.file, named)
    clusters = {name: _cluster(section, name, one, root) for name, one in section.named_sections().items()}
    _refuse_shared(section, clusters)
    return clusters


def _cluster(of: Section, name: str, section: Section, root: str) -> Cluster:
    if not NAME.fullmatch(name):
        raise of.refusal("NAME", f"expected letters, digits, ., - and _, at most 63, found {name[:80]!r}")
    file, client_config = section.file, section.text("client_config")
    warehouse = section.text("warehouse")
    cluster = Cluster(
        name,
        section.text("cluster") or name,
        f"{root.rstrip('/')}/{name}" if warehouse is None else _place(file, warehouse),
        tuple(_place(file, one) for one in section.texts("logs")),
        tuple(_place(file, one) for one in section.texts("configs")),
        section.text("bootstrap"),
        None if client_config is None else _place(file, client_config),
        section.number("timeout_s", 0) or None,
        section.texts("internal_topics"),
    )
    section.end()
    if not cluster.logs and cluster.bootstrap is None:
        raise section.refusal("logs", "expected logs or bootstrap, found neither")
    return cluster


def _refuse_shared(section: Section, clusters: Mapping[str, Cluster]) -> None:
    """Refuse two clusters in one warehouse: each has runs, an archive and a DuckDB file of its own."""
    first: dict[str, str] = {}
    for one in clusters.values():
        other = first.setdefault(one.warehouse.rstrip("/"), one.name)
        if other != one.name:
            raise section.refusal(one.name, f"expected a warehouse of its own, found that of {other}")


def _place(file: Path, place: str) -> str:
    """A path or URL; a path is relative to the file."""
    if not place.isprintable():
        raise SourceError(f"{file}: expected a path, found a text that is not printable")
    return place if "://" in place else os.path.normpath(file.parent / place)
