"""Format tables of __consumer_offsets: keys, commits, groups of every protocol, and what their members say.

A row per field, and versions a column. Nothing here reads bytes.
"""
