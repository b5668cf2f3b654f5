"""Layouts compiled to steps, and the loops that run them over the bytes of many records.

The results are numbers in slots. `parsers.messages.arrays` makes columns of them.
"""
