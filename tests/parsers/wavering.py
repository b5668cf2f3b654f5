"""A store that fails when it is told to: it stands for S3 and its like, and holds what lies on this disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyarrow import fs

from parsers.sources import Place

if TYPE_CHECKING:
    from collections.abc import Callable

SLOW_DOWN = OSError("AWS Error SLOW_DOWN during GetObject operation: m")
"""As Arrow's client of S3 raises it: without a number."""


@dataclass
class Wavering:
    """A file system that is not on this disk as far as anybody can tell; `answers` come first, in their order.

    An answer is an error that is raised, or a number of bytes that a read gives at most.
    """

    answers: list[OSError | int] = field(default_factory=list)
    questions: int = 0
    disk: fs.FileSystem = field(default_factory=fs.LocalFileSystem)

    def get_file_info(self, named: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Say what is there."""
        return self.disk.get_file_info(named)

    def open_input_file(self, path: str) -> WaveringFile:
        """Open a file."""
        opened: WaveringFile = self.answer(lambda _most: WaveringFile(self, self.disk.open_input_file(path)))
        return opened

    def answer(self, truly: Callable[[int | None], Any]) -> Any:  # noqa: ANN401 - whatever was asked for
        """Give the next answer that was laid down, or the true one."""
        self.questions += 1
        error = self.answers.pop(0) if self.answers else None
        if isinstance(error, OSError):
            raise error
        return truly(error)

    def place(self, path: str) -> Place:
        """A path as a place of this store."""
        return Place(path, self, path)


@dataclass
class WaveringFile:
    """A file of such a store."""

    store: Wavering
    handle: Any

    def size(self) -> int:
        """Its size."""
        return int(self.handle.size())

    def read_at(self, length: int, position: int) -> bytes:
        """Bytes of it."""
        return bytes(self.store.answer(lambda most: self.handle.read_at(length if most is None else most, position)))

    def close(self) -> None:
        """Let go of it."""
        self.handle.close()
