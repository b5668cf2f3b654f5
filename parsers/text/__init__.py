"""What Kafka's tools printed of the offsets topic, read back into the columns of `parsers.offset_records`.

Nothing that reads bytes of a log belongs here.
"""
