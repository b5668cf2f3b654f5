"""The rows of a batch that a mask picks, in the cheapest way: most masks pick all rows but a few, or a few alone.

Put here only the picking. Which rows are wanted is decided by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_RUNS: Final = 256
"""As many slices put together cost a fraction of a filter; beyond that the filter goes over the rows once."""


def pick_rows(rows: pa.RecordBatch, mask: NDArray[np.bool_]) -> pa.RecordBatch:
    """The rows at which the mask is true."""
    starts, ends = _runs(mask)
    if len(starts) > MOST_RUNS:
        return rows.filter(pa.array(mask))
    slices = [rows.slice(start, end - start) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return pa.concat_batches(slices) if slices else rows.slice(0, 0)


def _runs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The starts and ends of runs of picked rows."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return edges[::2], edges[1::2]
