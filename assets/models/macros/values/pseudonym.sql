-- Another name for a name: the same for the same secret, and no way back without it. Of NULL there is none.
SELECT left(sha256(secret || sha256(secret || name)), 16)
