"""The file system of a store for Arrow's readers and writers, which repeats requests after passing errors.

Put here the repeated requests only. Which errors count as passing, and the waits between attempts, are in
`parsers.io_retry`. Arrow's own client does not ask again when the body of a refusal is larger than what was to be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import fs

from parsers.io_retry import patiently
from parsers.sources import ByteStream, Place, SeekableFile

if TYPE_CHECKING:
    from collections.abc import Sequence


def patient(system: fs.FileSystem) -> fs.FileSystem:
    """The same file system, with repeated requests."""
    return fs.PyFileSystem(_Patient(system))


class _Patient(fs.FileSystemHandler):  # type: ignore[misc]
    """Hands every question on, again and again if need be."""

    def __init__(self, system: fs.FileSystem) -> None:
        self._system = system

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Patient) and bool(self._system == other._system)

    def __hash__(self) -> int:
        return hash(self._system.type_name)

    def get_type_name(self) -> str:
        """The kind of store."""
        return f"patient {self._system.type_name}"

    def normalize_path(self, path: str) -> str:
        """The path as the store writes it."""
        return str(self._system.normalize_path(path))

    def get_file_info(self, paths: Sequence[str]) -> Any:  # noqa: ANN401 - pyarrow has no types
        """The file infos of these paths."""
        return patiently(self._system, lambda: self._system.get_file_info(paths))

    def get_file_info_selector(self, selector: fs.FileSelector) -> Any:  # noqa: ANN401
        """The file infos below a folder."""
        return patiently(self._system, lambda: self._system.get_file_info(selector))

    def create_dir(self, path: str, recursive: bool) -> None:  # noqa: FBT001 - Arrow's signature
        """Make a folder."""
        patiently(self._system, lambda: self._system.create_dir(path, recursive=recursive))

    def delete_dir(self, path: str) -> None:
        """Delete a folder and all in it."""
        patiently(self._system, lambda: self._system.delete_dir(path))

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:  # noqa: FBT001, FBT002
        """Delete all in a folder."""
        patiently(self._system, lambda: self._system.delete_dir_contents(path, missing_dir_ok=missing_dir_ok))

    def delete_root_dir_contents(self) -> None:
        """Refuse to delete everything."""
        raise NotImplementedError("nobody empties a whole store")

    def delete_file(self, path: str) -> None:
        """Delete a file."""
        patiently(self._system, lambda: self._system.delete_file(path))

    def move(self, src: str, dest: str) -> None:
        """Give a file another name."""
        patiently(self._system, lambda: self._system.move(src, dest))

    def copy_file(self, src: str, dest: str) -> None:
        """Copy a file within the store."""
        patiently(self._system, lambda: self._system.copy_file(src, dest))

    def open_input_file(self, path: str) -> pa.NativeFile:
        """A file to be read from anywhere; each read is patient."""
        handle = patiently(self._system, lambda: self._system.open_input_file(path))
        source = SeekableFile(path, Place(path, self._system, path), handle, handle.size())
        return pa.PythonFile(ByteStream(source), mode="r")

    def open_input_stream(self, path: str) -> pa.NativeFile:
        """A file to be read from its beginning."""
        return self.open_input_file(path)

    def open_output_stream(self, path: str, metadata: Any) -> pa.NativeFile:  # noqa: ANN401
        """A new file to be written."""
        return patiently(self._system, lambda: self._system.open_output_stream(path, metadata=metadata))

    def open_append_stream(self, path: str, metadata: Any) -> pa.NativeFile:  # noqa: ANN401
        """A file to be written on from its end."""
        return patiently(self._system, lambda: self._system.open_append_stream(path, metadata=metadata))
