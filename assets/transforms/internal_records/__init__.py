"""The records of internal topics beside __consumer_offsets as tables.

Put a module here for what the records of some of these topics mean. How a part of a record is read belongs in
`parsers.messages`, what follows for a group in `assets.models`.
"""
