"""Every table's expectations, by the table's name.

Put names together here. A rule itself belongs in the module of its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from expectations import (
    abandoned,
    assignments,
    batches,
    commit_cadence,
    commits,
    completeness,
    coordinator_log,
    diverged,
    diverged_batches,
    diverged_records,
    expiry_forecast,
    generations,
    group_states,
    lag_now,
    log_ends,
    log_samples,
    members,
    offset_records,
    offsets_now,
    offsets_topic_bill,
    offsets_topic_cleaning,
    open_transactions,
    owner_conflicts,
    ownership,
    producer_duplicates,
    quarantine,
    rebalances,
    recorded_states,
    replays,
    retirements,
    segments,
    skips,
    subscriptions,
    topic_names,
    topics,
    transactions,
)

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "raw.segments": segments.EXPECTATIONS,
    "raw.offset_records": offset_records.EXPECTATIONS,
    "raw.batches": batches.EXPECTATIONS,
    "raw.diverged_records": diverged_records.EXPECTATIONS,
    "raw.diverged_batches": diverged_batches.EXPECTATIONS,
    "raw.quarantine": quarantine.EXPECTATIONS,
    "raw.log_samples": log_samples.EXPECTATIONS,
    "raw.coordinator_log": coordinator_log.EXPECTATIONS,
    "raw.retirements": retirements.EXPECTATIONS,
    "core.commits": commits.EXPECTATIONS,
    "core.transactions": transactions.EXPECTATIONS,
    "core.generations": generations.EXPECTATIONS,
    "core.members": members.EXPECTATIONS,
    "core.recorded_states": recorded_states.EXPECTATIONS,
    "core.group_states": group_states.EXPECTATIONS,
    "core.subscriptions": subscriptions.EXPECTATIONS,
    "core.assignments": assignments.EXPECTATIONS,
    "core.ownership": ownership.EXPECTATIONS,
    "core.topic_names": topic_names.EXPECTATIONS,
    "core.topics": topics.EXPECTATIONS,
    "core.log_ends": log_ends.EXPECTATIONS,
    "mart.offsets_now": offsets_now.EXPECTATIONS,
    "mart.lag_now": lag_now.EXPECTATIONS,
    "mart.rebalances": rebalances.EXPECTATIONS,
    "mart.replays": replays.EXPECTATIONS,
    "mart.skips": skips.EXPECTATIONS,
    "mart.diverged": diverged.EXPECTATIONS,
    "mart.producer_duplicates": producer_duplicates.EXPECTATIONS,
    "mart.owner_conflicts": owner_conflicts.EXPECTATIONS,
    "mart.completeness": completeness.EXPECTATIONS,
    "mart.commit_cadence": commit_cadence.EXPECTATIONS,
    "mart.open_transactions": open_transactions.EXPECTATIONS,
    "mart.expiry_forecast": expiry_forecast.EXPECTATIONS,
    "mart.abandoned": abandoned.EXPECTATIONS,
    "mart.offsets_topic_bill": offsets_topic_bill.EXPECTATIONS,
    "mart.offsets_topic_cleaning": offsets_topic_cleaning.EXPECTATIONS,
}
