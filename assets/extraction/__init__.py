"""The records of ranges of logs, taken from segment files and running clusters, and written to files.

Put here how records are extracted. Which ranges a claim is about is asked by the command line.
"""
