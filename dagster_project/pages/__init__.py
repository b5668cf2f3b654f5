"""The pages and drawings of the docs that are written from the code: `python -m dagster_project.pages` writes them.

Put here what turns declarations into pages. The declarations themselves are in `assets`, pages by hand are in `docs`.
"""
