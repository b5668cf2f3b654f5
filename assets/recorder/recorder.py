"""The recorder's loop: follow, flush, keep house, say how it is, until somebody asks it to end.

Put here what happens when. How partitions are followed belongs in `assets.recorder.follower`.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from assets.metrics.serving import Answers, serving
from assets.recorder.directory import RecordDirectory
from assets.recorder.follower import Follower
from assets.recorder.housekeeping import delete_old
from assets.recorder.log_writer import LogWriter
from assets.recorder.metrics import metrics
from assets.recorder.sampler import Sampler
from assets.recorder.status import Status
from assets.recorder.status_file import write_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from assets.ingest.live.access import Access
    from assets.recorder.housekeeping import Retention
    from assets.recorder.segments import Rolling

TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")
STATUS_S: Final = 5.0
RETENTION_S: Final = 60.0
LAST_WORD_S: Final = 4.0
"""After a signal: a broker that does not answer may hold up the end of the process no longer."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a recorder is told."""

    access: Access
    to: Path
    rolling: Rolling
    retention: Retention
    sync_s: float
    sample_s: float
    metrics_port: int
    header_patterns: tuple[str, ...] = ()
    """Data topics of which the headers of batches are recorded, by name or pattern."""
    is_once: bool = False
    """Whether it ends when all is recorded that was there when it began, or when that takes too long to come."""


@dataclass(slots=True)
class Timer:
    """Says when something is due that is done every so many seconds."""

    every_s: float
    next_s: float = field(default_factory=time.monotonic)

    def is_due(self) -> bool:
        """Whether it is due; it counts as done then."""
        if time.monotonic() < self.next_s:
            return False
        self.next_s = time.monotonic() + self.every_s
        return True


def record(settings: Settings, say: Callable[[str], None], progress: Callable[[Status], None]) -> Status:
    """Record until SIGTERM or SIGINT, or until caught up; what was recorded is on disk when it returns."""
    status, ending = Status(settings.access.name), threading.Event()
    with ExitStack() as ends:
        directory = ends.enter_context(RecordDirectory(settings.to, settings.rolling))
        follower = Follower(settings.access, TOPICS, LogWriter(directory, status, say), settings.header_patterns)
        ends.callback(follower.close)
        follower.connect()

        def last_word() -> None:
            directory.sync()
            write_status(settings.to, status, is_running=False)

        ends.callback(last_word)
        if settings.metrics_port:
            answers = Answers(partial(metrics, status), status.health)
            ends.enter_context(serving(answers, settings.metrics_port))
        sampler = Sampler(settings.access, settings.to, settings.sample_s, status, say)
        ends.enter_context(sampler.running())
        ends.enter_context(ended_by_signals(ending, last_word))
        _loop(settings, follower, sampler, ending, progress)
    return status


def _loop(
    settings: Settings,
    follower: Follower,
    sampler: Sampler,
    ending: threading.Event,
    progress: Callable[[Status], None],
) -> None:
    flush, tell, retain = Timer(settings.sync_s), Timer(STATUS_S), Timer(RETENTION_S)
    status, directory = follower.writer.status, follower.writer.directory
    while not ending.is_set():
        follower.turn()
        if flush.is_due() and directory.sync():
            status.last_sync_s = time.time()
        if retain.is_due():
            status.segments_deleted += delete_old(directory, settings.retention)
        if tell.is_due():
            write_status(settings.to, status, is_running=True)
        progress(status)
        if settings.is_once and (not status.health()[0] or (follower.is_caught_up and sampler.has_asked)):
            return


@contextmanager
def ended_by_signals(ending: threading.Event, last_word: Callable[[], None]) -> Iterator[None]:
    """Set `ending` on SIGTERM and SIGINT; a loop that waits for a broker then is left behind after a while.

    What was recorded is written by then, and flushed by the last word, so nothing is lost.
    """

    def leave() -> None:
        last_word()
        os._exit(0)

    patience = threading.Timer(LAST_WORD_S, leave)
    patience.daemon = True

    def ask_to_end(_number: int, _frame: FrameType | None) -> None:
        if not ending.is_set():
            ending.set()
            patience.start()

    before = {one: signal.signal(one, ask_to_end) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        patience.cancel()
