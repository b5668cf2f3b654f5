"""Which files of a partition hold its log, after every crash of a segment's replacement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parsers.files.partition_files import ListedFile, choose_segments
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from collections.abc import Mapping


def chosen(folder: Path, names: Mapping[str, int | None]) -> tuple[list[str], list[str]]:
    """Write files (a number: a batch whose last offset is that one; None: empty), choose; give counted and skipped."""
    files = []
    for name, last in names.items():
        base = int(name[:20]) if name[:20].isdecimal() else 0
        content = b"" if last is None else batch(base, [record(0, b"k", b"v")], last_delta=last - base)
        (folder / name).write_bytes(content)
        files.append(ListedFile(str(folder / name), len(content), None))
    result = choose_segments(files)
    counted = [Path(file.path).name.removeprefix("0" * 17) for _offset, _suffix, file in result.segments]
    return counted, sorted(Path(passed.path).name.removeprefix("0" * 17) for passed in result.skipped)


def name(offset: int, rest: str = ".log") -> str:
    """Name a file by its base offset."""
    return f"{offset:020d}{rest}"


def test_plain_segments(tmp_path: Path) -> None:
    """Segments count in the order of their offsets; files beside them are not spoken of."""
    names = {name(900): None, name(5): 10, name(5, ".index"): None, "leader-epoch-checkpoint": None}
    assert chosen(tmp_path, names) == (["005.log", "900.log"], [])


def test_odd_names(tmp_path: Path) -> None:
    """A log file whose name is not 20 digits is passed over."""
    names = {name(0): None, "7.log": None, "00000000000000000000.log.1": None, "x" * 20 + ".log": None}
    counted, skipped = chosen(tmp_path, names)
    assert (counted, len(skipped)) == (["000.log"], 3)


def test_a_name_that_is_no_offset(tmp_path: Path) -> None:
    """Twenty digits may be more than an offset can be."""
    assert chosen(tmp_path, {name(2**63 - 1): None, name(2**63): None}) == ([name(2**63 - 1)], [name(2**63)])


def test_what_a_cleaning_leaves_is_read() -> None:
    """Whatever the moment: the batches of each file stand under their own offsets, and often nowhere else."""
    names = [name(0), name(0, ".log.cleaned"), name(0, ".index.cleaned"), name(7, ".log.deleted"), name(9, ".log.swap")]
    chosen = choose_segments([ListedFile(one, 1, None) for one in names])
    assert [(one.base_offset, one.suffix) for one in chosen.segments] == [
        (0, None),
        (0, "cleaned"),
        (7, "deleted"),
        (9, "swap"),
    ]
    assert chosen.skipped == ()


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ([name(3, ".log.deleted"), name(5), name(9)], 5),
        ([name(3, ".log.cleaned"), name(5, ".log.swap"), name(9)], 5),
        ([name(3, ".log.deleted")], None),
    ],
)
def test_a_log_begins_with_its_first_segment_in_use(names: list[str], first: int | None) -> None:
    """What is about to be removed says nothing of where the log begins."""
    assert choose_segments([ListedFile(one, 1, None) for one in names]).first_live_offset == first
