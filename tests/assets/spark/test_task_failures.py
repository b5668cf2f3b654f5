"""A task that fails for good is one sentence: which piece of work, and why."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]

from assets.spark import task_failures
from assets.spark.task_failures import in_task, of_tasks
from parsers.errors import LagbookError, SourceError

PIECES = ("__consumer_offsets-7 of cluster c", "__consumer_offsets-9 of cluster c")
ABORTED = (
    "An error occurred: Job aborted due to stage failure: Task 1 in stage 0.0 failed 4 times, most recent failure: "
)
CRASHED = f"{ABORTED}org.apache.spark.SparkException: Python worker exited unexpectedly (crashed).\n\tat a.b(C.scala:1)"
LOST = "Lost task 1.3 in stage 0.0 (TID 3) (localhost executor driver)"
RESET = f"{ABORTED}{LOST}: java.net.SocketException: Connection reset\n\tat a.b(C.scala:1)"
PLAIN = f"{ABORTED}{LOST}: java.lang.IllegalStateException: odd\n\tat a.b(C.scala:1)"
FULL = f"{ABORTED}java.lang.OutOfMemoryError: Java heap space\n\tat a.b(C.scala:1)"
ODD = (
    f"{ABORTED}java.lang.IllegalStateException: odd\n\tat a.b(C.scala:1)\nCaused by: x.InnerException: no way\n\t... 2"
)


def fail(error: Exception) -> None:
    """Let the tasks fail with this."""
    with of_tasks(PIECES.__getitem__):
        raise error


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            CRASHED,
            f"{PIECES[1]}: the Python process of the task was killed 4 times: by a signal, or for want of memory",
        ),
        (FULL, f"{PIECES[1]}: Spark's Java ran out of memory (java.lang.OutOfMemoryError: Java heap space)"),
        (RESET, f"{PIECES[1]}: the Python process of the task was killed 4 times: by a signal, or for want of memory"),
        (PLAIN, f"{PIECES[1]} failed 4 times: java.lang.IllegalStateException: odd"),
        (ODD, f"{PIECES[1]} failed 4 times: x.InnerException: no way"),
    ],
)
def test_what_spark_says_becomes_a_sentence(text: str, sentence: str) -> None:
    """The partition is that of the task's number, and the page of Java stays behind."""
    with pytest.raises(LagbookError) as caught:
        fail(Py4JError(text))
    assert str(caught.value) == sentence


def test_a_machine_that_ran_out_of_memory_is_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux counts whom it kills: where the count rose meanwhile, memory was short."""
    counts = iter((3, 4))
    monkeypatch.setattr(task_failures, "oom_kills", lambda: next(counts))
    with pytest.raises(LagbookError, match=r"was killed 4 times: this machine ran out of memory$"):
        fail(Py4JError(CRASHED))


def test_a_java_that_is_gone_is_told() -> None:
    """It can't say which task it was at."""
    with pytest.raises(LagbookError, match="Spark's Java process ended in the midst of the work"):
        fail(Py4JNetworkError("Answer from Java side is empty"))


def test_errors_that_are_sentences_stay() -> None:
    """Ours, those of the driver's own code, and those of ours that Spark hands on from a worker."""
    for error in (SourceError("a file is gone"), ZeroDivisionError("by zero"), Py4JError("\nparsers.errors.A: b\n")):
        with pytest.raises(type(error)) as caught:
            fail(error)
        assert caught.value is error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "a-1: a worker's Python ran out of memory"),
        (AssertionError(), "a-1: AssertionError: without a reason"),
        (ValueError("Column 'x' has nulls"), "a-1: ValueError: Column 'x' has nulls"),
        (SourceError("gone"), "gone"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_a_worker_names_what_it_was_at(error: Exception, sentence: str) -> None:
    """Errors that say nothing of where they happened get the name of the piece of work."""
    with pytest.raises((LagbookError, OSError)) as caught, in_task("a-1"):
        raise error
    assert str(caught.value) == sentence
