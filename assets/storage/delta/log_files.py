"""Files of a Delta log by their names: commits and checkpoints, and which of them a reader of the log needs.

Put here what names say. What is in a commit is read in `commit_files`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyarrow import fs

LAST: Final = (1 << 63) - 1
"""Above every commit."""
_NAME: Final = re.compile(r"(\d{20})\.(json|checkpoint\.parquet)")


class LogFile(NamedTuple):
    """A commit of a log, or a checkpoint of all commits up to one."""

    version: int
    name: str

    @property
    def is_checkpoint(self) -> bool:
        """Whether it is a checkpoint."""
        return not self.name.endswith(".json")


def log_file(name: str) -> LogFile | None:
    """The file that a name in a log's folder is of; None for notes, pointers and whatever others put there."""
    match = _NAME.fullmatch(name)
    return match and LogFile(int(match[1]), name)


def files_read(system: fs.FileSystem, log: str, up_to: int = LAST) -> list[LogFile]:
    """The newest checkpoint of a log up to a commit, and the commits from there on, in order."""
    infos = system.get_file_info(fs.FileSelector(log, allow_not_found=True))
    files = sorted(file for info in infos if (file := log_file(info.base_name)) and file.version <= up_to)
    newest = max((file.version for file in files if file.is_checkpoint), default=0)
    return [file for file in files if file.version >= newest]
