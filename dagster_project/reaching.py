"""How to reach the running cluster, as the environment says: it needs nothing of the warehouse.

Put here the variables of a running cluster. All others are read in `dagster_project.settings`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assets.ingest.live.access import DEFAULT_TIMEOUT_S, Access, seconds_of
from parsers.errors import SourceError
from parsers.names import is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Reach:
    """The addresses of the cluster, the file with the client's settings, and how long an answer may take."""

    bootstrap: str | None
    client_config: str | None
    timeout_s: float

    @property
    def access(self) -> Access | None:
        """How to reach it, if an address was named; its file is found from any working directory."""
        config = str(Path(self.client_config).absolute()) if self.client_config else None
        return Access(self.bootstrap, config, self.timeout_s) if self.bootstrap else None


def reach(environment: Mapping[str, str] = os.environ) -> Reach:
    """Read LAGBOOK_BOOTSTRAP, LAGBOOK_CLIENT_CONFIG and LAGBOOK_TIMEOUT_S; one that is empty counts as not set."""
    refuse_no_text(environment)
    return Reach(
        environment.get("LAGBOOK_BOOTSTRAP") or None,
        environment.get("LAGBOOK_CLIENT_CONFIG") or None,
        seconds("LAGBOOK_TIMEOUT_S", environment, DEFAULT_TIMEOUT_S, seconds_of),
    )


def refuse_no_text(environment: Mapping[str, str]) -> None:
    """Refuse variables of ours that are not UTF-8."""
    for name, text in environment.items():
        if name.startswith("LAGBOOK_") and not is_text(text):
            raise SourceError(f"{name} is not UTF-8: {text}")


def seconds(name: str, environment: Mapping[str, str], default_s: float, parse: Callable[[str], float]) -> float:
    """A number of seconds of the environment, or a refusal that names the variable."""
    try:
        return parse(environment.get(name) or str(default_s))
    except ValueError as error:
        raise SourceError(f"{name}: {error}") from None
