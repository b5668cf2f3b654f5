"""What is in folders on disk: as pyarrow tells it, but for what pyarrow stumbles over."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from pyarrow import fs

from parsers import folders
from parsers.folders import below

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two folders, one below the other, with a file in each."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").write_text("1")
    (tmp_path / "a" / "b" / "two").write_text("22")
    return tmp_path


def listed(folder: Path) -> tuple[list[str], list[str]]:
    """The paths below a folder that are there, and the complaints."""
    complaints: list[str] = []
    entries = [info for info in below(str(folder), complaints, recursive=True) if info.type != fs.FileType.Unknown]
    return sorted(info.path.removeprefix(f"{folder}/") for info in entries), complaints


@pytest.mark.parametrize("recursive", [True, False])
def test_it_is_what_pyarrow_tells(tree: Path, *, recursive: bool) -> None:
    """Path, kind, size and time of each; nothing of a folder that is gone, and an error for a file."""
    selector = fs.FileSelector(str(tree / "a"), recursive=recursive)
    expected = sorted(fs.LocalFileSystem().get_file_info(selector), key=lambda info: info.path)
    entries = sorted(below(str(tree / "a"), [], recursive=recursive), key=lambda info: info.path)
    assert [(one.path, one.type, one.size, one.mtime_ns) for one in entries] == [
        (one.path, one.type, one.size, one.mtime_ns) for one in expected
    ]
    assert list(below(str(tree / "gone"), [], recursive=recursive)) == []
    with pytest.raises(NotADirectoryError):
        list(below(str(tree / "a" / "one"), [], recursive=recursive))


def test_a_folder_is_gone_through_once(tree: Path) -> None:
    """Under its own name, not that of a link to it; a link that leads back ends there, one that leads out does not."""
    outside = tree / "outside"
    outside.mkdir()
    (outside / "three").write_text("333")
    for name, target in (("0-link", "b"), ("loop", "."), ("out", "../outside"), ("up", "..")):
        (tree / "a" / name).symlink_to(target)
    files = [path for path in listed(tree / "a")[0] if path[-3:] in {"one", "two", "ree"}]
    assert [path for path in files if path.endswith(("one", "two"))] == ["b/two", "one"]
    assert len([path for path in files if path.endswith("three")]) == 1


def test_a_barred_folder_holds_up_no_other(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is complained of, but for the one that is barred by its nature; the one that was asked for is an error."""
    (tree / "a" / folders.LOST_AND_FOUND).mkdir()
    barred = {str(tree / "a" / name): errno.EACCES for name in ("b", folders.LOST_AND_FOUND)}
    plain = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        """Refuse some folders, as a disk does to whom it does not know."""
        if path in barred:
            raise OSError(barred[path], os.strerror(barred[path]))
        return plain(path)

    monkeypatch.setattr(os, "scandir", scandir)
    complaint = f"{tree}/a/b: it can't be listed: Permission denied"
    assert listed(tree / "a") == (["b", "lost+found", "one"], [complaint])
    with pytest.raises(PermissionError):
        listed(tree / "a" / "b")
    barred[str(tree / "a" / "b")] = errno.ESTALE
    with pytest.raises(OSError, match="Stale"):
        listed(tree / "a")


def test_a_time_that_arrow_has_not_is_the_latest_that_it_has(tmp_path: Path) -> None:
    """A disk may say the year 2286."""
    file = tmp_path / "0.log"
    file.touch()
    os.utime(file, (10_000_000_000, 10_000_000_000))
    (info,) = below(str(tmp_path), [], recursive=False)
    assert info.mtime_ns == (1 << 63) - 1
