"""Any file of a broker as JSON lines or as Parquet, for `lagbook dump`.

What reads a file belongs in `parsers.files` and `parsers.log`; here it is only told what the file says.
"""
