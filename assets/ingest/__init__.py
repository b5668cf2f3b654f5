"""From logs to the raw tables: what is to be read, how it is dealt out and read, and what of it is kept.

Put here what stands between the files of `parsers` and the Parquet of `assets.storage.warehouse`. A running cluster as
a source belongs in `assets.ingest.live`, what is computed from the raw tables in `assets.transforms`.
"""
