"""Groups in the columns of kafka-consumer-groups, now or at any past instant: `lagbook groups` and `lagbook describe`.

Put here what shows the groups themselves. What went wrong with them belongs to the audit.
"""
