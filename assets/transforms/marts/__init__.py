"""Marts that one SELECT can't make: models read their inputs, compiled loops walk them."""
