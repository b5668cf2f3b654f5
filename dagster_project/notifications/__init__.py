"""Notifications of new incidents and failed runs: by webhook, Alertmanager, Slack or email, once each.

Put here who is notified of what, and how. What an incident is belongs to `assets`, when Dagster looks for new ones to
`dagster_project.alerting`.
"""
