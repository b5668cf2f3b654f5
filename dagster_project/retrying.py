"""The wait before a failed refresh is retried: a minute, doubled with each further failure.

Put here how failures count and what a new try is called. When a refresh is asked for at all belongs in
`dagster_project.automation`.
"""

from __future__ import annotations

import time
from datetime import datetime, timezone
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import dagster as dg

from dagster_project.places import PARTITION_TAG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORK_TAG: Final = "lagbook/work"
"""Tag of each run that the sensor requests: the fingerprint of its work."""
FAILED: Final = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
FIRST_WAIT_S: Final = 60
LONGEST_WAIT_S: Final = 3600
LOOKED_AT: Final = 10
"""So many failures in a row already make it wait longest."""


def request(
    instance: dg.DagsterInstance, job_name: str, work: str, partition: str | None = None
) -> dg.RunRequest | dg.SkipReason:
    """Request a run for this work, or skip with the time until which it waits after failures.

    Dagster starts no second run under one key, however the first one ended. Partitions wait for themselves.
    """
    tags = {} if partition is None else {PARTITION_TAG: partition}
    failed = _failed_in_a_row(instance, job_name, tags)
    if failed and (again_s := _ended_s(failed[0]) + wait_s(len(failed))) > time.time():
        return _waiting(failed, again_s)
    tried = instance.get_runs_count(dg.RunsFilter(job_name=job_name, tags={WORK_TAG: work, **tags}, statuses=FAILED))
    key = work if partition is None else f"{partition}-{work}"
    return dg.RunRequest(f"{key}-{tried}" if tried else key, tags={WORK_TAG: work}, partition_key=partition)


def wait_s(failures: int) -> int:
    """The wait after so many failures in a row."""
    return int(min(FIRST_WAIT_S * 2 ** (failures - 1), LONGEST_WAIT_S))


def _failed_in_a_row(instance: dg.DagsterInstance, job_name: str, tags: Mapping[str, str]) -> list[dg.RunRecord]:
    """The failed runs of the sensor since its last success, the newest first."""
    ended = dg.RunsFilter(job_name=job_name, tags=dict(tags), statuses=[*FAILED, dg.DagsterRunStatus.SUCCESS])
    records = instance.get_run_records(ended, limit=LOOKED_AT)
    failed = takewhile(lambda record: record.dagster_run.status in FAILED, records)
    return [record for record in failed if WORK_TAG in record.dagster_run.tags]


def _ended_s(record: dg.RunRecord) -> float:
    return record.update_timestamp.timestamp() if record.end_time is None else record.end_time


def _waiting(failed: Sequence[dg.RunRecord], again_s: float) -> dg.SkipReason:
    again = datetime.fromtimestamp(again_s, timezone.utc)
    times = "failed" if len(failed) == 1 else f"failed, like {len(failed) - 1} before it"
    return dg.SkipReason(f"Run {failed[0].dagster_run.run_id} {times}: the next is asked for at {again:%H:%M:%SZ}.")
