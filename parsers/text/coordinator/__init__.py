"""What group coordinators wrote into the text logs of brokers.

The records that Kafka's tools print are read by the modules beside this room.
"""
