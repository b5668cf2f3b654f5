"""The figures of warehouses for Prometheus: what `lagbook metrics` prints and serves.

Put here what is counted and how it is asked for. The format belongs to `assets.metrics`.
"""
