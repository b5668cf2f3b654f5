"""A file system that is asked something: a file that can't be read, told apart from a store that does not answer.

Put here which failures pass and how long they are waited for. What is asked is said in `parsers.sources`.
"""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Final, TypeVar

from pyarrow import fs

from parsers.errors import SourceError, StoreError, VanishedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Given = TypeVar("Given")

WAITS_S: Final = (0.5, 2.0, 8.0)
"""Between attempts; the clients of stores have tried for some seconds themselves each time."""

_OF_WHAT_WAS_ASKED_FOR: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
"""Behind a URL everything else is the store's: a timeout, a refusal, a token that ran out."""

_OF_THE_MACHINE: Final = frozenset(
    {
        errno.EAGAIN,
        errno.ECONNABORTED,
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.EMFILE,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOTCONN,
        errno.ESTALE,
        errno.ETIMEDOUT,
    }
)
"""Of a path everything else is the file's, a bad sector as well; these are the machine's, or of a disk behind a net."""


def is_failing(system: fs.FileSystem, error: OSError) -> bool:
    """Whether it is the store that fails, and not what was asked for."""
    if isinstance(system, fs.LocalFileSystem):
        return error.errno in _OF_THE_MACHINE
    return error.errno not in _OF_WHAT_WAS_ASKED_FOR


def patiently(system: fs.FileSystem, question: Callable[[], Given], waits_s: Sequence[float] | None = None) -> Given:
    """What the file system answers, asked again while it is the store that fails; the last error is the caller's."""
    left_s = WAITS_S if waits_s is None else waits_s
    try:
        return question()
    except OSError as error:
        if not left_s or not is_failing(system, error):
            raise
    time.sleep(left_s[0])
    return patiently(system, question, left_s[1:])


def ask(system: fs.FileSystem, what: str, question: Callable[[], Given]) -> Given:
    """What the file system answers after some patience; `what` begins the sentence of an error."""
    try:
        return patiently(system, question)
    except OSError as error:
        raise _kind(system, error)(f"{what}: {error}") from error


def _kind(system: fs.FileSystem, error: OSError) -> type[SourceError]:
    if is_failing(system, error):
        return StoreError
    return VanishedError if error.errno == errno.ENOENT else SourceError
