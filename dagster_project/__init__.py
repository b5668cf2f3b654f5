"""The wiring: definitions, resources, job, schedule, sensor, checks, and the command line.

Put here what knows Dagster and the environment. What a table is belongs in `assets`, what must hold in `expectations`.
"""

import os

# Dagster and Great Expectations read these on first use, and every way into Lagbook comes through this package first.
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
