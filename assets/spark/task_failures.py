"""Why work on Spark's workers failed: one sentence that names the piece of work and the cause.

Put here how a failure is put into words. Tasks are run by `assets.spark.tasks`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OURS: Final = re.compile(r"^parsers\.errors\.\w+: ", re.MULTILINE)
_TASK: Final = re.compile(r"Task (\d+) in stage \S+ failed (\d+) times")
_DIED: Final = re.compile(
    r"Python worker (?:exited unexpectedly|failed to connect back)"
    r"|Lost task [^\n]*: java\.(?:net\.Socket|io\.EOF)Exception"
)
"""Spark's messages about a worker that is gone: while it waits for an answer, starts one, or sends it work."""
_LAST_FAILURE: Final = re.compile(r"most recent failure: Lost task [^\n]*? executor \w+\): ([^\n]+)")
_JAVA_MEMORY: Final = re.compile(r"java\.lang\.OutOfMemoryError: [^\n]*")
_JAVA_GONE: Final = ("Py4JNetworkError", "ConnectionRefusedError")
_MEMORY_EVENTS: Final = (Path("/sys/fs/cgroup/memory.events"), Path("/proc/vmstat"))
"""Where Linux counts the processes that it killed for want of memory: of this container, of this machine."""
_OOM_KILLS: Final = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@contextmanager
def in_task(name: str) -> Iterator[None]:
    """On a worker: an error that is no sentence yet becomes one that names this piece of work."""
    try:
        yield
    except (LagbookError, OSError):
        raise
    except MemoryError as error:
        raise LagbookError(f"{name}: a worker's Python ran out of memory") from error
    except Exception as error:
        raise LagbookError(f"{name}: {type(error).__name__}: {str(error) or 'without a reason'}") from error


@contextmanager
def of_tasks(name_of: Callable[[int], str]) -> Iterator[None]:
    """In the driver: turn Spark's error about a failed task into a sentence that names its piece of work."""
    kills_before = oom_kills()
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")) or _OURS.search(str(error)):
            raise
        text, is_short_of_memory = f"{type(error).__name__}: {error}", oom_kills() > kills_before
        raise LagbookError(_sentence(text, name_of, is_short_of_memory=is_short_of_memory)) from error


def oom_kills() -> int:
    """The number of processes that Linux has killed for want of memory; 0 where it has no count."""
    counts = (_OOM_KILLS.search(file.read_text(encoding="ascii")) for file in _MEMORY_EVENTS if file.is_file())
    return sum(int(count[1]) for count in counts if count)


def _sentence(text: str, name_of: Callable[[int], str], *, is_short_of_memory: bool) -> str:
    task = _TASK.search(text)
    work = name_of(int(task[1])) if task else "the work of Spark's tasks"
    times = f" {task[2]} times" if task else ""
    if memory := _JAVA_MEMORY.search(text):
        return f"{work}: Spark's Java ran out of memory ({memory[0]})"
    if _DIED.search(text):
        cause = "this machine ran out of memory" if is_short_of_memory else "by a signal, or for want of memory"
        return f"{work}: the Python process of the task was killed{times}: {cause}"
    if text.startswith(_JAVA_GONE):
        cause = "this machine ran out of memory" if is_short_of_memory else "it was killed, or ran out of memory"
        return f"Spark's Java process ended in the midst of the work: {cause}"
    return f"{work} failed{times}: {_reason(text)}"


def _reason(text: str) -> str:
    """The innermost error that is named, without the page of Java around it."""
    errors = re.findall(r"^(?:Caused by: )?([A-Za-z_][\w.$]*(?:Error|Exception): .+)$", text, re.MULTILINE)
    last = _LAST_FAILURE.search(text)
    return errors[-1] if len(errors) > 1 else last[1] if last else text.strip().partition("\n")[0]
