"""How the partitions of a replay are shared out among Spark's tasks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assets.reconstruct.file_names import Place
from assets.reconstruct.plan import JOB_ROWS, TASK_ROWS, TASKS_EACH, Job, share_out


@given(st.lists(st.integers(0, 3 * TASK_ROWS), max_size=60), st.integers(1, 8))
def test_every_partition_is_in_one_task_and_tasks_have_like_work(rows: list[int], at_once: int) -> None:
    """As many tasks as can run at once have work, if there are partitions enough; none has much more than others."""
    jobs = [Job(Place("a", number), rows=count) for number, count in enumerate(rows)]
    tasks = share_out(jobs, at_once)
    assert sorted(job.place for task in tasks for job in task) == [job.place for job in jobs]
    assert len(tasks) >= min(len(jobs), TASKS_EACH * at_once)
    works = [sum(JOB_ROWS + job.rows for job in task) for task in tasks]
    assert works == sorted(works, reverse=True)
    assert all(
        len(task) == 1 or work <= TASK_ROWS + max(map(_cost, task)) for task, work in zip(tasks, works, strict=True)
    )


def _cost(job: Job) -> int:
    return JOB_ROWS + job.rows
