"""Which files of a partition count, after every crash of a segment's replacement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
    counted = [Path(file.path).name.removeprefix("0" * 17) for _offset, file in result.segments]
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


def test_unfinished_cleaning(tmp_path: Path) -> None:
    """A .cleaned file is incomplete, a .deleted one obsolete."""
    names = {name(0): 10, name(0, ".log.cleaned"): 10, name(0, ".index.cleaned"): None, name(7, ".log.deleted"): 9}
    assert chosen(tmp_path, names) == (["000.log"], ["000.log.cleaned", "007.log.deleted"])


def test_finished_cleaning(tmp_path: Path) -> None:
    """Swap files stand for all segments from their first offset to their last next offset."""
    names = {name(0): 9, name(10): 19, name(20): 29, name(30): 39, name(10, ".log.swap"): 29}
    assert chosen(tmp_path, names) == (["000.log", "010.log.swap", "030.log"], ["010.log", "020.log"])


def test_several_swaps(tmp_path: Path) -> None:
    """Several swap files stand for everything between them, too."""
    names = {name(0): 9, name(10): 19, name(20): 29, name(0, ".log.swap"): 9, name(20, ".log.swap"): 29}
    assert chosen(tmp_path, names) == (["000.log.swap", "020.log.swap"], ["000.log", "010.log", "020.log"])


def test_swap_behind_cleaned(tmp_path: Path) -> None:
    """While files are still .cleaned, swap files from the first of them on are not complete."""
    names = {name(0): 9, name(10): 19, name(10, ".log.swap"): 19, name(10, ".timeindex.cleaned"): None}
    assert chosen(tmp_path, names) == (["000.log", "010.log"], ["010.log.swap"])


def test_empty_swap(tmp_path: Path) -> None:
    """A swap file that holds nothing stands for the segment of its own name only."""
    names = {name(0): 9, name(10): 19, name(0, ".log.swap"): None}
    assert chosen(tmp_path, names) == (["000.log.swap", "010.log"], ["000.log"])


def test_swapped_index(tmp_path: Path) -> None:
    """An index that is still .swap does not make its segment one."""
    assert chosen(tmp_path, {name(0): 9, name(0, ".index.swap"): None}) == (["000.log"], [])
