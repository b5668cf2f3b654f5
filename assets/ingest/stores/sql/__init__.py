"""Tables in SQLite and Postgres as stores of committed offsets.

Put here how a declared table is read, and which of its rows are new.
"""
