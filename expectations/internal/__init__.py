"""Rules of the tables of the internal layer that no declaration can say.

A module holds those of the tables that the module of its name in `assets.catalog.internal` declares.
"""
