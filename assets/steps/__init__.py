"""The steps of the pipeline: what each makes of what, what it says of its tables, and in which order they run.

Put here what is the same for every step. What Dagster makes of a step belongs in `assets.asset_specs`, a step itself in
`assets.raw`, `assets.core` or `assets.marts`.
"""
