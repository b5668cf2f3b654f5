"""Commands that answer from a warehouse.

Put here one module for each, and what their answers share. How a page of a report looks belongs in
`dagster_project.cli.reporting`.
"""
