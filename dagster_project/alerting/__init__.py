"""What Dagster says of incidents and failed runs: a check of mart/incidents, and two sensors.

Put here what Dagster calls. How people are notified belongs to `dagster_project.notifications`.
"""
