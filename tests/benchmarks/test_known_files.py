"""A run over known files is measured as it is: every file is known, and none is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.known_files import known, measure
from tests.assets.inline import inline

if TYPE_CHECKING:
    from pathlib import Path


def test_copies_are_known_and_a_new_file_is_not(tmp_path: Path) -> None:
    """As many as asked for at least; what the archive does not know is no measurement."""
    warehouse, logs = known(tmp_path, 600, inline)
    files, *_rest = measure(warehouse, logs)
    assert 600 <= int(files) <= 600 + len(list(logs[0].glob("*/*.log")))
    segment = max(logs[-1].glob("*/*.log"), key=lambda path: path.stat().st_size)
    content = segment.read_bytes()
    segment.unlink()
    segment.with_name(f"{1 << 40:020}.log").write_bytes(content)
    with pytest.raises(RuntimeError, match="needs no Spark"):
        measure(warehouse, logs)
