"""Opening and reading files by path and by URL, and files that are not what they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyarrow import fs

from parsers.errors import SourceError
from parsers.sources import Place, open_file, read_file

if TYPE_CHECKING:
    from pathlib import Path


def test_reads_at_positions(tmp_path: Path) -> None:
    """A file is read at positions, by path and by URL, and gives fewer bytes at its end."""
    path = tmp_path / "file name"
    path.write_bytes(b"0123456789")
    for named in (str(path), path.as_uri()):
        with open_file(named) as source:
            assert (source.path, source.size_bytes) == (named, 10)
            assert source.read(2, 3).tobytes() == b"234"
            assert source.read(8, 100).tobytes() == b"89"
            assert source.read(100, 5).tobytes() == b""


@pytest.mark.parametrize(
    ("named", "inner", "child", "expected"),
    [
        ("s3://bucket/logs?region=x", "bucket/logs", "bucket/logs/t-0/a b", "s3://bucket/logs/t-0/a%20b?region=x"),
        ("s3://key:secret@bucket/logs/", "bucket/logs", "bucket/meta", "s3://key:secret@bucket/meta"),
        ("gs://bucket", "bucket", "bucket/t-0/x", "gs://bucket/t-0/x"),
        ("hdfs://host:8020/a%20b/logs", "/a b/logs", "/a b/logs/x", "hdfs://host:8020/a%20b/logs/x"),
        ("/var/logs", "/var/logs", "/var/logs/x", "/var/logs/x"),
    ],
)
def test_names_under_a_url(named: str, inner: str, child: str, expected: str) -> None:
    """A file found under a URL is named by a URL that opens it."""
    assert Place(named, fs.LocalFileSystem(), inner).child(child) == expected


def test_file_that_shrinks(tmp_path: Path) -> None:
    """A file that was cut since it was opened gives what is left."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open_file(str(path)) as source:
        path.write_bytes(b"012")
        assert source.read(0, 10).tobytes() == b"012"


@pytest.mark.parametrize("name", ["gone", "folder"])
def test_not_a_file(tmp_path: Path, name: str) -> None:
    """A file that is gone, or a folder, is refused by its name."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match=name):
        open_file(str(tmp_path / name)).read(0, 1)


def test_unknown_url() -> None:
    """A URL that nothing can open is refused by its name."""
    with pytest.raises(SourceError, match="nowhere://x"):
        open_file("nowhere://x")


def test_small_file_that_is_large(tmp_path: Path) -> None:
    """A file that ought to be small is not read when it is not."""
    (tmp_path / "file").write_bytes(b"0123456789")
    assert read_file(str(tmp_path / "file"), 10) == b"0123456789"
    with pytest.raises(SourceError, match="10 bytes, expected at most 9"):
        read_file(str(tmp_path / "file"), 9)
