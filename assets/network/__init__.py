"""What every client and server of this machine keeps to: which hosts are this machine, and HTTP to one host alone.

Put here rules of the network that several rooms share. What is sent and what an answer means belongs to who sends it.
"""
