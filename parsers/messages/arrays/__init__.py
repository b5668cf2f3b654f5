"""Arrow arrays from the slots that the steps filled, and the types that they have.

How slots are filled belongs to `parsers.messages.steps`.
"""
