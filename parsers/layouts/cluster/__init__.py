"""Format tables of __cluster_metadata: the records of KRaft controllers.

A row per field, and versions a column. Nothing here reads bytes.
"""
