"""What a store's failure is, and that it is waited for."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import fs

from parsers import io_retry
from parsers.errors import SourceError, StoreError, VanishedError
from parsers.io_retry import ask, is_failing
from parsers.sources import open_file
from tests.parsers.wavering import SLOW_DOWN, Wavering

if TYPE_CHECKING:
    from pathlib import Path

GONE = FileNotFoundError(errno.ENOENT, "gone")
BAD_SECTOR = OSError(errno.EIO, "Input/output error")
NO_MORE_FILES = OSError(errno.EMFILE, "Too many open files")
FORBIDDEN = PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture
def waits_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr("parsers.io_retry.time", SimpleNamespace(sleep=waited.append))
    return waited


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Wavering, Path]:
    """A file of ten bytes in a store, which does not fail yet."""
    store, path = Wavering(), tmp_path / "file"
    path.write_bytes(b"0123456789")
    monkeypatch.setattr("parsers.sources.resolve", store.place)
    return store, path


@pytest.mark.parametrize(
    ("error", "on_disk", "behind_a_url"),
    [
        (GONE, False, False),
        (FORBIDDEN, False, True),
        (BAD_SECTOR, False, True),
        (NO_MORE_FILES, True, True),
        (SLOW_DOWN, False, True),
    ],
)
def test_whose_failure_it_is(error: OSError, on_disk: bool, behind_a_url: bool) -> None:  # noqa: FBT001 - a table
    """A disk fails for one file, a store for all of them; a file that is gone is gone anywhere."""
    store: Any = Wavering()
    assert is_failing(fs.LocalFileSystem(), error) is on_disk
    assert is_failing(store, error) is behind_a_url


def test_a_failure_that_passes_is_not_seen(waits_s: list[float], file: tuple[Wavering, Path]) -> None:
    """The store is asked again after a while, and the answer is whole."""
    store, path = file
    store.answers = [SLOW_DOWN, 0, SLOW_DOWN]
    with open_file(str(path)) as source:
        assert source.read(2, 100).tobytes() == b"23456789"
    assert (store.questions, waits_s) == (4, [0.5, 0.5])


def test_a_failure_that_stays_is_the_stores(waits_s: list[float], file: tuple[Wavering, Path]) -> None:
    """It is told apart from a file that can't be read, with the address."""
    store, path = file
    with open_file(str(path)) as source:
        store.answers = [SLOW_DOWN] * 4
        with pytest.raises(StoreError, match=r"file: byte 3 can't be read: .*SLOW_DOWN"):
            source.read(3, 1)
    assert waits_s == list(io_retry.WAITS_S)


def test_fewer_bytes_than_there_are_is_a_failure(waits_s: list[float], file: tuple[Wavering, Path]) -> None:
    """An object doesn't shrink: half an answer is asked for again, and never taken for the end of the file."""
    store, path = file
    with open_file(str(path)) as source:
        store.answers = [5, 0]
        assert source.read(0, 10).tobytes() == b"0123456789"
        store.answers = [5, 5, 5, 5]
        with pytest.raises(StoreError, match="expected 10 bytes, the store gave 5"):
            source.read(0, 10)
    assert len(waits_s) == 2 + 3


def test_an_object_that_changes_is_a_finding(waits_s: list[float], file: tuple[Wavering, Path]) -> None:
    """One that was written anew and is smaller ends where it ends; one that was removed is gone, without a wait."""
    store, path = file
    with open_file(str(path)) as source:
        path.write_bytes(b"01")
        assert source.read(0, 10).tobytes() == b"01"
        assert source.read(10, 10).tobytes() == b""
        path.unlink()
        store.answers = [SLOW_DOWN]
        with pytest.raises(VanishedError, match="removed while it was read"):
            source.read(0, 10)
    assert waits_s == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [(GONE, VanishedError), (FORBIDDEN, SourceError), (BAD_SECTOR, SourceError), (NO_MORE_FILES, StoreError)],
)
def test_what_a_disk_refuses(waits_s: list[float], error: OSError, kind: type[SourceError]) -> None:
    """A file that is gone, one that is there and can't be read, and a machine that can't read any."""
    store = Wavering([error] * 4)
    with pytest.raises(SourceError, match="nowhere: ") as refused:
        ask(fs.LocalFileSystem(), "nowhere", lambda: store.answer(_refuse))
    assert type(refused.value) is kind
    assert bool(waits_s) is (kind is StoreError)


def test_places_are_asked_with_patience(waits_s: list[float], file: tuple[Wavering, Path]) -> None:
    """A look and a listing that fail are repeated, and in the end refused by the place's name."""
    store, path = file
    place = store.place(str(path.parent))
    assert place.info().type == fs.FileType.Directory
    assert [info.base_name for info in place.below()] == ["file"]
    assert place.below(str(path.parent / "nowhere")) == []
    with pytest.raises(StoreError, match="nowhere: m"):
        ask(place.system, "nowhere", lambda: store.answer(_refuse))
    assert waits_s == list(io_retry.WAITS_S)


def _refuse(_most: int | None) -> None:
    raise OSError("m")
