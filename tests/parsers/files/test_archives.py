"""Archives of log directories: the members that count, whatever they are packed in."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from parsers.errors import SourceError, StoreError
from parsers.files.archives import PACKINGS, is_archive, unpack
from parsers.files.unpacking import FREE_BYTES, Limits, Meter, TooMuchError
from tests.parsers.wavering import SLOW_DOWN, Wavering

if TYPE_CHECKING:
    from pathlib import Path

SEGMENT = "data/t-0/00000000000000000000.log"
WANTED = {
    SEGMENT: b"log" * 1000,
    "data/t-0/00000000000000000000.index": b"",
    "data/t-0/leader-epoch-checkpoint": b"0\n0\n",
    "data/cleaner-offset-checkpoint": b"0\n0\n",
    "data/meta.properties": b"a=b\n",
}
PASSED_OVER = {"data/t-0/00000000000000000000.timeindex": b"x", "data/readme.txt": b"x", "../t-0/meta.properties": b"x"}
TAR_MODES = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz", ".txz": "w:xz"}


def tarred(mode: str) -> bytes:
    """The files as a tar, with a link among them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in {**WANTED, **PASSED_OVER}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("data/t-0/00000000000000000009.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


def archive(folder: Path, ending: str) -> Path:
    """The files packed in the way that the ending says."""
    path = folder / f"logs{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in {**WANTED, **PASSED_OVER}.items():
                packed.writestr(name, content)
    elif ending == ".tar.zst":
        with pa.CompressedOutputStream(str(path), "zstd") as packed:
            packed.write(tarred("w"))
    else:
        path.write_bytes(tarred(TAR_MODES[ending]))
    return path


class Copies(dict[str, bytes]):
    """What was copied, by path."""

    def create(self, path: str) -> io.BytesIO:
        """A copy that is remembered when it is closed."""
        copies = self

        class Copy(io.BytesIO):
            def close(self) -> None:
                copies[path] = self.getvalue()
                super().close()

        return Copy()


@pytest.mark.parametrize("ending", [*PACKINGS, ".zip"])
@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_that_count(tmp_path: Path, ending: str, scheme: str) -> None:
    """Segments, indexes and the small files of a log directory; no link, nothing outside, nothing else."""
    path, copies = archive(tmp_path, ending), Copies()
    assert unpack(f"{scheme}{path}", copies.create, Limits()) == list(WANTED)
    assert copies == WANTED
    assert is_archive(str(path))


@pytest.mark.parametrize("ending", [*PACKINGS, ".zip"])
def test_a_broken_archive_is_refused_where_it_breaks(tmp_path: Path, ending: str) -> None:
    """With the name of what came before."""
    path = archive(tmp_path, ending)
    content = path.read_bytes()
    path.write_bytes(content[: 700 if ending == ".tar" else len(content) // 2])
    with pytest.raises(SourceError, match=r"logs\..*: the archive can't be read after "):
        unpack(str(path), Copies().create, Limits())


@pytest.mark.parametrize("flaw", ["cut", "cut in a header", "no end", "broken header"])
def test_an_archive_that_ends_between_its_files_is_refused(tmp_path: Path, flaw: str) -> None:
    """Whatever stands where the next file should begin: only a block of zeros is the end of a tar."""
    path = archive(tmp_path, ".tar")
    content = bytearray(path.read_bytes())
    last = bytes(content).index(b"../t-0/meta.properties")
    if flaw == "broken header":
        content[last + 150] ^= 0xFF
    else:
        end = len(bytes(content).rstrip(b"\0")) // 512 * 512 + 512
        del content[{"cut": last, "cut in a header": last + 100, "no end": end}[flaw] :]
    path.write_bytes(content)
    copies = Copies()
    with pytest.raises(SourceError, match=r"can't be read after data/meta\.properties: no entry and no end"):
        unpack(str(path), copies.create, Limits())
    assert copies == WANTED


@pytest.mark.parametrize(
    "name",
    [
        f"data/{'t' * 256}-0/meta.properties",
        f"{'a/' * 3000}meta.properties",
        f"{SEGMENT}/t-0/meta.properties",
        "data/caf\udce9-0/meta.properties",
    ],
)
def test_a_path_that_no_disk_takes_is_the_archive_s_fault(tmp_path: Path, name: str) -> None:
    """Too long, below what is a file, not UTF-8: the archive is refused, and what came before is named."""
    path = tmp_path / "logs.tar"
    with tarfile.open(path, "w") as packed:
        for member in (SEGMENT, name):
            packed.addfile(tarfile.TarInfo(member))
    with pytest.raises(SourceError, match=r"can't be read after data/t-0/0{20}\.log: '.*' can't be unpacked as a file"):
        unpack(str(path), Copies().create, Limits())


def test_an_archive_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """In one sentence that names it."""
    with pytest.raises(SourceError, match=r"nothing\.tar: the file can't be opened"):
        unpack(str(tmp_path / "nothing.tar"), Copies().create, Limits())


@pytest.mark.parametrize("ending", [*PACKINGS, ".zip"])
def test_a_store_that_fails_is_no_broken_archive(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is packed in: a failure that passes is not seen, one that stays is told apart."""
    monkeypatch.setattr("parsers.io_retry.time", SimpleNamespace(sleep=lambda _: None))
    path, copies, store = archive(tmp_path, ending), Copies(), Wavering()
    monkeypatch.setattr("parsers.sources.resolve", store.place)
    store.answers = [SLOW_DOWN, SLOW_DOWN, 1, SLOW_DOWN]
    assert unpack(str(path), copies.create, Limits()) == list(WANTED)
    assert copies == WANTED
    store.answers = [0] + [SLOW_DOWN] * 4
    with pytest.raises(StoreError, match="SLOW_DOWN"):
        unpack(str(path), Copies().create, Limits())


def test_other_files_are_no_archives() -> None:
    """By their names."""
    assert not any(is_archive(name) for name in ("00000000000000000000.log", "a.xz", "logs", "tar"))


@pytest.mark.parametrize("ending", [".tar.gz", ".tar.xz", ".zip"])
@pytest.mark.parametrize(
    ("limits", "setting"),
    [
        (Limits(size_bytes=1 << 20), "more than 1,048,576 bytes (LAGBOOK_UNPACK_BYTES)"),
        (Limits(seconds=1e-9), "(LAGBOOK_UNPACK_SECONDS)"),
    ],
)
def test_a_bomb_is_refused_where_it_is_too_much(
    tmp_path: Path, ending: str, limits: Limits, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the archive and what to set."""
    monkeypatch.setitem(WANTED, SEGMENT, bytes(4 << 20))
    path = archive(tmp_path, ending)
    with pytest.raises(SourceError, match=re.escape(setting)) as refused:
        unpack(str(path), Copies().create, limits)
    assert str(path) in str(refused.value)


def test_the_ratio_counts_beyond_the_first_gigabyte() -> None:
    """What packs to nothing in a copied folder is small all the same."""
    meter = Meter(Limits(ratio=10), 1 << 28)
    meter.take(FREE_BYTES)
    meter.take(10 * (1 << 28) - FREE_BYTES)
    with pytest.raises(TooMuchError, match="10 times its 268,435,456 bytes"):
        meter.take(1)
