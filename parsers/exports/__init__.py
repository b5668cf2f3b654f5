"""Records of the offsets topic as other tools wrote them to files: Parquet, JSON lines, and what Kafka's tools print.

Put here how such a file is recognised, cut into slices and read into the columns of `parsers.offset_records`. The forms
of Kafka's own text stand in `parsers.text`; what the archive makes of the records belongs in `assets`.
"""
