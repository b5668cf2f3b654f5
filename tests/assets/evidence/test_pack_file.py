"""Packs as files: what is written is read again, and what is hostile is refused with its address."""

from __future__ import annotations

import json
import stat
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from assets.evidence.pack_file import MANIFEST, MOST_MEMBERS, TamperedError, manifest_of, open_pack, write_pack
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MEMBERS = {"claim.txt": b"never read", "batches/3-7.bin": bytes(range(256))}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the pack of a test is."""
    return tmp_path / "pack.zip"


def put(path: Path, members: Mapping[Any, bytes]) -> Path:
    """Write a .zip with these members, in their order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in members.items():
            pack.writestr(name, content)
    return path


def with_manifest(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """Members with a manifest that fits them."""
    return {MANIFEST: manifest_of(members, {"format": "test"}), **members}


def refusal(path: Path) -> str:
    """The sentence with which a pack is refused, at the latest when all of it is read."""
    with pytest.raises(TamperedError) as error:
        read_all(path)
    return str(error.value)


def read_all(path: Path) -> dict[str, bytes]:
    """Every member of a pack."""
    with open_pack(path) as pack:
        return {name: pack.read(name) for name in pack.entries}


def test_members_are_read_as_they_were_written_and_the_same_content_gives_the_same_file(path: Path) -> None:
    """The signature is beside the manifest, and none of its members."""
    manifest = manifest_of(MEMBERS, {"format": "test"})
    for name in ("one.zip", "two.zip"):
        with path.with_name(name).open("wb") as stream:
            write_pack(stream, MEMBERS, manifest, b"signed")
    assert path.with_name("one.zip").read_bytes() == path.with_name("two.zip").read_bytes()
    with open_pack(path.with_name("one.zip")) as pack:
        assert {name: pack.read(name) for name in pack.entries} == MEMBERS
        assert (pack.manifest["format"], pack.signature, pack.manifest_bytes) == ("test", b"signed", manifest)


def test_a_changed_byte_is_refused_with_its_member(path: Path) -> None:
    """Its size is right, and its digest is not."""
    put(path, {**with_manifest(MEMBERS), "claim.txt": b"never raed"})
    assert "claim.txt: blake3: expected" in refusal(path)


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/etc/passwd",
        "a/../../b",
        "C:\\x",
        ".hidden",
        "a//b",
        "x" * 300,
        "a\nb",
        "a/b/c/d/e/f",
        "-rf",
        "dir/",
    ],
)
def test_a_name_that_leads_out_is_refused(path: Path, name: str) -> None:
    """Nothing is ever unpacked, and such a pack is not ours."""
    put(path, {MANIFEST: b"{}", name: b""})
    assert "expected a plain file inside" in refusal(path)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR])
def test_a_link_or_a_device_is_refused(path: Path, kind: int) -> None:
    """A pack has files alone."""
    link = zipfile.ZipInfo("link")
    link.external_attr = (kind | 0o777) << 16
    put(path, {MANIFEST: b"{}", link: b"/etc/passwd"})
    assert "link" in refusal(path)


def test_a_bomb_is_refused_before_it_is_unpacked(path: Path) -> None:
    """A hundred megabytes of zeros in a hundred kilobytes."""
    put(path, {MANIFEST: b"{}", "zeros": bytes(100 << 20)})
    assert "zeros: expected at most" in refusal(path)


def test_a_member_that_is_larger_than_it_announces_is_refused(path: Path) -> None:
    """Its bytes end where the announced size does, and its checksum is another's."""
    put(path, {MANIFEST: b"{}", "zeros": bytes(5000)})
    content = path.read_bytes()
    size = (5000).to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (50).to_bytes(4, "little")))
    with pytest.raises(TamperedError), open_pack(path) as pack:
        pack._content("zeros", 1 << 20)  # noqa: SLF001 - what reads every member


def test_too_many_members_are_refused(path: Path) -> None:
    """Their names alone would take memory."""
    put(path, {str(number): b"" for number in range(MOST_MEMBERS + 1)})
    assert "expected at most" in refusal(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_is_refused(path: Path) -> None:
    """One reader would see the one, another the other."""
    with zipfile.ZipFile(path, "w") as pack:
        for content in (b"{}", b"[]"):
            pack.writestr(MANIFEST, content)
    assert "each once" in refusal(path)


@pytest.mark.parametrize("change", ["more", "less"])
def test_members_other_than_the_manifests_are_refused(path: Path, change: str) -> None:
    """A stranger in the pack, and one that is in the manifest alone."""
    members: dict[str, bytes] = with_manifest(MEMBERS)
    members = {**members, "stranger": b""} if change == "more" else {**members, MANIFEST: members[MANIFEST]}
    if change == "less":
        del members["claim.txt"]
    put(path, members)
    assert ("stranger" if change == "more" else "claim.txt") in refusal(path)


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{}", b'{"members": 5}', b'{"members": {"a": 1}}', b"[" * 100_000])
def test_a_manifest_that_is_none_is_refused(path: Path, manifest: bytes) -> None:
    """Whatever JSON it is."""
    put(path, {MANIFEST: manifest})
    assert MANIFEST in refusal(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all" * 100])
def test_a_file_that_is_no_pack_is_refused(path: Path, content: bytes) -> None:
    """With a sentence that names it."""
    path.write_bytes(content)
    assert str(path) in refusal(path)


def test_a_pack_that_is_cut_off_is_refused(path: Path) -> None:
    """At whatever byte."""
    whole = put(path, with_manifest(MEMBERS)).read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        assert str(path) in refusal(path)


def test_a_flipped_bit_is_refused_wherever_it_is(path: Path) -> None:
    """Or changes nothing that is read."""
    whole = put(path, with_manifest(MEMBERS)).read_bytes()
    facts: Any = json.loads(with_manifest(MEMBERS)[MANIFEST])
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            with open_pack(path) as pack:
                assert {name: pack.read(name) for name in pack.entries} == MEMBERS
                assert pack.manifest == facts
        except TamperedError:
            continue


def test_a_file_that_is_not_there_is_a_source_that_can_not_be_read(path: Path) -> None:
    """That is no tampering."""
    with pytest.raises(SourceError, match="can't be read"), open_pack(path):
        pass
