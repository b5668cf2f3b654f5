"""What must hold: one module per table, each a plain list of Great Expectations' expectations.

Put here rules about values only. How a rule is run and shown belongs in `dagster_project.checks`.

A rule is critical, and stops what is built from the table, only if Lagbook itself makes it true for any bytes
whatsoever: its failure is a bug or a damaged warehouse. What depends on the bytes that were read is a warning, for a
stranger who writes them must not be able to stop a run.
"""

from __future__ import annotations

import os

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
