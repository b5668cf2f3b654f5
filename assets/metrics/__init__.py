"""Figures for Prometheus: the text of OpenMetrics, and a small server for it.

Put here what the recorder and the warehouse share. Which figures there are belongs to who has them.
"""
