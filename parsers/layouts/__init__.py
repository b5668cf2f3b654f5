"""Kafka's formats as tables: a module per message, a row per field, versions in a column, provenance in docstrings.

Code that interprets a table belongs in the modules above; a layout imports nothing but `parsers.wire`.
"""
