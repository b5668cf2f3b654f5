"""Lines of offset commits straight from their bytes: what nearly every record of the offsets topic is.

Only what the way by columns is too slow for belongs here; docs/performance.md has the figures.
"""
