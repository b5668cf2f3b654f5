"""The daemon that forks Spark's Python processes, with everything loaded that they need: `spark.python.daemon.module`.

Nothing else belongs here; what it imports is what tasks would, each for itself and for seconds.
"""

from __future__ import annotations

from pyspark import daemon

import assets.ingest.worker
import assets.reconstruct.worker

LOADED = (assets.ingest.worker, assets.reconstruct.worker)

if __name__ == "__main__":
    daemon.manager()  # type: ignore[no-untyped-call]
