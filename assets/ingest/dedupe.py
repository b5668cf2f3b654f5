"""What of the rows that were read is new, what the archive has already, and what contradicts it.

Put here the comparison of rows under one identity. Where they go afterwards is decided in `assets.ingest.worker`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from assets.arrays.mask_filter import picked
from assets.catalog import TABLES
from assets.catalog.raw import TOLD_BY
from assets.storage.data_files import as_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from assets.catalog import Table
    from assets.ingest.copies import Part
    from parsers.files.discovery import SegmentFile

    Offsets = NDArray[np.int64]
    Mask = NDArray[np.bool_]

NOTHING: Final = np.empty(0, np.int64)
FAITHFUL: Final = frozenset(
    {"timestamp_ms", "key_bytes", "value_bytes", "group_id", "topic", "partition", "member_id", "regular_expression"}
)
"""What every release of Kafka's tools prints as it is; the rest of what text says may be a default or an older name."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two rows of a table the same record, and which columns they must then agree in."""

    table: str
    diverged: str
    partition: str
    offset: str
    batch_offset: str
    log_columns: Mapping[str, str]
    """The columns that name the log beside its partition, and what of a segment they say."""
    compared: tuple[str, ...]

    def place(self, segment: SegmentFile) -> dict[str, Any]:
        """What all rows of a segment have in common."""
        named = {column: getattr(segment, field) for column, field in self.log_columns.items()}
        return {"cluster": segment.cluster, self.partition: segment.partition, **named}

    def belongs(self, segment: SegmentFile) -> ds.Expression:
        """Which rows of the table are of the segment's log."""
        in_partition = (pc.field("cluster") == segment.cluster) & (pc.field(self.partition) == segment.partition)
        return in_partition & (pc.field("topic") == segment.topic) if "topic" in self.log_columns else in_partition


def _compared(table: Table, *, but: set[str]) -> tuple[str, ...]:
    return tuple(name for name in table.column_names if name not in {*table.key, *but})


RECORDS: Final = Identity(
    "raw.offset_records",
    "raw.diverged_records",
    "log_partition",
    "log_offset",
    "batch_base_offset",
    {},
    # The cleaner gives a batch its delete horizon; older formats' batches get another first offset.
    _compared(TABLES["raw.offset_records"], but={"batch_base_offset", "base_sequence", "delete_horizon_ms", TOLD_BY}),
)
BATCHES: Final = Identity(
    "raw.batches",
    "raw.diverged_batches",
    "partition",
    "base_offset",
    "base_offset",
    {"topic": "topic", "segment_base_offset": "base_offset"},
    # What the cleaner leaves as it is when it writes a batch of a compacted topic anew.
    ("last_offset", "leader_epoch", "producer_id", "producer_epoch", "is_transactional", "is_control", "base_sequence"),
)


def identity_of(segment: SegmentFile) -> Identity:
    """The identity of the rows that a segment gives."""
    return RECORDS if segment.is_offsets_topic else BATCHES


class Runs:
    """A set of offsets as half-open runs: a whole log is one run, however long."""

    def __init__(self, ascending: Offsets) -> None:
        """Take offsets in ascending order, each once."""
        edges = np.flatnonzero(np.diff(ascending) > 1) + 1
        self.starts = ascending[np.concatenate([[0], edges])] if len(ascending) else NOTHING
        self.ends = ascending[np.concatenate([edges, [len(ascending)]]) - 1] + 1 if len(ascending) else NOTHING

    def holds(self, offsets: Offsets) -> Mask:
        """Say which of the offsets are in the set."""
        if not len(self.starts) or not len(offsets) or offsets.min() >= self.ends[-1]:
            return np.zeros(len(offsets), np.bool_)
        at = np.searchsorted(self.starts, offsets, side="right") - 1
        return (at >= 0) & (offsets < self.ends[np.maximum(at, 0)])


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows of one part that are new, and those that say something else than what is kept under their identity.

    What a log says is new, too, where only a dump told of it before: it then takes the place of what was told.
    """

    part: Part
    new: pa.RecordBatch
    diverged: pa.RecordBatch
    shared_count: int
    """Rows whose identity was known already."""


class ArchivedRows:
    """The archive's rows of one partition, as far as they lie in a range of offsets."""

    def __init__(self, identity: Identity, belongs: ds.Expression, archived: Sequence[str]) -> None:
        """Name the archived files that may hold the partition, and which of their rows are its."""
        self._identity, self._belongs, self._archived = identity, belongs, list(archived)
        source_column = [TOLD_BY] if TOLD_BY in TABLES[identity.table].column_names else []
        self._columns = [identity.offset, *identity.compared, *source_column]
        self._runs = Runs(NOTHING)
        self._read_from: int | None = None

    def compare(self, parts: Sequence[Part]) -> Iterator[Comparison]:
        """Tell apart what several copies say of the same offsets: the first one to say it is kept."""
        low, high = min(int(part.offsets[0]) for part in parts), max(int(part.offsets[-1]) for part in parts)
        self._load_offsets(low)
        base = self._archived_rows(low, high) if any(self._runs.holds(part.offsets).any() for part in parts) else None
        for part in parts:
            is_known, differs, is_fuller = self._classify(base, part)
            new = part.rows if not is_known.any() else picked(part.rows, ~is_known | is_fuller)
            diverged = picked(part.rows, differs) if differs.any() else part.rows.slice(0, 0)
            yield Comparison(part, new, diverged, int(is_known.sum()))
            if part is not parts[-1]:
                base = self._with_rows(_without(base, part.offsets[is_fuller]), new, part.source)

    def _load_offsets(self, offset: int) -> None:
        """Read which offsets are archived: a grown file asks only for what comes after its old end."""
        if not self._archived or (self._read_from is not None and self._read_from <= offset):
            return
        column = self._identity.offset
        in_log = self._belongs & (pc.field(column) >= offset)
        archived = self._dataset().to_table(columns=[column], filter=in_log)
        self._runs, self._read_from = Runs(np.unique(archived.column(0).to_numpy().astype(np.int64))), offset

    def _archived_rows(self, low: int, high: int) -> pa.Table:
        """The archived rows of these offsets, one for each."""
        column = pc.field(self._identity.offset)
        in_range = self._belongs & (column >= low) & (column <= high)
        return self._dataset().to_table(columns=self._columns, filter=in_range).sort_by(self._identity.offset)

    def _dataset(self) -> ds.Dataset:
        return as_one(self._archived, TABLES[self._identity.table].schema)

    def _with_rows(self, base: pa.Table | None, rows: pa.RecordBatch, source: str | None) -> pa.Table:
        """What is kept so far, with these rows, in the order of offsets."""
        schema = _nullable(pa.schema([TABLES[self._identity.table].schema.field(name) for name in self._columns]))
        values = {name: _plain(rows.column(name)) for name in self._columns if name != TOLD_BY}
        sources = pa.repeat(pa.scalar(source, pa.string()), rows.num_rows)
        columns = [sources if name == TOLD_BY else values[name] for name in self._columns]
        added = pa.table(columns, names=self._columns).cast(schema)
        together = added if base is None else pa.concat_tables([base.cast(schema), added])
        return together.sort_by(self._identity.offset)

    def _classify(self, base: pa.Table | None, part: Part) -> tuple[Mask, Mask, Mask]:
        """Of each row: is its identity known, does what is known contradict it, is it fuller than what was told."""
        is_known, no_row = _known(base, part.offsets), np.zeros(len(part.offsets), np.bool_)
        if base is None or not is_known.any():
            return is_known, no_row, no_row
        at = pa.array(np.searchsorted(_offsets(base), part.offsets[is_known]))
        archived = base.take(at).combine_chunks()
        differs = self._differ(archived, part.rows.filter(pa.array(is_known)), part.source)
        is_fuller = ~differs & _is_from_dump(archived) if part.source is None else differs & False
        return is_known, _spread(is_known, differs), _spread(is_known, is_fuller)

    def _differ(self, archived: pa.Table, rows: pa.RecordBatch, source: str | None) -> Mask:
        """Which rows contradict what is kept; where a tool told either of them, only what both say is compared."""
        is_from_dump = _is_from_dump(archived) | (source is not None)
        is_text = source == "text" or (is_from_dump.any() and "text" in archived.column(TOLD_BY).unique().to_pylist())
        differs = np.zeros(rows.num_rows, np.bool_)
        for name in self._identity.compared:
            ours, theirs = _single_chunk(archived.column(name)), rows.column(name)
            if not is_from_dump.all():
                differs |= unequal(ours, theirs) & ~is_from_dump
            if is_from_dump.any() and not (is_text and name not in FAITHFUL):
                differs |= contradicts(ours, theirs) & is_from_dump
        return differs


def contradicts(ours: pa.Array, theirs: pa.Array) -> Mask:
    """Say row by row whether two columns say different things; a NULL, however deep, says nothing."""
    differs: Mask = unequal(ours, theirs) & ~_is_null(ours) & ~_is_null(theirs)
    if differs.any() and pa.types.is_nested(ours.type):
        pairs = zip(
            ours.filter(pa.array(differs)).to_pylist(), theirs.filter(pa.array(differs)).to_pylist(), strict=True
        )
        differs = _spread(differs, np.array([_contradict(own, other) for own, other in pairs], np.bool_))
    return differs


def _contradict(own: Any, other: Any) -> bool:  # noqa: ANN401 - what a column holds
    if own is None or other is None:
        return False
    if isinstance(own, dict):
        return any(_contradict(own[name], other[name]) for name in own)
    if isinstance(own, list):
        return len(own) != len(other) or any(map(_contradict, own, other))
    return bool(own != other)


def unequal(ours: pa.Array, theirs: pa.Array) -> Mask:
    """Say row by row whether two columns differ; NULL equals NULL."""
    count = len(ours)
    if ours.null_count == theirs.null_count == count:
        return np.zeros(count, np.bool_)
    ours, theirs = _plain(ours), _plain(theirs)
    if pa.types.is_struct(ours.type):
        differs: Mask = _is_null(ours) != _is_null(theirs)
        for own, other in zip(ours.flatten(), theirs.flatten(), strict=True):
            differs |= unequal(own, other)
        return differs
    if pa.types.is_nested(ours.type):
        pairs = zip(ours.to_pylist(), theirs.to_pylist(), strict=True)
        differ: Mask = np.array([own != other for own, other in pairs], np.bool_)
        return differ
    other = pc.fill_null(pc.not_equal(ours, theirs.cast(ours.type)), fill_value=False)
    is_other: Mask = np.logical_or(_mask(other), _is_null(ours) != _is_null(theirs))
    return is_other


def _known(base: pa.Table | None, offsets: Offsets) -> Mask:
    known: Mask = np.isin(offsets, NOTHING if base is None else _offsets(base))
    return known


def _without(base: pa.Table | None, offsets: Offsets) -> pa.Table | None:
    """What is kept, without the rows of these offsets."""
    if base is None or not len(offsets):
        return base
    return base.filter(pa.array(~np.isin(_offsets(base), offsets)))


def _is_from_dump(archived: pa.Table) -> Mask:
    if TOLD_BY not in archived.schema.names:
        return np.zeros(archived.num_rows, np.bool_)
    return ~_is_null(_single_chunk(archived.column(TOLD_BY)))


def _spread(chosen: Mask, answers: Mask) -> Mask:
    """Answers that were given for the chosen rows, for all rows."""
    spread = np.zeros(len(chosen), np.bool_)
    spread[chosen] = answers
    return spread


def _offsets(base: pa.Table) -> Offsets:
    offsets: Offsets = base.column(0).to_numpy()
    return offsets


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _single_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _is_null(column: pa.Array) -> Mask:
    return _mask(column.is_null())


def _mask(column: pa.Array) -> Mask:
    mask: Mask = column.to_numpy(zero_copy_only=False)
    return mask


def _nullable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.with_nullable(nullable=True) for field in schema])
