"""Signatures by SSH keys, made and verified by OpenSSH itself."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from assets.evidence.signatures import SignatureError, check, sign, verify
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = shutil.which("ssh-keygen")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no ssh-keygen on this machine")
MANIFEST = b'{"members": {}}'


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A key without a passphrase, and a file of allowed signers that has it as Ana's."""
    key = tmp_path / "-key"
    subprocess.run(
        [str(PROGRAM), "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, stdin=subprocess.DEVNULL
    )
    public = key.with_suffix(".pub").read_text(encoding="ascii")
    (tmp_path / "allowed").write_text(f"ana@example.com {public}", encoding="ascii")
    return key


def test_a_signature_is_the_signers(key: Path) -> None:
    """OpenSSH says whose it is and by which key."""
    signature, allowed = sign(MANIFEST, key), key.with_name("allowed")
    assert "ana@example.com" in verify(MANIFEST, signature, "ana@example.com", allowed)
    assert "SHA256:" in check(MANIFEST, signature)


@pytest.mark.parametrize("signer", ["bob@example.com", "-fx", ""])
def test_a_signature_is_nobody_elses(key: Path, signer: str) -> None:
    """A name that looks like an option is a name."""
    with pytest.raises(SignatureError):
        verify(MANIFEST, sign(MANIFEST, key), signer, key.with_name("allowed"))


def test_a_changed_manifest_is_not_signed(key: Path) -> None:
    """Neither to whom a signer is named, nor to whom none is."""
    signature = sign(MANIFEST, key)
    with pytest.raises(SignatureError):
        verify(MANIFEST + b" ", signature, "ana@example.com", key.with_name("allowed"))
    for content in (signature[:-30], b"", b"no signature"):
        with pytest.raises(SignatureError):
            check(MANIFEST, content)
    with pytest.raises(SignatureError):
        check(MANIFEST + b" ", signature)


def test_a_key_that_is_not_there_or_is_none_is_refused(tmp_path: Path) -> None:
    """With its path."""
    with pytest.raises(SourceError, match="no such key"):
        sign(MANIFEST, tmp_path / "missing")
    (tmp_path / "text").write_text("no key", encoding="ascii")
    with pytest.raises(SignatureError, match="text"):
        sign(MANIFEST, tmp_path / "text")
    with pytest.raises(SourceError, match="allowed signers"):
        verify(MANIFEST, b"", "ana", tmp_path / "missing")
