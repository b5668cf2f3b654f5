"""The page that `lagbook report` writes: queries, figures and templates.

Put here what only the page needs. The command, and where the file goes, belong in
`dagster_project.cli.questions.report`.
"""
