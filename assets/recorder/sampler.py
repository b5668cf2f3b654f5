"""What brokers say of log ends and settings, asked for every so many seconds by a thread of its own.

Put here what is asked and what is new of it. The form of the files belongs in `parsers.files.samples`.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, TYPE_CHECKING, Final

from assets.ingest.live.access import connect
from assets.recorder.durable import sync_folder
from parsers.errors import SourceError
from parsers.files.samples import FOLDER, SUFFIX, EndSample, ResourceSample, Round, to_line
from parsers.files.setting_names import SETTINGS, select_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import Bounds, LiveCluster, Topic
    from assets.recorder.status import Status

FILE_BYTES: Final = 64 << 20
FILE_S: Final = 86_400.0
NOTHING: Final = (None, None, None)


@dataclass(slots=True)
class SampleFile:
    """The file of samples that is written; a new one begins with all that is said."""

    folder: Path
    _file: IO[str] | None = None
    _begun_s: float = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the next round belongs into a new file."""
        return self._file is None or self._file.tell() > FILE_BYTES or time.time() - self._begun_s > FILE_S

    def begin(self) -> None:
        """Begin a new file."""
        self.close()
        self.folder.mkdir(exist_ok=True, mode=0o750)
        self._begun_s = time.time()
        self._file = (self.folder / f"{int(self._begun_s * 1000):015d}{SUFFIX}").open("x", encoding="ascii")
        sync_folder(self.folder)

    def append(self, one: Round) -> None:
        """Write a round and have it on disk."""
        if self._file is not None:
            self._file.write(to_line(one))
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


@dataclass(slots=True)
class Sampler:
    """Asks a cluster where its logs begin and end and what is set, and writes down what changed."""

    access: Access
    directory: Path
    every_s: float
    status: Status
    say: Callable[[str], None]
    has_asked: bool = False
    _ends: dict[tuple[str, int], EndSample] = field(default_factory=dict)
    _resources: dict[tuple[str, str], ResourceSample] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)
    _cluster: LiveCluster | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ask again and again while it lasts, beside whatever else happens."""
        thread = threading.Thread(target=self._run, name="samples", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(timeout=1.0)

    def _run(self) -> None:
        file = SampleFile(self.directory / FOLDER)
        while not self._stop.is_set():
            began = time.monotonic()
            self._attempt(file)
            self.has_asked = True
            self._stop.wait(max(self.every_s - (time.monotonic() - began), 0.0))
        file.close()
        self._let_go()

    def _attempt(self, file: SampleFile) -> None:
        """One round; what goes wrong is said once and tried again in the next."""
        try:
            self._cluster = self._cluster or connect(self.access)
            self._ask(self._cluster, file)
        except (SourceError, OSError, RuntimeError) as error:
            if self.status.fails("samples", "", f"log ends are not sampled: {error}"):
                self.say(f"log ends are not sampled: {error}")
            file.close()
            self._let_go()
        else:
            self.status.last_sample_s = time.time()
            if self.status.works("samples"):
                self.say("log ends are sampled again")

    def _ask(self, cluster: LiveCluster, file: SampleFile) -> None:
        topics, asked_ms = cluster.topics(), _now_ms()
        bounds = cluster.bounds(chain.from_iterable(topic.partitions for topic in topics))
        answered_ms = _now_ms()
        ends = {(one.topic, one.partition): one for topic in topics for one in _end_samples(topic, bounds)}
        resources = {(one.resource_type, one.resource_name): one for one in _resources(cluster, topics)}
        if is_full := file.is_due:
            self._ends, self._resources = {}, {}
            file.begin()
        round_result = Round(
            asked_ms,
            answered_ms,
            is_full,
            tuple(one for key, one in ends.items() if self._ends.get(key) != one),
            tuple(key for key in self._ends if key not in ends),
            tuple(one for key, one in resources.items() if self._resources.get(key) != one),
        )
        if is_full or round_result.ends or round_result.silent or round_result.resources:
            file.append(round_result)
        self._ends, self._resources = ends, self._resources | resources
        self.status.sample_rows += len(round_result.ends)

    def _let_go(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None


def _end_samples(topic: Topic, bounds: dict[tuple[str, int], Bounds]) -> Iterator[EndSample]:
    for one in topic.partitions:
        bound = bounds.get((topic.name, one.number))
        numbers = (bound.log_start, bound.high_watermark, bound.last_stable) if bound else NOTHING
        place = (topic.name, one.number, topic.topic_id, len(topic.partitions))
        yield EndSample(*place, one.leader, one.leader_epoch, *numbers)


def _resources(cluster: LiveCluster, topics: list[Topic]) -> Iterator[ResourceSample]:
    """The settings that are kept, of all who may be asked for them."""
    for one in cluster.settings([topic.name for topic in topics], SETTINGS):
        if one.settings is not None:
            yield ResourceSample(one.resource_type, one.resource_name, select_settings(one.settings))


def _now_ms() -> int:
    return int(time.time() * 1000)
