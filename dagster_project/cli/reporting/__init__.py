"""The page that `lagbook report` writes: what is asked, how it is drawn, and the templates it is put into.

Put here what only the page needs. The command, and where the file goes, belong in `dagster_project.cli.report`.
"""
