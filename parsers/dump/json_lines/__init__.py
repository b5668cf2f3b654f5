"""Lines of JSON from columns: one line for each record or entry of a file, put together by Arrow's text functions.

What is read and which columns it has is decided in `parsers.log`, `parsers.messages` and `parsers.dump.file_entries`.
"""
