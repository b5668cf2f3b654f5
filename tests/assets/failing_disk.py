"""A disk that has room for so many bytes more, or that refuses every so many operations: for the tests of faults.

Put here only how it fails. What must hold afterwards belongs in the tests.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import fs

if TYPE_CHECKING:
    from collections.abc import Callable


class FailingDisk(fs.FileSystemHandler):  # type: ignore[misc]
    """This machine's disk, which is full after so many written bytes, and fails each `every`th operation."""

    def __init__(self, room_bytes: int | None = None, every: int | None = None) -> None:
        """Say how much fits on it, and how often it fails."""
        self.room_bytes, self.every, self.operations = room_bytes, every, 0
        self._disk = fs.LocalFileSystem()

    def locate(self, path: str) -> tuple[fs.FileSystem, str]:
        """Stand in for `assets.storage.warehouse.locate`."""
        return fs.PyFileSystem(self), path

    def take(self, size_bytes: int) -> None:
        """Take room for what is written."""
        if self.room_bytes is None:
            return
        self.room_bytes -= size_bytes
        if self.room_bytes < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _do(self, operation: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the disk gives
        self.operations += 1
        if self.every is not None and self.operations % self.every == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return operation()

    def get_type_name(self) -> str:
        """Name the kind of file system."""
        return "failing"

    def normalize_path(self, path: str) -> str:
        """Leave a path as it is."""
        return path

    def get_file_info(self, paths: list[str]) -> Any:  # noqa: ANN401
        """Say what is there."""
        return self._do(lambda: self._disk.get_file_info(paths))

    def get_file_info_selector(self, selector: fs.FileSelector) -> Any:  # noqa: ANN401
        """Say what is below a folder."""
        return self._do(lambda: self._disk.get_file_info(selector))

    def create_dir(self, path: str, recursive: bool) -> None:  # noqa: FBT001 - pyarrow's signature
        """Make a folder."""
        self._do(lambda: self._disk.create_dir(path, recursive=recursive))

    def delete_dir(self, path: str) -> None:
        """Delete a folder."""
        self._do(lambda: self._disk.delete_dir(path))

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:  # noqa: FBT001, FBT002
        """Empty a folder."""
        self._do(lambda: self._disk.delete_dir_contents(path, missing_dir_ok=missing_dir_ok))

    def delete_root_dir_contents(self) -> None:
        """Nobody asks for that."""
        raise NotImplementedError

    def delete_file(self, path: str) -> None:
        """Delete a file."""
        self._do(lambda: self._disk.delete_file(path))

    def move(self, src: str, dest: str) -> None:
        """Move a file."""
        self._do(lambda: self._disk.move(src, dest))

    def copy_file(self, src: str, dest: str) -> None:
        """Copy a file."""
        self._do(lambda: self._disk.copy_file(src, dest))

    def open_input_stream(self, path: str) -> Any:  # noqa: ANN401
        """Open a file to read it through."""
        return self._do(lambda: self._disk.open_input_stream(path))

    def open_input_file(self, path: str) -> Any:  # noqa: ANN401
        """Open a file to read it anywhere."""
        return self._do(lambda: self._disk.open_input_file(path))

    def open_output_stream(self, path: str, metadata: Any) -> Any:  # noqa: ANN401, ARG002
        """Open a file to write it."""
        return pa.PythonFile(_Written(self, self._do(lambda: self._disk.open_output_stream(path))), "w")

    def open_append_stream(self, path: str, metadata: Any) -> Any:  # noqa: ANN401
        """Nobody appends."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        """Tell one disk from another."""
        return self is other

    def __hash__(self) -> int:
        """Let it be a key."""
        return id(self)


class _Written:
    """A file that is written as far as there is room."""

    def __init__(self, disk: FailingDisk, stream: Any) -> None:  # noqa: ANN401 - pyarrow has no types
        self._disk, self._stream = disk, stream
        self.closed = False

    def write(self, content: Any) -> int:  # noqa: ANN401 - whatever bytes come
        self._disk.take(len(content))
        return int(self._stream.write(content))

    def flush(self) -> None:
        self._stream.flush()

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True
        self._stream.close()
