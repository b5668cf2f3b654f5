"""The command that prints what files hold, and the forms in which it does.

Put here what is written where. How a line is made belongs in `parsers.dump`.
"""
