"""The comparison of rows read with the archive: which rows are new, which are archived already, which contradict it.

Put here the comparison of rows under one identity. `assets.ingest.worker` writes the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from assets.arrays.mask_filter import pick_rows
from assets.catalog import TABLES
from assets.catalog.raw.records import SOURCE
from assets.storage.data_files import as_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from assets.ingest.comparison.copies import Part
    from assets.ingest.comparison.identities import Identity

    Offsets = NDArray[np.int64]
    Mask = NDArray[np.bool_]

NOTHING: Final = np.empty(0, np.int64)
FAITHFUL: Final = frozenset(
    {"timestamp_ms", "key_bytes", "value_bytes", "group_id", "topic", "partition", "member_id", "regular_expression"}
)
"""Columns that every release of Kafka's tools prints unchanged; others may be a default or an older name in text."""


class Runs:
    """A set of offsets as half-open runs: a whole log is one run, however long."""

    def __init__(self, ascending: Offsets) -> None:
        """Take offsets in ascending order, each once."""
        edges = np.flatnonzero(np.diff(ascending) > 1) + 1
        self.starts = ascending[np.concatenate([[0], edges])] if len(ascending) else NOTHING
        self.ends = ascending[np.concatenate([edges, [len(ascending)]]) - 1] + 1 if len(ascending) else NOTHING

    def holds(self, offsets: Offsets) -> Mask:
        """A mask of the offsets that are in the set."""
        if not len(self.starts) or not len(offsets) or offsets.min() >= self.ends[-1]:
            return np.zeros(len(offsets), np.bool_)
        at = np.searchsorted(self.starts, offsets, side="right") - 1
        return (at >= 0) & (offsets < self.ends[np.maximum(at, 0)])


@dataclass(frozen=True, slots=True)
class Comparison:
    """One part compared with the archive: its new rows, and its rows that contradict the archived ones.

    A log's row is new, too, if only a dump's row is archived: it then replaces the dump's row.
    """

    part: Part
    new: pa.RecordBatch
    diverged: pa.RecordBatch
    shared_count: int
    """Rows whose identity is archived already."""


class ArchivedRows:
    """The archived rows of one partition, as far as they lie in a range of offsets."""

    def __init__(self, identity: Identity, belongs: ds.Expression, archived: Sequence[str]) -> None:
        """Take the archived files that may hold the partition, and the filter for its rows."""
        self._identity, self._belongs, self._archived = identity, belongs, list(archived)
        source_column = [SOURCE] if SOURCE in TABLES[identity.table].column_names else []
        self._columns = [identity.offset, *identity.compared, *source_column]
        self._runs = Runs(NOTHING)
        self._read_from: int | None = None

    def compare(self, parts: Sequence[Part]) -> Iterator[Comparison]:
        """Compare several copies of the same offsets with the archive and each other; the first copy of a row wins."""
        low, high = min(int(part.offsets[0]) for part in parts), max(int(part.offsets[-1]) for part in parts)
        self._load_offsets(low)
        base = self._archived_rows(low, high) if any(self._runs.holds(part.offsets).any() for part in parts) else None
        for part in parts:
            is_known, differs, is_fuller = self._classify(base, part)
            new = part.rows if not is_known.any() else pick_rows(part.rows, ~is_known | is_fuller)
            diverged = pick_rows(part.rows, differs) if differs.any() else part.rows.slice(0, 0)
            yield Comparison(part, new, diverged, int(is_known.sum()))
            if part is not parts[-1]:
                base = self._with_rows(_without(base, part.offsets[is_fuller]), new, part.source)

    def _load_offsets(self, offset: int) -> None:
        """Load the archived offsets from this one on; a grown file needs only those after its old end."""
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
        """The archived rows and these rows together, in the order of offsets."""
        schema = _nullable(pa.schema([TABLES[self._identity.table].schema.field(name) for name in self._columns]))
        values = {name: _plain(rows.column(name)) for name in self._columns if name != SOURCE}
        sources = pa.repeat(pa.scalar(source, pa.string()), rows.num_rows)
        columns = [sources if name == SOURCE else values[name] for name in self._columns]
        added = pa.table(columns, names=self._columns).cast(schema)
        together = added if base is None else pa.concat_tables([base.cast(schema), added])
        return together.sort_by(self._identity.offset)

    def _classify(self, base: pa.Table | None, part: Part) -> tuple[Mask, Mask, Mask]:
        """Masks of the part's rows: archived already, contradicting the archived row, and replacing a dump's row."""
        is_known, no_row = _is_known(base, part.offsets), np.zeros(len(part.offsets), np.bool_)
        if base is None or not is_known.any():
            return is_known, no_row, no_row
        at = pa.array(np.searchsorted(_offsets(base), part.offsets[is_known]))
        archived = base.take(at).combine_chunks()
        differs = self._differ(archived, part.rows.filter(pa.array(is_known)), part.source)
        is_fuller = ~differs & _is_from_dump(archived) if part.source is None else differs & False
        return is_known, _scatter(is_known, differs), _scatter(is_known, is_fuller)

    def _differ(self, archived: pa.Table, rows: pa.RecordBatch, source: str | None) -> Mask:
        """A mask of the rows that contradict the archived ones; NULLs count only if both come from a log."""
        is_from_dump = _is_from_dump(archived) | (source is not None)
        is_text = source == "text" or (is_from_dump.any() and "text" in archived.column(SOURCE).unique().to_pylist())
        differs = np.zeros(rows.num_rows, np.bool_)
        for name in self._identity.compared:
            ours, theirs = _single_chunk(archived.column(name)), rows.column(name)
            if not is_from_dump.all():
                differs |= unequal(ours, theirs) & ~is_from_dump
            if is_from_dump.any() and not (is_text and name not in FAITHFUL):
                differs |= contradicts(ours, theirs) & is_from_dump
        return differs


def contradicts(ours: pa.Array, theirs: pa.Array) -> Mask:
    """A mask of the rows in which two columns differ; a NULL, however deep, differs from nothing."""
    differs: Mask = unequal(ours, theirs) & ~_is_null(ours) & ~_is_null(theirs)
    if differs.any() and pa.types.is_nested(ours.type):
        pairs = zip(
            ours.filter(pa.array(differs)).to_pylist(), theirs.filter(pa.array(differs)).to_pylist(), strict=True
        )
        differs = _scatter(differs, np.array([_contradict(own, other) for own, other in pairs], np.bool_))
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
    """A mask of the rows in which two columns differ; NULL equals NULL."""
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


def _is_known(base: pa.Table | None, offsets: Offsets) -> Mask:
    known: Mask = np.isin(offsets, NOTHING if base is None else _offsets(base))
    return known


def _without(base: pa.Table | None, offsets: Offsets) -> pa.Table | None:
    """The rows without those of these offsets."""
    if base is None or not len(offsets):
        return base
    return base.filter(pa.array(~np.isin(_offsets(base), offsets)))


def _is_from_dump(archived: pa.Table) -> Mask:
    if SOURCE not in archived.schema.names:
        return np.zeros(archived.num_rows, np.bool_)
    return ~_is_null(_single_chunk(archived.column(SOURCE)))


def _scatter(chosen: Mask, answers: Mask) -> Mask:
    """A mask for all rows from the answers for the chosen rows; false for the others."""
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
