"""Keys and values of records as columns, read by the format tables of `parsers.layouts`.

Where they stand in a file belongs in `parsers.log`.
"""
