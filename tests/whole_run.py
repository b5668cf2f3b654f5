"""`lagbook run` in this process, with every table, check and the DuckDB file, but without a Java: its tasks run inline.

Only for tests of what the tables say, which is the same wherever tasks run. That Spark runs them is held by the demo,
the UI, runs that are killed, and `tests.spark`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from click.testing import CliRunner, Result

from dagster_project.cli.main import main
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def whole_run(warehouse: Path, logs: Iterable[Path | str], *words: str) -> Result:
    """Read log directories into a warehouse and build everything of it."""
    places = [word for folder in logs for word in ("--logs", str(folder))]
    with patch("dagster_project.spark_session.start_session", lambda _master: inline()):
        return CliRunner().invoke(main, ["run", *places, "--warehouse", str(warehouse), *words])
