"""The settings from the environment: logs, a running cluster, the warehouse, Spark.

Put here what reads the environment; nothing else may, but `reaching`, `deployment.file`, which finds lagbook.toml, and
`file_modes`, which holds for a process and not for a warehouse.
It is all that a command needs that starts neither Dagster nor Spark, so neither is imported here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.ingest.live.access import DEFAULT_TIMEOUT_S
from assets.storage.lease import DEFAULT_WAIT_S, waited_for
from assets.storage.warehouse import CACHE, Warehouse
from dagster_project.reaching import Reach, reach, refuse_no_text, seconds
from parsers.errors import SourceError
from parsers.files.unpacking import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.ingest.live.access import Access
    from assets.ingest.plan import Sources
    from assets.ingest.stores.declared import ExternalStores

KEEP_DAYS: Final = "LAGBOOK_KEEP_DAYS"
DEFAULT_WAREHOUSE: Final = "warehouse"
DEFAULT_MASTER: Final = "local[*]"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the logs, the running cluster, the warehouse and Spark are."""

    logs: tuple[str, ...] = ()
    warehouse: str = DEFAULT_WAREHOUSE
    cluster: str | None = None
    spark_master: str = DEFAULT_MASTER
    bootstrap: str | None = None
    client_config: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    cache: str = CACHE
    unpacking: Limits = field(default_factory=Limits)
    wait_s: float = DEFAULT_WAIT_S
    configs: tuple[str, ...] = ()
    external_stores: str | None = None
    internal_topics: tuple[str, ...] = ()
    """Topics that are read with their records beside the declared ones, as KIND=TOPIC."""
    mirror_aliases: tuple[str, ...] = ()
    """What aliases of MirrorMaker stand for, as ALIAS=CLUSTER."""

    @property
    def live(self) -> Access | None:
        """How to reach the running cluster, if one was named; its file is found from any working directory."""
        return Reach(self.bootstrap, self.client_config, self.timeout_s).access

    @property
    def sources(self) -> Sources:
        """What a run reads."""
        from assets.ingest.cluster_aliases import named_aliases  # noqa: PLC0415
        from assets.ingest.plan import Sources  # noqa: PLC0415 - a question needs nothing that reads files
        from parsers.files.internal_topics import named_topics  # noqa: PLC0415

        topics, aliases, stores = (
            named_topics(self.internal_topics),
            named_aliases(self.mirror_aliases),
            self.declared_stores,
        )
        return Sources(self.logs, self.cluster, self.live, self.unpacking, self.configs, stores, topics, aliases)

    @property
    def without_cluster(self) -> Settings:
        """The same without the running cluster."""
        return replace(self, bootstrap=None)

    @property
    def declared_stores(self) -> ExternalStores | None:
        """What the file of external stores declares, if one was named."""
        from dagster_project.deployment import external_stores  # noqa: PLC0415 - it reads these settings

        return external_stores.read_external_stores(self.external_stores) if self.external_stores else None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read LAGBOOK_LOGS (separated by commas), LAGBOOK_WAREHOUSE, LAGBOOK_CLUSTER and LAGBOOK_SPARK_MASTER.

        LAGBOOK_CACHE, else XDG_CACHE_HOME, is where the DuckDB files of warehouses in stores are built.
        LAGBOOK_WAIT_S is how long a run waits for another that is at work.
        Of a running cluster: LAGBOOK_BOOTSTRAP, LAGBOOK_CLIENT_CONFIG and LAGBOOK_TIMEOUT_S.
        LAGBOOK_CONFIG has the brokers' server.properties (separated by commas) that do not lie beside their logs.
        LAGBOOK_EXTERNAL_STORES is the file that declares offsets which consumers keep themselves.
        LAGBOOK_INTERNAL_TOPICS has topics that are read with their records beside the declared ones, as KIND=TOPIC
        (separated by commas). LAGBOOK_MIRROR_ALIASES has what aliases of MirrorMaker stand for, as ALIAS=CLUSTER.
        Of archives: LAGBOOK_UNPACK_RATIO, LAGBOOK_UNPACK_BYTES and LAGBOOK_UNPACK_SECONDS.
        A variable that is empty counts as not set. Spark's own SPARK_REMOTE stands in for LAGBOOK_SPARK_MASTER.
        """
        refuse_no_text(environment)
        live = reach(environment)
        return cls(
            logs=_places(environment, "LAGBOOK_LOGS"),
            warehouse=environment.get("LAGBOOK_WAREHOUSE") or DEFAULT_WAREHOUSE,
            cluster=environment.get("LAGBOOK_CLUSTER") or None,
            spark_master=environment.get("LAGBOOK_SPARK_MASTER") or environment.get("SPARK_REMOTE") or DEFAULT_MASTER,
            bootstrap=live.bootstrap,
            client_config=live.client_config,
            timeout_s=live.timeout_s,
            cache=_cache(environment),
            unpacking=_limits(environment),
            wait_s=seconds("LAGBOOK_WAIT_S", environment, DEFAULT_WAIT_S, waited_for),
            configs=_places(environment, "LAGBOOK_CONFIG"),
            external_stores=environment.get("LAGBOOK_EXTERNAL_STORES") or None,
            internal_topics=_places(environment, "LAGBOOK_INTERNAL_TOPICS"),
            mirror_aliases=_places(environment, "LAGBOOK_MIRROR_ALIASES"),
        )

    def open_warehouse(self) -> Warehouse:
        """The warehouse, as it is now."""
        return Warehouse(self.warehouse, cache=self.cache)


def days_to_keep(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """What `lagbook tidy --keep-days` is given by the schedule that tidies; nothing: rows are kept for ever."""
    return _places(environment, KEEP_DAYS)


def _places(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(place.strip() for place in environment.get(name, "").split(",") if place.strip())


def _cache(environment: Mapping[str, str]) -> str:
    """The folder that is meant for Lagbook alone, or Lagbook's below the one for the caches of all programs."""
    if folder := environment.get("LAGBOOK_CACHE"):
        return folder
    shared = environment.get("XDG_CACHE_HOME")
    return str(Path(shared) / "lagbook") if shared else CACHE


def _limits(environment: Mapping[str, str]) -> Limits:
    default = Limits()
    return Limits(
        _bound(environment, "LAGBOOK_UNPACK_RATIO", default.ratio),
        _bound(environment, "LAGBOOK_UNPACK_BYTES", default.size_bytes),
        _bound(environment, "LAGBOOK_UNPACK_SECONDS", default.seconds),
    )


def _bound(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name) or str(default)
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise SourceError(f"{name}: expected a number above 0, found {text!r}")
    return number


def open_warehouse(url: str | None = None) -> Warehouse:
    """The warehouse that was named, or the one that the environment names."""
    settings = Settings.from_environment()
    return replace(settings, warehouse=url or settings.warehouse).open_warehouse()
