"""The file `lagbook.toml`: what one deployment reads, and whom it notifies.

Put here what the file may say and how a mistake in it is refused. What is done with it belongs to who asks.
"""
