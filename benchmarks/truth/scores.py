"""What a warehouse claims, held against what truly happened: one score per group and kind.

Counting belongs here. Where claims and truth come from is in `claims` and `truths`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.truth.claims import KINDS, length
from benchmarks.truth.truths import offsets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from assets.arrays.columns import Mask
    from benchmarks.truth.claims import Claim, Incident, Range
    from benchmarks.truth.truths import Key, Truth
    from parsers.words import Int64Array

FACTOR: Final = 2
"""An estimate is right that is neither more nor less than so many times the truth."""
SLACK_MS: Final = 2000
"""Members write down what they process a little before or after the coordinator writes what it tells of it."""


@dataclass(frozen=True)
class Score:
    """Counts; those of several groups add up."""

    true_offsets: int = 0
    """Offsets that were truly read again, or truly missed."""
    unrecorded_offsets: int = 0
    """Others, of which no record of the offsets topic tells."""
    covered_offsets: int = 0
    """Those that are true and in a possible range."""
    certain_offsets: int = 0
    """Offsets in certain ranges."""
    false_offsets: int = 0
    """Those of them that truth contradicts."""
    likely_rows: int = 0
    right_rows: int = 0
    likely_sentences: int = 0
    right_sentences: int = 0
    estimate_sum: int = 0
    """Sum of the estimates of all rows; what is certain where there is no estimate."""
    truth_sum: int = 0
    """What the estimates should sum up to: an offset that was read three times counts twice."""
    possible_sum: int = 0
    """Sum of the possible ranges that have an end."""
    control_incidents: int = 0
    """Incidents of groups that nothing was done to and that read all once."""

    def __add__(self, other: Score) -> Score:
        """Both together."""
        return Score(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Score)))


@dataclass(frozen=True)
class Judgement:
    """What one likely row or sentence says, and what is true in its place."""

    what: str
    estimate: float
    truth: int

    @property
    def is_right(self) -> bool:
        """Whether the estimate is within the factor."""
        return self.truth > 0 and self.estimate <= FACTOR * self.truth and self.truth <= FACTOR * self.estimate


@dataclass(frozen=True)
class Board:
    """All that one capture of one recording claims, and the truth of it."""

    truths: Mapping[Key, Truth]
    claims: Sequence[Claim]
    incidents: Sequence[Incident]
    undisturbed: Collection[str] = ()
    unrecorded: Collection[tuple[str, str]] = ()
    """Groups and kinds of which no record tells what happened."""

    def scores(self) -> dict[tuple[str, str], Score]:
        """By group and kind; groups of which no truth is known are left out."""
        groups = sorted({key.group for key in self.truths})
        return {(group, kind): self._score(group, kind) for group in groups for kind in KINDS}

    def _score(self, group: str, kind: str) -> Score:
        of_group = [claim for claim in self.claims if claim.kind == kind and claim.key.group == group]
        rows, sentences = self.rows(group, kind), self.sentences(group, kind)
        return Score(
            **self._offsets(group, kind, of_group),
            likely_rows=len(rows),
            right_rows=sum(one.is_right for one in rows),
            likely_sentences=len(sentences),
            right_sentences=sum(one.is_right for one in sentences),
            estimate_sum=int(sum(claim.amount for claim in of_group)),
            possible_sum=int(sum(length(claim.possible) for claim in of_group if claim.possible[1] != float("inf"))),
            control_incidents=self._control_incidents(group, kind),
        )

    def _offsets(self, group: str, kind: str, of_group: Sequence[Claim]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for key, truth in self.truths.items():
            if key.group == group:
                here = [claim for claim in of_group if claim.key == key]
                counts.update(_of_key(truth, kind, here))
        if (group, kind) in self.unrecorded:
            counts.update({"unrecorded_offsets": counts["true_offsets"]})
            counts -= Counter({name: counts[name] for name in ("true_offsets", "covered_offsets", "truth_sum")})
        return dict(counts)

    def rows(self, group: str, kind: str) -> list[Judgement]:
        """Every likely row of a group."""
        return [
            Judgement(f"{claim.key.topic}-{claim.key.partition} {claim.possible}", claim.amount, self.true_in([claim]))
            for claim in self.claims
            if claim.kind == kind and claim.key.group == group and claim.certainty == "likely"
        ]

    def sentences(self, group: str, kind: str) -> list[Judgement]:
        """Every likely incident of a group."""
        return [
            Judgement(one.title, one.estimate_offsets or 0, self.true_in(self._claims_of(one)))
            for one in self.incidents
            if one.kind == kind and one.group == group and one.certainty == "likely"
        ]

    def _claims_of(self, incident: Incident) -> list[Claim]:
        return [one for one in self.claims if one.incident_id == incident.incident_id and one.kind == incident.kind]

    def true_in(self, claims: Sequence[Claim]) -> int:
        """How much truly happened in the possible ranges of claims, in the time that each is about."""
        return sum(
            true_of_key(self.truths[key], [claim for claim in claims if claim.key == key])
            for key in {claim.key for claim in claims} & self.truths.keys()
        )

    def _control_incidents(self, group: str, kind: str) -> int:
        """Those of other kinds than skip and replay count as replays."""
        is_control = group in self.undisturbed and not any(
            truth.again.size or truth.known_missed.size for key, truth in self.truths.items() if key.group == group
        )
        of_group = [one for one in self.incidents if one.group == group] if is_control else []
        return sum((one.kind == "skip") == (kind == "skip") for one in of_group)


def _of_key(truth: Truth, kind: str, here: Sequence[Claim]) -> dict[str, int]:
    is_replay = kind == "replay"
    true = np.unique(truth.again[:, 0]) if is_replay else truth.known_missed
    certain = offsets((claim.certain[0], int(claim.certain[1])) for claim in here if claim.certain)
    is_true = np.isin(certain, true) if is_replay else truth.is_unread(certain)
    return {
        "true_offsets": true.size,
        "covered_offsets": int(within(true, [claim.possible for claim in here]).sum()),
        "certain_offsets": certain.size,
        "false_offsets": int((~is_true).sum()),
        "truth_sum": truth.again.shape[0] if is_replay else true.size,
    }


def true_of_key(truth: Truth, here: Sequence[Claim]) -> int:
    """How much truly happened in the possible ranges of claims about one key; what several claims hold counts once."""
    if here[0].kind == "skip":
        ranges = [claim.possible for claim in here]
        ended = offsets((start, int(end)) for start, end in ranges if end != float("inf"))
        return int(np.union1d(ended[truth.is_unread(ended)], truth.missed[within(truth.missed, ranges)]).size)
    is_meant = np.zeros(truth.again.shape[0], np.bool_)
    for claim in here:
        is_meant |= truth.is_reread(claim.possible, claim.from_ms - SLACK_MS, claim.to_ms + SLACK_MS)
    return int(is_meant.sum())


def within(numbers: Int64Array, ranges: Iterable[Range]) -> Mask:
    """Which offsets lie in one of some half-open ranges."""
    inside: Mask = np.zeros(numbers.size, np.bool_)
    for start, end in ranges:
        inside |= (numbers >= start) & (numbers < end)
    return inside
