"""Lets `python -m dagster_project.cli` stand for `lagbook` where the command is not on the path.

Put nothing else here.
"""

from dagster_project.cli.main import main

main(prog_name="lagbook")
