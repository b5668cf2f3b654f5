"""Signatures of manifests by SSH keys, which people have: OpenSSH's own program makes and verifies them.

Put here how `ssh-keygen -Y` is called. What is signed is the manifest, which has the digests of all else.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from parsers.errors import LagbookError, SourceError, sentence

NAMESPACE: Final = "lagbook-evidence"
"""What the key signs for: a signature for another purpose is none for a pack."""
_PATIENCE_S: Final = 120
_LONGEST_REASON: Final = 500


class SignatureError(LagbookError):
    """A signature that is not there, or not of the signer."""


def sign(manifest: bytes, key: Path) -> bytes:
    """The signature of a manifest by a private key, or by the agent that has the key of a public one."""
    if not key.is_file():
        raise SourceError(f"{key}: there is no such key")
    with TemporaryDirectory(prefix="lagbook-") as folder:
        file = Path(folder) / "manifest"
        file.write_bytes(manifest)
        _run(["-Y", "sign", "-n", NAMESPACE, "-f", str(key.absolute()), str(file)], b"", f"{key}: it can't sign")
        return file.with_name("manifest.sig").read_bytes()


def verify(manifest: bytes, signature: bytes, signer: str, allowed_signers: Path) -> str:
    """Verify that a signer whose key a file of allowed signers has signed a manifest; OpenSSH's words about it."""
    if not allowed_signers.is_file():
        raise SourceError(f"{allowed_signers}: there is no such file of allowed signers")
    words = ["-Y", "verify", "-n", NAMESPACE, "-f", str(allowed_signers.absolute()), f"-I{signer}"]
    return _verify(words, manifest, signature, f"the signature is not one of {signer}")


def check(manifest: bytes, signature: bytes) -> str:
    """Check that a signature is one of the manifest, whoever's key made it; OpenSSH's words name the key."""
    return _verify(["-Y", "check-novalidate", "-n", NAMESPACE], manifest, signature, "the signature is not sound")


def _verify(words: list[str], manifest: bytes, signature: bytes, complaint: str) -> str:
    with TemporaryDirectory(prefix="lagbook-") as folder:
        file = Path(folder) / "signature"
        file.write_bytes(signature)
        return _run([*words, "-s", str(file)], manifest, complaint)


def _run(words: list[str], content: bytes, complaint: str) -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise SignatureError("signatures need ssh-keygen, which OpenSSH brings along (8.2 or later)")
    try:
        done = subprocess.run([program, *words], input=content, capture_output=True, timeout=_PATIENCE_S, check=False)  # noqa: S603 - fixed words, and no shell
    except subprocess.TimeoutExpired as error:
        raise SignatureError(f"{complaint}: ssh-keygen did not answer for {_PATIENCE_S} s") from error
    if done.returncode:
        reason = (done.stderr or done.stdout).decode("utf-8", "replace")
        raise SignatureError(f"{complaint}: {sentence(Exception(reason))[:_LONGEST_REASON]}")
    return done.stdout.decode("utf-8", "replace").strip()
