"""SASL/OAUTHBEARER: where a token for the brokers comes from, and for how long it is taken.

Put here what gets a token. The settings' names are in `assets.ingest.live.properties`; the connection that sends the
token is in `assets.ingest.live.cluster`.
"""
