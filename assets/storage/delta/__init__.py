"""The Delta log of a table as files: what a commit says, and the digests by which a flip in it is noticed.

What `deltalake` reads and writes itself belongs in `assets.storage.warehouse` and `assets.storage.transaction`.
"""
