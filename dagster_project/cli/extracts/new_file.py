"""A new file that appears under its name when it is whole, and never takes the place of another.

Put here the appearing. What is written is decided by the caller.
"""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""The errors of file systems that know no second name of a file."""


def refuse_existing(path: Path) -> None:
    """Refuse a name that something has, a link that leads nowhere included."""
    if os.path.lexists(path):
        raise CallRefusedError(f"{safe(str(path))} exists, and is not written over: name another file.")


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A stream into a temporary file beside `path`, which gets that name at the end; after an error nothing is left."""
    refuse_existing(path)
    unfinished: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".lagbook-", suffix=".part", delete=False) as file:
            unfinished = Path(file.name)
            yield cast("BinaryIO", file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.chmod(0o666 & ~_umask())
        _name(unfinished, path)
    except OSError as error:
        raise CallRefusedError(f"{safe(str(path))} can't be written: {error.strerror or error}.") from error
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)


def _name(unfinished: Path, path: Path) -> None:
    """Give the file its name, unless something took it meanwhile; where links can't be made, by a rename."""
    try:
        os.link(unfinished, path)
    except OSError as error:
        refuse_existing(path)
        if error.errno not in _NO_LINKS:
            raise
        unfinished.rename(path)


def _umask() -> int:
    """What the user's settings take from a new file; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
