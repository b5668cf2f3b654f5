"""What must hold in each table, and whether it does: rules, the rows that may break them, and verdicts.

Put here what knows rules, files and Great Expectations. What Dagster makes of a verdict belongs in
`dagster_project.checks`, a rule itself in `expectations`.
"""
