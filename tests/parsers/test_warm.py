"""Reading for the sake of compiling: the loops that a log needs are compiled afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import pytest

from parsers.errors import SourceError
from parsers.log.batches import sound_chain
from parsers.messages.steps.interpreter import run_rows
from parsers.warm import warm

LOGS: Final = Path(__file__).resolve().parents[1] / "bytes" / "dump" / "features-4.1"


def test_loops_are_compiled_after_it() -> None:
    """The walk and the interpreter are ready when a log of commits and groups was read."""
    warm(str(LOGS / "__consumer_offsets-7" / "00000000000000000000.log"))
    assert all(cast("Any", loop).signatures for loop in (sound_chain, run_rows))


def test_a_file_that_is_not_there_is_named() -> None:
    """A wrong path is refused, not skipped: otherwise nothing would be compiled and nobody would know."""
    with pytest.raises(SourceError, match="nowhere"):
        warm("nowhere.log")
