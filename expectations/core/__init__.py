"""Rules of the tables of the core layer that no declaration can say.

A module holds those of the tables that the module of its name in `assets.catalog.core` declares.
"""
